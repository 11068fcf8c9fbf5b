//! cmd.exe: carets, quotes, percent signs.

use super::{Concern, Line, Run, is_look_alike, unwrap};

/// Words of the language itself.
const COMPOUND: &[&str] = &["for", "if", "else", "goto", "setlocal"];

/// Reads a line of cmd.
pub(super) fn read(text: &str, line: &mut Line) {
    let mut chars = text.chars().peekable();
    let mut words: Vec<Word> = Vec::new();
    let mut word: Option<Word> = None;
    let mut quoted = false;
    while let Some(c) = chars.next() {
        match c {
            '\n' => {
                line.concern(Concern::Compound("a second line".to_owned()));
                end(&mut words, &mut word, line);
            }
            '%' | '!' => {
                line.concern(Concern::Expansion);
                word.get_or_insert_default().text.push(c);
            }
            '"' => {
                quoted = !quoted;
                word.get_or_insert_default().disguised = true;
            }
            c if quoted => word.get_or_insert_default().text.push(c),
            '^' => match chars.next() {
                None => line.concern(Concern::Unfinished),
                Some(next) => {
                    let word = word.get_or_insert_default();
                    word.disguised = true;
                    word.text.push(next);
                }
            },
            ' ' | '\t' => words.extend(word.take()),
            ',' | ';' | '=' => {
                // Separators here, but not for every program.
                line.concern(Concern::Misplaced(c.to_string()));
                words.extend(word.take());
            }
            '&' | '|' => {
                let twice = chars.next_if_eq(&c).is_some();
                if !twice && c == '|' && word.is_none() && words.is_empty() {
                    line.concern(Concern::Misplaced(c.to_string()));
                }
                end(&mut words, &mut word, line);
            }
            '<' | '>' => {
                line.concern(Concern::Redirection(c.to_string()));
                words.extend(word.take());
            }
            '(' | ')' | '@' if word.is_none() || c != '@' => {
                line.concern(Concern::Compound(c.to_string()));
                end(&mut words, &mut word, line);
            }
            '*' | '?' => {
                line.concern(Concern::Pattern);
                word.get_or_insert_default().text.push(c);
            }
            c => {
                if is_look_alike(c) {
                    line.concern(Concern::LookAlike(c));
                }
                word.get_or_insert_default().text.push(c);
            }
        }
    }
    if quoted {
        line.concern(Concern::Unfinished);
    }
    end(&mut words, &mut word, line);
}

#[derive(Debug, Default)]
struct Word {
    text: String,
    disguised: bool,
}

fn end(words: &mut Vec<Word>, word: &mut Option<Word>, line: &mut Line) {
    words.extend(word.take());
    let mut words = std::mem::take(words).into_iter();
    let Some(first) = words.next() else { return };
    if first.disguised {
        line.concern(Concern::Disguised(first.text.clone()));
    }
    if first.text.starts_with(':') {
        line.concern(Concern::Compound(":".to_owned()));
    }
    if COMPOUND.iter().any(|word| first.text.eq_ignore_ascii_case(word)) {
        line.concern(Concern::Compound(first.text.clone()));
    }
    let arguments: Vec<String> = words.map(|word| word.text).collect();
    let run = Run { program: first.text, arguments, through: vec![] };
    let inner = inner(&run);
    line.runs.push(run);
    line.runs.extend(inner);
}

/// What `cmd /c`, `start` and `call` would run, one level deep: enough to be shown.
fn inner(run: &Run) -> Option<Run> {
    if !unwrap::is_runner(&run.program) {
        return None;
    }
    let mut rest = run.arguments.iter().skip_while(|word| word.starts_with(['/', '-'])).cloned();
    let program = rest.next()?;
    Some(Run { program, arguments: rest.collect(), through: vec![unwrap::base(&run.program)] })
}
