//! From the text of `hearth.toml` to [`Settings`].
//!
//! A line that is no TOML at all is reported, taken out, and the rest read again: one typing error must
//! not bring the defaults back for everything else.

use super::{Settings, keys, mcp, provider};
use hearth_guard::Mistake;
use hearth_protocol::api::settings::SettingsProblem;
use serde_json::{Map, Value};
use std::ops::Range;
use toml_edit::{Document, Item, TableLike};

/// More broken lines than this are not worth naming one by one.
const MAX_BROKEN_LINES: usize = 50;
/// What becomes of the guard where one of its lines cannot be used.
const CLOSED: &str = "until it is mended the assistant only reads in the workspace";
/// Characters of a key that are shown.
const LONGEST_KEY: usize = 60;

/// Reads all that can be used; `problems` names the rest.
#[must_use]
pub fn parse(text: &str) -> Settings {
    let mut settings = Settings::default();
    let mut broken = Vec::new();
    let document = readable(text, &mut broken);
    let lost = document.is_none();
    let mut source = Source { text, problems: broken };
    if let Some(document) = document {
        walk(document.as_table(), "", &mut settings, &mut source);
    }
    if lost {
        let message = "holds too many lines that are no TOML; nothing of it is used".to_owned();
        source.problems.push(SettingsProblem { line: 1, key: "guard".to_owned(), message });
    }
    source.problems.sort_by_key(|problem| problem.line);
    settings.guard.mistakes = source.problems.iter().filter_map(mistake).collect();
    settings.problems = source.problems;
    settings
}

/// A problem that concerns the guard, which then stays closed: a list that was lost by a typing error must
/// not let anything through.
fn mistake(problem: &SettingsProblem) -> Option<Mistake> {
    let SettingsProblem { line, key, message } = problem;
    let section = key.trim_start_matches(['[', ' ']).split(['.', ']']).next().unwrap_or_default();
    let concerns = section == "guard"
        || distance(section.trim(), "guard") <= 2
        || keys::find(key).is_none() && is_rule(key.rsplit('.').next().unwrap_or_default());
    concerns.then(|| Mistake { line: *line, key: key.clone(), message: message.clone() })
}

/// Whether a key is one of the guard's, in a place where it does nothing: under the table before, say.
fn is_rule(name: &str) -> bool {
    keys::keys().iter().any(|key| key.path.strip_prefix("guard.") == Some(name))
}

/// The text being read, and what is wrong with it so far.
pub(super) struct Source<'a> {
    text: &'a str,
    problems: Vec<SettingsProblem>,
}

impl Source<'_> {
    pub(super) fn problem(&mut self, span: Option<Range<usize>>, key: String, why: &str) {
        let line = line_of(self.text, span.map_or(0, |span| span.start));
        self.problems.push(SettingsProblem { line, key, message: why.to_owned() });
    }
}

/// The document without the lines that are no TOML. Lines are blanked, so places stay the same.
fn readable(text: &str, broken: &mut Vec<SettingsProblem>) -> Option<Document<String>> {
    let mut text = text.to_owned();
    for _ in 0..MAX_BROKEN_LINES {
        let error = match Document::parse(text.clone()) {
            Ok(document) => return Some(document),
            Err(error) => error,
        };
        let at = error.span().map_or(0, |span| span.start).min(text.len());
        let line = filled_line(&text, at)?;
        let word = text[line.clone()].split('=').next().unwrap_or_default().trim();
        let key = match is_in_guard(&text, line.start) && !word.starts_with('[') {
            true => shown(&format!("guard.{word}")),
            false => shown(word),
        };
        let message = error.message().lines().next().unwrap_or("this is not TOML").to_owned();
        let message = format!("is no valid TOML ({message}); the line is left out");
        broken.push(SettingsProblem { line: line_of(&text, line.start), key, message });
        text.replace_range(line.clone(), &" ".repeat(line.len()));
    }
    None
}

/// Whether a place belongs to the section of the guard.
fn is_in_guard(text: &str, at: usize) -> bool {
    let above = text[..at].lines().rev().map(str::trim_start);
    above
        .into_iter()
        .find(|line| line.starts_with('['))
        .is_some_and(|line| line.trim_start_matches('[').trim_start().starts_with("guard"))
}

/// What stands for a key, fit to be shown: a line may hold anything.
fn shown(text: &str) -> String {
    let mut shown: String = text.chars().filter(|c| !c.is_control()).take(LONGEST_KEY).collect();
    if text.chars().count() > LONGEST_KEY {
        shown.push('…');
    }
    shown
}

/// The line at a byte, or the last one before it that is not blank.
fn filled_line(text: &str, at: usize) -> Option<Range<usize>> {
    let mut end = text[at..].find('\n').map_or(text.len(), |offset| at + offset);
    loop {
        let start = text[..end].rfind('\n').map_or(0, |newline| newline + 1);
        if !text[start..end].trim().is_empty() {
            return Some(start..end);
        }
        if start == 0 {
            return None;
        }
        end = start - 1;
    }
}

fn line_of(text: &str, at: usize) -> u32 {
    let before = text.as_bytes().iter().take(at).filter(|byte| **byte == b'\n').count();
    u32::try_from(before + 1).unwrap_or(u32::MAX)
}

fn walk(table: &dyn TableLike, prefix: &str, settings: &mut Settings, source: &mut Source<'_>) {
    for (name, item) in table.iter() {
        let path = if prefix.is_empty() { name.to_owned() } else { format!("{prefix}.{name}") };
        let place = table.key(name).and_then(toml_edit::Key::span).or_else(|| item.span());
        match path.as_str() {
            "providers" => providers(item, place, settings, source),
            "mcp" => servers(item, place, settings, source),
            // Read by a later piece of work; any content is allowed.
            "agents" | "channels" | "bindings" => {}
            _ => leaf_or_table(&path, item, place, settings, source),
        }
    }
}

fn leaf_or_table(
    path: &str,
    item: &Item,
    place: Option<Range<usize>>,
    settings: &mut Settings,
    source: &mut Source<'_>,
) {
    if let Some(key) = keys::find(path) {
        let value = json(item);
        match key.kind.refuses(&value) {
            None => (key.apply)(settings, &value),
            Some(why) => {
                let then = match path {
                    "heartbeat.quiet" | "heartbeat.time_zone" => {
                        "the heartbeat is off until it is mended"
                    }
                    _ if path.starts_with("guard.") => CLOSED,
                    _ => "the default is used",
                };
                source.problem(place, path.to_owned(), &format!("{why}; {then}"))
            }
        }
        return;
    }
    let inside = format!("{path}.");
    let is_section = keys::keys().iter().any(|key| key.path.starts_with(&inside));
    match item.as_table_like() {
        Some(table) if is_section => walk(table, path, settings, source),
        _ if is_section => source.problem(place, path.to_owned(), "must be a table"),
        _ if is_rule(path.rsplit('.').next().unwrap_or_default()) => {
            let why = format!("belongs under [guard]; {CLOSED}");
            source.problem(place, path.to_owned(), &why);
        }
        _ => source.problem(place, path.to_owned(), &unknown(path)),
    }
}

/// Names the nearest known key: a mistyped key is the commonest mistake.
fn unknown(path: &str) -> String {
    let nearest = keys::keys().iter().map(|key| (distance(key.path, path), key.path)).min();
    match nearest {
        Some((1..=3, near)) => format!("is not a key of hearth.toml; did you mean {near}?"),
        _ => "is not a key of hearth.toml".to_owned(),
    }
}

fn distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, ca) in a.chars().enumerate() {
        let mut diagonal = std::mem::replace(&mut row[0], i + 1);
        for (j, cb) in b.iter().enumerate() {
            let replaced = diagonal + usize::from(ca != *cb);
            diagonal = row[j + 1];
            row[j + 1] = replaced.min(row[j] + 1).min(diagonal + 1);
        }
    }
    row.last().copied().unwrap_or_default()
}

/// The tables of a list, however it is written.
fn tables(item: &Item) -> Option<Vec<&dyn TableLike>> {
    match item {
        Item::ArrayOfTables(list) => {
            Some(list.iter().map(|table| table as &dyn TableLike).collect())
        }
        Item::Value(toml_edit::Value::Array(list)) => Some(
            list.iter()
                .filter_map(|value| value.as_inline_table().map(|table| table as &dyn TableLike))
                .collect(),
        ),
        _ => None,
    }
}

fn providers(
    item: &Item,
    place: Option<Range<usize>>,
    settings: &mut Settings,
    source: &mut Source<'_>,
) {
    let Some(tables) = tables(item) else {
        source.problem(place, "providers".to_owned(), "must be [[providers]] tables");
        return;
    };
    for (index, table) in tables.into_iter().enumerate() {
        let Some(provider) = provider::read(table, index, source) else { continue };
        if settings.providers.iter().any(|known| known.id == provider.id) {
            let place = table.get("id").and_then(Item::span);
            source.problem(
                place,
                format!("providers[{index}].id"),
                "is taken by a provider above; this one is left out",
            );
        } else {
            settings.providers.push(provider);
        }
    }
}

fn servers(
    item: &Item,
    place: Option<Range<usize>>,
    settings: &mut Settings,
    source: &mut Source<'_>,
) {
    let Some(tables) = tables(item) else {
        source.problem(place, "mcp".to_owned(), "must be [[mcp]] tables");
        return;
    };
    for (index, table) in tables.into_iter().enumerate() {
        let Some(server) = mcp::read(table, index, source) else { continue };
        if settings.mcp.iter().any(|known| known.id == server.id) {
            let place = table.get("id").and_then(Item::span);
            let why = "is taken by a server above; this one is left out";
            source.problem(place, format!("mcp[{index}].id"), why);
        } else {
            settings.mcp.push(server);
        }
    }
}

/// TOML as JSON; times become texts.
pub(super) fn json(item: &Item) -> Value {
    match item {
        Item::None => Value::Null,
        Item::Value(value) => json_value(value),
        Item::Table(table) => json_table(table),
        Item::ArrayOfTables(list) => {
            Value::Array(list.iter().map(|table| json_table(table)).collect())
        }
    }
}

fn json_table(table: &dyn TableLike) -> Value {
    Value::Object(
        table.iter().map(|(name, item)| (name.to_owned(), json(item))).collect::<Map<_, _>>(),
    )
}

fn json_value(value: &toml_edit::Value) -> Value {
    match value {
        toml_edit::Value::String(text) => Value::String(text.value().clone()),
        toml_edit::Value::Integer(number) => Value::from(*number.value()),
        toml_edit::Value::Float(number) => Value::from(*number.value()),
        toml_edit::Value::Boolean(flag) => Value::Bool(*flag.value()),
        toml_edit::Value::Datetime(time) => Value::String(time.value().to_string()),
        toml_edit::Value::Array(list) => Value::Array(list.iter().map(json_value).collect()),
        toml_edit::Value::InlineTable(table) => json_table(table),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::settings::Busy;

    fn problems(text: &str) -> Vec<(u32, String)> {
        parse(text).problems.into_iter().map(|p| (p.line, p.key)).collect()
    }

    #[test]
    fn an_empty_file_means_the_defaults() {
        assert_eq!(parse(""), Settings::default());
    }

    #[test]
    fn a_bad_key_is_named_with_its_line_and_the_rest_works() {
        let text = "[model]\ndefault = \"work/m\"\nfalback = []\n[budget]\ndaily_usd = \"much\"\n\
                    monthly_usd = 5\n[nonsense]\nx = 1\n[context]\nbusy = \"queue\"\n";
        let settings = parse(text);
        assert_eq!(settings.model_default, "work/m");
        assert_eq!((settings.budget.daily_usd, settings.budget.monthly_usd), (2.0, 5.0));
        assert_eq!(settings.busy, Busy::Queue);
        let named: Vec<_> = settings.problems.iter().map(|p| (p.line, p.key.as_str())).collect();
        assert_eq!(named, [(3, "model.falback"), (5, "budget.daily_usd"), (7, "nonsense")]);
        assert!(settings.problems[0].message.contains("did you mean model.fallback?"));
    }

    #[test]
    fn a_line_that_is_no_toml_loses_only_itself() {
        let text = "[model]\ndefault = work/m\n[budget]\ndaily_usd = 1\nmonthly_usd 3\n[ui]\ntheme = \"dark\"\n";
        let settings = parse(text);
        assert_eq!(settings.budget.daily_usd, 1.0);
        assert_eq!(settings.ui.theme, "dark");
        assert_eq!(settings.model_default, "local/qwen");
        let lines: Vec<_> = settings.problems.iter().map(|p| p.line).collect();
        assert_eq!(lines, [2, 5]);
    }

    #[test]
    fn providers_are_read_one_by_one() {
        let text = "[[providers]]\nid = \"work\"\nkind = \"openai\"\nbase_url = \"http://127.0.0.1:1/v1\"\n\
                    models = [{ id = \"a\", window = 128000, input_usd = 0.25 }, \"b\"]\n\
                    [[providers]]\nid = \"other\"\nkind = \"telepathy\"\n[[providers]]\nid = \"work\"\n\
                    [[providers]]\nid = \"plain\"\ntoken = \"x\"\n\
                    [[providers]]\nid = \"local\"\nkind = \"local\"\n[[providers]]\nid = \"mine\"\nkind = \"local\"\n";
        let settings = parse(text);
        let ids: Vec<_> = settings.providers.iter().map(|p| p.id.as_str()).collect();
        assert_eq!(ids, ["work", "plain"]);
        assert_eq!(settings.providers[0].models.len(), 2);
        assert_eq!(settings.providers[0].models[0].window, 128_000);
        let expected = [
            (8, "providers[1].kind"),
            (10, "providers[2].id"),
            (13, "providers[3].token"),
            (19, "providers[5].kind"),
        ];
        assert_eq!(problems(text), expected.map(|(line, key)| (line, key.to_owned())));
    }

    #[test]
    fn a_bad_number_of_a_model_loses_itself_only() {
        let text = "[[providers]]\nid = \"work\"\nmodels = [\n{ id = \"a\", window = \"big\", input_usd = 1.0 },\n\
                    { id = \"b\", output_usd = -1 },\n7,\n]\n";
        let settings = parse(text);
        let models = &settings.providers[0].models;
        assert_eq!(models.iter().map(|m| m.id.as_str()).collect::<Vec<_>>(), ["a", "b"]);
        assert_eq!((models[0].window, models[0].input_usd, models[1].output_usd), (0, 1.0, 0.0));
        let expected = [
            (4, "providers[0].models[0].window"),
            (5, "providers[0].models[1].output_usd"),
            (6, "providers[0].models[2]"),
        ];
        assert_eq!(problems(text), expected.map(|(line, key)| (line, key.to_owned())));
    }

    #[test]
    fn a_mistake_in_the_guard_closes_it() {
        let closed = |text: &str| {
            let mistakes = parse(text).guard.mistakes;
            mistakes.first().map(|mistake| (mistake.line, mistake.key.clone()))
        };
        for (text, line, key) in [
            ("[guard]\nprofile = \"fool\"\n", 2, "guard.profile"),
            ("[guard]\n\ndeny_tools = [\"exce\"]\n", 3, "guard.deny_tools"),
            ("[guard]\nprofile = \"full\"\ndeny_tools = [\"exec\"\n[ui]\n", 3, "guard.deny_tools"),
            ("[guard]\ndeny_tool = [\"exec\"]\n", 2, "guard.deny_tool"),
            ("[gaurd]\ndeny_tools = [\"exec\"]\n", 1, "gaurd"),
            ("[guard\ndeny_tools = [\"exec\"]\n", 1, "[guard"),
            ("guard = 3\n", 1, "guard"),
            ("[memory]\n\ndeny_tools = [\"exec\"]\n", 3, "memory.deny_tools"),
            ("profile = \"read-only\"\n", 1, "profile"),
            ("[ui]\ntheme = \"dark\"\nblocked_paths = [\"a\"]\n", 3, "ui.blocked_paths"),
            ("[guard]\nallowed_roots = [\"docs\"]\n", 2, "guard.allowed_roots"),
        ] {
            assert_eq!(closed(text), Some((line, key.to_owned())), "{text}");
        }
        assert_eq!(
            closed("[ui]\ntheme = 3\n[guard]\nmax_size = \"2KB\"\nallow_tools = [\"group:web\"]\n"),
            None
        );
        assert_eq!(parse("[guard]\nmax_size = \"2KB\"\n").guard.max_size, 2000);
    }

    #[test]
    fn every_documented_key_is_known() {
        let text = include_str!("../../tests/documented.toml");
        assert_eq!(problems(text), []);
    }
}
