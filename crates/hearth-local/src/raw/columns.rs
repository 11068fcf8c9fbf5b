//! Writing a row-major matrix from several threads, each with its own columns.

use std::marker::PhantomData;
use std::ops::Range;

/// A range of columns of a matrix: the right to write those columns, and no others.
#[derive(Debug)]
pub(crate) struct Columns<'a> {
    start: *mut f32,
    rows: usize,
    width: usize,
    range: Range<usize>,
    matrix: PhantomData<&'a mut [f32]>,
}

// SAFETY: ranges handed out by `split` do not overlap, so two threads never touch one element.
unsafe impl Send for Columns<'_> {}

impl<'a> Columns<'a> {
    /// Cuts a matrix of `width` columns into parts of at most `step` columns.
    pub(crate) fn split(matrix: &'a mut [f32], width: usize, step: usize) -> Vec<Self> {
        let rows = matrix.len() / width;
        let start = matrix.as_mut_ptr();
        let part = |first: usize| Self {
            start,
            rows,
            width,
            range: first..width.min(first + step),
            matrix: PhantomData,
        };
        (0..width).step_by(step).map(part).collect()
    }

    /// The columns this part owns.
    pub(crate) fn range(&self) -> Range<usize> {
        self.range.clone()
    }

    /// Writes one element.
    pub(crate) fn set(&mut self, row: usize, column: usize, value: f32) {
        assert!(row < self.rows && self.range.contains(&column));
        // SAFETY: inside the borrowed matrix (asserted), in columns only this part may write.
        unsafe { *self.start.add(row * self.width + column) = value }
    }
}
