//! Whether a notice is like one that the person wants less of.
//!
//! Numbers do not count: "rain at five" and "rain at six" are alike.

use std::collections::HashSet;

/// Share of the smaller text's pieces that the other has.
const ALIKE: f64 = 0.6;
/// Pieces below which texts have to be the same.
const FEW: usize = 3;

/// Whether two texts speak of the same thing, in any language.
#[must_use]
pub fn is_like(a: &str, b: &str) -> bool {
    let (a, b) = (pieces(a), pieces(b));
    let fewest = a.len().min(b.len());
    if fewest < FEW {
        return !a.is_empty() && a == b;
    }
    #[expect(clippy::cast_precision_loss, reason = "texts are short")]
    let share = a.intersection(&b).count() as f64 / fewest as f64;
    share >= ALIKE
}

/// Words of scripts with spaces, pairs of characters of those without.
fn pieces(text: &str) -> HashSet<String> {
    let mut found = HashSet::new();
    let (mut word, mut before) = (String::new(), None);
    for c in text.chars().flat_map(char::to_lowercase).chain([' ']) {
        let wide = matches!(c, '\u{2e80}'..='\u{9fff}' | '\u{ac00}'..='\u{d7af}' | '\u{f900}'..='\u{faff}');
        if c.is_alphabetic() && !wide {
            word.push(c);
            before = None;
            continue;
        }
        // Endings differ where the meaning does not.
        if word.chars().count() > 2 {
            found.insert(word.chars().take(5).collect());
        }
        word.clear();
        if wide && let Some(first) = before {
            found.insert([first, c].iter().collect());
        }
        before = wide.then_some(c);
    }
    found
}

#[cfg(test)]
mod tests {
    use super::is_like;

    #[test]
    fn the_same_matter_is_alike_and_another_is_not() {
        let alike = [
            ("Rain at 17:00: take the umbrella.", "Rain at 18:30, take your umbrella"),
            ("明天下午五点有雨，记得带伞。", "后天下午三点有雨，记得带伞"),
            ("Newsletter of Acme arrived", "newsletter of acme arrived!"),
            ("Mail", "mail"),
        ];
        let apart = [
            ("Rain at 17:00: take the umbrella.", "The backup failed: the disk is full."),
            ("明天下午五点有雨，记得带伞。", "备份失败，磁盘快满了。"),
            ("Mail", "Meeting"),
            ("", "Rain"),
        ];
        for (a, b) in alike {
            assert!(is_like(a, b) && is_like(b, a), "{a} / {b}");
        }
        for (a, b) in apart {
            assert!(!is_like(a, b) && !is_like(b, a), "{a} / {b}");
        }
    }
}
