//! The words and numbers of a text, to tell whether two texts say the same.
//!
//! Invariant: texts are only ever the same where their numbers are, whatever their words.

use std::collections::BTreeSet;

/// Words that say little. Short on purpose: a list of names of things would hide differences.
const EMPTY: [&str; 46] = [
    "the", "a", "an", "is", "are", "was", "were", "be", "been", "of", "to", "in", "on", "at",
    "for", "and", "or", "that", "this", "it", "its", "with", "as", "by", "from", "has", "have",
    "had", "do", "does", "will", "would", "user", "users", "person", "they", "their", "he", "she",
    "his", "her", "my", "i", "me", "you", "your",
];
/// Words that turn a sentence round.
const TURNS: [&str; 12] =
    ["not", "no", "never", "dont", "doesnt", "isnt", "不", "没", "别", "無", "沒", "非"];
const EMPTY_CJK: [char; 12] =
    ['的', '了', '是', '在', '我', '你', '他', '她', '用', '户', '也', '很'];

/// What a text is compared by.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Words {
    /// Words without their endings, and pairs of characters of scripts without spaces.
    pub(super) words: BTreeSet<String>,
    /// Numbers, ids and other words with digits.
    pub(super) numbers: BTreeSet<String>,
    /// Words that turn a sentence round.
    pub(super) turned: BTreeSet<String>,
    /// The whole text without case, spaces and punctuation.
    plain: String,
}

impl Words {
    pub(super) fn of(text: &str) -> Self {
        let mut words = Self::default();
        let mut run = String::new();
        let mut wide = Vec::new();
        for c in text.chars().flat_map(char::to_lowercase).map(narrow).chain([' ']) {
            if is_wide(c) {
                words.word(&std::mem::take(&mut run));
                words.plain.push(c);
                if TURNS.contains(&c.to_string().as_str()) {
                    words.turned.insert(c.to_string());
                }
                wide.push(c);
                continue;
            }
            words.pairs(&std::mem::take(&mut wide));
            if c.is_alphanumeric() {
                words.plain.push(c);
                run.push(c);
            } else if matches!(c, '.' | ':' | '-' | '/' | ',')
                && run.ends_with(|last: char| last.is_ascii_digit())
            {
                // Kept inside numbers such as 3.14, 18:00 and A-7731; trimmed where it ends one.
                run.push(c);
            } else if c == '-' && !run.is_empty() {
                run.push(c);
            } else if !matches!(c, '\'' | '’') {
                words.word(&std::mem::take(&mut run));
            }
        }
        words
    }

    fn word(&mut self, word: &str) {
        let word = word.trim_matches(['.', ':', '-', '/', ',']);
        if word.is_empty() || EMPTY.contains(&word) {
            return;
        }
        if word.chars().any(|c| c.is_numeric()) {
            self.numbers.insert(word.to_owned());
        } else if TURNS.contains(&word) {
            self.turned.insert(word.to_owned());
        } else {
            self.words.insert(stem(word).to_owned());
        }
    }

    fn pairs(&mut self, run: &[char]) {
        let run: Vec<char> = run.iter().copied().filter(|c| !EMPTY_CJK.contains(c)).collect();
        if let [one] = run[..] {
            self.words.insert(one.to_string());
        }
        for pair in run.windows(2) {
            self.words.insert(pair.iter().collect());
        }
    }

    /// How much of the words of either stands in the other, 0 to 1.
    pub(super) fn share(&self, other: &Self) -> f64 {
        let both = self.words.intersection(&other.words).count();
        let all = self.words.union(&other.words).count();
        ratio(both, all)
    }

    /// How much of these words stands in the other text, 0 to 1.
    pub(super) fn within(&self, other: &Self) -> f64 {
        ratio(self.words.intersection(&other.words).count(), self.words.len())
    }
}

/// Whether two texts say the same.
pub(super) fn alike(a: &Words, b: &Words) -> bool {
    if a.plain == b.plain {
        return !a.plain.is_empty();
    }
    a.numbers == b.numbers && a.turned == b.turned && a.share(b) >= 0.8
}

/// Whether two texts say the same thing with other numbers.
pub(super) fn differ_in_numbers(a: &Words, b: &Words) -> bool {
    let numbered = !a.numbers.is_empty() && !b.numbers.is_empty() && a.numbers != b.numbers;
    numbered && a.words.len().min(b.words.len()) >= 2 && a.share(b) >= 0.75
}

fn ratio(part: usize, whole: usize) -> f64 {
    #[expect(clippy::cast_precision_loss, reason = "words of a text")]
    let ratio = part as f64 / whole.max(1) as f64;
    ratio
}

fn stem(word: &str) -> &str {
    let long = |rest: &&str| rest.chars().count() >= 3;
    let endings = ["ies", "es", "s", "ing", "ed", "e"];
    endings.iter().find_map(|ending| word.strip_suffix(ending).filter(long)).unwrap_or(word)
}

/// Full-width letters and digits as plain ones.
fn narrow(c: char) -> char {
    match u32::from(c) {
        wide @ 0xff01..=0xff5e => char::from_u32(wide - 0xfee0).unwrap_or(c),
        0x3000 => ' ',
        _ => c,
    }
}

fn is_wide(c: char) -> bool {
    matches!(u32::from(c), 0x3040..=0x30ff | 0x3400..=0x4dbf | 0x4e00..=0x9fff | 0xac00..=0xd7af | 0xf900..=0xfaff | 0x2_0000..=0x3_ffff)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn same(a: &str, b: &str) -> bool {
        alike(&Words::of(a), &Words::of(b))
    }

    #[test]
    fn the_same_in_other_words_is_the_same() {
        for (a, b) in [
            ("The cat is called Ada.", "the cat is called  ADA"),
            ("User likes green tea", "The user likes green tea."),
            ("User prefers green teas in the morning", "Prefers green tea in the morning"),
            ("用户喜欢喝绿茶。", "喜欢喝绿茶"),
            ("Launch on ２０２７-03-17", "The launch is on 2027-03-17"),
        ] {
            assert!(same(a, b), "{a} / {b}");
        }
    }

    #[test]
    fn numbers_and_negations_make_it_another() {
        for (a, b) in [
            ("The launch is on 17 March", "The launch is on 3 March"),
            ("Order A-7731 is paid", "Order A-7732 is paid"),
            ("She drinks coffee", "She does not drink coffee"),
            ("我喜欢咖啡", "我不喜欢咖啡"),
            ("会议在3点", "会议在4点"),
            ("Ada", "Bob"),
            ("", ""),
        ] {
            assert!(!same(a, b), "{a} / {b}");
        }
        let differ = |a: &str, b: &str| differ_in_numbers(&Words::of(a), &Words::of(b));
        assert!(differ("The launch is on 17 March", "The launch is on 3 March"));
        assert!(differ("项目会议改到下午3点", "项目会议改到下午4点"));
        assert!(!differ("Ann's number is 123456", "Bob's office is 99"));
        assert!(!differ("Launch is on 3 March", "Launch is in March"));
    }
}
