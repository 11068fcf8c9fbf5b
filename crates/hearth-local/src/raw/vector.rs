//! The float arithmetic around the matrices (attention, norms, activation), written once in
//! plain Rust and compiled twice: for any processor, and for x86-64 with AVX2 and FMA, which is
//! chosen when the processor is seen to have them.

/// Compiles `$inner` a second time with AVX2 and FMA and calls the better of the two.
macro_rules! dispatch {
    ($(#[$doc:meta])* fn $name:ident = $inner:ident($($arg:ident: $ty:ty),* $(,)?)) => {
        $(#[$doc])*
        pub(crate) fn $name($($arg: $ty),*) {
            #[cfg(target_arch = "x86_64")]
            {
                #[target_feature(enable = "avx2,fma")]
                fn wide($($arg: $ty),*) {
                    $inner::<true>($($arg),*)
                }
                if has_avx2() {
                    // SAFETY: the processor has AVX2 and FMA.
                    return unsafe { wide($($arg),*) };
                }
            }
            $inner::<false>($($arg),*)
        }
    };
}

/// Whether this processor runs AVX2 and FMA instructions.
#[cfg(target_arch = "x86_64")]
pub(crate) fn has_avx2() -> bool {
    std::arch::is_x86_feature_detected!("avx2") && std::arch::is_x86_feature_detected!("fma")
}

dispatch! {
    /// Attention of one token's query heads that share one key-value head: `queries` and `out`
    /// are those heads one after another, `keys` and `values` the rows up to and including the
    /// token, each of `width` floats. `scores` is scratch.
    fn attend = attend_inner(
        queries: &[f32],
        keys: &[f32],
        values: &[f32],
        width: usize,
        scores: &mut Vec<f32>,
        out: &mut [f32],
    )
}

dispatch! {
    /// `out = x / rms(x) * weight`, row by row.
    fn rms_norm = rms_norm_inner(x: &[f32], weight: &[f32], epsilon: f32, out: &mut [f32])
}

dispatch! {
    /// `gate = silu(gate) * up`.
    fn silu_times = silu_times_inner(gate: &mut [f32], up: &[f32])
}

#[inline(always)]
fn fused<const FMA: bool>(a: f32, b: f32, c: f32) -> f32 {
    // Without the instruction `mul_add` is a slow library call.
    if FMA { a.mul_add(b, c) } else { a * b + c }
}

const LANES: usize = 32;

#[inline(always)]
fn dot<const FMA: bool>(a: &[f32], b: &[f32]) -> f32 {
    let mut sums = [0f32; LANES];
    let (a, a_rest) = a.as_chunks::<LANES>();
    let (b, b_rest) = b.as_chunks::<LANES>();
    for (a, b) in a.iter().zip(b) {
        for i in 0..LANES {
            sums[i] = fused::<FMA>(a[i], b[i], sums[i]);
        }
    }
    let rest: f32 = a_rest.iter().zip(b_rest).map(|(a, b)| a * b).sum();
    let mut half = LANES / 2;
    while half > 0 {
        for i in 0..half {
            sums[i] += sums[i + half];
        }
        half /= 2;
    }
    sums[0] + rest
}

#[inline(always)]
fn attend_inner<const FMA: bool>(
    queries: &[f32],
    keys: &[f32],
    values: &[f32],
    width: usize,
    scores: &mut Vec<f32>,
    out: &mut [f32],
) {
    let length = keys.len() / width;
    let heads = queries.len() / width;
    let scale = 1.0 / (width as f32).sqrt();
    scores.clear();
    scores.resize(heads * length, 0.0);
    for (position, key) in keys.chunks_exact(width).enumerate() {
        for (head, query) in queries.chunks_exact(width).enumerate() {
            scores[head * length + position] = dot::<FMA>(query, key) * scale;
        }
    }
    for row in scores.chunks_exact_mut(length) {
        softmax::<FMA>(row);
    }
    out.fill(0.0);
    for (position, value) in values.chunks_exact(width).enumerate() {
        for (head, out) in out.chunks_exact_mut(width).enumerate() {
            let score = scores[head * length + position];
            for (out, value) in out.iter_mut().zip(value) {
                *out = fused::<FMA>(score, *value, *out);
            }
        }
    }
}

#[inline(always)]
fn softmax<const FMA: bool>(row: &mut [f32]) {
    let top = row.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    for value in row.iter_mut() {
        *value = exp::<FMA>(*value - top);
    }
    let sum: f32 = row.iter().sum();
    for value in row.iter_mut() {
        *value /= sum;
    }
}

#[inline(always)]
fn rms_norm_inner<const FMA: bool>(x: &[f32], weight: &[f32], epsilon: f32, out: &mut [f32]) {
    let width = weight.len();
    for (x, out) in x.chunks_exact(width).zip(out.chunks_exact_mut(width)) {
        let mean = dot::<FMA>(x, x) / width as f32;
        let scale = 1.0 / (mean + epsilon).sqrt();
        for ((out, x), weight) in out.iter_mut().zip(x).zip(weight) {
            *out = x * scale * weight;
        }
    }
}

#[inline(always)]
fn silu_times_inner<const FMA: bool>(gate: &mut [f32], up: &[f32]) {
    for (gate, up) in gate.iter_mut().zip(up) {
        *gate = *gate / (1.0 + exp::<FMA>(-*gate)) * up;
    }
}

/// `e^x` to about 2 units in the last place, without branches so that loops over it vectorise:
/// `x = n ln 2 + r`, a polynomial for `e^r`, and `2^n` put together from bits.
#[inline(always)]
fn exp<const FMA: bool>(x: f32) -> f32 {
    // Adding 1.5 * 2^23 leaves the nearest integer in the low bits.
    const ROUND: f32 = 12_582_912.0;
    let x = x.clamp(-87.0, 88.0);
    let shifted = fused::<FMA>(x, std::f32::consts::LOG2_E, ROUND);
    let n = shifted - ROUND;
    // ln 2 in two parts, the first exact in few bits.
    let r = fused::<FMA>(n, -0.693_359_4, x);
    let r = fused::<FMA>(n, 2.121_944_4e-4, r);
    let mut p = 1.0 / 5040.0;
    for c in [1.0 / 720.0, 1.0 / 120.0, 1.0 / 24.0, 1.0 / 6.0, 0.5, 1.0, 1.0] {
        p = fused::<FMA>(p, r, c);
    }
    let power = (shifted.to_bits() << 23).wrapping_add(1f32.to_bits());
    p * f32::from_bits(power)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exp_agrees_with_the_library() {
        for i in -8600..8700 {
            let x = i as f32 / 100.0;
            let (fast, exact) = (exp::<false>(x), x.exp());
            assert!((fast - exact).abs() <= exact * 3e-7, "{x}: {fast} {exact}");
        }
        assert!(exp::<false>(-1e30) < 1e-37);
    }

    #[test]
    fn both_compilations_agree() {
        let ramp = |n: usize, f: f32| (0..n).map(|i| (i as f32 * f).sin()).collect::<Vec<_>>();
        let (q, k, v) = (ramp(3 * 64, 0.3), ramp(9 * 64, 0.7), ramp(9 * 64, 1.3));
        let (mut narrow, mut best) = (vec![0.0; 3 * 64], vec![0.0; 3 * 64]);
        attend_inner::<false>(&q, &k, &v, 64, &mut Vec::new(), &mut narrow);
        attend(&q, &k, &v, 64, &mut Vec::new(), &mut best);
        for (a, b) in narrow.iter().zip(&best) {
            assert!((a - b).abs() < 1e-5, "{a} {b}");
        }
    }

    #[test]
    fn attention_over_one_position_is_its_value() {
        let value: Vec<f32> = (0..64).map(|i| i as f32).collect();
        let mut out = vec![0.0; 128];
        attend(&[0.5; 128], &[0.1; 64], &value, 64, &mut Vec::new(), &mut out);
        assert_eq!(out, [value.clone(), value].concat());
    }
}
