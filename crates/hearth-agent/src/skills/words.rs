//! A text as its words: English by their stems, Chinese by pairs of characters, and both by what they are
//! about.

use super::thesaurus::thesaurus;
use rust_stemmers::{Algorithm, Stemmer};
use std::collections::HashMap;

/// Words that carry grammar, or that nearly any request has.
const STOP_WORDS: &[&str] = &[
    "a", "about", "after", "again", "all", "also", "am", "an", "and", "any", "are", "as", "at",
    "be", "because", "been", "before", "being", "but", "by", "can", "could", "d", "did", "didnt",
    "do", "does", "doesnt", "doing", "done", "dont", "for", "from", "get", "give", "given", "got",
    "had", "has", "have", "having", "he", "help", "her", "here", "him", "his", "how", "i", "id",
    "if", "im", "in", "into", "is", "it", "its", "ive", "just", "let", "ll", "m", "make", "makes",
    "me", "more", "most", "my", "need", "needs", "new", "no", "nor", "not", "now", "of", "off",
    "on", "once", "one", "only", "or", "other", "our", "out", "over", "own", "please", "re", "s",
    "same", "she", "should", "so", "some", "such", "t", "tell", "than", "that", "thats", "the",
    "their", "them", "then", "there", "these", "they", "this", "those", "through", "to", "too",
    "two", "under", "until", "up", "us", "use", "user", "uses", "using", "ve", "very", "want",
    "was", "we", "were", "what", "whats", "when", "where", "which", "while", "who", "whom",
    "whose", "why", "will", "with", "would", "you", "your", "yours",
];
const STOP_CHARS: &str = "的了是我你他她它们在有和就都也么吗呢吧啊呀嘛哦过着得地这那哪什之与及或被把给对为以于而且并其一个些请谁做用到上下来去要能会看";
/// What may part a verb from its object: 复个盘 is 复盘, 订了票 is 订票.
const PARTS: [&str; 4] = ["个", "了", "下", "一"];
/// A message's first so many characters say what it is about.
const MAX_CHARS: usize = 4_000;

/// Weighted terms of a text, of two kinds.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Words {
    /// Stems and pairs, as they stand there.
    pub(super) literal: HashMap<String, f32>,
    /// Fields of the thesaurus.
    pub(super) fields: HashMap<u16, f32>,
    /// For explanations: a word of the text for each field.
    pub(super) spoken: HashMap<u16, String>,
    /// How many words say something, about.
    pub(super) length: f32,
}

/// The words of a text.
pub(super) fn words(text: &str) -> Words {
    let text: String = text.chars().take(MAX_CHARS).collect::<String>().to_lowercase();
    let mut words = Words::default();
    english(&text, &mut words);
    #[expect(clippy::cast_precision_loss, reason = "a few thousand at most")]
    let latin = words.literal.len() as f32;
    chinese(&text, &mut words);
    #[expect(clippy::cast_precision_loss, reason = "a few thousand at most")]
    let dense = text.chars().filter(|c| is_dense(*c)).count() as f32;
    words.length = latin + dense / 2.0;
    words
}

/// The stem of an English word in lower case.
pub(super) fn stem(word: &str) -> String {
    if word.is_ascii() {
        Stemmer::create(Algorithm::English).stem(word).into_owned()
    } else {
        word.to_owned()
    }
}

/// Stems of the alphabetic words of a text, in order, with the words.
fn stems(text: &str) -> Vec<(String, &str)> {
    text.split(|c: char| !c.is_alphanumeric() || is_dense(c))
        .filter(|word| !word.is_empty())
        .map(|word| (stem(word), word))
        .collect()
}

fn english(text: &str, words: &mut Words) {
    let stems = stems(text);
    for (stem, word) in stems.iter().filter(|(_, word)| !STOP_WORDS.contains(word)) {
        if word.chars().count() > 1 || word.bytes().all(|b| b.is_ascii_digit()) {
            words.literal.insert(stem.clone(), 1.0);
        }
    }
    let thesaurus = thesaurus();
    let mut at = 0;
    while at < stems.len() {
        let found = (1..=thesaurus.longest.min(stems.len() - at)).rev().find_map(|length| {
            let phrase: Vec<&str> =
                stems[at..at + length].iter().map(|(stem, _)| stem.as_str()).collect();
            let phrase = phrase.join(" ");
            thesaurus.english.get(&phrase).map(|fields| (length, fields))
        });
        let Some((length, fields)) = found else {
            at += 1;
            continue;
        };
        #[expect(clippy::cast_precision_loss, reason = "a few words")]
        let weight = 1.0 + 0.3 * (length - 1) as f32;
        let spoken: Vec<&str> = stems[at..at + length].iter().map(|(_, word)| *word).collect();
        add(words, fields, weight, &spoken.join(" "));
        at += length;
    }
}

fn chinese(text: &str, words: &mut Words) {
    for run in text.split(|c: char| !is_dense(c)).filter(|run| !run.is_empty()) {
        literal_pairs(run, words);
        fields_of_run(run, words);
    }
}

fn literal_pairs(run: &str, words: &mut Words) {
    let chars: Vec<char> = run.chars().collect();
    let is_stop = |c: &char| STOP_CHARS.contains(*c);
    for pair in chars.windows(2) {
        let weight = match pair.iter().filter(|c| is_stop(c)).count() {
            0 => 1.0,
            1 => 0.5,
            _ => continue,
        };
        words.literal.insert(pair.iter().collect(), weight);
    }
    for c in chars.iter().filter(|c| !is_stop(c)) {
        words.literal.entry(c.to_string()).or_insert(0.3);
    }
}

/// Longest words first from left to right: a word inside a longer one is not meant.
fn fields_of_run(run: &str, words: &mut Words) {
    let thesaurus = thesaurus();
    let starts: Vec<usize> = run.char_indices().map(|(at, _)| at).chain([run.len()]).collect();
    let mut from = 0;
    while from + 1 < starts.len() {
        let longest = thesaurus.longest_chinese.min(starts.len() - 1 - from);
        let piece = |from: usize, length: usize| &run[starts[from]..starts[from + length]];
        let whole = |length| Some((length, piece(from, length).to_owned()));
        let parted = || {
            let is_parted = from + 3 < starts.len() && PARTS.contains(&piece(from + 1, 1));
            is_parted.then(|| (3, format!("{}{}", piece(from, 1), piece(from + 2, 1))))
        };
        let found = (2..=longest).rev().map(whole).chain([parted(), whole(1)]).flatten().find_map(
            |(length, word)| thesaurus.chinese.get(&word).map(|fields| (length, word, fields)),
        );
        match found {
            Some((length, word, fields)) => {
                add(words, fields, if length > 1 { 1.0 } else { 0.6 }, &word);
                from += length;
            }
            None => from += 1,
        }
    }
}

/// A word of several fields says less of each.
fn add(words: &mut Words, fields: &[u16], weight: f32, spoken: &str) {
    #[expect(clippy::cast_precision_loss, reason = "a few fields")]
    let weight = weight / (fields.len() as f32).sqrt();
    for field in fields {
        let known = words.fields.entry(*field).or_insert(0.0);
        if weight > *known {
            *known = weight;
            words.spoken.insert(*field, spoken.to_owned());
        }
    }
}

/// Scripts without spaces between words.
fn is_dense(c: char) -> bool {
    matches!(c, '\u{3005}'..='\u{3007}' | '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{9fff}' | '\u{ac00}'..='\u{d7af}'
        | '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{3ffff}')
}
