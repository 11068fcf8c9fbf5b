//! The first start: what the person says of themselves becomes lines of IDENTITY.md and USER.md.
//!
//! A line of the template that already has the label (`- **Name:** …`) is filled; otherwise the line is
//! added at the end. Everything else stays.

use crate::Engine;
use hearth_protocol::api::files::{Author, FileChanged, FileSave, FileSaved};
use hearth_protocol::api::settings::Meet;
use hearth_protocol::api::system::Signal;
use hearth_protocol::{ErrorCode, WireError};
use hearth_workspace::Attribution;

/// A label in both languages of the templates, and what is said.
struct Line<'a> {
    labels: [&'static str; 2],
    value: &'a str,
}

/// Writes what was said; empty answers change nothing.
pub(crate) async fn write(engine: &Engine, meet: Meet) -> Result<(), WireError> {
    let assistant = [
        Line { labels: ["Name", "名字"], value: &meet.assistant_name },
        Line { labels: ["Tone", "语气"], value: &meet.tone },
    ];
    let user = [
        Line { labels: ["Name", "名字"], value: &meet.user_name },
        Line { labels: ["Time zone", "时区"], value: &meet.time_zone },
    ];
    fill(engine, "IDENTITY.md", &assistant).await?;
    fill(engine, "USER.md", &user).await
}

async fn fill(engine: &Engine, path: &'static str, lines: &[Line<'_>]) -> Result<(), WireError> {
    let file = engine.inner.on_workspace(move |workspace| workspace.read(path)).await?;
    let text = lines.iter().fold(file.text.clone(), |text, line| with_line(&text, line));
    if text == file.text {
        return Ok(());
    }
    let edit = FileSave {
        path: path.to_owned(),
        text,
        base_hash: file.hash,
        base_text: file.text,
        confirmed: false,
    };
    let by = Attribution::from(Author::User);
    match engine.inner.on_workspace(move |workspace| workspace.save(&edit, &by)).await? {
        FileSaved::Written { hash } | FileSaved::Merged { hash, .. } => {
            let changed = FileChanged { path: path.to_owned(), author: Author::User, hash };
            engine.inner.bus.send(Signal::File(changed));
            Ok(())
        }
        FileSaved::Conflict { .. } | FileSaved::ConfirmShrink { .. } => {
            let message = format!("{path} changed while it was written");
            Err(WireError::new(ErrorCode::Conflict, message, "Try again."))
        }
    }
}

fn with_line(text: &str, line: &Line<'_>) -> String {
    let value = line.value.split_whitespace().collect::<Vec<_>>().join(" ");
    if value.is_empty() {
        return text.to_owned();
    }
    let mut filled = false;
    let mut out: String = text
        .split_inclusive('\n')
        .map(|row| match label_end(row, &line.labels).filter(|_| !filled) {
            Some(end) => {
                filled = true;
                let ending = if row.ends_with('\n') { "\n" } else { "" };
                format!("{} {value}{ending}", &row[..end])
            }
            None => row.to_owned(),
        })
        .collect();
    if !filled {
        let gap = if out.is_empty() || out.ends_with('\n') { "" } else { "\n" };
        out.push_str(&format!("{gap}- **{}:** {value}\n", line.labels[0]));
    }
    out
}

/// Where a line's label ends, if it has one of these.
fn label_end(row: &str, labels: &[&str]) -> Option<usize> {
    let colon = row.find([':', '：'])?;
    let name = row[..colon].trim_matches(|c: char| c.is_whitespace() || "-*•".contains(c));
    if !labels.iter().any(|label| label.eq_ignore_ascii_case(name)) {
        return None;
    }
    let after = colon + row[colon..].chars().next().map_or(1, char::len_utf8);
    let stars = row[after..].chars().take_while(|c| *c == '*').count();
    Some(after + stars)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, value: &str, expected: &str) {
        let line = Line { labels: ["Name", "名字"], value };
        assert_eq!(with_line(text, &line), expected);
    }

    #[test]
    fn a_label_is_filled_and_the_rest_stays() {
        check("# Who\n\n- **Name:** _pick one_\n- x\n", "Ada", "# Who\n\n- **Name:** Ada\n- x\n");
        check("- **名字：**\n", "小灯", "- **名字：** 小灯\n");
        check("name: old", "Ada", "name: Ada");
        check("# Who", "Ada", "# Who\n- **Name:** Ada\n");
        check("# Who\n", "  ", "# Who\n");
        check("", "Ada\nLovelace", "- **Name:** Ada Lovelace\n");
    }
}
