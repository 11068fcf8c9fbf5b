//! What memory holds by day, for looking through it.

use hearth_protocol::api::memory::{MemoryRow, TimelineQuery};

use crate::index::Row;
use crate::rank::row_day;
use crate::tokens::question_terms;
use crate::{Memory, Result};

const DEFAULT_ROWS: usize = 100;
const MOST_ROWS: usize = 1_000;

impl Memory {
    /// Notes and entries, the newest day first, those without a day last. Conversations are not listed.
    ///
    /// # Errors
    /// The index's.
    pub async fn timeline(&self, asked: &TimelineQuery) -> Result<Vec<MemoryRow>> {
        let wanted = asked.limit.unwrap_or(DEFAULT_ROWS).min(MOST_ROWS);
        let generation = self.inner.generation();
        let words = question_terms(&asked.text);
        let rows = self
            .inner
            .index
            .by_day(generation, (asked.from.as_deref(), asked.to.as_deref()), &words, wanted)
            .await?;
        Ok(rows.iter().map(shown).collect())
    }
}

fn shown(row: &Row) -> MemoryRow {
    let line = |n: i64| u32::try_from(n).unwrap_or(1);
    MemoryRow {
        id: row.entry.clone().or_else(|| row.doc.clone()),
        day: row_day(row).map(|day| day.to_string()),
        time: row.at.as_deref().and_then(|at| at.get(11..16)).map(str::to_owned),
        path: row.path.clone(),
        from: line(row.line_from),
        to: line(row.line_to),
        entry: row.entry.is_some(),
        speaker: row.speaker.clone(),
        title: row.title.clone(),
        text: row.text.clone(),
    }
}
