//! Markdown of Hearth's own answers as a terminal shows it: no marks, tables in columns.
//!
//! Left out: what models write, which is shown as it comes.

use crate::terminal::columned;

/// The text without Markdown's marks.
pub(crate) fn plain(markdown: &str) -> String {
    let mut out = String::new();
    let mut table: Vec<Vec<String>> = Vec::new();
    for line in markdown.lines() {
        if let Some(cells) = cells(line) {
            // The line between head and body only draws.
            if !cells.iter().all(|cell| is_rule(cell)) {
                table.push(cells);
            }
            continue;
        }
        out.push_str(&columned(&std::mem::take(&mut table)));
        out.push_str(&unmarked(line));
        out.push('\n');
    }
    out + &columned(&table)
}

fn cells(line: &str) -> Option<Vec<String>> {
    let inner = line.trim().strip_prefix('|')?.strip_suffix('|')?;
    Some(inner.split('|').map(|cell| unmarked(cell.trim())).collect())
}

fn is_rule(cell: &str) -> bool {
    !cell.is_empty() && cell.chars().all(|c| matches!(c, '-' | ':'))
}

fn unmarked(text: &str) -> String {
    text.replace("**", "").replace('`', "")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_go_and_tables_become_columns() {
        let markdown = "The next call to `a/b`:\n\n| section | tokens |\n|---|---:|\n| `身份` | 12 |\n\
                        | tools (cut) | 3 |\n\n- `/new` `/新建`: **begin**\n";
        let shown = "The next call to a/b:\n\nsection      tokens\n身份         12\ntools (cut)  3\n\n\
                     - /new /新建: begin\n";
        assert_eq!(plain(markdown), shown);
        assert_eq!(plain("no marks"), "no marks\n");
    }
}
