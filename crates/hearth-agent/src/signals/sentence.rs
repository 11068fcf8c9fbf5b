//! A message as sentences, each with the forms in which rules read it.
//!
//! Invariant: the sentences' raw texts stand in the message in this order, without overlap.

/// Longest piece that rules read, in bytes: no rule looks further, and a message of a megabyte stays cheap.
const LONGEST: usize = 2_000;
const ABBREVIATIONS: [&str; 18] = [
    "mr", "mrs", "ms", "dr", "prof", "st", "no", "vs", "e.g", "i.e", "etc", "inc", "ltd", "co",
    "jr", "sr", "approx", "nr",
];

/// One sentence.
#[derive(Debug, Clone)]
pub(super) struct Sentence<'a> {
    /// As written, trimmed.
    pub(super) raw: &'a str,
    /// Lower case, straight quotes, single spaces.
    pub(super) plain: String,
    /// It asks.
    pub(super) question: bool,
    /// It holds Chinese characters.
    pub(super) chinese: bool,
}

impl<'a> Sentence<'a> {
    fn new(raw: &'a str) -> Self {
        Self { raw, plain: plain(raw), question: asks(raw), chinese: raw.chars().any(is_han) }
    }
}

/// A Chinese character.
pub(super) fn is_han(c: char) -> bool {
    matches!(c, '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}' | '\u{f900}'..='\u{faff}')
}

/// The sentences of a message.
pub(super) fn split(message: &str) -> Vec<Sentence<'_>> {
    let mut sentences = Vec::new();
    let mut begin = 0;
    for (at, c) in message.char_indices() {
        let end = at + c.len_utf8();
        if ends(message, begin, at, c) || end - begin >= LONGEST {
            push(&mut sentences, &message[begin..end]);
            begin = end;
        }
    }
    push(&mut sentences, &message[begin..]);
    sentences
}

fn push<'a>(sentences: &mut Vec<Sentence<'a>>, raw: &'a str) {
    let raw = raw.trim();
    if raw.chars().any(char::is_alphanumeric) {
        sentences.push(Sentence::new(raw));
    }
}

fn ends(message: &str, begin: usize, at: usize, c: char) -> bool {
    match c {
        '。' | '！' | '？' | '\n' | '；' => true,
        '!' | '?' => next(message, at, c).is_none_or(char::is_whitespace),
        '.' => {
            next(message, at, c).is_none_or(char::is_whitespace)
                && !abbreviated(&message[begin..at])
        }
        _ => false,
    }
}

fn next(message: &str, at: usize, c: char) -> Option<char> {
    message[at + c.len_utf8()..].chars().next()
}

/// The words before a full stop end in an abbreviation or an initial.
fn abbreviated(before: &str) -> bool {
    let word = before.rsplit([' ', '\n', '(']).next().unwrap_or_default().to_lowercase();
    word.chars().count() == 1 && word.chars().all(char::is_alphabetic)
        || ABBREVIATIONS.contains(&word.as_str())
}

fn plain(raw: &str) -> String {
    let mut plain = String::with_capacity(raw.len());
    for c in raw.chars().flat_map(char::to_lowercase) {
        let c = match c {
            '’' | '‘' | '＇' => '\'',
            '“' | '”' => '"',
            c if c.is_whitespace() => ' ',
            c => c,
        };
        if c != ' ' || !plain.ends_with(' ') {
            plain.push(c);
        }
    }
    plain
}

fn asks(raw: &str) -> bool {
    let end = raw.trim_end_matches(['"', '”', '」', ')', '）', ' ']);
    end.ends_with(['?', '？'])
        || end.trim_end_matches(['。', '!', '！']).ends_with(['吗', '呢', '么'])
}
