//! PowerShell: an expression language, of which only plain commands with plain arguments are understood.

use super::{Concern, Line, Run, is_look_alike, unwrap};

/// Words of the language itself.
const COMPOUND: &[&str] = &[
    "if", "else", "elseif", "for", "foreach", "while", "do", "switch", "function", "filter", "try",
    "catch", "finally", "param", "begin", "process", "end", "class", "using",
];

/// Reads a line of PowerShell.
pub(super) fn read(text: &str, line: &mut Line) {
    // PowerShell takes these for its own quotes and dashes, even inside quotes.
    for c in text.chars().filter(|c| matches!(c, '\u{2013}'..='\u{2015}' | '\u{2018}'..='\u{201e}'))
    {
        line.concern(Concern::LookAlike(c));
    }
    let mut reader =
        Reader { chars: text.chars().collect(), at: 0, words: vec![], word: None, line };
    while let Some(c) = reader.take() {
        reader.character(c);
    }
    reader.end();
}

#[derive(Debug, Default)]
struct Word {
    text: String,
    disguised: bool,
}

struct Reader<'a> {
    chars: Vec<char>,
    at: usize,
    words: Vec<Word>,
    word: Option<Word>,
    line: &'a mut Line,
}

impl Reader<'_> {
    fn take(&mut self) -> Option<char> {
        let c = self.chars.get(self.at).copied()?;
        self.at += 1;
        Some(c)
    }

    fn push(&mut self, c: char) {
        self.word.get_or_insert_default().text.push(c);
    }

    fn character(&mut self, c: char) {
        match c {
            ' ' | '\t' => self.words.extend(self.word.take()),
            '\'' => self.single(),
            '"' => self.double(),
            '`' => {
                self.word.get_or_insert_default().disguised = true;
                self.line.concern(Concern::Disguised("`".to_owned()));
                match self.take() {
                    Some(c) => self.push(c),
                    None => self.line.concern(Concern::Unfinished),
                }
            }
            '$' => {
                self.line.concern(Concern::Expansion);
                self.push(c);
            }
            ';' | '\n' => self.end(),
            '|' => {
                if self.chars.get(self.at) == Some(&'|') {
                    self.at += 1;
                }
                self.end();
            }
            '&' => {
                if self.chars.get(self.at) == Some(&'&') {
                    self.at += 1;
                } else {
                    self.line.concern(Concern::Compound("&".to_owned()));
                }
                self.end();
            }
            '(' | ')' | '{' | '}' | '@' | '[' | ']' => {
                self.line.concern(Concern::Compound(c.to_string()));
                self.end();
            }
            '<' | '>' => {
                self.line.concern(Concern::Redirection(c.to_string()));
                self.words.extend(self.word.take());
            }
            '#' if self.word.is_none() => self.line.concern(Concern::Comment),
            '*' | '?' => {
                self.line.concern(Concern::Pattern);
                self.push(c);
            }
            ',' | '=' => {
                self.line.concern(Concern::Misplaced(c.to_string()));
                self.push(c);
            }
            c => {
                if is_look_alike(c) {
                    self.line.concern(Concern::LookAlike(c));
                }
                self.push(c);
            }
        }
    }

    fn single(&mut self) {
        self.word.get_or_insert_default().disguised = true;
        loop {
            match self.take() {
                None => return self.line.concern(Concern::Unfinished),
                Some('\'') if self.chars.get(self.at) == Some(&'\'') => {
                    self.at += 1;
                    self.push('\'');
                }
                Some('\'') => return,
                Some(c) => self.push(c),
            }
        }
    }

    fn double(&mut self) {
        self.word.get_or_insert_default().disguised = true;
        loop {
            match self.take() {
                None => return self.line.concern(Concern::Unfinished),
                Some('"') if self.chars.get(self.at) == Some(&'"') => {
                    self.at += 1;
                    self.push('"');
                }
                Some('"') => return,
                Some('`') => match self.take() {
                    Some(c) => self.push(c),
                    None => return self.line.concern(Concern::Unfinished),
                },
                Some('$') => {
                    self.line.concern(Concern::Expansion);
                    self.push('$');
                }
                Some(c) => self.push(c),
            }
        }
    }

    fn end(&mut self) {
        self.words.extend(self.word.take());
        let mut words = std::mem::take(&mut self.words).into_iter();
        let Some(first) = words.next() else { return };
        if first.disguised {
            self.line.concern(Concern::Disguised(first.text.clone()));
        }
        if COMPOUND.iter().any(|word| first.text.eq_ignore_ascii_case(word)) {
            self.line.concern(Concern::Compound(first.text.clone()));
        }
        let arguments: Vec<String> = words.map(|word| word.text).collect();
        if first.text == "--%" || arguments.iter().any(|word| word == "--%") {
            self.line.concern(Concern::Compound("--%".to_owned()));
        }
        let run = Run { program: first.text, arguments, through: vec![] };
        let inner = inner(&run);
        self.line.runs.push(run);
        self.line.runs.extend(inner);
    }
}

/// What a runner would run, one level deep: enough to be shown.
fn inner(run: &Run) -> Option<Run> {
    if !unwrap::is_runner(&run.program) {
        return None;
    }
    let mut rest = run.arguments.iter().skip_while(|word| word.starts_with(['/', '-'])).cloned();
    let program = rest.next()?;
    Some(Run { program, arguments: rest.collect(), through: vec![unwrap::base(&run.program)] })
}
