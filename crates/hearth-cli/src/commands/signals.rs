//! `hearth signals`: what messages hold that must not be lost. Answers line by line, so that it can be piped to.

use crate::terminal::{Failure, print, print_json, text};
use hearth_engine::api;
use std::io::BufRead;

/// Reads messages from standard input, one a line, and prints a row for each.
pub(crate) fn run(json: bool) -> Result<(), Failure> {
    let mut input = std::io::stdin().lock();
    let mut line = Vec::new();
    while input.read_until(b'\n', &mut line)? > 0 {
        let message = text("standard input", std::mem::take(&mut line))?;
        let row = api::signals::scan(message.trim_end_matches(['\n', '\r']));
        if json {
            print_json(&row)?;
        } else {
            let signals =
                if row.signals.is_empty() { "–".to_owned() } else { row.signals.join(", ") };
            print(&format!("{signals}\t{}\n", row.text))?;
        }
    }
    Ok(())
}
