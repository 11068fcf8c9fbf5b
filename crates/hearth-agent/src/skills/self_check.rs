//! The self-check of a skill in a reply: which boxes were ticked, and with what evidence.
//!
//! Invariant: a tick without evidence is no tick; evidence that names a script of the skill counts only if
//! that script ran well in the turn.

use hearth_protocol::api::skills::SkillBox;
use std::collections::HashSet;

/// A box as a reply shows it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tick {
    /// What stands beside the box.
    pub text: String,
    /// It has a mark.
    pub ticked: bool,
    /// What stands after the item.
    pub evidence: String,
}

/// So much of two texts is the same where one means the other.
const ALIKE: f32 = 0.6;
const MARKS: [&str; 4] = [" — ", " – ", " -- ", "——"];

/// Boxes in a reply.
#[must_use]
pub fn ticks(reply: &str) -> Vec<Tick> {
    reply.lines().filter_map(tick).collect()
}

fn tick(line: &str) -> Option<Tick> {
    let line = line.trim_start_matches([' ', '\t', '-', '*', '+', '>']).trim();
    let (ticked, rest) = if let Some(rest) = line.strip_prefix(['☑', '✅', '✔', '✓']) {
        (true, rest)
    } else if let Some(rest) = line.strip_prefix(['☐', '❌', '✗', '✘']) {
        (false, rest)
    } else {
        let (mark, rest) = line.strip_prefix('[')?.split_once(']')?;
        match mark.trim() {
            "x" | "X" | "✓" | "✔" => (true, rest),
            "" => (false, rest),
            _ => return None,
        }
    };
    let rest = rest.trim_start_matches('\u{fe0f}').trim();
    let split = MARKS.iter().find_map(|mark| rest.split_once(mark)).or_else(|| {
        let colon = rest.split_once('：').or_else(|| rest.split_once(": "));
        colon.or_else(|| rest.strip_suffix([')', '）'])?.rsplit_once(['(', '（']))
    });
    let (text, evidence) = split.unwrap_or((rest, ""));
    Some(Tick { text: text.trim().to_owned(), ticked, evidence: evidence.trim().to_owned() })
}

/// Marks the boxes that a reply ticks; says whether any changed. `scripts`: of the skill; `ran`: commands
/// that ran well in the turn.
pub(super) fn apply(
    boxes: &mut [SkillBox],
    reply: &str,
    scripts: &[String],
    ran: &[String],
) -> bool {
    let ticks = ticks(reply);
    let mut changed = false;
    for own in boxes.iter_mut().filter(|own| !own.ticked) {
        let Some(tick) = nearest(&own.text, &ticks) else { continue };
        let evidence = evidence(&own.text, tick);
        if !tick.ticked || evidence.is_empty() {
            continue;
        }
        let unproven = scripts.iter().find(|script| {
            evidence.contains(script.as_str())
                && !ran.iter().any(|command| command.contains(*script))
        });
        own.ticked = unproven.is_none();
        own.evidence = match unproven {
            None => evidence,
            Some(script) => format!("open: it names {script}, which did not run well in this turn"),
        };
        changed = true;
    }
    changed
}

/// What a tick offers beside the item's own words.
fn evidence(item: &str, tick: &Tick) -> String {
    if !tick.evidence.is_empty() {
        return tick.evidence.clone();
    }
    // The item itself may hold the mark that split it, or the evidence may follow without one.
    let rest = tick.text.strip_prefix(item).unwrap_or_default();
    rest.trim_matches([' ', ',', '，', '.', '。', ';', '；', ':', '：']).to_owned()
}

fn nearest<'a>(item: &str, ticks: &'a [Tick]) -> Option<&'a Tick> {
    let best = ticks.iter().map(|tick| (alike(item, &tick.text), tick));
    best.filter(|(alike, _)| *alike >= ALIKE)
        .max_by(|a, b| a.0.total_cmp(&b.0))
        .map(|(_, tick)| tick)
}

/// How much of an item's pairs of characters another text holds.
fn alike(item: &str, other: &str) -> f32 {
    let (item, other) = (pairs(item), pairs(other));
    if item.is_empty() {
        return 0.0;
    }
    #[expect(clippy::cast_precision_loss, reason = "a line")]
    let share = item.intersection(&other).count() as f32 / item.len() as f32;
    share
}

fn pairs(text: &str) -> HashSet<(char, char)> {
    let letters: Vec<char> = text.to_lowercase().chars().filter(|c| c.is_alphanumeric()).collect();
    match letters[..] {
        [only] => HashSet::from([(only, only)]),
        _ => letters.windows(2).map(|pair| (pair[0], pair[1])).collect(),
    }
}
