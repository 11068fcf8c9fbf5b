//! A rule as two tables: phrases that tell, and phrases that only look so.

use super::sentence::Sentence;
use regex::{Regex, RegexBuilder};

/// Tells whether one of `telling` stands in a text once all of `mere` are taken out of it.
#[derive(Debug)]
pub(super) struct Phrases {
    telling: Option<Regex>,
    mere: Option<Regex>,
}

impl Phrases {
    /// Alternatives as regular expressions, for text in lower case.
    pub(super) fn new(telling: &[&str], mere: &[&str]) -> Self {
        Self { telling: any(telling), mere: any(mere) }
    }

    /// Whether a text has one.
    pub(super) fn found(&self, text: &str) -> bool {
        let Some(telling) = &self.telling else { return false };
        match &self.mere {
            Some(mere) if mere.is_match(text) => telling.is_match(&mere.replace_all(text, " … ")),
            _ => telling.is_match(text),
        }
    }
}

/// One expression for all; a table that does not compile finds nothing, which a test refuses.
fn any(alternatives: &[&str]) -> Option<Regex> {
    if alternatives.is_empty() {
        return None;
    }
    let joined = alternatives.iter().map(|one| format!("(?:{one})")).collect::<Vec<_>>().join("|");
    RegexBuilder::new(&joined).size_limit(1 << 26).build().ok()
}

/// A rule in English and Chinese: telling phrases and mere ones of each.
#[derive(Debug)]
pub(super) struct Bilingual {
    en: Phrases,
    zh: Phrases,
}

/// Telling phrases, and mere ones.
pub(super) type Tables<'a> = (&'a [&'a str], &'a [&'a str]);

impl Bilingual {
    pub(super) fn new(en: Tables<'_>, zh: Tables<'_>) -> Self {
        Self { en: Phrases::new(en.0, en.1), zh: Phrases::new(zh.0, zh.1) }
    }

    /// Whether a sentence has one, in its own language.
    pub(super) fn found(&self, sentence: &Sentence<'_>) -> bool {
        self.en.found(&sentence.plain) || sentence.chinese && self.zh.found(&sentence.plain)
    }
}

#[cfg(test)]
impl Bilingual {
    /// Whether all tables compiled.
    pub(super) fn whole(&self, en: Tables<'_>, zh: Tables<'_>) -> bool {
        self.en.whole(en.0, en.1) && self.zh.whole(zh.0, zh.1)
    }
}

#[cfg(test)]
impl Phrases {
    /// Whether both tables compiled.
    pub(super) fn whole(&self, telling: &[&str], mere: &[&str]) -> bool {
        self.telling.is_some() != telling.is_empty() && self.mere.is_some() != mere.is_empty()
    }
}
