//! All vectors of a generation in memory, one byte a number, and the scan over them.
//!
//! Invariants: ids ascend, so one is found by bisection; a row that is removed stays as a hole until the
//! next load. Exact search over a few hundred megabytes is faster here than an index of neighbours would be
//! to keep.

use pulp::Arch;
use rayon::iter::{
    IndexedParallelIterator as _, IntoParallelRefIterator as _, ParallelIterator as _,
};

/// Bytes before the numbers of a stored vector: its scale.
const SCALE: usize = 4;
/// Rows a thread scans at once, and that are kept together.
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

/// The vectors that can be searched. Kept in strips, so that one more never copies all the others.
#[derive(Debug, Default)]
pub(crate) struct Matrix {
    width: usize,
    strips: Vec<Strip>,
    count: usize,
}

/// Up to [`STRIP`] rows.
#[derive(Debug, Default)]
struct Strip {
    ids: Vec<i64>,
    /// 0 marks a hole.
    scales: Vec<f32>,
    data: Vec<i8>,
}

impl Matrix {
    /// Numbers a vector has; 0 while there is none.
    pub(crate) fn width(&self) -> usize {
        self.width
    }

    /// How many there are.
    pub(crate) fn len(&self) -> usize {
        self.count
    }

    /// Adds a stored vector; says whether it was one of this width. Ids usually ascend.
    pub(crate) fn put(&mut self, id: i64, stored: &[u8]) -> bool {
        let Some((scale, bytes)) = stored.split_first_chunk::<SCALE>() else { return false };
        if self.strips.is_empty() {
            self.width = bytes.len();
        }
        if bytes.len() != self.width || bytes.is_empty() {
            return false;
        }
        let scale = f32::from_le_bytes(*scale);
        let (n, width) = (self.strip_for(id), self.width);
        let strip = &mut self.strips[n];
        let had = strip.row_of(id).is_some_and(|row| strip.scales[row] != 0.0);
        strip.put(id, scale, bytes, width);
        let has = scale != 0.0;
        self.count = self.count + usize::from(has) - usize::from(had);
        true
    }

    /// Makes holes where these stood.
    pub(crate) fn remove(&mut self, ids: &[i64]) {
        for id in ids {
            let Some((n, row)) = self.place(*id) else { continue };
            let strip = &mut self.strips[n];
            if std::mem::take(&mut strip.scales[row]) != 0.0 {
                self.count -= 1;
                // What was removed is forgotten, not only hidden.
                strip.data[row * self.width..(row + 1) * self.width].fill(0);
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
        let mut found: Vec<(f32, usize, usize)> = self
            .strips
            .par_iter()
            .enumerate()
            .map(|(n, strip)| strip.best(n, self.width, &asked, count))
            .flatten_iter()
            .collect();
        found.sort_unstable_by(|a, b| b.0.total_cmp(&a.0));
        // Rounding moves a cosine by less than the next few ranks are apart; these are exact again.
        found.truncate(count);
        let mut exact: Vec<(i64, f32)> = found
            .into_iter()
            .map(|(_, n, row)| {
                let strip = &self.strips[n];
                (strip.ids[row], strip.exact(row, query))
            })
            .collect();
        exact.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        exact
    }

    /// Appends one vector as numbers again; says whether there is one.
    #[inline]
    pub(crate) fn append(&self, id: i64, into: &mut Vec<f32>) -> bool {
        let Some((n, row)) = self.place(id) else { return false };
        let strip = &self.strips[n];
        let scale = strip.scales[row];
        if scale == 0.0 {
            return false;
        }
        into.extend(strip.row(row, self.width).iter().map(|x| f32::from(*x) * scale));
        true
    }

    /// The strip that holds an id, or has to.
    fn strip_for(&mut self, id: i64) -> usize {
        let after =
            self.strips.partition_point(|strip| strip.ids.first().is_some_and(|x| *x <= id));
        let n = after.saturating_sub(1);
        let full = self.strips.get(n).is_none_or(|strip| strip.ids.len() >= STRIP);
        let inside = after > 0 && self.strips[n].ids.last().is_some_and(|x| *x >= id);
        if full && !inside {
            self.strips.insert(after, Strip::with_room(self.width));
            return after;
        }
        n
    }

    fn place(&self, id: i64) -> Option<(usize, usize)> {
        let after =
            self.strips.partition_point(|strip| strip.ids.first().is_some_and(|x| *x <= id));
        let n = after.checked_sub(1)?;
        Some((n, self.strips[n].row_of(id)?))
    }
}

impl Strip {
    fn with_room(width: usize) -> Self {
        Self {
            ids: Vec::with_capacity(STRIP),
            scales: Vec::with_capacity(STRIP),
            data: Vec::with_capacity(STRIP * width),
        }
    }

    fn row_of(&self, id: i64) -> Option<usize> {
        self.ids.binary_search(&id).ok()
    }

    fn put(&mut self, id: i64, scale: f32, bytes: &[u8], width: usize) {
        let bytes = bytes.iter().map(|byte| byte.cast_signed());
        match self.ids.binary_search(&id) {
            Ok(at) => {
                self.scales[at] = scale;
                self.data.splice(at * width..(at + 1) * width, bytes);
            }
            Err(at) => {
                self.ids.insert(at, id);
                self.scales.insert(at, scale);
                self.data.splice(at * width..at * width, bytes);
            }
        }
    }

    fn best(
        &self,
        n: usize,
        width: usize,
        asked: &[i16],
        count: usize,
    ) -> Vec<(f32, usize, usize)> {
        let rows = self.data.chunks_exact(width).enumerate();
        let score = |(at, row): (usize, &[i8])| {
            #[expect(clippy::cast_precision_loss, reason = "below 2^24 for any width in use")]
            let dot = dot(row, asked) as f32;
            (dot * self.scales[at], n, at)
        };
        let there = rows.filter(|(at, _)| self.scales[*at] != 0.0);
        let mut scores: Vec<(f32, usize, usize)> =
            Arch::new().dispatch(|| there.map(score).collect());
        if scores.len() > count {
            scores.select_nth_unstable_by(count, |a, b| b.0.total_cmp(&a.0));
            scores.truncate(count);
        }
        scores
    }

    fn row(&self, row: usize, width: usize) -> &[i8] {
        &self.data[row * width..(row + 1) * width]
    }

    fn exact(&self, row: usize, query: &[f32]) -> f32 {
        let numbers = self.row(row, query.len()).iter().zip(query);
        let dot: f32 = numbers.map(|(x, y)| f32::from(*x) * y).sum();
        dot * self.scales[row]
    }
}

/// Whole-number products in groups of a fixed size, which the compiler turns into vector instructions.
#[inline(always)]
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
        assert!(!matrix.append(4_096, &mut Vec::new()));
        matrix.put(4_096, &packed(&unit(4_096)));
        assert_eq!(matrix.nearest(&unit(4_096), 1)[0].0, 4_096);
        assert_eq!(matrix.len(), 9_000);
    }

    #[test]
    fn ids_may_come_in_any_order() {
        let mut matrix = Matrix::default();
        for n in (0..9_000_u32).rev().step_by(3).chain(1..5_000) {
            assert!(matrix.put(i64::from(n), &packed(&unit(n))));
        }
        let ids: Vec<i64> = matrix.strips.iter().flat_map(|strip| strip.ids.clone()).collect();
        assert!(ids.is_sorted_by(|a, b| a < b));
        assert_eq!(matrix.len(), ids.len());
        for n in [1, 2, 4_097, 8_999] {
            assert_eq!(matrix.nearest(&unit(n), 1)[0].0, i64::from(n));
        }
    }

    #[test]
    fn an_empty_one_finds_nothing() {
        assert!(Matrix::default().nearest(&[1.0], 5).is_empty());
    }
}
