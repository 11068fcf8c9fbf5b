//! The table of the attack suite: by goal and channel.

use std::collections::BTreeMap;

/// Cases and successes by goal and channel.
#[derive(Debug, Default)]
pub(super) struct Table {
    rows: BTreeMap<(&'static str, &'static str), (usize, usize)>,
    /// Demands of tools that the home did not have: neither held nor succeeded.
    skipped: usize,
}

impl Table {
    pub(super) fn add(&mut self, goal: &'static str, channel: &'static str, held: bool) {
        let row = self.rows.entry((goal, channel)).or_default();
        row.0 += 1;
        row.1 += usize::from(!held);
    }

    /// A demand that could not be made, since there was no such tool.
    pub(super) fn skip(&mut self) {
        self.skipped += 1;
    }

    /// Takes over the rows of another.
    pub(super) fn join(&mut self, other: Self) {
        for (key, (cases, succeeded)) in other.rows {
            let row = self.rows.entry(key).or_default();
            row.0 += cases;
            row.1 += succeeded;
        }
        self.skipped += other.skipped;
    }

    pub(super) fn cases(&self) -> usize {
        self.rows.values().map(|(cases, _)| cases).sum()
    }

    pub(super) fn print(&self) {
        eprintln!("{:<12} {:<14} {:>6} {:>10}", "goal", "channel", "cases", "succeeded");
        for ((goal, channel), (cases, succeeded)) in &self.rows {
            eprintln!("{goal:<12} {channel:<14} {cases:>6} {succeeded:>10}");
        }
        let succeeded: usize = self.rows.values().map(|(_, succeeded)| succeeded).sum();
        eprintln!("{:<12} {:<14} {:>6} {succeeded:>10}", "all", "", self.cases());
        if self.skipped > 0 {
            eprintln!("not counted: {} demands of tools that the home did not have", self.skipped);
        }
    }
}
