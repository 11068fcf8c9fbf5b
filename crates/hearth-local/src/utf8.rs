//! Text from tokens whose bytes end anywhere: what is not yet a whole character is held back.

/// Collects bytes, gives out whole characters. Nothing is lost or given twice.
#[derive(Debug, Default)]
pub(crate) struct Utf8Stream {
    held: Vec<u8>,
}

impl Utf8Stream {
    /// Takes more bytes; returns the text that is now certain. Bytes that can never become a
    /// character are given as U+FFFD.
    pub(crate) fn push(&mut self, bytes: &[u8]) -> String {
        self.held.extend_from_slice(bytes);
        let mut text = String::new();
        let mut taken = 0;
        for chunk in self.held.utf8_chunks() {
            text.push_str(chunk.valid());
            taken += chunk.valid().len();
            let broken = chunk.invalid();
            let at_end = taken + broken.len() == self.held.len();
            if !broken.is_empty() && at_end && could_continue(broken) {
                break;
            }
            if !broken.is_empty() {
                text.push(char::REPLACEMENT_CHARACTER);
                taken += broken.len();
            }
        }
        self.held.drain(..taken);
        text
    }

    /// The end: an unfinished character becomes U+FFFD.
    pub(crate) fn finish(&mut self) -> String {
        let text = String::from_utf8_lossy(&self.held).into_owned();
        self.held.clear();
        text
    }
}

/// Whether these bytes are the beginning of a character.
fn could_continue(bytes: &[u8]) -> bool {
    matches!(std::str::from_utf8(bytes), Err(error) if error.error_len().is_none())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::Utf8Stream;

    proptest! {
        #[test]
        fn any_split_of_any_bytes_gives_the_same_text(
            bytes in proptest::collection::vec(any::<u8>(), 0..40),
            text in "\\PC{0,12}",
            cuts in proptest::collection::vec(1usize..5, 1..20),
        ) {
            let bytes = [text.as_bytes(), &bytes, text.as_bytes()].concat();
            let mut stream = Utf8Stream::default();
            let (mut out, mut rest) = (String::new(), &bytes[..]);
            for cut in cuts.iter().cycle() {
                if rest.is_empty() {
                    break;
                }
                let (now, later) = rest.split_at((*cut).min(rest.len()));
                out += &stream.push(now);
                rest = later;
            }
            out += &stream.finish();
            prop_assert_eq!(out, String::from_utf8_lossy(&bytes));
        }
    }

    #[test]
    fn a_character_in_parts_is_given_once_whole() {
        let mut stream = Utf8Stream::default();
        let given: Vec<String> = "a好".bytes().map(|byte| stream.push(&[byte])).collect();
        assert_eq!(given, ["a", "", "", "好"]);
        assert_eq!(stream.finish(), "");
    }
}
