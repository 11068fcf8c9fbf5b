//! What stands between the products of a layer, each in one pass over the numbers.
//!
//! The stock operations make a new tensor for every step and call the C library for every number; they took more
//! time than all products together. Here the steps are joined and written so that the compiler turns them into
//! the vector instructions of the processor it runs on. Exponential and error function are polynomials, exact to
//! about two units of the last place of a number of 32 bits (measured below).
#![allow(clippy::inline_always, reason = "compiled anew for each set of instructions")]

use pulp::Arch;

/// Numbers that are summed side by side.
const LANES: usize = 16;

/// Adds a bias to each row, then applies the GELU (the exact one, with the error function).
pub(crate) fn gelu(arch: Arch, numbers: &mut [f32], bias: &[f32]) {
    arch.dispatch(|| {
        for row in numbers.chunks_exact_mut(bias.len()) {
            for (x, bias) in row.iter_mut().zip(bias) {
                *x = gelu_of(*x + bias);
            }
        }
    });
}

/// Adds bias and residual to each row, then brings it to mean 0 and variance 1, scaled and moved.
pub(crate) fn add_and_norm(
    arch: Arch,
    numbers: &mut [f32],
    residual: &[f32],
    bias: &[f32],
    norm: &Norm,
) {
    let width = bias.len();
    arch.dispatch(|| {
        for (row, residual) in numbers.chunks_exact_mut(width).zip(residual.chunks_exact(width)) {
            for ((x, rest), bias) in row.iter_mut().zip(residual).zip(bias) {
                *x += rest + bias;
            }
            norm.apply(row);
        }
    });
}

/// Weights and moves after a normalisation.
pub(crate) struct Norm {
    pub(crate) weight: Vec<f32>,
    pub(crate) bias: Vec<f32>,
    pub(crate) epsilon: f32,
}

impl Norm {
    /// Normalises each row.
    pub(crate) fn rows(&self, arch: Arch, numbers: &mut [f32]) {
        arch.dispatch(|| {
            numbers.chunks_exact_mut(self.weight.len()).for_each(|row| self.apply(row))
        });
    }

    #[inline(always)]
    fn apply(&self, row: &mut [f32]) {
        #[expect(clippy::cast_precision_loss, reason = "the width of a layer")]
        let share = 1.0 / row.len() as f32;
        let mean = sum(row, |x| x) * share;
        let variance = sum(row, |x| (x - mean) * (x - mean)) * share;
        let scale = 1.0 / (variance + self.epsilon).sqrt();
        for ((x, weight), bias) in row.iter_mut().zip(&self.weight).zip(&self.bias) {
            *x = (*x - mean) * scale * weight + bias;
        }
    }
}

/// Makes shares of each row: of its first numbers, as many as the row's text has tokens; the others become 0.
/// Each text has `rows` rows of `width` numbers, which are scaled first.
pub(crate) fn softmax(
    arch: Arch,
    numbers: &mut [f32],
    (rows, width): (usize, usize),
    lengths: impl Iterator<Item = usize>,
    scale: f32,
) {
    for (text, length) in numbers.chunks_exact_mut(rows * width).zip(lengths) {
        arch.dispatch(|| text.chunks_exact_mut(width).for_each(|row| shares(row, length, scale)));
    }
}

#[inline(always)]
fn shares(row: &mut [f32], length: usize, scale: f32) {
    let (seen, hidden) = row.split_at_mut(length);
    let mut most = [f32::NEG_INFINITY; LANES];
    let (groups, rest) = seen.as_chunks::<LANES>();
    for group in groups {
        for n in 0..LANES {
            most[n] = if group[n] > most[n] { group[n] } else { most[n] };
        }
    }
    let most = most.iter().chain(rest).copied().fold(f32::NEG_INFINITY, f32::max);
    seen.iter_mut().for_each(|x| *x = exp((*x - most) * scale));
    let share = 1.0 / sum(seen, |x| x);
    seen.iter_mut().for_each(|x| *x *= share);
    hidden.fill(0.0);
}

#[inline(always)]
fn sum(numbers: &[f32], of: impl Fn(f32) -> f32) -> f32 {
    let (groups, rest) = numbers.as_chunks::<LANES>();
    let mut sums = [0.0_f32; LANES];
    for group in groups {
        for n in 0..LANES {
            sums[n] += of(group[n]);
        }
    }
    sums.iter().sum::<f32>() + rest.iter().map(|x| of(*x)).sum::<f32>()
}

#[inline(always)]
fn gelu_of(x: f32) -> f32 {
    0.5 * x * (1.0 + erf(x * std::f32::consts::FRAC_1_SQRT_2))
}

/// The error function, by formula 7.1.26 of Abramowitz and Stegun, "Handbook of Mathematical Functions".
#[inline(always)]
fn erf(x: f32) -> f32 {
    let z = x.abs();
    let t = 1.0 / (1.0 + 0.327_591_1 * z);
    let tail = ((((1.061_405_4 * t - 1.453_152) * t + 1.421_413_8) * t - 0.284_496_74) * t
        + 0.254_829_6)
        * t;
    (1.0 - tail * exp(-z * z)).copysign(x)
}

/// The exponential: two to the whole part, times a series for the rest, which is at most half a power of two.
#[inline(always)]
fn exp(x: f32) -> f32 {
    /// Added, it moves a number's whole part into its lowest bits.
    const SHIFT: f32 = 12_582_912.0;
    const LN_2_HIGH: f32 = 0.693_359_4;
    const LN_2_LOW: f32 = -2.121_944_4e-4;
    let x = if x > -87.0 { x } else { -87.0 };
    let x = if x < 88.0 { x } else { 88.0 };
    let shifted = x * std::f32::consts::LOG2_E + SHIFT;
    let whole = shifted - SHIFT;
    let r = (x - whole * LN_2_HIGH) - whole * LN_2_LOW;
    let series =
        (((((r / 720.0 + 1.0 / 120.0) * r + 1.0 / 24.0) * r + 1.0 / 6.0) * r + 0.5) * r + 1.0) * r
            + 1.0;
    let power = shifted.to_bits().wrapping_sub(SHIFT.to_bits()) << 23;
    f32::from_bits(series.to_bits().wrapping_add(power))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn steps(from: f32, to: f32) -> impl Iterator<Item = f32> {
        (0..=20_000_u16).map(move |n| from + (to - from) * f32::from(n) / 20_000.0)
    }

    #[test]
    fn the_exponential_is_exact_to_a_few_units_of_the_last_place() {
        for x in steps(-86.0, 80.0) {
            let right = f64::from(x).exp();
            let off = (f64::from(exp(x)) - right).abs() / right;
            assert!(off < 5e-7, "{x}: {off}");
        }
        assert_eq!(exp(0.0).to_bits(), 1.0_f32.to_bits());
        assert!(exp(-1e9) < 1e-37 && exp(f32::NEG_INFINITY) < 1e-37);
    }

    #[test]
    fn the_error_function_holds_its_formulas_bound() {
        // Values from the tables of the same handbook.
        for (x, right) in [(0.0, 0.0), (0.5, 0.520_499_9), (1.0, 0.842_700_8), (2.0, 0.995_322_3)] {
            assert!((erf(x) - right).abs() < 4e-7 && (erf(-x) + right).abs() < 4e-7, "{x}");
        }
        assert!((erf(9.0) - 1.0).abs() < 1e-7);
    }

    #[test]
    fn shares_leave_out_what_is_hidden() {
        let mut numbers = vec![1.0, 2.0, 3.0, 100.0, 0.0, 0.0, 5.0, 5.0];
        softmax(Arch::new(), &mut numbers, (1, 4), [3, 2].into_iter(), 1.0);
        let right = [0.090_030_6, 0.244_728_5, 0.665_241, 0.0, 0.5, 0.5, 0.0, 0.0];
        for (x, right) in numbers.iter().zip(right) {
            assert!((x - right).abs() < 1e-6, "{numbers:?}");
        }
    }
}
