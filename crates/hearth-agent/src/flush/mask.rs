//! What a text becomes when something it says is forgotten.
//!
//! Invariants: nothing else of the text changes; a text that does not say it is left alone.

use super::plain::sentences;
use super::words::Words;

/// Stands where something was forgotten.
pub const MASK: &str = "[forgotten]";

/// Of a fact's words, how many a sentence holds that says it.
const SAYS: f64 = 0.7;

/// Whether a text says a fact: word for word, or its numbers and most of its words in one sentence.
#[must_use]
pub fn says(text: &str, fact: &str) -> bool {
    masked(text, fact).is_some()
}

/// The text with [`MASK`] in the place of each sentence that says the fact; none where no one does.
#[must_use]
pub fn masked(text: &str, fact: &str) -> Option<String> {
    let fact = fact.trim();
    let words = Words::of(fact);
    let small = words.words.len() + words.numbers.len();
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    let mut hit = false;
    // Word for word, over line ends too.
    if !fact.is_empty() && fact.chars().count() >= 4 {
        while let Some(at) = rest.find(fact) {
            out.push_str(&rest[..at]);
            out.push_str(MASK);
            rest = &rest[at + fact.len()..];
            hit = true;
        }
    }
    out.push_str(rest);
    if small >= 2 {
        let parts: Vec<Words> = sentences(fact)
            .map(Words::of)
            .filter(|part| part.words.len() + part.numbers.len() >= 2)
            .collect();
        let telling: Vec<String> = sentences(&out)
            .filter(|sentence| {
                let said = Words::of(sentence);
                parts.iter().any(|part| tells(&said, part)) || tells(&said, &words)
            })
            .map(str::to_owned)
            .collect();
        for sentence in telling {
            out = out.replacen(&sentence, MASK, 1);
            hit = true;
        }
    }
    hit.then_some(out)
}

fn tells(said: &Words, fact: &Words) -> bool {
    fact.numbers.is_subset(&said.numbers)
        && if fact.words.is_empty() { !fact.numbers.is_empty() } else { fact.within(said) >= SAYS }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sentence_that_says_it_goes_and_no_other() {
        let fact = "The cat is called Ada.";
        for (text, left) in [
            ("The cat is called Ada.", "[forgotten]"),
            ("Hello. My cat's called Ada, you know? Bye.", "Hello. [forgotten] Bye."),
            (
                "- a\n- The cat is called Ada. <!-- id: m1 -->\n- b",
                "- a\n- [forgotten] <!-- id: m1 -->\n- b",
            ),
        ] {
            assert_eq!(masked(text, fact).as_deref(), Some(left), "{text}");
        }
        for other in ["The dog is called Bo.", "Ada is here.", "", "cat"] {
            assert_eq!(masked(other, fact), None, "{other}");
        }
    }

    #[test]
    fn numbers_must_be_there() {
        let fact = "The launch is on 17 March 2027";
        assert!(says("So the launch is 17 March 2027 then.", fact));
        assert!(!says("So the launch is 18 March 2027 then.", fact));
        assert!(says("发布会定在2027年3月17日，请记住。", "发布会定在2027年3月17日"));
        assert!(!says("发布会很好", "发布会定在2027年3月17日"));
    }
}
