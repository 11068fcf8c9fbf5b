//! The arguments of a tool call: mended where only one reading is possible, then held against the
//! tool's schema.
//!
//! Invariants: what is returned is what the schema allows, and is the value that policy checks and the
//! tool gets; nothing is invented: no default, no guessed key, no half object. Absent here: what a value
//! means (paths, domains: the guard's).

use crate::cut::first_chars;
use crate::schema;
use hearth_protocol::{Arguments, ToolCall, ToolSpec};
use serde_json::{Map, Value};
use thiserror::Error;

/// Why a call cannot run; the model reads it.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum ArgumentError {
    /// The tool is not offered.
    #[error("there is no tool called {name:?}, nothing was run. Tools: {offered}")]
    NoSuchTool {
        /// What was called.
        name: String,
        /// What there is.
        offered: String,
    },
    /// The arguments are no JSON object.
    #[error(
        "the arguments of {tool} are not one JSON object ({wrong}), nothing was run. They began: \
         {began:?}. Send exactly one object: {allowed}"
    )]
    NoObject {
        /// The tool.
        tool: String,
        /// What the parser says.
        wrong: String,
        /// The beginning of what was sent.
        began: String,
        /// What the schema allows.
        allowed: String,
    },
    /// The object misses the schema.
    #[error("the arguments of {tool} are wrong, nothing was run: {wrong}. Allowed: {allowed}")]
    Schema {
        /// The tool.
        tool: String,
        /// Each miss.
        wrong: String,
        /// What the schema allows.
        allowed: String,
    },
}

/// Checks a call against the tools offered and returns the arguments to run with.
///
/// # Errors
/// [`ArgumentError`], to be given back to the model.
pub fn check_call(
    call: &ToolCall,
    tools: &[ToolSpec],
) -> Result<Map<String, Value>, ArgumentError> {
    let Some(tool) = tools.iter().find(|tool| tool.name == call.name) else {
        let names: Vec<_> = tools.iter().map(|tool| tool.name.as_str()).collect();
        let offered = if names.is_empty() { "none".to_owned() } else { names.join(", ") };
        return Err(ArgumentError::NoSuchTool { name: call.name.clone(), offered });
    };
    check(&call.arguments, &tool.name, &tool.schema)
}

/// Checks arguments against a schema and returns the object to run with.
///
/// # Errors
/// [`ArgumentError`], to be given back to the model.
pub fn check(
    arguments: &Arguments,
    tool: &str,
    schema: &Value,
) -> Result<Map<String, Value>, ArgumentError> {
    let mut object = match arguments {
        Arguments::Object(object) => object.clone(),
        Arguments::Malformed(text) => mend(text).map_err(|error| ArgumentError::NoObject {
            tool: tool.to_owned(),
            wrong: error.to_string(),
            began: first_chars(text, 200).to_owned(),
            allowed: schema::describe(schema),
        })?,
    };
    schema::coerce(&mut object, schema);
    let misses = schema::misses(&object, schema);
    if misses.is_empty() {
        return Ok(object);
    }
    Err(ArgumentError::Schema {
        tool: tool.to_owned(),
        wrong: misses.join("; "),
        allowed: schema::describe(schema),
    })
}

/// Arguments as one text, the order of keys left aside.
#[must_use]
pub fn canonical(arguments: &Arguments) -> String {
    fn sorted(value: &Value) -> Value {
        match value {
            Value::Object(object) => {
                let mut entries: Vec<_> = object.iter().collect();
                entries.sort_by_key(|(key, _)| *key);
                entries.into_iter().map(|(key, value)| (key.clone(), sorted(value))).collect()
            }
            Value::Array(items) => items.iter().map(sorted).collect(),
            other => other.clone(),
        }
    }
    match arguments {
        Arguments::Object(object) => sorted(&Value::Object(object.clone())).to_string(),
        Arguments::Malformed(text) => text.clone(),
    }
}

/// Reads text that is no strict object but can only mean one: nothing at all, a byte order mark, a code
/// fence or a special token around it, a comma at the end, an object inside a JSON string.
fn mend(text: &str) -> Result<Map<String, Value>, serde_json::Error> {
    let first_error = match Arguments::strict(text) {
        Ok(object) => return Ok(object),
        Err(error) => error,
    };
    let bare = text.trim_start_matches('\u{feff}').trim();
    if bare.is_empty() || bare == "null" {
        return Ok(Map::new());
    }
    if let Ok(inner) = serde_json::from_str::<String>(bare) {
        return Arguments::strict(&inner).map_err(|_| first_error);
    }
    let bare = without_token(without_fence(bare));
    let read = Arguments::strict(bare).or_else(|_| Arguments::strict(&without_last_commas(bare)));
    read.map_err(|_| first_error)
}

/// The inside of a code fence that holds everything.
fn without_fence(text: &str) -> &str {
    let inner = text.strip_prefix("```").and_then(|rest| rest.strip_suffix("```"));
    let Some(inner) = inner else { return text };
    inner.strip_prefix("json").unwrap_or(inner).trim()
}

/// The text before a special token (`<|call|>`) at its end.
fn without_token(text: &str) -> &str {
    let token = text.strip_suffix("|>").and_then(|rest| rest.rfind("<|").map(|at| (rest, at)));
    match token {
        Some((rest, at)) if rest[at + 2..].chars().all(|c| c.is_alphanumeric() || c == '_') => {
            text[..at].trim_end()
        }
        _ => text,
    }
}

/// Leaves out commas right before a closing bracket, outside strings.
fn without_last_commas(text: &str) -> String {
    let mut kept = String::with_capacity(text.len());
    let (mut in_string, mut escaped) = (false, false);
    for (at, c) in text.char_indices() {
        if in_string {
            in_string = escaped || c != '"';
            escaped = c == '\\' && !escaped;
        } else if c == '"' {
            in_string = true;
        } else if c == ',' && text[at + 1..].trim_start().starts_with(['}', ']']) {
            continue;
        }
        kept.push(c);
    }
    kept
}
