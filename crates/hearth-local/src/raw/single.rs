//! Products of the two common weight formats with one row of activations, for x86-64 with AVX2:
//! what writing a reply consists of. Nothing is unpacked to memory; the speed is that at which
//! weights come from memory, so they are asked for ahead, across the borders of pages, where the
//! processor does not do it by itself.

use std::arch::x86_64::*;

use super::columns::Columns;
use super::tile::{Single, UNIT, half, load_f32, load_i8};

/// How far ahead weights are asked for, in bytes.
const AHEAD: usize = 4096;

const Q4K_BYTES: usize = 144;
const Q6K_BYTES: usize = 210;

/// `out = weights * input` for the columns of `part`.
#[target_feature(enable = "avx2,fma")]
pub(super) fn q4k(weights: &[u8], columns: usize, input: &Single<'_>, part: &mut Columns<'_>) {
    let row_bytes = columns / UNIT * Q4K_BYTES;
    for row in part.range() {
        let (blocks, _) = weights[row * row_bytes..(row + 1) * row_bytes].as_chunks::<Q4K_BYTES>();
        let mut sum = _mm256_setzero_ps();
        for (index, block) in blocks.iter().enumerate() {
            ask_ahead(block);
            sum = q4k_block(block, input, index, sum);
        }
        part.set(0, row, sum_of(sum));
    }
}

/// `out = weights * input` for the columns of `part`.
#[target_feature(enable = "avx2,fma")]
pub(super) fn q6k(weights: &[u8], columns: usize, input: &Single<'_>, part: &mut Columns<'_>) {
    let row_bytes = columns / UNIT * Q6K_BYTES;
    for row in part.range() {
        let (blocks, _) = weights[row * row_bytes..(row + 1) * row_bytes].as_chunks::<Q6K_BYTES>();
        let mut sum = _mm256_setzero_ps();
        for (index, block) in blocks.iter().enumerate() {
            ask_ahead(block);
            sum = q6k_block(block, input, index, sum);
        }
        part.set(0, row, sum_of(sum));
    }
}

#[target_feature(enable = "avx2,fma")]
#[inline]
fn q4k_block(block: &[u8; Q4K_BYTES], input: &Single<'_>, index: usize, sum: __m256) -> __m256 {
    let (scales, mins) = scales_and_mins(block);
    // The eight scales twice, so that a shuffle can repeat each over all lanes.
    let scales = _mm256_broadcastsi128_si256(_mm_cvtepu8_epi16(scales));
    let low = _mm256_set1_epi8(15);
    let quants = &input.quants[index];
    let mut dot = _mm256_setzero_si256();
    for pair in 0..4 {
        let packed = load(block, 16 + pair * 32);
        let first = _mm256_and_si256(packed, low);
        let second = _mm256_and_si256(_mm256_srli_epi16(packed, 4), low);
        let first = _mm256_maddubs_epi16(first, load_i8(&quants[2 * pair]));
        let second = _mm256_maddubs_epi16(second, load_i8(&quants[2 * pair + 1]));
        let first = _mm256_madd_epi16(first, repeat16(scales, 2 * pair));
        let second = _mm256_madd_epi16(second, repeat16(scales, 2 * pair + 1));
        dot = _mm256_add_epi32(dot, _mm256_add_epi32(first, second));
    }
    let scale = _mm256_set1_ps(half(&block[..2]) * input.scales[index]);
    let sum = _mm256_fmadd_ps(_mm256_cvtepi32_ps(dot), scale, sum);
    // Sums of 16 activations added to sums of 32, in the order 0 1 4 5 2 3 6 7; mins alike.
    let sums = &input.sums[index];
    let sums = _mm256_hadd_ps(load_f32(&sums[0]), load_f32(&sums[1]));
    let order = _mm256_setr_epi32(0, 1, 4, 5, 2, 3, 6, 7);
    let mins = _mm256_permutevar8x32_epi32(_mm256_cvtepu8_epi32(mins), order);
    let mins = _mm256_mul_ps(_mm256_cvtepi32_ps(mins), _mm256_set1_ps(half(&block[2..4])));
    _mm256_fnmadd_ps(mins, sums, sum)
}

/// The eight scales and eight mins of 6 bits, as bytes.
#[target_feature(enable = "avx2,fma")]
#[inline]
fn scales_and_mins(block: &[u8; Q4K_BYTES]) -> (__m128i, __m128i) {
    let word =
        |at: usize| u32::from_le_bytes([block[at], block[at + 1], block[at + 2], block[at + 3]]);
    let (a, b, c) = (word(4), word(8), word(12));
    let (low6, low4, top2) = (0x3f3f_3f3f, 0x0f0f_0f0f, 0x0303_0303);
    let scales = [a & low6, (c & low4) | (((a >> 6) & top2) << 4)];
    let mins = [b & low6, ((c >> 4) & low4) | (((b >> 6) & top2) << 4)];
    let join = |words: [u32; 2]| i64::from(words[0]) | (i64::from(words[1]) << 32);
    (_mm_cvtsi64_si128(join(scales)), _mm_cvtsi64_si128(join(mins)))
}

#[target_feature(enable = "avx2,fma")]
#[inline]
fn q6k_block(block: &[u8; Q6K_BYTES], input: &Single<'_>, index: usize, sum: __m256) -> __m256 {
    let (low, top) = (_mm256_set1_epi8(15), _mm256_set1_epi8(48));
    let scales = load_half(block, 192);
    let wide = _mm256_cvtepi8_epi16(scales);
    // Scales 0..8 twice, and 8..16 twice.
    let scales16 =
        [_mm256_permute2x128_si256(wide, wide, 0x00), _mm256_permute2x128_si256(wide, wide, 0x11)];
    let quants = &input.quants[index];
    let mut dot = _mm256_setzero_si256();
    for side in 0..2 {
        let a = load(block, side * 64);
        let b = load(block, side * 64 + 32);
        let high = load(block, 128 + side * 32);
        let weights = [
            (_mm256_and_si256(a, low), _mm256_slli_epi16(high, 4)),
            (_mm256_and_si256(b, low), _mm256_slli_epi16(high, 2)),
            (_mm256_and_si256(_mm256_srli_epi16(a, 4), low), high),
            (_mm256_and_si256(_mm256_srli_epi16(b, 4), low), _mm256_srli_epi16(high, 2)),
        ];
        for (i, (low, high)) in weights.into_iter().enumerate() {
            let weights = _mm256_or_si256(low, _mm256_and_si256(high, top));
            let products = _mm256_maddubs_epi16(weights, load_i8(&quants[side * 4 + i]));
            let scaled = _mm256_madd_epi16(products, repeat8(scales16[side], 2 * i));
            dot = _mm256_add_epi32(dot, scaled);
        }
    }
    let worth = half(&block[208..]);
    let scale = _mm256_set1_ps(worth * input.scales[index]);
    let sum = _mm256_fmadd_ps(_mm256_cvtepi32_ps(dot), scale, sum);
    // Every weight is 32 less than its bits say.
    let offset = _mm256_set1_ps(32.0 * worth);
    let first = _mm256_cvtepi32_ps(_mm256_cvtepi8_epi32(scales));
    let second = _mm256_cvtepi32_ps(_mm256_cvtepi8_epi32(_mm_srli_si128(scales, 8)));
    let sums = &input.sums[index];
    let sum = _mm256_fnmadd_ps(_mm256_mul_ps(first, offset), load_f32(&sums[0]), sum);
    _mm256_fnmadd_ps(_mm256_mul_ps(second, offset), load_f32(&sums[1]), sum)
}

/// Element `which` of the eight 16-bit numbers in each half, in all lanes.
#[target_feature(enable = "avx2,fma")]
#[inline]
fn repeat16(numbers: __m256i, which: usize) -> __m256i {
    let pair = 0x0100 + 0x0202 * which as i16;
    _mm256_shuffle_epi8(numbers, _mm256_set1_epi16(pair))
}

/// Elements `which` and `which + 1`, the first in the lower half of the lanes.
#[target_feature(enable = "avx2,fma")]
#[inline]
fn repeat8(numbers: __m256i, which: usize) -> __m256i {
    let first = _mm_set1_epi16(0x0100 + 0x0202 * which as i16);
    let second = _mm_set1_epi16(0x0302 + 0x0202 * which as i16);
    _mm256_shuffle_epi8(numbers, _mm256_set_m128i(second, first))
}

#[target_feature(enable = "avx2,fma")]
#[inline]
fn sum_of(lanes: __m256) -> f32 {
    let halves = _mm_add_ps(_mm256_castps256_ps128(lanes), _mm256_extractf128_ps(lanes, 1));
    let pairs = _mm_add_ps(halves, _mm_movehl_ps(halves, halves));
    _mm_cvtss_f32(_mm_add_ss(pairs, _mm_movehdup_ps(pairs)))
}

#[target_feature(enable = "avx2,fma")]
#[inline]
fn load<const N: usize>(block: &[u8; N], at: usize) -> __m256i {
    let bytes = &block[at..at + 32];
    // SAFETY: 32 readable bytes; no alignment needed.
    unsafe { _mm256_loadu_si256(bytes.as_ptr().cast()) }
}

#[target_feature(enable = "avx2,fma")]
#[inline]
fn load_half<const N: usize>(block: &[u8; N], at: usize) -> __m128i {
    let bytes = &block[at..at + 16];
    // SAFETY: 16 readable bytes; no alignment needed.
    unsafe { _mm_loadu_si128(bytes.as_ptr().cast()) }
}

/// Asks the memory for the block that lies [`AHEAD`] of this one.
#[target_feature(enable = "avx2,fma")]
#[inline]
fn ask_ahead<const N: usize>(block: &[u8; N]) {
    for line in (0..N).step_by(64) {
        let address = block.as_ptr().wrapping_add(AHEAD + line);
        // A hint: it reads nothing, and any address will do.
        _mm_prefetch::<_MM_HINT_T0>(address.cast());
    }
}
