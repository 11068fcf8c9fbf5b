//! A safetensors file, read where it is needed.
//!
//! Invariant: every range is checked against the file when it is opened. The word table is by far the
//! largest tensor and is never loaded: its rows are read for the words of a batch, from the system's
//! cache of the file, so they cost no memory of this process.

use std::collections::HashMap;
use std::fs::File;
use std::io::{Read as _, Seek as _, SeekFrom};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use candle_core::{Device, Tensor};
use half::{bf16, f16};
use serde_json::Value;

use crate::EmbedError;

/// Longer headers are no model's.
const MAX_HEADER: u64 = 16 << 20;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Number {
    F32,
    F16,
    Bf16,
}

impl Number {
    fn named(name: &str) -> Option<Self> {
        match name {
            "F32" => Some(Self::F32),
            "F16" => Some(Self::F16),
            "BF16" => Some(Self::Bf16),
            _ => None,
        }
    }

    fn size(self) -> usize {
        match self {
            Self::F32 => 4,
            Self::F16 | Self::Bf16 => 2,
        }
    }

    fn widen(self, bytes: &[u8], into: &mut Vec<f32>) {
        match self {
            Self::F32 => into.extend(
                bytes.as_chunks().0.iter().map(|chunk: &[u8; 4]| f32::from_le_bytes(*chunk)),
            ),
            Self::F16 => into.extend(
                bytes
                    .as_chunks()
                    .0
                    .iter()
                    .map(|chunk: &[u8; 2]| f16::from_le_bytes(*chunk).to_f32()),
            ),
            Self::Bf16 => into.extend(
                bytes
                    .as_chunks()
                    .0
                    .iter()
                    .map(|chunk: &[u8; 2]| bf16::from_le_bytes(*chunk).to_f32()),
            ),
        }
    }
}

#[derive(Debug, Clone)]
struct Slot {
    number: Number,
    shape: Vec<usize>,
    start: u64,
}

/// An open weights file.
#[derive(Debug)]
pub(crate) struct Weights {
    path: PathBuf,
    file: Mutex<File>,
    slots: HashMap<String, Slot>,
}

impl Weights {
    pub(crate) fn open(path: &Path) -> Result<Self, EmbedError> {
        let io = |source| EmbedError::io(path, source);
        let mut file = File::open(path).map_err(io)?;
        let size = file.metadata().map_err(io)?.len();
        let header = header(&mut file, size, path)?;
        let data = 8 + header.len() as u64;
        let value: Value =
            serde_json::from_slice(&header).map_err(|error| EmbedError::malformed(path, error))?;
        let tensors = value.as_object().ok_or_else(|| EmbedError::malformed(path, "no header"))?;
        let mut slots = HashMap::new();
        for (name, tensor) in tensors.iter().filter(|(name, _)| *name != "__metadata__") {
            let Some(slot) = slot(tensor, data, size) else {
                return Err(EmbedError::malformed(path, format!("tensor {name}")));
            };
            slots.insert(name.clone(), slot);
        }
        Ok(Self { path: path.to_owned(), file: Mutex::new(file), slots })
    }

    /// Rows and columns of a table.
    pub(crate) fn table(&self, name: &str) -> Result<(usize, usize), EmbedError> {
        match self.slot(name)?.shape[..] {
            [rows, columns] => Ok((rows, columns)),
            _ => Err(EmbedError::malformed(&self.path, format!("{name} is no table"))),
        }
    }

    /// A whole tensor.
    pub(crate) fn tensor(&self, name: &str) -> Result<Tensor, EmbedError> {
        let mut values = Vec::new();
        self.append(name, &mut values)?;
        Ok(Tensor::from_vec(values, self.slot(name)?.shape.as_slice(), &Device::Cpu)?)
    }

    /// Appends the numbers of a whole tensor.
    pub(crate) fn append(&self, name: &str, into: &mut Vec<f32>) -> Result<(), EmbedError> {
        let slot = self.slot(name)?;
        let count = slot.shape.iter().product();
        into.reserve_exact(count);
        self.read(slot, 0, count, into)
    }

    /// Appends one row of a table.
    pub(crate) fn row(
        &self,
        name: &str,
        row: usize,
        into: &mut Vec<f32>,
    ) -> Result<(), EmbedError> {
        let (rows, columns) = self.table(name)?;
        if row >= rows {
            return Err(EmbedError::Failed(format!("{name} has no row {row}")));
        }
        self.read(self.slot(name)?, row * columns, columns, into)
    }

    fn read(
        &self,
        slot: &Slot,
        first: usize,
        count: usize,
        into: &mut Vec<f32>,
    ) -> Result<(), EmbedError> {
        let mut bytes = vec![0; count * slot.number.size()];
        let mut file = self.file.lock().unwrap_or_else(PoisonError::into_inner);
        let at = slot.start + (first * slot.number.size()) as u64;
        file.seek(SeekFrom::Start(at))
            .and_then(|_| file.read_exact(&mut bytes))
            .map_err(|source| EmbedError::io(&self.path, source))?;
        slot.number.widen(&bytes, into);
        Ok(())
    }

    fn slot(&self, name: &str) -> Result<&Slot, EmbedError> {
        self.slots
            .get(name)
            .ok_or_else(|| EmbedError::malformed(&self.path, format!("no tensor {name}")))
    }
}

fn header(file: &mut File, size: u64, path: &Path) -> Result<Vec<u8>, EmbedError> {
    let mut length = [0; 8];
    file.read_exact(&mut length).map_err(|error| EmbedError::malformed(path, error))?;
    let length = u64::from_le_bytes(length);
    if length > MAX_HEADER || length + 8 > size {
        return Err(EmbedError::malformed(path, "no safetensors header"));
    }
    let mut header = vec![0; usize::try_from(length).unwrap_or(0)];
    file.read_exact(&mut header).map_err(|error| EmbedError::malformed(path, error))?;
    Ok(header)
}

fn slot(tensor: &Value, data: u64, size: u64) -> Option<Slot> {
    let number = Number::named(tensor.get("dtype")?.as_str()?)?;
    let shape = tensor.get("shape")?.as_array()?;
    let shape: Vec<usize> =
        shape.iter().map(|n| usize::try_from(n.as_u64()?).ok()).collect::<Option<_>>()?;
    let [start, end] = &tensor.get("data_offsets")?.as_array()?[..] else { return None };
    let (start, end) = (start.as_u64()?.checked_add(data)?, end.as_u64()?.checked_add(data)?);
    let count = shape.iter().try_fold(number.size(), |product, n| product.checked_mul(*n))?;
    (end <= size && end.checked_sub(start)? == count as u64).then_some(Slot {
        number,
        shape,
        start,
    })
}
