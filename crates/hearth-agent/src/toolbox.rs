//! Many tools stay cheap: which tools a request offers whole, and which it only names.
//!
//! Invariants: up to [`TOOLS`] tools within their share of the window are all offered; else those that
//! come last, tools of other programs before Hearth's own, are one line each, and their schema comes with
//! [`TOOL_LOAD`]; the same tools give the same answer. Absent here: what a tool does, and who may call it.

use crate::TokenCounter;
use hearth_protocol::{Arguments, Message, Part, ToolSpec};
use serde_json::Value;

/// Tools offered whole, at most.
pub const TOOLS: usize = 20;
/// Share of the window that they may take, in percent.
pub const WINDOW_PERCENT: u64 = 15;
/// The tool that brings a schema.
pub const TOOL_LOAD: &str = "tool_load";
/// Characters of a line in the index.
const LINE_CHARS: usize = 100;

/// A tool as the toolbox sees it.
#[derive(Debug, Clone, PartialEq)]
pub struct Boxed {
    /// As it is offered.
    pub spec: ToolSpec,
    /// Another program's, such as an MCP server's: it gives way first.
    pub outside: bool,
}

/// What a request carries.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Shared {
    /// Offered whole.
    pub offered: Vec<ToolSpec>,
    /// One line each: name and what it does.
    pub index: Vec<String>,
}

/// Parts the tools. `loader` is offered where some are only named; `tokens` is what all offered ones may
/// take.
#[must_use]
pub fn share(
    tools: &[Boxed],
    loader: &ToolSpec,
    loaded: &[String],
    tokens: u64,
    counter: &dyn TokenCounter,
) -> Shared {
    let cost = |spec: &ToolSpec| counter.count(&line_of(spec));
    let total: u64 = tools.iter().map(|tool| cost(&tool.spec)).sum();
    if tools.len() <= TOOLS && total <= tokens {
        let offered = tools.iter().map(|tool| tool.spec.clone()).collect();
        return Shared { offered, index: Vec::new() };
    }
    let mut order: Vec<usize> = (0..tools.len()).collect();
    order.sort_by_key(|&at| tools[at].outside);
    let (mut count, mut left) = (1, tokens.saturating_sub(cost(loader)));
    let mut whole = vec![false; tools.len()];
    for at in order {
        let price = cost(&tools[at].spec);
        if count >= TOOLS || price > left {
            break;
        }
        (whole[at], count, left) = (true, count + 1, left - price);
    }
    let mut shared = Shared::default();
    let mut on_demand = Vec::new();
    for (tool, whole) in tools.iter().zip(whole) {
        match whole {
            true => shared.offered.push(tool.spec.clone()),
            false => {
                shared.index.push(index_line(&tool.spec));
                on_demand.extend(loaded.contains(&tool.spec.name).then(|| tool.spec.clone()));
            }
        }
    }
    shared.offered.push(loader.clone());
    // After all others: what stands before them is what the provider has in its cache.
    shared.offered.extend(on_demand);
    shared
}

/// The tools whose schema the model has asked for in this conversation.
#[must_use]
pub fn loaded(history: &[Message]) -> Vec<String> {
    let mut names = Vec::new();
    let calls = history.iter().flat_map(Message::tool_calls).filter(|call| call.name == TOOL_LOAD);
    for call in calls {
        let Arguments::Object(object) = &call.arguments else { continue };
        let Some(name) = object.get("name").and_then(Value::as_str) else { continue };
        let done = history.iter().flat_map(|message| &message.parts).any(
            |part| matches!(part, Part::ToolResult(result) if result.ok && result.call == call.id),
        );
        if done && !names.iter().any(|known| known == name) {
            names.push(name.to_owned());
        }
    }
    names
}

/// A tool as the model reads it, for counting.
#[must_use]
pub fn line_of(tool: &ToolSpec) -> String {
    format!("{}: {} {}", tool.name, tool.description, tool.schema)
}

/// A tool without the arguments that it can do without: a small model fills in whatever it is shown, with
/// numbers it made up. What it is not shown it may give all the same.
#[must_use]
pub fn concise(tool: &ToolSpec) -> ToolSpec {
    let mut tool = tool.clone();
    let Some(schema) = tool.schema.as_object_mut() else { return tool };
    schema.remove("additionalProperties");
    let required: Vec<String> = schema
        .get("required")
        .and_then(Value::as_array)
        .map(|names| names.iter().filter_map(Value::as_str).map(str::to_owned).collect())
        .unwrap_or_default();
    if let Some(properties) = schema.get_mut("properties").and_then(Value::as_object_mut) {
        properties.retain(|name, _| required.contains(name));
    }
    tool
}

/// Tools as the templates of open models write them into the prompt, in one block with what stands around
/// them: Qwen's, which is among the longest.
#[must_use]
pub(crate) fn in_template(tools: &[ToolSpec]) -> String {
    let form = |tool: &ToolSpec| {
        let mut line = String::from("{\"type\": \"function\", \"function\": {\"name\": ");
        spaced(&Value::from(tool.name.as_str()), &mut line);
        line.push_str(", \"description\": ");
        spaced(&Value::from(tool.description.as_str()), &mut line);
        line.push_str(", \"parameters\": ");
        spaced(&tool.schema, &mut line);
        line.push_str("}}");
        line
    };
    let lines = tools.iter().map(form).collect::<Vec<_>>().join("\n");
    format!("{TEMPLATE_HEAD}{lines}{TEMPLATE_TAIL}")
}

const TEMPLATE_HEAD: &str = "# Tools\n\nYou may call one or more functions to assist with the user query.\n\n\
    You are provided with function signatures within <tools></tools> XML tags:\n<tools>\n";
const TEMPLATE_TAIL: &str = "\n</tools>\n\nFor each function call, return a json object with function name and \
    arguments within <tool_call></tool_call> XML tags:\n<tool_call>\n{\"name\": <function-name>, \
    \"arguments\": <args-json-object>}\n</tool_call>";

/// JSON as templates write it: with a space after each comma and colon.
fn spaced(value: &Value, out: &mut String) {
    let join = |out: &mut String, at: usize| out.push_str(if at > 0 { ", " } else { "" });
    match value {
        Value::Object(fields) => {
            out.push('{');
            for (at, (name, field)) in fields.iter().enumerate() {
                join(out, at);
                out.push_str(&Value::from(name.as_str()).to_string());
                out.push_str(": ");
                spaced(field, out);
            }
            out.push('}');
        }
        Value::Array(items) => {
            out.push('[');
            for (at, item) in items.iter().enumerate() {
                join(out, at);
                spaced(item, out);
            }
            out.push(']');
        }
        plain => out.push_str(&plain.to_string()),
    }
}

fn index_line(tool: &ToolSpec) -> String {
    let first = tool.description.lines().next().unwrap_or_default();
    let sentence = first.split_inclusive(". ").next().unwrap_or(first).trim();
    let mut line: String = sentence.chars().take(LINE_CHARS).collect();
    if sentence.chars().count() > LINE_CHARS {
        line.push('…');
    }
    format!("{}: {line}", tool.name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use hearth_protocol::{Role, ToolCall, ToolResult};
    use serde_json::{Map, json};

    /// One token a character.
    struct Chars;

    impl TokenCounter for Chars {
        fn count(&self, text: &str) -> u64 {
            text.chars().count() as u64
        }

        fn exact(&self) -> bool {
            true
        }
    }

    fn tool(name: &str, outside: bool) -> Boxed {
        let description = format!("Does {name}. More about it.");
        let spec = ToolSpec { name: name.to_owned(), description, schema: json!({}) };
        Boxed { spec, outside }
    }

    fn check(tools: &[Boxed], loaded: &[&str], tokens: u64, offered: &[&str], index: &[&str]) {
        let loaded: Vec<String> = loaded.iter().map(|&name| name.to_owned()).collect();
        let shared = share(tools, &tool(TOOL_LOAD, false).spec, &loaded, tokens, &Chars);
        let names: Vec<_> = shared.offered.iter().map(|spec| spec.name.as_str()).collect();
        assert_eq!(names, offered);
        assert_eq!(shared.index, index);
    }

    #[test]
    fn few_tools_are_all_offered() {
        let outside = "mcp__files__search";
        let tools = [tool(outside, true), tool("read", false), tool("write", false)];
        let price = |name: &str| line_of(&tool(name, false).spec).chars().count() as u64;
        let some = price(TOOL_LOAD) + price("read") + price("write");
        let named = format!("{outside}: Does {outside}.");
        check(&tools, &[], some, &["read", "write", TOOL_LOAD], &[named.as_str()]);
        let index = [named.as_str(), "write: Does write."];
        check(&tools, &[outside], some - 1, &["read", TOOL_LOAD, outside], &index);
    }

    #[test]
    fn over_twenty_the_rest_is_named() {
        let tools: Vec<Boxed> = (0..30).map(|n| tool(&format!("t{n}"), n < 10)).collect();
        let shared = share(&tools, &tool(TOOL_LOAD, false).spec, &[], u64::MAX, &Chars);
        assert_eq!((shared.offered.len(), shared.index.len()), (TOOLS, 11));
        assert!(shared.index.iter().take(10).all(|line| line.starts_with('t')));
        assert!(shared.index.contains(&"t29: Does t29.".to_owned()));
    }

    #[test]
    fn a_concise_tool_shows_what_it_needs() {
        let schema = json!({"type": "object", "required": ["path"], "additionalProperties": false,
            "properties": {"from": {"type": "integer"}, "path": {"type": "string"}}});
        let whole = ToolSpec { schema, ..tool("read", false).spec };
        let shown = concise(&whole);
        let schema = json!({"type": "object", "required": ["path"],
            "properties": {"path": {"type": "string"}}});
        assert_eq!(shown, ToolSpec { schema, ..whole });
        let bare = tool("now", false).spec;
        assert_eq!(concise(&bare), bare);
    }

    #[test]
    fn templates_write_tools_with_spaces() {
        let schema = json!({"properties": {"a": {"type": "string"}, "b": {"enum": ["x", 1]}}});
        let spec = ToolSpec { schema, ..tool("t", false).spec };
        let line = "{\"type\": \"function\", \"function\": {\"name\": \"t\", \"description\": \"Does t. More about \
            it.\", \"parameters\": {\"properties\": {\"a\": {\"type\": \"string\"}, \"b\": {\"enum\": [\"x\", 1]}}}}}";
        assert_eq!(in_template(&[spec]), format!("{TEMPLATE_HEAD}{line}{TEMPLATE_TAIL}"));
    }

    #[test]
    fn what_was_loaded_stands_in_the_history() {
        let call = |id: &str, name: &str| {
            let arguments = Map::from_iter([("name".to_owned(), json!(name))]);
            let arguments = Arguments::Object(arguments);
            Part::ToolCall(ToolCall { id: id.into(), name: TOOL_LOAD.into(), arguments })
        };
        let result = |id: &str, ok| {
            Part::ToolResult(ToolResult { call: id.into(), ok, text: String::new() })
        };
        let message = |role, parts| Message { parts, ..Message::text(role, "", 0) };
        let history = [
            message(Role::Assistant, vec![call("1", "a"), call("2", "b"), call("3", "a")]),
            message(Role::Tool, vec![result("1", true), result("2", false), result("3", true)]),
        ];
        assert_eq!(loaded(&history), ["a"]);
    }
}
