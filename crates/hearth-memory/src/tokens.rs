//! Text as the index knows it: words, and for scripts without spaces characters and pairs of them.
//!
//! Invariant: notes and questions are cut by the same rules, so any literal part of a note finds it. Case,
//! width, accents and English endings do not count; operators and punctuation are no words at all, so no
//! text is an invalid question.

use rust_stemmers::{Algorithm, Stemmer};
use unicode_normalization::UnicodeNormalization as _;
use unicode_normalization::char::is_combining_mark;

/// Longer runs without a break are cut; nobody asks for one as a whole.
const LONGEST_WORD: usize = 40;
/// A question is looked for by its first so many different terms.
const MAX_TERMS: usize = 192;

const STOP_WORDS: &[&str] = &[
    "a", "about", "after", "again", "all", "also", "am", "an", "and", "any", "are", "as", "at",
    "be", "because", "been", "before", "being", "but", "by", "can", "could", "did", "do", "does",
    "doing", "done", "for", "from", "get", "got", "had", "has", "have", "having", "he", "her",
    "here", "him", "his", "how", "i", "if", "in", "into", "is", "it", "its", "just", "me", "more",
    "most", "my", "no", "nor", "not", "now", "of", "off", "on", "once", "only", "or", "other",
    "our", "out", "over", "own", "please", "same", "she", "should", "so", "some", "such", "tell",
    "than", "that", "the", "their", "them", "then", "there", "these", "they", "this", "those",
    "through", "to", "too", "under", "until", "up", "us", "very", "was", "we", "were", "what",
    "when", "where", "which", "while", "who", "whom", "whose", "why", "will", "with", "would",
    "you", "your", "yours", "im", "ive", "id", "its", "dont", "didnt", "doesnt", "s", "t", "d",
    "m", "re", "whats", "thats", "wheres", "whos", "hows", "ll", "ve", "don", "isnt", "wasnt",
    "cant", "couldnt",
];
/// Characters that carry grammar rather than meaning, mostly Chinese and some kana.
const STOP_CHARS: &str = "的了是我你他她它们在有和就都也么吗呢吧啊呀嘛哦过着得地这那哪什之与及或被把给对为以于而且并其一个些请问谁吗なにはがをのでともへやかねよですますたしてるれい";

/// The terms of a note, in order; a term that stands there twice is there twice.
#[must_use]
pub(crate) fn terms(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    for run in runs(text) {
        match run {
            Run::Dense(chars) => {
                found.extend(chars.iter().map(char::to_string));
                found.extend(chars.windows(2).map(|pair| pair.iter().collect::<String>()));
            }
            Run::Word(word) => found.push(stemmed(word)),
            Run::Joined(word) | Run::Sign(word) => found.push(word),
        }
    }
    found
}

/// The terms a question is looked for by, each once: without stop words, unless it has nothing else.
#[must_use]
pub(crate) fn question_terms(text: &str) -> Vec<String> {
    let mut telling = Vec::new();
    let mut rest = Vec::new();
    for run in runs(text) {
        match run {
            Run::Dense(chars) if chars.len() == 1 => {
                let term = chars.iter().collect::<String>();
                if STOP_CHARS.contains(chars[0]) { &mut rest } else { &mut telling }.push(term);
            }
            Run::Dense(chars) => {
                for pair in chars.windows(2) {
                    let empty = pair.iter().all(|c| STOP_CHARS.contains(*c));
                    let term = pair.iter().collect::<String>();
                    if empty { &mut rest } else { &mut telling }.push(term);
                }
            }
            Run::Word(word) => {
                let empty = STOP_WORDS.contains(&word.as_str());
                if empty { &mut rest } else { &mut telling }.push(stemmed(word));
            }
            Run::Joined(word) => {
                let empty = STOP_WORDS.contains(&word.as_str());
                if empty { &mut rest } else { &mut telling }.push(word);
            }
            Run::Sign(sign) => telling.push(sign),
        }
    }
    let mut chosen = if telling.is_empty() { rest } else { telling };
    let mut seen = std::collections::HashSet::new();
    chosen.retain(|term| seen.insert(term.clone()));
    chosen.truncate(MAX_TERMS);
    chosen
}

/// A piece of text between breaks.
#[derive(Debug, PartialEq)]
enum Run {
    /// Characters of a script without spaces.
    Dense(Vec<char>),
    /// A word, in lower case and without accents.
    Word(String),
    /// Words and numbers that signs hold together (`4,500`, `v22.3`, `c++`), without most signs.
    Joined(String),
    /// A symbol that means something by itself.
    Sign(String),
}

fn runs(text: &str) -> Vec<Run> {
    let mut reader = Reader::default();
    // Accents come apart from their letters, and wide letters become plain ones.
    for c in text.nfkd().filter(|c| !is_combining_mark(*c) || is_dense(*c)).nfc() {
        match c {
            'ß' => reader.read('s').read('s'),
            'ı' => reader.read('i'),
            'ø' | 'Ø' => reader.read('o'),
            'ł' | 'Ł' => reader.read('l'),
            c => {
                c.to_lowercase().filter(|c| !is_combining_mark(*c)).fold(&mut reader, Reader::read)
            }
        };
    }
    reader.finish()
}

#[derive(Default)]
struct Reader {
    runs: Vec<Run>,
    dense: Vec<char>,
    word: String,
    /// Parts of what signs hold together, and how many words it has.
    joined: String,
    parts: usize,
    /// The sign after the last word.
    sign: Option<char>,
}

impl Reader {
    fn read(&mut self, c: char) -> &mut Self {
        if is_dense(c) {
            self.end_joined();
            self.dense.push(c);
        } else if c.is_alphanumeric() {
            self.end_dense();
            if self.sign.take().is_some() && self.joined.is_empty() {
                self.parts = 0;
            }
            self.word.push(c);
            if self.word.chars().count() >= LONGEST_WORD {
                self.end_word();
            }
        } else if is_invisible(c) {
            // Neither a break nor a character.
        } else {
            self.end_dense();
            self.sign(c);
        }
        self
    }

    fn sign(&mut self, c: char) {
        let holds =
            matches!(c, '-' | '.' | ',' | '_' | '\'' | '’' | '/' | ':' | '@' | '+' | '#' | '‑');
        if holds && !self.word.is_empty() {
            if matches!(c, '+' | '#') {
                let named = format!("{}{c}", self.word);
                self.end_word();
                self.runs.push(Run::Joined(named));
            } else {
                self.end_word();
            }
            self.sign = Some(c);
            return;
        }
        if matches!(c, '+') && self.sign == Some('+') {
            if let Some(Run::Joined(named)) = self.runs.last_mut() {
                named.push(c);
            }
            return;
        }
        self.end_joined();
        if is_symbol(c) {
            self.runs.push(Run::Sign(c.to_string()));
        }
    }

    fn end_word(&mut self) {
        if !self.word.is_empty() {
            self.joined.push_str(&self.word);
            self.parts += 1;
            self.runs.push(Run::Word(std::mem::take(&mut self.word)));
        }
    }

    fn end_joined(&mut self) {
        self.end_word();
        if self.parts > 1 && self.joined.chars().count() <= LONGEST_WORD {
            self.runs.push(Run::Joined(std::mem::take(&mut self.joined)));
        }
        self.joined.clear();
        self.parts = 0;
        self.sign = None;
    }

    fn end_dense(&mut self) {
        if !self.dense.is_empty() {
            self.runs.push(Run::Dense(std::mem::take(&mut self.dense)));
        }
    }

    fn finish(mut self) -> Vec<Run> {
        self.end_joined();
        self.end_dense();
        self.runs
    }
}

/// English endings; other languages of the alphabet lose little by it, and both sides the same.
fn stemmed(word: String) -> String {
    if word.len() < 4 || !word.bytes().all(|b| b.is_ascii_lowercase()) {
        return word;
    }
    Stemmer::create(Algorithm::English).stem(&word).into_owned()
}

/// Scripts that are written without spaces, or glue their grammar to the words.
fn is_dense(c: char) -> bool {
    matches!(c,
        '\u{e00}'..='\u{eff}' | '\u{1000}'..='\u{109f}' | '\u{1780}'..='\u{17ff}'
        | '\u{1100}'..='\u{11ff}' | '\u{3005}'..='\u{3007}' | '\u{3041}'..='\u{3096}'
        | '\u{3099}'..='\u{309a}' | '\u{309d}'..='\u{309f}' | '\u{30a1}'..='\u{30fa}'
        | '\u{30fc}'..='\u{30ff}' | '\u{3105}'..='\u{318e}' | '\u{31f0}'..='\u{31ff}'
        | '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}' | '\u{ac00}'..='\u{d7af}'
        | '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{3ffff}')
}

fn is_invisible(c: char) -> bool {
    matches!(c, '\u{ad}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{2064}'
        | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{e0100}'..='\u{e01ef}')
        || is_combining_mark(c)
}

/// Emoji, arrows, mathematical and other signs that someone may look for.
fn is_symbol(c: char) -> bool {
    matches!(c, '\u{2100}'..='\u{2bff}' | '\u{1f000}'..='\u{1faff}') && !c.is_alphanumeric()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn literal_parts_of_a_note_find_it() {
        for (note, question) in [
            ("multi-agent skill-audit", "multi-agent"),
            ("don't use agents", "don’t use agent"),
            ("node.js v22.3", "v22.3"),
            ("C++ and C# notes", "c#"),
            ("C++ and C# notes", "C++"),
            ("C++ and C# notes", "C"),
            ("房租每月 4,500 元", "4500"),
            ("電話 138-0013-8000", "13800138000"),
            ("ＡＢＣ公司の１２３", "abc"),
            ("Crème brûlée, Straße", "creme strasse"),
            ("サンドボックス修正テスト", "ｻﾝﾄﾞﾎﾞｯｸｽ"),
            ("서울 회의 일정", "회의"),
            ("我喜欢喝咖啡", "喝"),
            ("emoji 🙂 test", "🙂"),
            ("İstanbul", "istanbul"),
            ("She recommended two books", "recommend book"),
        ] {
            let kept = terms(note);
            let asked = question_terms(question);
            assert!(!asked.is_empty(), "{question}");
            assert!(asked.iter().all(|term| kept.contains(term)), "{asked:?} in {kept:?}");
        }
    }

    #[test]
    fn signs_alone_are_no_question() {
        for text in ["", "   ", "\"", "((( * ^ -", "\u{200b}", "%"] {
            assert!(question_terms(text).is_empty(), "{text}");
        }
    }

    #[test]
    fn stop_words_count_only_where_there_is_nothing_else() {
        assert_eq!(question_terms("what is the AND"), ["what", "is", "the", "and"]);
        assert_eq!(question_terms("what is the tea"), ["tea"]);
        assert_eq!(question_terms("我的茶"), ["的茶"]);
        assert_eq!(question_terms("a\0b and ten ten"), ["b", "ten"]);
    }

    #[test]
    fn a_flood_is_bounded() {
        let flood: String = ('\u{4e00}'..'\u{6000}').collect();
        assert_eq!(question_terms(&flood).len(), MAX_TERMS);
        let word = "x".repeat(10_000);
        assert!(terms(&word).iter().all(|term| term.chars().count() <= LONGEST_WORD));
    }
}
