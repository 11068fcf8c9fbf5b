//! Words of everyday tasks in English and Chinese, by fields: what lets "收件箱" find a skill for mail
//! without any model. One line of `thesaurus.txt` is a field.

use super::words::stem;
use std::collections::HashMap;
use std::sync::OnceLock;

const TEXT: &str = include_str!("thesaurus.txt");

/// Words to their fields.
pub(super) struct Thesaurus {
    /// By stems with a space between.
    pub(super) english: HashMap<String, Vec<u16>>,
    pub(super) chinese: HashMap<String, Vec<u16>>,
    /// Words of the longest phrase, characters of the longest word.
    pub(super) longest: usize,
    pub(super) longest_chinese: usize,
}

/// Read once.
pub(super) fn thesaurus() -> &'static Thesaurus {
    static READ: OnceLock<Thesaurus> = OnceLock::new();
    READ.get_or_init(read)
}

fn read() -> Thesaurus {
    let mut read = Thesaurus {
        english: HashMap::new(),
        chinese: HashMap::new(),
        longest: 1,
        longest_chinese: 1,
    };
    for (field, line) in (0_u16..).zip(TEXT.lines()) {
        for word in line.split(',').map(|word| word.trim().to_lowercase()) {
            let map = if word.is_ascii() {
                let stems: Vec<String> = word
                    .split(|c: char| !c.is_alphanumeric())
                    .filter(|w| !w.is_empty())
                    .map(stem)
                    .collect();
                read.longest = read.longest.max(stems.len());
                read.english.entry(stems.join(" "))
            } else {
                read.longest_chinese = read.longest_chinese.max(word.chars().count());
                read.chinese.entry(word)
            };
            let fields = map.or_default();
            if !fields.contains(&field) {
                fields.push(field);
            }
        }
    }
    read.english.remove("");
    read
}
