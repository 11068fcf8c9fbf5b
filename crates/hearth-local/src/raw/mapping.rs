//! A read-only mapping of the model file, and typed views of its bytes.

use std::fs::File;
use std::ops::Range;
use std::path::Path;

use candle_core::quantized::GgmlType;
use candle_core::quantized::k_quants::{
    BlockQ2K, BlockQ3K, BlockQ4_0, BlockQ4_1, BlockQ4K, BlockQ5_0, BlockQ5_1, BlockQ5K, BlockQ6K,
    BlockQ8_0,
};
use memmap2::Mmap;

/// Weight blocks that may be viewed in place.
///
/// # Safety
/// Implementors have no padding, and every bit pattern is a valid value of them.
pub(crate) unsafe trait Block: GgmlType {}

// SAFETY: `repr(C)` structs of half floats and bytes (candle asserts their sizes to be the sum of
// the fields), and plain floats.
unsafe impl Block for BlockQ2K {}
// SAFETY: as above.
unsafe impl Block for BlockQ3K {}
// SAFETY: as above.
unsafe impl Block for BlockQ4_0 {}
// SAFETY: as above.
unsafe impl Block for BlockQ4_1 {}
// SAFETY: as above.
unsafe impl Block for BlockQ4K {}
// SAFETY: as above.
unsafe impl Block for BlockQ5_0 {}
// SAFETY: as above.
unsafe impl Block for BlockQ5_1 {}
// SAFETY: as above.
unsafe impl Block for BlockQ5K {}
// SAFETY: as above.
unsafe impl Block for BlockQ6K {}
// SAFETY: as above.
unsafe impl Block for BlockQ8_0 {}
// SAFETY: as above.
unsafe impl Block for f32 {}

/// The bytes of a model file, paged in by the system as they are read.
#[derive(Debug)]
pub(crate) struct Mapping(Mmap);

impl Mapping {
    pub(crate) fn open(path: &Path) -> std::io::Result<Self> {
        let file = File::open(path)?;
        // SAFETY: the mapping is read-only and the weights are read as plain data, so a file that
        // another process overwrites gives wrong numbers, not undefined control flow. One that is
        // shortened meanwhile ends the process (SIGBUS), as with every mapped model; downloads
        // are written aside and renamed, never written in place.
        Ok(Self(unsafe { Mmap::map(&file)? }))
    }

    pub(crate) fn bytes(&self) -> &[u8] {
        &self.0
    }

    /// The bytes of `range` as blocks; `None` if they are outside the file, misaligned, or not a
    /// whole number of blocks.
    pub(crate) fn blocks<T: Block>(&self, range: Range<usize>) -> Option<&[T]> {
        let bytes = self.0.get(range)?;
        let size = size_of::<T>();
        if !bytes.len().is_multiple_of(size) || !bytes.as_ptr().cast::<T>().is_aligned() {
            return None;
        }
        // SAFETY: in bounds of the mapping, aligned, a whole number of blocks, and any bytes are
        // valid blocks (`Block`). The borrow keeps the mapping alive.
        Some(unsafe { std::slice::from_raw_parts(bytes.as_ptr().cast(), bytes.len() / size) })
    }
}
