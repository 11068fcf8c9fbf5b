//! Products of quantised weight matrices with rows of activations.
//!
//! Weights stay where they are in the mapped file. The activations of one input are quantised
//! once and shared by all the matrices it meets. Two kernels: candle's block dot products for any
//! processor and format, and `raw::tile` for reading prompts on x86-64.

use std::cell::OnceCell;
use std::ops::Range;
use std::sync::Arc;

use candle_core::quantized::k_quants::{
    BlockQ2K, BlockQ3K, BlockQ4_0, BlockQ4_1, BlockQ4K, BlockQ5_0, BlockQ5_1, BlockQ5K, BlockQ6K,
    BlockQ8_0, BlockQ8_1, BlockQ8K,
};
use candle_core::quantized::{GgmlDType, GgmlType};
use rayon::prelude::*;

use crate::raw::columns::Columns;
use crate::raw::mapping::{Block, Mapping};
#[cfg(target_arch = "x86_64")]
use crate::raw::tile::{self, Activations, Format};

/// A weight matrix: `rows` outputs of `columns` inputs.
#[derive(Debug)]
pub(crate) struct Matrix {
    mapping: Arc<Mapping>,
    kind: GgmlDType,
    rows: usize,
    columns: usize,
    range: Range<usize>,
}

/// Rows of activations, with their quantised forms made when first needed.
pub(crate) struct Input<'a> {
    values: &'a [f32],
    columns: usize,
    q8k: OnceCell<Vec<BlockQ8K>>,
    q8_0: OnceCell<Vec<BlockQ8_0>>,
    q8_1: OnceCell<Vec<BlockQ8_1>>,
    #[cfg(target_arch = "x86_64")]
    tiled: OnceCell<Option<Activations>>,
}

/// Calls `$body` with `$block` naming the Rust type of the weight format `$kind`, and `$input`
/// the quantised form its dot product takes.
macro_rules! for_kind {
    ($kind:expr, $from:expr, |$block:ident, $input:ident| $body:expr) => {
        match $kind {
            GgmlDType::Q4_0 => for_kind!(@ BlockQ4_0, $from.q8_0(), $block, $input, $body),
            GgmlDType::Q5_0 => for_kind!(@ BlockQ5_0, $from.q8_0(), $block, $input, $body),
            GgmlDType::Q8_0 => for_kind!(@ BlockQ8_0, $from.q8_0(), $block, $input, $body),
            GgmlDType::Q4_1 => for_kind!(@ BlockQ4_1, $from.q8_1(), $block, $input, $body),
            GgmlDType::Q5_1 => for_kind!(@ BlockQ5_1, $from.q8_1(), $block, $input, $body),
            GgmlDType::Q2K => for_kind!(@ BlockQ2K, $from.q8k(), $block, $input, $body),
            GgmlDType::Q3K => for_kind!(@ BlockQ3K, $from.q8k(), $block, $input, $body),
            GgmlDType::Q4K => for_kind!(@ BlockQ4K, $from.q8k(), $block, $input, $body),
            GgmlDType::Q5K => for_kind!(@ BlockQ5K, $from.q8k(), $block, $input, $body),
            GgmlDType::Q6K => for_kind!(@ BlockQ6K, $from.q8k(), $block, $input, $body),
            GgmlDType::F32 => for_kind!(@ f32, $from.values, $block, $input, $body),
            _ => {}
        }
    };
    (@ $type:ty, $input_value:expr, $block:ident, $input:ident, $body:expr) => {{
        type $block = $type;
        let $input = $input_value;
        $body
    }};
}

/// Whether matrices of this format can be used.
pub(crate) fn supports(kind: GgmlDType) -> bool {
    !matches!(kind, GgmlDType::Q8_1 | GgmlDType::Q8K | GgmlDType::F16 | GgmlDType::BF16)
}

impl Matrix {
    /// `None` if the bytes do not hold such a matrix.
    pub(crate) fn new(
        mapping: Arc<Mapping>,
        kind: GgmlDType,
        rows: usize,
        columns: usize,
        range: Range<usize>,
    ) -> Option<Self> {
        let blocks = rows * columns / kind.block_size();
        if range.len() != blocks * kind.type_size() || mapping.bytes().get(range.clone()).is_none()
        {
            return None;
        }
        Some(Self { mapping, kind, rows, columns, range })
    }

    pub(crate) fn kind(&self) -> GgmlDType {
        self.kind
    }

    pub(crate) fn size(&self) -> usize {
        self.rows * self.columns
    }

    /// Row `row` as floats.
    pub(crate) fn row(&self, row: usize, out: &mut [f32]) {
        let no_input = Input::new(&[], self.columns);
        for_kind!(self.kind, no_input, |B, _input| {
            let blocks = self.blocks::<B>();
            let width = self.columns / B::BLCK_SIZE;
            B::to_float(&blocks[row * width..(row + 1) * width], out);
        });
    }

    /// `out[i] = self * input[i]` for every row of the input.
    pub(crate) fn multiply(&self, input: &Input<'_>, out: &mut [f32]) {
        debug_assert_eq!(input.columns, self.columns);
        #[cfg(target_arch = "x86_64")]
        if self.multiply_tiled(input, out) {
            return;
        }
        for_kind!(self.kind, input, |B, values| {
            multiply_blocks::<B>(self.blocks(), values, self.rows, self.columns, out);
        });
    }

    /// Uses the kernel for prompts where it is the better one; false if it is not.
    #[cfg(target_arch = "x86_64")]
    fn multiply_tiled(&self, input: &Input<'_>, out: &mut [f32]) -> bool {
        let format = match self.kind {
            GgmlDType::Q4K => Format::Q4K,
            GgmlDType::Q5K => Format::Q5K,
            GgmlDType::Q6K => Format::Q6K,
            GgmlDType::Q4_0 => Format::Q4_0,
            GgmlDType::Q5_0 => Format::Q5_0,
            _ => return false,
        };
        // For one row of these candle's kernels are the better ones: they need no unpacking.
        let single = input.values.len() == self.columns;
        if single && matches!(format, Format::Q4_0 | Format::Q5K) {
            return false;
        }
        let Some(activations) = input.tiled() else { return false };
        let weights = &self.mapping.bytes()[self.range.clone()];
        Columns::split(out, self.rows, stripe(self.rows)).into_par_iter().for_each(|mut part| {
            tile::multiply(format, weights, self.columns, activations, &mut part);
        });
        true
    }

    /// The blocks of the matrix; the bytes were measured when it was made.
    fn blocks<B: Block>(&self) -> &[B] {
        self.mapping.blocks(self.range.clone()).unwrap_or_default()
    }
}

impl<'a> Input<'a> {
    pub(crate) fn new(values: &'a [f32], columns: usize) -> Self {
        let (q8k, q8_0, q8_1) = Default::default();
        Self {
            values,
            columns,
            q8k,
            q8_0,
            q8_1,
            #[cfg(target_arch = "x86_64")]
            tiled: OnceCell::new(),
        }
    }

    #[cfg(target_arch = "x86_64")]
    fn tiled(&self) -> Option<&Activations> {
        self.tiled.get_or_init(|| Activations::new(self.values, self.columns)).as_ref()
    }

    fn q8k(&self) -> &[BlockQ8K] {
        self.q8k.get_or_init(|| self.quantised())
    }

    fn q8_0(&self) -> &[BlockQ8_0] {
        self.q8_0.get_or_init(|| self.quantised())
    }

    fn q8_1(&self) -> &[BlockQ8_1] {
        self.q8_1.get_or_init(|| self.quantised())
    }

    fn quantised<B: GgmlType>(&self) -> Vec<B> {
        let width = self.columns / B::BLCK_SIZE;
        let mut blocks = vec![B::zeros(); self.values.len() / B::BLCK_SIZE];
        let rows = self.values.par_chunks_exact(self.columns);
        rows.zip(blocks.par_chunks_exact_mut(width)).for_each(|(from, to)| B::from_float(from, to));
        blocks
    }
}

/// How many output columns one task computes: a multiple of 8 and, so that threads of unequal
/// speed finish together, several tasks a thread.
pub(crate) fn stripe(rows: usize) -> usize {
    let tasks = match rayon::current_num_threads() {
        1 => 1,
        threads => threads * 4,
    };
    rows.div_ceil(tasks).next_multiple_of(8)
}

fn multiply_blocks<B: Block>(
    weights: &[B],
    input: &[B::VecDotType],
    rows: usize,
    columns: usize,
    out: &mut [f32],
) {
    let width = columns / B::BLCK_SIZE;
    let row = |index: usize| &weights[index * width..(index + 1) * width];
    Columns::split(out, rows, stripe(rows)).into_par_iter().for_each(|mut part| {
        let range = part.range();
        for first in range.clone().step_by(4) {
            for (i, input) in input.chunks_exact(width).enumerate() {
                if first + 4 <= range.end {
                    let (a, b, c, d) = B::vec_dot_4(
                        columns,
                        row(first),
                        row(first + 1),
                        row(first + 2),
                        row(first + 3),
                        input,
                    );
                    for (offset, value) in [a, b, c, d].into_iter().enumerate() {
                        part.set(i, first + offset, value);
                    }
                } else {
                    for index in first..range.end {
                        part.set(i, index, B::vec_dot(columns, row(index), input));
                    }
                }
            }
        }
    });
}
