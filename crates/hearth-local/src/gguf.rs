//! Opens a GGUF file and checks all that can be checked before the weights are touched: magic,
//! header, architecture, shapes, weight formats, and that every tensor lies within the file.
//!
//! Candle reads the header; what it would not survive is refused before.

use std::io::Cursor;
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

use candle_core::quantized::GgmlDType;
use candle_core::quantized::gguf_file::{Content, Value};

use crate::Error;
use crate::matrix::{self, Matrix};
use crate::raw::mapping::Mapping;

/// Headers are about 6 MB (the vocabulary); this bounds what a hostile one makes us allocate.
const LARGEST_HEADER: usize = 24 << 20;

/// A model file whose header was read and found sound.
pub(crate) struct Gguf {
    pub(crate) mapping: Arc<Mapping>,
    pub(crate) content: Content,
}

/// The numbers that shape the network.
#[derive(Debug, Clone)]
pub(crate) struct Shape {
    pub(crate) layers: usize,
    pub(crate) width: usize,
    pub(crate) inner: usize,
    pub(crate) heads: usize,
    pub(crate) kv_heads: usize,
    pub(crate) head_width: usize,
    pub(crate) vocabulary: usize,
    pub(crate) context: usize,
    pub(crate) rope_base: f32,
    pub(crate) epsilon: f32,
}

impl Gguf {
    pub(crate) fn open(path: &Path) -> Result<Self, Error> {
        let mapping = Mapping::open(path)
            .map_err(|source| Error::Open { path: path.to_path_buf(), source })?;
        let bytes = mapping.bytes();
        if !bytes.starts_with(b"GGUF") {
            return Err(Error::NotGguf { path: path.to_path_buf() });
        }
        let header = &bytes[..bytes.len().min(LARGEST_HEADER)];
        refuse_zero_alignment(header)?;
        let content = Content::read(&mut Cursor::new(header))
            .map_err(|error| Error::Damaged(first_line(&error)))?;
        let file = Self { mapping: Arc::new(mapping), content };
        file.check_extent()?;
        Ok(file)
    }

    /// The network's shape, if the file holds a Qwen2 model.
    pub(crate) fn shape(&self) -> Result<Shape, Error> {
        let architecture = self.text("general.architecture")?;
        if architecture != "qwen2" {
            return Err(Error::Architecture(architecture.to_owned()));
        }
        let width = self.number("qwen2.embedding_length")?;
        let heads = self.number("qwen2.attention.head_count")?;
        let kv_heads = self.number("qwen2.attention.head_count_kv")?;
        if !width.is_multiple_of(heads)
            || !heads.is_multiple_of(kv_heads)
            || !(width / heads).is_multiple_of(2)
        {
            return Err(Error::Damaged(format!("{width} wide with {heads} heads of {kv_heads}")));
        }
        let vocabulary = match self.content.tensor_infos.get("token_embd.weight") {
            Some(info) => info.shape.dims().first().copied().unwrap_or_default(),
            None => return Err(Error::Damaged("no token_embd.weight".to_owned())),
        };
        Ok(Shape {
            layers: self.number("qwen2.block_count")?,
            width,
            inner: self.number("qwen2.feed_forward_length")?,
            heads,
            kv_heads,
            head_width: width / heads,
            vocabulary,
            context: self.number("qwen2.context_length")?,
            rope_base: self.float("qwen2.rope.freq_base")?,
            epsilon: self.float("qwen2.attention.layer_norm_rms_epsilon")?,
        })
    }

    /// A weight matrix of exactly this shape, in place in the mapping.
    pub(crate) fn matrix(&self, name: &str, rows: usize, columns: usize) -> Result<Matrix, Error> {
        let info = self.info(name)?;
        let kind = info.ggml_dtype;
        if info.shape.dims() != [rows, columns] {
            let shape = &info.shape;
            return Err(Error::Damaged(format!("{name} is {shape:?}, not {rows} x {columns}")));
        }
        let unsupported = || Error::Format { tensor: name.to_owned(), format: format!("{kind:?}") };
        if !matrix::supports(kind) || !columns.is_multiple_of(kind.block_size()) {
            return Err(unsupported());
        }
        let range = self.range(name)?;
        Matrix::new(self.mapping.clone(), kind, rows, columns, range).ok_or_else(unsupported)
    }

    /// A vector of plain floats, copied.
    pub(crate) fn vector(&self, name: &str, length: usize) -> Result<Vec<f32>, Error> {
        let info = self.info(name)?;
        if info.ggml_dtype != GgmlDType::F32 {
            let format = format!("{:?}", info.ggml_dtype);
            return Err(Error::Format { tensor: name.to_owned(), format });
        }
        match self.mapping.blocks::<f32>(self.range(name)?) {
            Some(values) if values.len() == length => Ok(values.to_vec()),
            _ => Err(Error::Damaged(format!("{name} is {:?}, not {length}", info.shape))),
        }
    }

    pub(crate) fn has(&self, name: &str) -> bool {
        self.content.tensor_infos.contains_key(name)
    }

    pub(crate) fn text(&self, key: &str) -> Result<&str, Error> {
        match self.content.metadata.get(key) {
            Some(Value::String(text)) => Ok(text),
            _ => Err(missing(key)),
        }
    }

    /// A count that is neither nought nor absurd.
    fn number(&self, key: &str) -> Result<usize, Error> {
        let value = self.content.metadata.get(key).and_then(|value| value.to_u64().ok());
        match value {
            Some(value @ 1..=16_777_216) => Ok(value as usize),
            Some(value) => Err(Error::Damaged(format!("{key} is {value}"))),
            None => Err(missing(key)),
        }
    }

    fn float(&self, key: &str) -> Result<f32, Error> {
        let value = self.content.metadata.get(key).and_then(|value| value.to_f32().ok());
        value.filter(|value| value.is_finite() && *value > 0.0).ok_or_else(|| missing(key))
    }

    fn info(&self, name: &str) -> Result<&candle_core::quantized::gguf_file::TensorInfo, Error> {
        let info = self.content.tensor_infos.get(name);
        info.ok_or_else(|| Error::Damaged(format!("there is no tensor {name}")))
    }

    /// Where a tensor's bytes lie in the file; checked against arithmetic overflow only.
    fn range(&self, name: &str) -> Result<Range<usize>, Error> {
        let info = self.info(name)?;
        let absurd = || Error::Damaged(format!("{name} has an impossible size"));
        let count = info.shape.dims().iter().try_fold(1usize, |all, dim| all.checked_mul(*dim));
        let blocks = count.ok_or_else(absurd)?.div_ceil(info.ggml_dtype.block_size());
        let size = blocks.checked_mul(info.ggml_dtype.type_size()).ok_or_else(absurd)?;
        let start = self.content.tensor_data_offset.checked_add(info.offset);
        let start = start.and_then(|start| usize::try_from(start).ok()).ok_or_else(absurd)?;
        Ok(start..start.checked_add(size).ok_or_else(absurd)?)
    }

    fn check_extent(&self) -> Result<(), Error> {
        let has = self.mapping.bytes().len();
        let mut needs = 0;
        for name in self.content.tensor_infos.keys() {
            needs = needs.max(self.range(name)?.end);
        }
        if needs > has {
            return Err(Error::Incomplete { has: has as u64, needs: needs as u64 });
        }
        Ok(())
    }
}

/// Candle divides by the alignment the header names.
fn refuse_zero_alignment(header: &[u8]) -> Result<(), Error> {
    let key = b"\x11\0\0\0\0\0\0\0general.alignment";
    let Some(at) = header.windows(key.len()).position(|window| window == key) else {
        return Ok(());
    };
    // After the key a 4-byte type, then the value; both little-endian.
    let rest = header.get(at + key.len()..).unwrap_or_default();
    let size = match rest.first() {
        Some(0 | 1) => 1,
        Some(2 | 3) => 2,
        Some(4 | 5) => 4,
        // Not a number candle would take: it then uses the default.
        _ => return Ok(()),
    };
    match rest.get(4..4 + size) {
        Some(value) if value.iter().any(|byte| *byte != 0) => Ok(()),
        _ => Err(Error::Damaged("general.alignment is nought".to_owned())),
    }
}

/// Candle's errors may carry a backtrace on further lines.
fn first_line(error: &candle_core::Error) -> String {
    error.to_string().lines().next().unwrap_or_default().to_owned()
}

fn missing(key: &str) -> Error {
    Error::Damaged(format!("the header lacks a usable {key}"))
}
