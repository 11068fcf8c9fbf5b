//! Many tools stay cheap: which tools a request offers whole, and which it only names.
//!
//! Invariants: up to [`TOOLS`] tools within their share of the window are all offered; else those that
//! come last, tools of other programs before Hearth's own, are one line each, and their schema comes with
//! [`TOOL_LOAD`]; the same tools give the same answer. Absent here: what a tool does, and who may call it.

use crate::TokenCounter;
use hearth_protocol::{Arguments, Message, Part, ToolSpec};

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
        let Some(name) = object.get("name").and_then(serde_json::Value::as_str) else { continue };
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
