//! The part of JSON schema that tools use: type, required, properties, additionalProperties, enum, const,
//! limits of numbers, lengths and items.
//!
//! Invariants: a keyword that is not known here allows everything (the tool itself checks again); no
//! string holds NUL. Absent here: references, combinations, patterns, defaults.

use crate::cut::first_chars;
use serde_json::{Map, Value};

/// Everything about an object that the schema does not allow, in words.
pub(crate) fn misses(object: &Map<String, Value>, schema: &Value) -> Vec<String> {
    let mut out = Vec::new();
    check_object(object, schema, "", &mut out);
    out
}

/// Turns what can only mean one value into it: `"3"` where a number is wanted, `null` where an optional
/// value is left out.
pub(crate) fn coerce(object: &mut Map<String, Value>, schema: &Value) {
    let Some(properties) = schema.get("properties").and_then(Value::as_object) else { return };
    for (key, property) in properties {
        let Some(value) = object.get_mut(key) else { continue };
        let types = types(property);
        match value {
            Value::Null
                if !types.is_empty()
                    && !types.contains(&"null")
                    && !required(schema).any(|name| name == key) =>
            {
                object.remove(key);
            }
            Value::String(text) => {
                if let Some(meant) = meant(text, &types) {
                    *value = meant;
                }
            }
            _ => {}
        }
    }
}

/// The number or boolean that a string stands for, where no string is allowed.
fn meant(text: &str, types: &[&str]) -> Option<Value> {
    if types.contains(&"string") {
        return None;
    }
    let value: Value = serde_json::from_str(text).ok()?;
    let fits = match &value {
        Value::Number(_) => types.iter().any(|t| matches!(*t, "integer" | "number")),
        Value::Bool(_) => types.contains(&"boolean"),
        _ => false,
    };
    fits.then_some(value)
}

fn types(schema: &Value) -> Vec<&str> {
    match schema.get("type") {
        Some(Value::String(one)) => vec![one],
        Some(Value::Array(many)) => many.iter().filter_map(Value::as_str).collect(),
        _ => Vec::new(),
    }
}

fn required(schema: &Value) -> impl Iterator<Item = &str> {
    let names = schema.get("required").and_then(Value::as_array);
    names.into_iter().flatten().filter_map(Value::as_str)
}

fn check_object(object: &Map<String, Value>, schema: &Value, at: &str, out: &mut Vec<String>) {
    for name in required(schema) {
        if !object.contains_key(name) {
            out.push(format!("`{at}{name}` is missing"));
        }
    }
    let properties = schema.get("properties").and_then(Value::as_object);
    for (key, value) in object {
        let path = format!("{at}{key}");
        match (properties.and_then(|all| all.get(key)), schema.get("additionalProperties")) {
            (Some(property), _) => check_value(value, property, &path, out),
            (None, Some(Value::Bool(false))) => {
                out.push(format!("`{}` is not known", first_chars(&path, 60)));
            }
            (None, Some(rest @ Value::Object(_))) => check_value(value, rest, &path, out),
            (None, _) => check_text(value, &path, out),
        }
    }
}

fn check_value(value: &Value, schema: &Value, at: &str, out: &mut Vec<String>) {
    let types = types(schema);
    if !types.is_empty() && !types.iter().any(|name| is_type(value, name)) {
        return out.push(format!("`{at}` must be {}, not {}", types.join(" or "), show(value)));
    }
    if let Some(Value::Array(choices)) = schema.get("enum")
        && !choices.contains(value)
    {
        let choices: Vec<_> = choices.iter().map(show).collect();
        return out.push(format!(
            "`{at}` must be one of {}, not {}",
            choices.join(", "),
            show(value)
        ));
    }
    if let Some(only) = schema.get("const")
        && only != value
    {
        return out.push(format!("`{at}` must be {}", show(only)));
    }
    check_text(value, at, out);
    check_limits(value, schema, at, out);
    match value {
        Value::Object(object) => check_object(object, schema, &format!("{at}."), out),
        Value::Array(items) => {
            if let Some(each) = schema.get("items") {
                for (n, item) in items.iter().enumerate() {
                    check_value(item, each, &format!("{at}[{n}]"), out);
                }
            }
        }
        _ => {}
    }
}

fn check_text(value: &Value, at: &str, out: &mut Vec<String>) {
    if value.as_str().is_some_and(|text| text.contains('\0')) {
        out.push(format!("`{at}` holds a NUL character"));
    }
}

fn check_limits(value: &Value, schema: &Value, at: &str, out: &mut Vec<String>) {
    let (size, least, most, unit) = match value {
        Value::String(text) => (text.chars().count() as f64, "minLength", "maxLength", "long"),
        Value::Array(items) => (items.len() as f64, "minItems", "maxItems", "long"),
        Value::Number(number) => {
            let number = number.as_f64().unwrap_or(f64::NAN);
            if limit(schema, "exclusiveMinimum").is_some_and(|bound| number <= bound)
                || limit(schema, "exclusiveMaximum").is_some_and(|bound| number >= bound)
            {
                out.push(format!("`{at}` is out of range"));
            }
            (number, "minimum", "maximum", "large")
        }
        _ => return,
    };
    if let Some(bound) = limit(schema, least).filter(|bound| size < *bound) {
        out.push(format!("`{at}` must be at least {bound} {unit}"));
    }
    if let Some(bound) = limit(schema, most).filter(|bound| size > *bound) {
        out.push(format!("`{at}` must be at most {bound} {unit}"));
    }
}

fn limit(schema: &Value, keyword: &str) -> Option<f64> {
    schema.get(keyword).and_then(Value::as_f64)
}

fn is_type(value: &Value, name: &str) -> bool {
    match name {
        "string" => value.is_string(),
        "boolean" => value.is_boolean(),
        "number" => value.is_number(),
        "integer" => {
            value.is_i64() || value.is_u64() || value.as_f64().is_some_and(|n| n.fract() == 0.0)
        }
        "object" => value.is_object(),
        "array" => value.is_array(),
        "null" => value.is_null(),
        _ => true,
    }
}

fn show(value: &Value) -> String {
    let text = value.to_string();
    if text.chars().count() <= 60 { text } else { format!("{}…", first_chars(&text, 60)) }
}

/// The schema's object in one line: `{path: string (required), mode: "append" | "replace"}`.
pub(crate) fn describe(schema: &Value) -> String {
    let Some(properties) = schema.get("properties").and_then(Value::as_object) else {
        return "{}".to_owned();
    };
    let entries: Vec<_> = properties
        .iter()
        .map(|(name, property)| {
            let needed = if required(schema).any(|n| n == name) { " (required)" } else { "" };
            format!("{name}: {}{needed}", describe_value(property))
        })
        .collect();
    format!("{{{}}}", entries.join(", "))
}

fn describe_value(schema: &Value) -> String {
    if let Some(Value::Array(choices)) = schema.get("enum") {
        return choices.iter().map(show).collect::<Vec<_>>().join(" | ");
    }
    let types = types(schema);
    let mut text = if types.is_empty() { "any".to_owned() } else { types.join(" | ") };
    for (keyword, sign) in
        [("minimum", "≥"), ("maximum", "≤"), ("minLength", "length ≥"), ("maxLength", "length ≤")]
    {
        if let Some(bound) = limit(schema, keyword) {
            text.push_str(&format!(" {sign} {bound}"));
        }
    }
    text
}
