//! Products for x86-64 with AVX2, made for reading prompts: weights are unpacked once for many
//! rows of activations.
//!
//! All formats are brought to one form, a [`Unit`] of 256 weights `scale * s * q - min` with 8-bit
//! `q`, a 16-bit `s` for every 16 weights and a float `min` for every 16. One kernel multiplies a
//! unit with the same 256 activations of all rows; those lie together, so they stay in the
//! nearest cache while several weight rows pass.
//!
//! Leaves out formats with 8-bit weights: their products overflow the 16-bit sums used here.

use std::arch::x86_64::*;

use super::columns::Columns;
use super::single;
use super::vector::has_avx2;

/// Weights in a unit, and activations under one scale.
pub(super) const UNIT: usize = 256;

/// Weight rows unpacked together.
const ROWS: usize = 4;

/// Weight formats the kernel has an unpacking for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Format {
    Q4K,
    Q5K,
    Q6K,
    Q4_0,
    Q5_0,
}

/// Rows of activations in 8 bits, unit by unit.
pub(crate) struct Activations {
    rows: usize,
    /// For each unit, for each row: 256 values, as 8 vectors.
    quants: Vec<[[i8; 32]; 8]>,
    /// For each unit, for each row: what one step of the values is worth.
    scales: Vec<f32>,
    /// For each unit, for each row: sums of 16 values, as floats.
    sums: Vec<[[f32; 8]; 2]>,
}

/// One row of activations, as the kernels for single rows take it.
pub(super) struct Single<'a> {
    pub(super) quants: &'a [[[i8; 32]; 8]],
    pub(super) scales: &'a [f32],
    pub(super) sums: &'a [[[f32; 8]; 2]],
}

/// 256 unpacked weights.
#[derive(Clone, Copy)]
#[repr(align(32))]
struct Unit {
    quants: [[u8; 32]; 8],
    /// For each of the 8 vectors, its two scales, each repeated for 8 lanes of 16 bits.
    scales: [[i16; 16]; 8],
    mins: [[f32; 8]; 2],
    scale: f32,
}

const EMPTY: Unit =
    Unit { quants: [[0; 32]; 8], scales: [[0; 16]; 8], mins: [[0.0; 8]; 2], scale: 0.0 };

impl Activations {
    /// Quantises rows of `columns` values; the last unit is filled up with zeros. `None` if this
    /// processor lacks the instructions.
    pub(crate) fn new(values: &[f32], columns: usize) -> Option<Self> {
        // SAFETY: the processor has AVX2 and FMA.
        has_avx2().then(|| unsafe { quantise(values, columns) })
    }

    /// The only row, if there is only one.
    pub(super) fn single(&self) -> Option<Single<'_>> {
        let Self { quants, scales, sums, .. } = self;
        (self.rows == 1).then_some(Single { quants, scales, sums })
    }
}

/// `out = weights * activations` for the columns of `part`, which are rows of the weights.
/// `weights` holds whole rows of `columns` weights in `format`.
pub(crate) fn multiply(
    format: Format,
    weights: &[u8],
    columns: usize,
    activations: &Activations,
    part: &mut Columns<'_>,
) {
    // There are no activations on a processor without AVX2: see `Activations::new`.
    assert!(has_avx2());
    let single = activations.single();
    // SAFETY: the processor has AVX2 and FMA (asserted).
    unsafe {
        match format {
            Format::Q4K if let Some(input) = single => single::q4k(weights, columns, &input, part),
            Format::Q6K if let Some(input) = single => single::q6k(weights, columns, &input, part),
            Format::Q4K => rows::<Q4K>(weights, columns, activations, part),
            Format::Q5K => rows::<Q5K>(weights, columns, activations, part),
            Format::Q6K => rows::<Q6K>(weights, columns, activations, part),
            Format::Q4_0 => rows::<Q4_0>(weights, columns, activations, part),
            Format::Q5_0 => rows::<Q5_0>(weights, columns, activations, part),
        }
    }
}

#[target_feature(enable = "avx2,fma")]
fn rows<F: Unpack>(
    weights: &[u8],
    columns: usize,
    activations: &Activations,
    part: &mut Columns<'_>,
) {
    let row_bytes = columns / F::WEIGHTS * F::BYTES;
    let unit_bytes = UNIT / F::WEIGHTS * F::BYTES;
    let count = activations.rows;
    let mut sums = vec![[0f32; 8]; ROWS * count];
    let mut unit = EMPTY;
    let range = part.range();
    for first in range.clone().step_by(ROWS) {
        let group = first..range.end.min(first + ROWS);
        sums.fill([0.0; 8]);
        for index in 0..columns.div_ceil(UNIT) {
            let now = index * count..(index + 1) * count;
            for (row, sums) in group.clone().zip(sums.chunks_exact_mut(count)) {
                let row = &weights[row * row_bytes..(row + 1) * row_bytes];
                let bytes = &row[index * unit_bytes..row.len().min((index + 1) * unit_bytes)];
                F::unpack(bytes, &mut unit);
                accumulate(
                    &unit,
                    &activations.quants[now.clone()],
                    &activations.scales[now.clone()],
                    &activations.sums[now.clone()],
                    sums,
                );
            }
        }
        for (row, sums) in group.zip(sums.chunks_exact(count)) {
            for (index, lanes) in sums.iter().enumerate() {
                part.set(index, row, lanes.iter().sum());
            }
        }
    }
}

/// Adds the products of one unit with the activations of every row to their sums, which stay in
/// eight lanes until the end.
#[target_feature(enable = "avx2,fma")]
fn accumulate(
    unit: &Unit,
    quants: &[[[i8; 32]; 8]],
    scales: &[f32],
    act_sums: &[[[f32; 8]; 2]],
    sums: &mut [[f32; 8]],
) {
    let weights: [__m256i; 8] = std::array::from_fn(|i| load_u8(&unit.quants[i]));
    let mins = [load_f32(&unit.mins[0]), load_f32(&unit.mins[1])];
    for (((quants, scale), act_sums), sum) in quants.iter().zip(scales).zip(act_sums).zip(sums) {
        let mut dot = _mm256_setzero_si256();
        for i in 0..8 {
            let pairs = _mm256_maddubs_epi16(weights[i], load_i8(&quants[i]));
            dot = _mm256_add_epi32(dot, _mm256_madd_epi16(pairs, load_i16(&unit.scales[i])));
        }
        let scale = _mm256_set1_ps(unit.scale * scale);
        let mut lanes = _mm256_fmadd_ps(_mm256_cvtepi32_ps(dot), scale, load_f32(sum));
        lanes = _mm256_fnmadd_ps(mins[0], load_f32(&act_sums[0]), lanes);
        lanes = _mm256_fnmadd_ps(mins[1], load_f32(&act_sums[1]), lanes);
        store_f32(sum, lanes);
    }
}

#[target_feature(enable = "avx2,fma")]
fn quantise(values: &[f32], columns: usize) -> Activations {
    let rows = values.len() / columns;
    let units = columns.div_ceil(UNIT);
    let mut quants = vec![[[0i8; 32]; 8]; rows * units];
    let mut scales = vec![0f32; rows * units];
    let mut sums = vec![[[0f32; 8]; 2]; rows * units];
    for (row, values) in values.chunks_exact(columns).enumerate() {
        for (unit, values) in values.chunks(UNIT).enumerate() {
            let at = unit * rows + row;
            let quants = quants[at].as_flattened_mut();
            scales[at] = quantise_unit(values, quants);
            let sums = sums[at].as_flattened_mut();
            for (sum, part) in sums.iter_mut().zip(quants.chunks_exact(16)) {
                let whole: i32 = part.iter().map(|quant| i32::from(*quant)).sum();
                *sum = whole as f32 * scales[at];
            }
        }
    }
    Activations { rows, quants, scales, sums }
}

/// Returns the worth of one step; `quants` beyond the values stay zero.
#[inline(always)]
fn quantise_unit(values: &[f32], quants: &mut [i8]) -> f32 {
    // Adding 1.5 * 2^23 rounds to an integer, which is then in the low bits.
    const ROUND: f32 = 12_582_912.0;
    let mut tops = [0f32; 8];
    for chunk in values.chunks_exact(8) {
        for (top, value) in tops.iter_mut().zip(chunk) {
            *top = top.max(value.abs());
        }
    }
    let top = tops.into_iter().fold(0.0, f32::max);
    if top == 0.0 {
        return 0.0;
    }
    let inverse = 127.0 / top;
    for (quant, value) in quants.iter_mut().zip(values) {
        *quant = (value * inverse + ROUND).to_bits() as i8;
    }
    top / 127.0
}

/// How a format's blocks become a unit.
trait Unpack {
    const BYTES: usize;
    const WEIGHTS: usize;
    /// `bytes` are the blocks of one unit; fewer only at the end of a row.
    fn unpack(bytes: &[u8], unit: &mut Unit);
}

struct Q4K;
struct Q5K;
struct Q6K;
struct Q4_0;
struct Q5_0;

impl Unpack for Q4K {
    const BYTES: usize = 144;
    const WEIGHTS: usize = 256;
    #[inline(always)]
    fn unpack(bytes: &[u8], unit: &mut Unit) {
        let (head, quants) = bytes.split_at(16);
        unpack_scales_k4(head, unit);
        for (bytes, pair) in quants.chunks_exact(32).zip(unit.quants.chunks_exact_mut(2)) {
            for i in 0..32 {
                pair[0][i] = bytes[i] & 15;
                pair[1][i] = bytes[i] >> 4;
            }
        }
    }
}

impl Unpack for Q5K {
    const BYTES: usize = 176;
    const WEIGHTS: usize = 256;
    #[inline(always)]
    fn unpack(bytes: &[u8], unit: &mut Unit) {
        let (head, bytes) = bytes.split_at(16);
        let (high, low) = bytes.split_at(32);
        unpack_scales_k4(head, unit);
        let pairs = low.chunks_exact(32).zip(unit.quants.chunks_exact_mut(2));
        for (index, (low, pair)) in pairs.enumerate() {
            for i in 0..32 {
                let bits = high[i] >> (2 * index);
                pair[0][i] = (low[i] & 15) | ((bits & 1) << 4);
                pair[1][i] = (low[i] >> 4) | ((bits & 2) << 3);
            }
        }
    }
}

impl Unpack for Q6K {
    const BYTES: usize = 210;
    const WEIGHTS: usize = 256;
    #[inline(always)]
    fn unpack(bytes: &[u8], unit: &mut Unit) {
        let (low, rest) = bytes.split_at(128);
        let (high, rest) = rest.split_at(64);
        let (scales, scale) = rest.split_at(16);
        unit.scale = half(scale);
        let halves = low.chunks_exact(64).zip(high.chunks_exact(32));
        for ((low, high), quants) in halves.zip(unit.quants.chunks_exact_mut(4)) {
            for i in 0..32 {
                quants[0][i] = (low[i] & 15) | ((high[i] & 3) << 4);
                quants[1][i] = (low[i + 32] & 15) | ((high[i] << 2) & 48);
                quants[2][i] = (low[i] >> 4) | (high[i] & 48);
                quants[3][i] = (low[i + 32] >> 4) | ((high[i] >> 2) & 48);
            }
        }
        for (i, scale) in scales.iter().enumerate() {
            let scale = i16::from(*scale as i8);
            unit.scales[i / 2][i % 2 * 8..][..8].fill(scale);
            unit.mins[i / 8][i % 8] = 32.0 * unit.scale * f32::from(scale);
        }
    }
}

impl Unpack for Q4_0 {
    const BYTES: usize = 18;
    const WEIGHTS: usize = 32;
    #[inline(always)]
    fn unpack(bytes: &[u8], unit: &mut Unit) {
        unpack_scales_0(bytes, Self::BYTES, 8.0, unit);
        for (block, quants) in bytes.chunks_exact(Self::BYTES).zip(&mut unit.quants) {
            for i in 0..16 {
                quants[i] = block[2 + i] & 15;
                quants[i + 16] = block[2 + i] >> 4;
            }
        }
    }
}

impl Unpack for Q5_0 {
    const BYTES: usize = 22;
    const WEIGHTS: usize = 32;
    #[inline(always)]
    fn unpack(bytes: &[u8], unit: &mut Unit) {
        unpack_scales_0(bytes, Self::BYTES, 16.0, unit);
        for (block, quants) in bytes.chunks_exact(Self::BYTES).zip(&mut unit.quants) {
            for i in 0..16 {
                let low = (block[2 + i / 8] >> (i % 8)) & 1;
                let high = (block[4 + i / 8] >> (i % 8)) & 1;
                quants[i] = (block[6 + i] & 15) | (low << 4);
                quants[i + 16] = (block[6 + i] >> 4) | (high << 4);
            }
        }
    }
}

/// The scales and mins of Q4_K and Q5_K: eight of 6 bits each, packed in 12 bytes.
#[inline(always)]
fn unpack_scales_k4(head: &[u8], unit: &mut Unit) {
    unit.scale = half(&head[..2]);
    let min = half(&head[2..4]);
    let packed = &head[4..16];
    for i in 0..8 {
        let (s, m) = match i {
            0..4 => (packed[i] & 63, packed[i + 4] & 63),
            _ => (
                (packed[i + 4] & 15) | (packed[i - 4] >> 6 << 4),
                (packed[i + 4] >> 4) | (packed[i] >> 6 << 4),
            ),
        };
        unit.scales[i].fill(i16::from(s));
        unit.mins[i / 4][i % 4 * 2..][..2].fill(min * f32::from(m));
    }
}

/// The scales of Q4_0 and Q5_0, a float for each block, as whole steps of the unit's scale: so
/// fine that the error is far below that of the activations, so coarse that sums fit 32 bits.
#[inline(always)]
fn unpack_scales_0(bytes: &[u8], block: usize, offset: f32, unit: &mut Unit) {
    const STEPS: f32 = 16_000.0;
    let mut scales = [0f32; 8];
    for (scale, block) in scales.iter_mut().zip(bytes.chunks_exact(block)) {
        *scale = half(block);
    }
    let top = scales.iter().fold(0f32, |top, scale| top.max(scale.abs()));
    unit.scale = top / STEPS;
    let inverse = if top > 0.0 { STEPS / top } else { 0.0 };
    for (i, scale) in scales.iter().enumerate() {
        let steps = (scale * inverse) as i16;
        unit.scales[i].fill(steps);
        unit.mins[i / 4][i % 4 * 2..][..2].fill(offset * unit.scale * f32::from(steps));
    }
}

/// A half float (little-endian) by bits: its exponent moved to that of a float, then corrected.
#[inline(always)]
pub(super) fn half(bytes: &[u8]) -> f32 {
    let bits = u32::from(u16::from_le_bytes([bytes[0], bytes[1]]));
    let magnitude = f32::from_bits((bits & 0x7fff) << 13) * f32::from_bits((127 + 112) << 23);
    f32::from_bits(magnitude.to_bits() | ((bits & 0x8000) << 16))
}

#[target_feature(enable = "avx2")]
#[inline]
fn load_u8(values: &[u8; 32]) -> __m256i {
    // SAFETY: 32 readable bytes; no alignment needed.
    unsafe { _mm256_loadu_si256(values.as_ptr().cast()) }
}

#[target_feature(enable = "avx2")]
#[inline]
pub(super) fn load_i8(values: &[i8; 32]) -> __m256i {
    // SAFETY: as above.
    unsafe { _mm256_loadu_si256(values.as_ptr().cast()) }
}

#[target_feature(enable = "avx2")]
#[inline]
fn load_i16(values: &[i16; 16]) -> __m256i {
    // SAFETY: as above.
    unsafe { _mm256_loadu_si256(values.as_ptr().cast()) }
}

#[target_feature(enable = "avx2")]
#[inline]
pub(super) fn load_f32(values: &[f32; 8]) -> __m256 {
    // SAFETY: as above.
    unsafe { _mm256_loadu_ps(values.as_ptr()) }
}

#[target_feature(enable = "avx2")]
#[inline]
fn store_f32(to: &mut [f32; 8], values: __m256) {
    // SAFETY: 32 writable bytes; no alignment needed.
    unsafe { _mm256_storeu_ps(to.as_mut_ptr(), values) }
}

#[cfg(test)]
mod tests {
    use candle_core::quantized::{GgmlDType, QTensor};
    use candle_core::{Device, Tensor};

    use super::*;

    /// Against the product in floats of the same quantised weights, as candle dequantises them.
    fn check(format: Format, kind: GgmlDType, columns: usize, count: usize) {
        let rows = 11;
        let noise = |n: usize, f: f32| -> Vec<f32> {
            (0..n).map(|i| ((i * i) as f32 * f).sin() * (1.0 + (i % 97) as f32 / 9.0)).collect()
        };
        let weights = Tensor::from_vec(noise(rows * columns, 0.37), (rows, columns), &Device::Cpu);
        let weights = QTensor::quantize(&weights.unwrap(), kind).unwrap();
        let exact = weights.dequantize(&Device::Cpu).unwrap().to_vec2::<f32>().unwrap();
        let input = noise(count * columns, 0.61);
        let activations = Activations::new(&input, columns).unwrap();
        let mut out = vec![0f32; count * rows];
        for mut part in Columns::split(&mut out, rows, 8) {
            multiply(format, &weights.data().unwrap(), columns, &activations, &mut part);
        }
        for (input, out) in input.chunks_exact(columns).zip(out.chunks_exact(rows)) {
            for (row, got) in exact.iter().zip(out) {
                let products = row.iter().zip(input).map(|(w, x)| w * x);
                let (sum, size) = products.fold((0f32, 0f32), |(s, n), p| (s + p, n + p * p));
                // The 8-bit activations are off by less than 1/200 of the largest.
                assert!((sum - got).abs() < size.sqrt() * 0.03, "{kind:?}: {sum} {got}");
            }
        }
    }

    #[test]
    fn every_format_multiplies_like_its_floats() {
        if !has_avx2() {
            println!("skipped: this processor has no AVX2");
            return;
        }
        for count in [1, 2, 7] {
            check(Format::Q4K, GgmlDType::Q4K, 512, count);
            check(Format::Q5K, GgmlDType::Q5K, 512, count);
            check(Format::Q6K, GgmlDType::Q6K, 512, count);
            check(Format::Q4_0, GgmlDType::Q4_0, 512, count);
            check(Format::Q5_0, GgmlDType::Q5_0, 896, count);
        }
    }

    #[test]
    fn half_floats_have_their_values() {
        for (bits, value) in [(0x3c00u16, 1.0), (0xc000, -2.0), (0x0001, 5.960_464_5e-8), (0, 0.0)]
        {
            assert_eq!(half(&bits.to_le_bytes()), value);
        }
    }
}
