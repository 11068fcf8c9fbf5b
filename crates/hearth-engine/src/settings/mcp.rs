//! `[[mcp]]`: one table each; a wrong one is left out and named, the others count.

use super::edit::put as put_kept;
use super::keys::Kind;
use super::parse::{Source, json};
use super::provider::is_provider_id;
use hearth_protocol::api::mcp::McpEdit;
use serde_json::{Value, json as value};
use toml_edit::{Item, TableLike};

/// Seconds for one call, where the table says nothing.
pub(crate) const TIMEOUT_S: u64 = 60;
const LONGEST_S: u64 = 600;
const KEYS: [(&str, Kind); 5] = [
    ("command", Kind::TextList),
    ("url", Kind::Text),
    ("id", Kind::Text),
    ("timeout", Kind::Count),
    ("enabled", Kind::Bool),
];

/// Whether an id may name a server: it becomes part of the names of tools.
pub(crate) fn is_server_id(id: &str) -> bool {
    is_provider_id(id) && id.len() <= 24 && !id.contains('.') && !id.contains("__")
}

/// Why a server cannot be used; none where it can.
pub(crate) fn fault(server: &McpEdit) -> Option<String> {
    if !is_server_id(&server.id) {
        return Some("the id must be up to 24 letters, digits, \"-\" or \"_\"".to_owned());
    }
    let url = server.url.starts_with("http://") || server.url.starts_with("https://");
    match (server.command.first(), server.url.as_str()) {
        (Some(_), "") if server.command.iter().all(|word| !word.contains('\0')) => {}
        (None, _) if url => {}
        (None, "") => return Some("it needs a command or a url".to_owned()),
        (Some(_), _) => return Some("it must have a command or a url, not both".to_owned()),
        _ => return Some("the url must begin with http:// or https://".to_owned()),
    }
    let name = |name: &String| name.is_empty() || name.contains(['=', '\0']);
    if server.env.iter().any(|(key, value)| name(key) || value.contains('\0')) {
        return Some("env holds a name or value that no environment can hold".to_owned());
    }
    let fits = (1..=LONGEST_S).contains(&server.timeout_s);
    (!fits).then(|| format!("timeout must be from 1 to {LONGEST_S} seconds"))
}

pub(super) fn read(
    table: &dyn TableLike,
    index: usize,
    source: &mut Source<'_>,
) -> Option<McpEdit> {
    let at = format!("mcp[{index}]");
    let mut read = value!({ "timeout_s": TIMEOUT_S, "enabled": true, "id": "" });
    for (name, item) in table.iter() {
        let place = table.key(name).and_then(toml_edit::Key::span).or_else(|| item.span());
        let content = json(item);
        let known = KEYS.iter().find(|(known, _)| *known == name);
        let why = match (name, known) {
            ("env", _) if is_texts(&content) => None,
            ("env", _) => Some("must be a table of texts; this server is left out".to_owned()),
            (_, Some((_, kind))) => {
                kind.refuses(&content).map(|why| format!("{why}; this server is left out"))
            }
            (_, None) => {
                source.problem(place, format!("{at}.{name}"), "is not a key of an MCP server");
                continue;
            }
        };
        if let Some(why) = why {
            source.problem(place, format!("{at}.{name}"), &why);
            return None;
        }
        read[if name == "timeout" { "timeout_s" } else { name }] = content;
    }
    let place = table.iter().next().and_then(|(name, item)| {
        table.key(name).and_then(toml_edit::Key::span).or_else(|| item.span())
    });
    let server: McpEdit = serde_json::from_value(read).ok()?;
    match fault(&server) {
        None => Some(server),
        Some(why) => {
            source.problem(place, at, &format!("cannot be used: {why}; this server is left out"));
            None
        }
    }
}

fn is_texts(content: &Value) -> bool {
    content.as_object().is_some_and(|table| table.values().all(Value::is_string))
}

/// A server as a table of `hearth.toml`, with what is not said by default.
pub(super) fn fill(table: &mut toml_edit::Table, server: &McpEdit) {
    let mut put = |name: &str, item: Option<Item>| match item {
        Some(item) => put_kept(table, name, item),
        None => drop(table.remove(name)),
    };
    put("id", Some(toml_edit::value(server.id.clone())));
    let words: toml_edit::Array = server.command.iter().map(String::as_str).collect();
    put("command", (!words.is_empty()).then(|| toml_edit::value(words)));
    put("url", (!server.url.is_empty()).then(|| toml_edit::value(server.url.clone())));
    let env: toml_edit::InlineTable =
        server.env.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
    put("env", (!env.is_empty()).then(|| toml_edit::value(env)));
    let seconds = i64::try_from(server.timeout_s).unwrap_or(i64::MAX);
    put("timeout", (server.timeout_s != TIMEOUT_S).then(|| toml_edit::value(seconds)));
    put("enabled", (!server.enabled).then(|| toml_edit::value(false)));
}

#[cfg(test)]
mod tests {
    use crate::settings::parse;

    #[test]
    fn servers_are_read_one_by_one() {
        let text = "[[mcp]]\nid = \"files\"\ncommand = [\"npx\", \"-y\", \"some-server\"]\n\
                    env = { TOKEN = \"secret:mcp/files\" }\n\
                    [[mcp]]\nid = \"web\"\nurl = \"https://example.com/mcp\"\ntimeout = 5\nenabled = false\n\
                    [[mcp]]\nid = \"both\"\nurl = \"https://e.example/\"\ncommand = [\"x\"]\n\
                    [[mcp]]\nid = \"a.b\"\ncommand = [\"x\"]\n\
                    [[mcp]]\nid = \"files\"\ncommand = [\"other\"]\n\
                    [[mcp]]\nid = \"w\"\ncommand = \"npx\"\ntoken = 1\n";
        let settings = parse(text);
        let ids: Vec<_> = settings.mcp.iter().map(|server| server.id.as_str()).collect();
        assert_eq!(ids, ["files", "web"]);
        assert_eq!(settings.mcp[0].env["TOKEN"], "secret:mcp/files");
        assert_eq!((settings.mcp[0].timeout_s, settings.mcp[0].enabled), (60, true));
        assert_eq!((settings.mcp[1].timeout_s, settings.mcp[1].enabled), (5, false));
        let lines: Vec<_> = settings.problems.iter().map(|p| (p.line, p.key.as_str())).collect();
        assert_eq!(
            lines,
            [(11, "mcp[2]"), (15, "mcp[3]"), (18, "mcp[4].id"), (22, "mcp[5].command")]
        );
    }
}
