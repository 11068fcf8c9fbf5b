//! All vectors of a generation in memory, one byte a number, and the scan over them.
//!
//! Invariants: ids ascend, so one is found by bisection; a row that is removed stays as a hole until the
//! next load. Exact search over a few hundred megabytes is faster here than an index of neighbours would be
//! to keep.

use rayon::iter::{IndexedParallelIterator as _, ParallelIterator as _};
use rayon::slice::ParallelSlice as _;

/// Bytes before the numbers of a stored vector: its scale.
const SCALE: usize = 4;
/// Rows a thread scans at once.
const STRIP: usize = 4_096;

/// A vector of length one as it is stored: the scale, then a byte a number.
pub(crate) fn packed(vector: &[f32]) -> Vec<u8> {
    let (scale, bytes) = quantised(vector);
    let mut out = Vec::with_capacity(SCALE + bytes.len());
    out.extend_from_slice(&scale.to_le_bytes());
    out.extend(bytes.into_iter().map(i8::cast_unsigned));
    out
}

/// Whole numbers from -127 to 127, and what one of them is worth.
fn quantised(vector: &[f32]) -> (f32, Vec<i8>) {
    let largest = vector.iter().fold(0.0_f32, |most, x| most.max(x.abs()));
    if largest == 0.0 {
        return (0.0, vec![0; vector.len()]);
    }
    let scale = largest / 127.0;
    #[expect(clippy::cast_possible_truncation, reason = "within -127 to 127 by the scale")]
    let bytes = vector.iter().map(|x| (x / scale).round() as i8).collect();
    (scale, bytes)
}

/// The vectors that can be searched.
#[derive(Debug, Default)]
pub(crate) struct Matrix {
    width: usize,
    ids: Vec<i64>,
    scales: Vec<f32>,
    data: Vec<i8>,
    holes: usize,
}

impl Matrix {
    /// Numbers a vector has; 0 while there is none.
    pub(crate) fn width(&self) -> usize {
        self.width
    }

    /// How many there are.
    pub(crate) fn len(&self) -> usize {
        self.ids.len() - self.holes
    }

    /// Adds a stored vector; says whether it was one of this width. Ids usually ascend.
    pub(crate) fn put(&mut self, id: i64, stored: &[u8]) -> bool {
        let Some((scale, bytes)) = stored.split_first_chunk::<SCALE>() else { return false };
        if self.ids.is_empty() {
            self.width = bytes.len();
        }
        if bytes.len() != self.width || bytes.is_empty() {
            return false;
        }
        let bytes = bytes.iter().map(|byte| byte.cast_signed());
        let scale = f32::from_le_bytes(*scale);
        match self.ids.binary_search(&id) {
            Ok(at) => {
                if self.scales[at] == 0.0 {
                    self.holes = self.holes.saturating_sub(1);
                }
                self.scales[at] = scale;
                self.data.splice(at * self.width..(at + 1) * self.width, bytes);
            }
            Err(at) => {
                self.ids.insert(at, id);
                self.scales.insert(at, scale);
                let start = at * self.width;
                self.data.splice(start..start, bytes);
            }
        }
        true
    }

    /// Makes holes where these stood.
    pub(crate) fn remove(&mut self, ids: &[i64]) {
        for id in ids {
            if let Ok(at) = self.ids.binary_search(id)
                && self.scales[at] != 0.0
            {
                self.scales[at] = 0.0;
                self.holes += 1;
            }
        }
    }

    /// The nearest so many, the best first.
    pub(crate) fn nearest(&self, query: &[f32], count: usize) -> Vec<(i64, f32)> {
        if query.len() != self.width || count == 0 {
            return Vec::new();
        }
        let (_, asked) = quantised(query);
        let asked: Vec<i16> = asked.into_iter().map(i16::from).collect();
        let mut found: Vec<(f32, usize)> = self
            .data
            .par_chunks(STRIP * self.width)
            .enumerate()
            .map(|(strip, rows)| self.best_of(strip * STRIP, rows, &asked, count))
            .flatten_iter()
            .collect();
        found.sort_unstable_by(|a, b| b.0.total_cmp(&a.0));
        // Rounding moves a cosine by less than the next few ranks are apart; these are exact again.
        found.truncate(count);
        let mut exact: Vec<(i64, f32)> =
            found.into_iter().map(|(_, row)| (self.ids[row], self.exact(row, query))).collect();
        exact.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        exact
    }

    /// The cosine of one, where it has a vector.
    pub(crate) fn cosine(&self, id: i64, query: &[f32]) -> Option<f32> {
        let row = self.ids.binary_search(&id).ok()?;
        (self.scales[row] != 0.0 && query.len() == self.width).then(|| self.exact(row, query))
    }

    /// One vector as numbers again.
    pub(crate) fn vector(&self, id: i64) -> Option<Vec<f32>> {
        let row = self.ids.binary_search(&id).ok()?;
        let scale = self.scales[row];
        (scale != 0.0).then(|| self.row(row).iter().map(|x| f32::from(*x) * scale).collect())
    }

    fn best_of(&self, first: usize, rows: &[i8], asked: &[i16], count: usize) -> Vec<(f32, usize)> {
        let scores = rows.chunks_exact(self.width).enumerate().map(|(n, row)| {
            let row_number = first + n;
            #[expect(clippy::cast_precision_loss, reason = "below 2^24 for any width in use")]
            let dot = dot(row, asked) as f32;
            (dot * self.scales[row_number], row_number)
        });
        let mut scores: Vec<(f32, usize)> =
            scores.filter(|(_, row)| self.scales[*row] != 0.0).collect();
        if scores.len() > count {
            scores.select_nth_unstable_by(count, |a, b| b.0.total_cmp(&a.0));
            scores.truncate(count);
        }
        scores
    }

    fn row(&self, row: usize) -> &[i8] {
        &self.data[row * self.width..(row + 1) * self.width]
    }

    fn exact(&self, row: usize, query: &[f32]) -> f32 {
        let dot: f32 = self.row(row).iter().zip(query).map(|(x, y)| f32::from(*x) * y).sum();
        dot * self.scales[row]
    }
}

/// Whole-number products in groups of a fixed size, which the compiler turns into vector instructions.
fn dot(row: &[i8], asked: &[i16]) -> i32 {
    const GROUP: usize = 32;
    let (rows, row_rest) = row.as_chunks::<GROUP>();
    let (askeds, asked_rest) = asked.as_chunks::<GROUP>();
    let mut sum = 0_i32;
    for (row, asked) in rows.iter().zip(askeds) {
        let mut group = 0_i32;
        for n in 0..GROUP {
            group += i32::from(row[n]) * i32::from(asked[n]);
        }
        sum += group;
    }
    let rest = row_rest.iter().zip(asked_rest);
    sum + rest.map(|(x, y)| i32::from(*x) * i32::from(*y)).sum::<i32>()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn unit(seed: u32) -> Vec<f32> {
        let mut state = seed.wrapping_mul(2_654_435_761).wrapping_add(1);
        let mut vector: Vec<f32> = (0..96)
            .map(|_| {
                state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                (state >> 8) as f32 / 8_388_608.0 - 1.0
            })
            .collect();
        let length = vector.iter().map(|x| x * x).sum::<f32>().sqrt();
        vector.iter_mut().for_each(|x| *x /= length);
        vector
    }

    #[test]
    fn each_vector_is_nearest_to_itself() {
        let mut matrix = Matrix::default();
        for n in 0..9_000 {
            assert!(matrix.put(i64::from(n), &packed(&unit(n))));
        }
        assert!(!matrix.put(1, &packed(&[1.0, 0.0])), "another width is refused");
        for n in [0, 4_095, 4_096, 8_999] {
            let found = matrix.nearest(&unit(n), 3);
            assert_eq!(found[0].0, i64::from(n));
            assert!((found[0].1 - 1.0).abs() < 0.01 && found[1].1 < 0.6);
        }
        matrix.remove(&[4_096, 4_096]);
        assert_eq!(matrix.len(), 8_999);
        assert_ne!(matrix.nearest(&unit(4_096), 1)[0].0, 4_096);
        assert!(matrix.cosine(4_096, &unit(1)).is_none());
        matrix.put(4_096, &packed(&unit(4_096)));
        assert_eq!(matrix.nearest(&unit(4_096), 1)[0].0, 4_096);
        assert_eq!(matrix.len(), 9_000);
    }

    #[test]
    fn an_empty_one_finds_nothing() {
        assert!(Matrix::default().nearest(&[1.0], 5).is_empty());
    }
}
