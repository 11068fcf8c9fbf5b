//! POSIX sh, with what bash and zsh add: words, operators, quotes, substitutions, here-documents.
//!
//! The reader knows enough to name every program; it never expands anything.

use super::{Concern, Line, MAX_DEPTH, Run, is_look_alike, unwrap};

/// Words that begin or join compound commands, where a command stands.
const KEYWORDS: &[&str] = &[
    "if", "then", "else", "elif", "fi", "for", "while", "until", "do", "done", "case", "esac",
    "select", "function", "time", "coproc", "{", "}", "!", "[[", "]]", "in",
];
/// After these, a command follows.
const BEFORE_COMMAND: &[&str] =
    &["if", "then", "else", "elif", "while", "until", "do", "time", "coproc", "{", "!"];

/// Reads `text` into `line`; `through` names what runs it.
pub(super) fn read(text: &str, through: &[String], line: &mut Line) {
    if through.len() > MAX_DEPTH {
        return line.concern(Concern::TooDeep);
    }
    let reader = Reader {
        chars: text.chars().collect(),
        at: 0,
        through,
        line,
        tokens: Vec::new(),
        word: None,
        documents: Vec::new(),
    };
    reader.run();
}

#[derive(Debug, Default)]
struct Word {
    text: String,
    /// Any of it was quoted, escaped or expanded.
    disguised: bool,
    /// The name before an unquoted `=`.
    sets: Option<String>,
}

enum Token {
    Word(Word),
    /// Ends a command: `;`, `&&`, a line end.
    End,
    /// `|`, `&&` or `||`: a command must follow.
    Join,
    Redirect(String),
}

/// A here-document whose body is still to come.
struct Document {
    end: String,
    expands: bool,
    strips: bool,
}

struct Reader<'a> {
    chars: Vec<char>,
    at: usize,
    through: &'a [String],
    line: &'a mut Line,
    tokens: Vec<Token>,
    word: Option<Word>,
    documents: Vec<Document>,
}

impl Reader<'_> {
    fn run(mut self) {
        while let Some(c) = self.take() {
            self.character(c);
        }
        self.end_word();
        if !self.documents.is_empty() {
            self.line.concern(Concern::Unfinished);
        }
        let tokens = std::mem::take(&mut self.tokens);
        commands(tokens, self.through, self.line);
    }

    fn character(&mut self, c: char) {
        match c {
            ' ' | '\t' => self.end_word(),
            '\n' => {
                self.token(Token::End);
                self.bodies();
            }
            '\\' => self.escape(),
            '\'' => self.single(),
            '"' => self.double(),
            '$' => self.dollar(false),
            '`' => self.backtick(),
            '|' | '&' | ';' => self.operator(c),
            '<' | '>' => self.redirect(c),
            '(' | ')' => {
                self.line.concern(Concern::Compound(c.to_string()));
                self.token(Token::End);
            }
            '#' if self.word.is_none() => {
                self.line.concern(Concern::Comment);
                while self.peek().is_some_and(|c| c != '\n') {
                    self.at += 1;
                }
            }
            '*' | '?' | '[' | ']' | '{' | '}' => {
                self.line.concern(Concern::Pattern);
                self.push(c);
            }
            '~' if self.starts_value() => {
                self.line.concern(Concern::Home);
                self.push(c);
            }
            '=' => {
                let word = self.word.get_or_insert_default();
                let name = word.text.trim_end_matches('+');
                if word.sets.is_none() && !word.disguised && is_name(name) {
                    word.sets = Some(name.to_owned());
                }
                word.text.push('=');
            }
            c => {
                if is_look_alike(c) {
                    self.line.concern(Concern::LookAlike(c));
                }
                self.push(c);
            }
        }
    }

    fn peek(&self) -> Option<char> {
        self.chars.get(self.at).copied()
    }

    fn take(&mut self) -> Option<char> {
        let c = self.peek()?;
        self.at += 1;
        Some(c)
    }

    fn follows(&mut self, text: &str) -> bool {
        let found = self.chars[self.at..].iter().copied().take(text.len()).eq(text.chars());
        if found {
            self.at += text.len();
        }
        found
    }

    fn push(&mut self, c: char) {
        self.word.get_or_insert_default().text.push(c);
    }

    fn quoted(&mut self) -> &mut Word {
        let word = self.word.get_or_insert_default();
        word.disguised = true;
        word
    }

    fn end_word(&mut self) {
        if let Some(word) = self.word.take() {
            self.tokens.push(Token::Word(word));
        }
    }

    fn token(&mut self, token: Token) {
        self.end_word();
        self.tokens.push(token);
    }

    /// `~` is the home folder at the start of a word, and after `=` or `:`.
    fn starts_value(&self) -> bool {
        self.word
            .as_ref()
            .is_none_or(|word| word.text.is_empty() || word.text.ends_with(['=', ':']))
    }

    fn escape(&mut self) {
        match self.take() {
            None => self.line.concern(Concern::Unfinished),
            Some('\n') => {}
            Some(c) => self.quoted().text.push(c),
        }
    }

    fn single(&mut self) {
        self.quoted();
        loop {
            match self.take() {
                None => return self.line.concern(Concern::Unfinished),
                Some('\'') => return,
                Some(c) => self.push(c),
            }
        }
    }

    fn double(&mut self) {
        self.quoted();
        loop {
            match self.take() {
                None => return self.line.concern(Concern::Unfinished),
                Some('"') => return,
                Some('\\') => match self.take() {
                    None => return self.line.concern(Concern::Unfinished),
                    Some('\n') => {}
                    Some(c @ ('$' | '`' | '"' | '\\')) => self.push(c),
                    Some(c) => {
                        self.push('\\');
                        self.push(c);
                    }
                },
                Some('$') => self.dollar(true),
                Some('`') => self.backtick(),
                Some(c) => self.push(c),
            }
        }
    }

    fn dollar(&mut self, in_quotes: bool) {
        let Some(next) = self.peek() else { return self.push('$') };
        match next {
            '(' => self.parenthesis(),
            '{' => {
                self.at += 1;
                let inner = self.until_closing('{', '}');
                self.line.concern(Concern::Expansion);
                self.quoted();
                self.inside(&inner);
            }
            '\'' if !in_quotes => {
                self.at += 1;
                self.line.concern(Concern::Expansion);
                self.ansi();
            }
            '"' if !in_quotes => self.line.concern(Concern::Expansion),
            '[' => self.line.concern(Concern::Expansion),
            c if c.is_alphanumeric() || "_@*#?$!-".contains(c) => {
                self.line.concern(Concern::Expansion);
                self.quoted().text.push('$');
            }
            _ => self.push('$'),
        }
    }

    /// `$( … )` and `$(( … ))`.
    fn parenthesis(&mut self) {
        self.at += 1;
        let inner = self.until_closing('(', ')');
        self.quoted();
        if inner.starts_with('(') {
            self.line.concern(Concern::Expansion);
            self.inside(&inner);
        } else {
            self.line.concern(Concern::Substitution);
            self.nested("$( )", &inner);
        }
    }

    fn backtick(&mut self) {
        self.line.concern(Concern::Substitution);
        self.quoted();
        let mut inner = String::new();
        loop {
            match self.take() {
                None => {
                    self.line.concern(Concern::Unfinished);
                    break;
                }
                Some('`') => break,
                Some('\\') => match self.take() {
                    Some(c @ ('`' | '\\' | '$')) => inner.push(c),
                    Some(c) => inner.extend(['\\', c]),
                    None => self.line.concern(Concern::Unfinished),
                },
                Some(c) => inner.push(c),
            }
        }
        self.nested("` `", &inner);
    }

    /// `$'…'`: decoded, so that a name written in numbers is shown in letters.
    fn ansi(&mut self) {
        self.quoted();
        loop {
            match self.take() {
                None => return self.line.concern(Concern::Unfinished),
                Some('\'') => return,
                Some('\\') => {
                    let c = self.take().unwrap_or('\\');
                    let decoded = match c {
                        'n' => '\n',
                        't' => '\t',
                        'x' => self.number(16, 2),
                        'u' => self.number(16, 4),
                        'U' => self.number(16, 8),
                        '0'..='7' => {
                            self.at -= 1;
                            self.number(8, 3)
                        }
                        c => c,
                    };
                    self.push(decoded);
                }
                Some(c) => self.push(c),
            }
        }
    }

    fn number(&mut self, radix: u32, most: usize) -> char {
        let mut value = 0;
        for _ in 0..most {
            let Some(digit) = self.peek().and_then(|c| c.to_digit(radix)) else { break };
            value = value * radix + digit;
            self.at += 1;
        }
        char::from_u32(value).unwrap_or(char::REPLACEMENT_CHARACTER)
    }

    /// What stands before the closing bracket, quotes and inner brackets passed over.
    fn until_closing(&mut self, open: char, close: char) -> String {
        let start = self.at;
        let mut depth = 1;
        let mut quote = None;
        while let Some(c) = self.take() {
            match (c, quote) {
                ('\\', Some('"') | None) => self.at += 1,
                ('\'' | '"', None) => quote = Some(c),
                (c, Some(q)) if c == q => quote = None,
                (c, None) if c == open => depth += 1,
                (c, None) if c == close => depth -= 1,
                _ => {}
            }
            if depth == 0 {
                return self.chars[start..self.at - 1].iter().collect();
            }
        }
        self.at = self.chars.len();
        self.line.concern(Concern::Unfinished);
        self.chars[start.min(self.at)..].iter().collect()
    }

    fn nested(&mut self, by: &str, inner: &str) {
        let mut through = self.through.to_vec();
        through.push(by.to_owned());
        read(inner, &through, self.line);
    }

    /// Commands inside text that is no command itself: a here-document, arithmetic, `${x:-…}`.
    fn inside(&mut self, text: &str) {
        if self.through.len() >= MAX_DEPTH {
            return self.line.concern(Concern::TooDeep);
        }
        let mut through = self.through.to_vec();
        through.push("text".to_owned());
        let mut inner = Reader {
            chars: text.chars().collect(),
            at: 0,
            through: &through,
            line: self.line,
            tokens: Vec::new(),
            word: None,
            documents: Vec::new(),
        };
        while let Some(c) = inner.take() {
            match c {
                '\\' => inner.at += 1,
                '$' => inner.dollar(true),
                '`' => inner.backtick(),
                _ => {}
            }
        }
    }

    fn operator(&mut self, c: char) {
        match c {
            '&' if self.follows("&") => self.token(Token::Join),
            '&' if self.peek() == Some('>') => {
                self.at += 1;
                let twice = self.follows(">");
                self.token(Token::Redirect(if twice { "&>>" } else { "&>" }.to_owned()));
            }
            '&' => {
                self.line.concern(Concern::Background);
                self.token(Token::End);
            }
            '|' => {
                let _ = self.follows("|") || self.follows("&");
                self.token(Token::Join);
            }
            _ => {
                if self.follows(";") {
                    self.line.concern(Concern::Compound(";;".to_owned()));
                }
                if self.peek_end() {
                    self.line.concern(Concern::Misplaced(";".to_owned()));
                }
                self.token(Token::End);
            }
        }
    }

    /// Whether no word stands between the last operator and here.
    fn peek_end(&self) -> bool {
        self.word.is_none() && !matches!(self.tokens.last(), Some(Token::Word(_)))
    }

    fn redirect(&mut self, c: char) {
        if self.peek() == Some('(') {
            self.at += 1;
            let inner = self.until_closing('(', ')');
            self.line.concern(Concern::Substitution);
            self.quoted();
            return self.nested("<( )", &inner);
        }
        // A number right before it is a file descriptor, not a word.
        if self
            .word
            .as_ref()
            .is_some_and(|w| !w.disguised && w.text.bytes().all(|b| b.is_ascii_digit()))
        {
            self.word = None;
        }
        self.end_word();
        let mut operator = c.to_string();
        while operator.len() < 3 && self.peek().is_some_and(|n| "<>|&-".contains(n)) {
            let next = self.take().unwrap_or_default();
            operator.push(next);
            if matches!(next, '|' | '&' | '-') {
                break;
            }
        }
        if operator.starts_with("<<") && operator != "<<<" {
            return self.document(operator.ends_with('-'));
        }
        if operator.ends_with('&') && self.descriptor() {
            return;
        }
        self.tokens.push(Token::Redirect(operator));
    }

    /// `2>&1`: takes the number; it names an open file, so nothing is opened.
    fn descriptor(&mut self) -> bool {
        let start = self.at;
        while self.peek().is_some_and(|c| c.is_ascii_digit() || c == '-') {
            self.at += 1;
        }
        let ends = self.peek().is_none_or(|c| " \t\n;|&".contains(c));
        if start < self.at && ends {
            return true;
        }
        self.at = start;
        false
    }

    /// The delimiter; the body begins after the next line end.
    fn document(&mut self, strips: bool) {
        self.line.concern(Concern::HereDocument);
        while self.peek().is_some_and(|c| c == ' ' || c == '\t') {
            self.at += 1;
        }
        let mut end = String::new();
        let mut expands = true;
        while let Some(c) = self.peek().filter(|c| !" \t\n;|&<>".contains(*c)) {
            self.at += 1;
            match c {
                '\'' | '"' | '\\' => expands = false,
                c => end.push(c),
            }
        }
        self.documents.push(Document { end, expands, strips });
    }

    fn bodies(&mut self) {
        for document in std::mem::take(&mut self.documents) {
            let mut body = String::new();
            loop {
                if self.at >= self.chars.len() {
                    self.line.concern(Concern::Unfinished);
                    break;
                }
                let rest = &self.chars[self.at..];
                let length = rest.iter().position(|c| *c == '\n').unwrap_or(rest.len());
                let row: String = rest[..length].iter().collect();
                self.at += (length + 1).min(rest.len());
                let bare = if document.strips { row.trim_start_matches('\t') } else { &row };
                if bare == document.end {
                    break;
                }
                body.push_str(&row);
                body.push('\n');
            }
            if document.expands {
                self.inside(&body);
            }
        }
    }
}

fn is_name(text: &str) -> bool {
    let mut chars = text.chars();
    chars.next().is_some_and(|c| c == '_' || c.is_ascii_alphabetic())
        && chars.all(|c| c == '_' || c.is_ascii_alphanumeric())
}

/// From tokens to programs.
fn commands(tokens: Vec<Token>, through: &[String], line: &mut Line) {
    let mut words: Vec<Word> = Vec::new();
    let mut must_follow = false;
    let mut redirect: Option<String> = None;
    for token in tokens {
        match token {
            Token::Word(word) => match redirect.take() {
                Some(operator) if operator.contains('>') && word.text == "/dev/null" => {}
                Some(operator) => {
                    line.concern(Concern::Redirection(format!("{operator} {}", word.text)))
                }
                None => words.push(word),
            },
            Token::Redirect(operator) => {
                if redirect.replace(operator).is_some() {
                    line.concern(Concern::Unfinished);
                }
            }
            end @ (Token::End | Token::Join) => {
                let joins = matches!(end, Token::Join);
                if joins && words.is_empty() {
                    line.concern(Concern::Misplaced("an operator".to_owned()));
                }
                must_follow = joins || must_follow && words.is_empty();
                command(std::mem::take(&mut words), through, line);
            }
        }
    }
    if redirect.is_some() || must_follow && words.is_empty() {
        line.concern(Concern::Unfinished);
    }
    command(words, through, line);
}

fn command(words: Vec<Word>, through: &[String], line: &mut Line) {
    let mut words = words.into_iter().peekable();
    while let Some(name) = words.peek().and_then(|word| word.sets.clone()) {
        line.concern(Concern::Assignment(name));
        words.next();
    }
    let Some(first) = words.next() else { return };
    if !first.disguised && KEYWORDS.contains(&first.text.as_str()) {
        line.concern(Concern::Compound(first.text.clone()));
        if BEFORE_COMMAND.contains(&first.text.as_str()) {
            command(words.collect(), through, line);
        }
        return;
    }
    if first.disguised {
        line.concern(Concern::Disguised(first.text.clone()));
    }
    let run = Run {
        program: first.text,
        arguments: words.map(|word| word.text).collect(),
        through: through.to_vec(),
    };
    let inner = unwrap::of(&run);
    line.runs.push(run);
    unwrap::follow(inner, line);
}
