//! The tokenizer inside a model file, usable without the weights.
//!
//! Text never becomes a control token: `<|im_end|>` typed by a person is encoded as the letters
//! it consists of. Control tokens enter a prompt through [`LocalTokenizer::chat_tokens`] and the
//! explicit [`LocalTokenizer::encode_marked`] only.

use std::path::Path;

use candle_core::quantized::gguf_file::Value;
use candle_core::quantized::tokenizer::TokenizerFromGguf;
use tokenizers::Tokenizer;

use crate::Error;
use crate::gguf::Gguf;

/// Kinds of tokens in a GGUF file: bound to nothing but the model's own format.
const CONTROL: u64 = 3;
const USER_DEFINED: u64 = 4;
const UNUSED: u64 = 5;

/// Turns text into a model's tokens and back.
pub struct LocalTokenizer {
    inner: Tokenizer,
    /// Control tokens, as they are spelled.
    controls: Vec<(String, u32)>,
    /// The bytes of all tokens one after another, and where each begins.
    bytes: Vec<u8>,
    starts: Vec<u32>,
    ends: Vec<u32>,
}

impl std::fmt::Debug for LocalTokenizer {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(out, "LocalTokenizer of {} tokens", self.starts.len() - 1)
    }
}

impl LocalTokenizer {
    /// Reads the tokenizer of a model file.
    ///
    /// # Errors
    /// If the file is not a sound GGUF file, or its tokenizer is of an unknown kind.
    pub fn from_gguf(path: impl AsRef<Path>) -> Result<Self, Error> {
        Self::from_file(&Gguf::open(path.as_ref())?)
    }

    pub(crate) fn from_file(file: &Gguf) -> Result<Self, Error> {
        let unusable = |error: candle_core::Error| {
            let text = error.to_string();
            Error::Tokenizer(text.lines().next().unwrap_or_default().to_owned())
        };
        let inner = Tokenizer::from_gguf(&file.content).map_err(unusable)?;
        let list = |key: &str| match file.content.metadata.get(key) {
            Some(Value::Array(values)) => Ok(values),
            _ => Err(Error::Tokenizer(format!("no {key}"))),
        };
        let tokens = list("tokenizer.ggml.tokens")?;
        let kinds = list("tokenizer.ggml.token_type")?;
        let mut this =
            Self { inner, controls: Vec::new(), bytes: Vec::new(), starts: vec![0], ends: vec![] };
        for (id, (token, kind)) in tokens.iter().zip(kinds).enumerate() {
            let token = token.to_string().map_err(unusable)?;
            let kind = match kind {
                Value::I32(kind) => u64::try_from(*kind).unwrap_or_default(),
                other => other.to_u64().map_err(unusable)?,
            };
            this.push(token, kind, id as u32);
        }
        let end = this.control("<|im_end|>").into_iter().chain(this.control("<|endoftext|>"));
        this.ends = end.collect();
        match this.ends.is_empty() {
            true => Err(Error::Tokenizer("it has no <|im_end|>".to_owned())),
            false => Ok(this),
        }
    }

    fn push(&mut self, token: &str, kind: u64, id: u32) {
        match kind {
            CONTROL => self.controls.push((token.to_owned(), id)),
            UNUSED => {}
            USER_DEFINED => self.bytes.extend_from_slice(token.as_bytes()),
            _ => self.bytes.extend(token.chars().filter_map(byte_of)),
        }
        self.starts.push(self.bytes.len() as u32);
    }

    /// How many tokens `text` is.
    pub fn count(&self, text: &str) -> usize {
        self.encode(text).len()
    }

    /// The tokens of `text`.
    pub fn encode(&self, text: &str) -> Vec<u32> {
        let mut tokens = Vec::new();
        let mut rest = text;
        // A control token in the text is cut after its first character, and the parts encoded
        // apart: the same bytes, but not that token.
        while let Some(cut) = self.first_control(rest) {
            self.encode_plain(&rest[..cut], &mut tokens);
            rest = &rest[cut..];
        }
        self.encode_plain(rest, &mut tokens);
        tokens
    }

    /// The tokens of a text in which control tokens are meant as such, as in what
    /// [`crate::chat_prompt`] gives. For text the program wrote, never for text from outside.
    pub fn encode_marked(&self, text: &str) -> Vec<u32> {
        let mut tokens = Vec::new();
        self.encode_plain(text, &mut tokens);
        tokens
    }

    /// Where to cut `text` so that its first control token is broken.
    fn first_control(&self, text: &str) -> Option<usize> {
        let starts = text.match_indices("<|").map(|(at, _)| at);
        let mut starts = starts.filter(|at| {
            self.controls.iter().any(|(control, _)| text[*at..].starts_with(control.as_str()))
        });
        starts.next().map(|at| at + 1)
    }

    fn encode_plain(&self, text: &str, tokens: &mut Vec<u32>) {
        match self.inner.encode_fast(text, false) {
            Ok(encoding) => tokens.extend_from_slice(encoding.get_ids()),
            // Byte-level tokens cover every text, so this cannot happen with a sound vocabulary.
            Err(error) => tracing::error!(%error, "text could not be encoded"),
        }
    }

    /// The control token spelled so, if there is one.
    pub fn control(&self, spelling: &str) -> Option<u32> {
        self.controls.iter().find(|(control, _)| control == spelling).map(|(_, id)| *id)
    }

    /// Whether a reply ends with this token.
    pub fn is_end(&self, token: u32) -> bool {
        self.ends.contains(&token)
    }

    /// The bytes a token stands for: none for control tokens, perhaps part of a character.
    pub fn bytes(&self, token: u32) -> &[u8] {
        let token = token as usize;
        match (self.starts.get(token), self.starts.get(token + 1)) {
            (Some(start), Some(end)) => &self.bytes[*start as usize..*end as usize],
            _ => &[],
        }
    }

    /// The text of `tokens`; what is not UTF-8 becomes U+FFFD.
    pub fn decode(&self, tokens: &[u32]) -> String {
        let bytes: Vec<u8> = tokens.iter().flat_map(|token| self.bytes(*token)).copied().collect();
        String::from_utf8_lossy(&bytes).into_owned()
    }
}

/// The byte a character of a byte-level vocabulary stands for: printable bytes stand for
/// themselves, the other 68 are numbered from U+0100 in their order.
fn byte_of(character: char) -> Option<u8> {
    let code = character as u32;
    match code {
        0x21..=0x7e | 0xa1..=0xac | 0xae..=0xff => u8::try_from(code).ok(),
        0x100..=0x120 => u8::try_from(code - 0x100).ok(),
        0x121..=0x142 => u8::try_from(code - 0x121 + 0x7f).ok(),
        0x143 => Some(0xad),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::byte_of;

    #[test]
    fn every_byte_has_one_character() {
        let characters = (0..0x200).filter_map(char::from_u32);
        let mut bytes: Vec<u8> = characters.filter_map(byte_of).collect();
        assert_eq!(bytes.len(), 256);
        bytes.sort_unstable();
        bytes.dedup();
        assert_eq!(bytes.len(), 256);
        assert_eq!((byte_of('Ġ'), byte_of('Ċ')), (Some(b' '), Some(b'\n')));
    }
}
