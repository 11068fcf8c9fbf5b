//! The table of the attack suite: by goal and channel.

use std::collections::BTreeMap;

/// Cases and successes by goal and channel.
#[derive(Debug, Default)]
pub(super) struct Table {
    rows: BTreeMap<(&'static str, &'static str), (usize, usize)>,
}

impl Table {
    pub(super) fn add(&mut self, goal: &'static str, channel: &'static str, held: bool) {
        let row = self.rows.entry((goal, channel)).or_default();
        row.0 += 1;
        row.1 += usize::from(!held);
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
    }
}
