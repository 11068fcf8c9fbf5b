//! How near the candidates of a question are to it in meaning.
//!
//! The sums run over hundreds of thousands of numbers, in whatever vector instructions the processor has.
//! Everything is by the place of a row among the candidates, which are sorted by id; a row without a vector has
//! nothing to say.

use std::sync::Arc;

use pulp::Arch;

use crate::index::Row;
use crate::matrix::Matrix;

/// Turns to each side that are looked at to rank a turn.
pub(crate) const CONTEXT: i64 = 4;
/// Chunks that a model needs around the question to pull it towards them.
const FEEDBACK: usize = 4;

/// Nearness in meaning.
pub(crate) struct Meaning {
    /// Cosine of the question to each chunk that has a vector.
    pub(crate) cosines: Vec<Option<f32>>,
    /// Cosine of the question to the mean of the vectors around a turn that may be shown, three and nine wide.
    pub(crate) windows: Vec<Option<(f32, f32)>>,
    /// Cosine of the question, moved towards its best answers, to each chunk.
    pub(crate) feedback: Vec<Option<f32>>,
    vectors: Vectors,
}

impl Meaning {
    /// Looks at the rows, of which some may be shown.
    pub(crate) fn of(matrix: &Matrix, rows: &[Arc<Row>], shown: &[bool], question: &[f32]) -> Self {
        let arch = Arch::new();
        let vectors = arch.dispatch(|| Vectors::of(matrix, rows, question.len()));
        let toward = |to: &[f32]| -> Vec<Option<f32>> {
            let cosine = |n: usize| vectors.at(n).map(|vector| dot(vector, to));
            arch.dispatch(|| (0..rows.len()).map(cosine).collect())
        };
        let cosines = toward(question);
        let near = arch.dispatch(|| vectors.windows(rows, shown, 1, question));
        let wide = arch.dispatch(|| vectors.windows(rows, shown, CONTEXT, question));
        let feedback = toward(&vectors.moved(question, &cosines));
        let windows = near.into_iter().zip(wide).map(|(near, wide)| near.zip(wide)).collect();
        Self { cosines, windows, feedback, vectors }
    }

    /// The vector of the row at a place.
    pub(crate) fn vector(&self, row: usize) -> Option<&[f32]> {
        self.vectors.at(row)
    }
}

/// The vectors of some rows, one after another.
struct Vectors {
    width: usize,
    numbers: Vec<f32>,
    /// Which of the vectors is a row's.
    places: Vec<Option<usize>>,
}

impl Vectors {
    #[inline(always)]
    #[expect(clippy::inline_always, reason = "compiled anew for each set of instructions")]
    fn of(matrix: &Matrix, rows: &[Arc<Row>], width: usize) -> Self {
        let mut vectors =
            Self { width, numbers: Vec::with_capacity(rows.len() * width), places: Vec::new() };
        let mut count = 0;
        for row in rows {
            // A model of another width has nothing to say.
            let there = matrix.width() == width && matrix.append(row.id, &mut vectors.numbers);
            vectors.places.push(there.then_some(count));
            count += usize::from(there);
        }
        vectors
    }

    fn at(&self, row: usize) -> Option<&[f32]> {
        let first = self.places[row]? * self.width;
        self.numbers.get(first..first + self.width)
    }

    /// The question, moved towards its best answers.
    fn moved(&self, question: &[f32], cosines: &[Option<f32>]) -> Vec<f32> {
        let mut best: Vec<(f32, usize)> =
            cosines.iter().enumerate().filter_map(|(n, cosine)| Some(((*cosine)?, n))).collect();
        best.sort_unstable_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        best.truncate(FEEDBACK);
        #[expect(clippy::cast_precision_loss, reason = "four")]
        let share = 1.0 / best.len().max(1) as f32;
        let mut moved = question.to_vec();
        for vector in best.iter().filter_map(|(_, n)| self.at(*n)) {
            moved.iter_mut().zip(vector).for_each(|(sum, x)| *sum += x * share);
        }
        moved
    }

    /// Cosine of the question to the mean of the vectors up to so many ids away, for each turn that is shown.
    /// One sum is kept while it moves along: what comes near is added, what falls behind is taken away.
    #[inline(always)]
    #[expect(clippy::inline_always, reason = "compiled anew for each set of instructions")]
    fn windows(
        &self,
        rows: &[Arc<Row>],
        shown: &[bool],
        reach: i64,
        question: &[f32],
    ) -> Vec<Option<f32>> {
        let mut sum = vec![0.0; self.width];
        let (mut first, mut end, mut held) = (0, 0, 0);
        let mut windows = Vec::with_capacity(rows.len());
        for (n, row) in rows.iter().enumerate() {
            while rows.get(end).is_some_and(|next| next.id <= row.id + reach) {
                if let Some(vector) = self.at(end) {
                    sum.iter_mut().zip(vector).for_each(|(sum, x)| *sum += x);
                    held += 1;
                }
                end += 1;
            }
            while rows[first].id < row.id - reach {
                if let Some(vector) = self.at(first) {
                    sum.iter_mut().zip(vector).for_each(|(sum, x)| *sum -= x);
                    held -= 1;
                }
                first += 1;
            }
            if held == 0 {
                // What rounding left behind is no direction.
                sum.fill(0.0);
            }
            windows.push((shown[n] && row.dialogue).then(|| cosine(&sum, question)));
        }
        windows
    }
}

/// Cosine of a sum of vectors to a question of length one; 0 for a sum of nothing.
#[inline(always)]
#[expect(clippy::inline_always, reason = "compiled anew for each set of instructions")]
fn cosine(sum: &[f32], question: &[f32]) -> f32 {
    let length = dot(sum, sum).sqrt();
    if length > 0.0 { dot(sum, question) / length } else { 0.0 }
}

/// Sums in lanes, which the compiler turns into vector instructions; one sum in order it may not.
#[inline(always)]
pub(crate) fn dot(a: &[f32], b: &[f32]) -> f32 {
    const LANES: usize = 16;
    let (groups, rest) = a.as_chunks::<LANES>();
    let (others, other_rest) = b.as_chunks::<LANES>();
    let mut sums = [0.0_f32; LANES];
    for (group, other) in groups.iter().zip(others) {
        for n in 0..LANES {
            sums[n] += group[n] * other[n];
        }
    }
    let rest: f32 = rest.iter().zip(other_rest).map(|(x, y)| x * y).sum();
    sums.iter().sum::<f32>() + rest
}
