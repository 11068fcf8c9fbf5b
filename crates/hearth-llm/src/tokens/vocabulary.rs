//! OpenAI's two vocabularies, as they are shipped: compressed to a quarter of the lists in tiktoken-rs, which
//! would make up an eighth of the program.
//!
//! A file is a zlib stream: how many tokens (u32, little-endian), the length of each (a byte), and their bytes, in
//! the order of their ranks. `HEARTH_WRITE_VOCABULARIES=1` with this file's test writes them from tiktoken-rs.

use std::io::Read as _;
use std::sync::LazyLock;

use flate2::read::ZlibDecoder;
use tiktoken_rs::{CoreBPE, O200K_BASE_PAT_STR};

/// GPT-4o and later.
pub(super) static O200K: LazyLock<CoreBPE> =
    LazyLock::new(|| tokenizer(include_bytes!("o200k.vocabulary"), O200K_BASE_PAT_STR));

/// GPT-4 and GPT-3.5.
pub(super) static CL100K: LazyLock<CoreBPE> =
    LazyLock::new(|| tokenizer(include_bytes!("cl100k.vocabulary"), CL100K_PATTERN));

/// How cl100k cuts a text before it looks for tokens, from OpenAI's tiktoken (MIT).
const CL100K_PATTERN: &str = "'(?i:[sdmt]|ll|ve|re)|[^\\r\\n\\p{L}\\p{N}]?+\\p{L}++|\\p{N}{1,3}+| ?[^\\s\\p{L}\\p{N}]++[\\r\\n]*+|\\s++$|\\s*[\\r\\n]|\\s+(?!\\S)|\\s";

#[expect(clippy::expect_used, reason = "the files are part of the program; a test reads them")]
fn tokenizer(packed: &[u8], pattern: &str) -> CoreBPE {
    let tokens = unpacked(packed).expect("the vocabulary is whole");
    CoreBPE::new(
        (0..).zip(tokens).map(|(rank, token)| (token, rank)).collect(),
        Default::default(),
        pattern,
    )
    .expect("the pattern is valid")
}

/// The tokens in the order of their ranks.
fn unpacked(packed: &[u8]) -> std::io::Result<Vec<Vec<u8>>> {
    let mut stream = ZlibDecoder::new(packed);
    let mut count = [0; 4];
    stream.read_exact(&mut count)?;
    let mut lengths = vec![0; u32::from_le_bytes(count) as usize];
    stream.read_exact(&mut lengths)?;
    let token = |length: u8| {
        let mut token = vec![0; usize::from(length)];
        stream.read_exact(&mut token).map(|()| token)
    };
    lengths.into_iter().map(token).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use flate2::{Compression, write::ZlibEncoder};
    use std::io::Write as _;
    use std::path::Path;

    #[test]
    fn they_are_what_tiktoken_has() {
        for (name, packed, theirs, ours) in [
            (
                "o200k",
                include_bytes!("o200k.vocabulary").as_slice(),
                tiktoken_rs::o200k_base(),
                &*O200K,
            ),
            ("cl100k", include_bytes!("cl100k.vocabulary"), tiktoken_rs::cl100k_base(), &*CL100K),
        ] {
            let theirs = theirs.expect("reads");
            let tokens: Vec<Vec<u8>> =
                (0..).map_while(|rank| theirs.decode_bytes(&[rank]).ok()).collect();
            // After the last one come the marks that no text holds.
            let tokens: Vec<Vec<u8>> =
                tokens.into_iter().take_while(|token| token != b"<|endoftext|>").collect();
            if std::env::var_os("HEARTH_WRITE_VOCABULARIES").is_some() {
                write(name, &tokens);
                continue;
            }
            assert!(unpacked(packed).expect("whole") == tokens, "{name} differs");
            for text in [
                "It's 12345 o'clock\n\n  and WE'LL see.",
                "今天天气怎么样？",
                "🙂 <|endoftext|>",
                "",
            ] {
                assert_eq!(ours.encode_ordinary(text), theirs.encode_ordinary(text), "{text}");
            }
        }
    }

    fn write(name: &str, tokens: &[Vec<u8>]) {
        let mut stream = ZlibEncoder::new(Vec::new(), Compression::best());
        stream
            .write_all(&u32::try_from(tokens.len()).expect("fits").to_le_bytes())
            .expect("writes");
        let lengths: Vec<u8> =
            tokens.iter().map(|token| u8::try_from(token.len()).expect("short")).collect();
        stream.write_all(&lengths).expect("writes");
        stream.write_all(&tokens.concat()).expect("writes");
        let file =
            Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("src/tokens/{name}.vocabulary"));
        std::fs::write(file, stream.finish().expect("ends")).expect("writes");
    }
}
