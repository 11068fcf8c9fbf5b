//! Reading the arguments of a tool call as a model sent them.
//!
//! Invariant: what is read is exactly one JSON object in which no key appears twice, at any depth, so
//! the value that a guard checks is the value that runs. Absent here: mending and schemas.

use crate::Arguments;
use serde::de::{Deserialize, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Number, Value};
use std::fmt;

impl Arguments {
    /// Reads a model's text; what is no strict object is kept as [`Arguments::Malformed`].
    #[must_use]
    pub fn parse(text: &str) -> Self {
        match Self::strict(text) {
            Ok(object) => Self::Object(object),
            Err(_) => Self::Malformed(text.to_owned()),
        }
    }

    /// Reads one JSON object without repeated keys.
    ///
    /// # Errors
    /// What is wrong and where: no JSON, no object, a key twice, text around it, nested too deep.
    pub fn strict(text: &str) -> Result<Map<String, Value>, serde_json::Error> {
        match serde_json::from_str::<Unrepeated>(text)?.0 {
            Value::Object(object) => Ok(object),
            other => Err(Error::custom(format!("expected a JSON object, not {}", kind(&other)))),
        }
    }
}

fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "an array",
        Value::Object(_) => "an object",
    }
}

/// A JSON value in which no object has the same key twice (`serde_json` alone keeps the last one).
struct Unrepeated(Value);

impl<'de> Deserialize<'de> for Unrepeated {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(Reader).map(Self)
    }
}

struct Reader;

impl<'de> Visitor<'de> for Reader {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JSON")
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(Value::Bool(value))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_f64<E: Error>(self, value: f64) -> Result<Value, E> {
        Number::from_f64(value).map(Value::Number).ok_or_else(|| E::custom("number out of range"))
    }

    fn visit_str<E>(self, value: &str) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_string<E>(self, value: String) -> Result<Value, E> {
        Ok(Value::String(value))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Value, A::Error> {
        let mut array = Vec::new();
        while let Some(Unrepeated(item)) = items.next_element()? {
            array.push(item);
        }
        Ok(Value::Array(array))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Value, A::Error> {
        let mut object = Map::new();
        while let Some((key, Unrepeated(value))) = entries.next_entry::<String, Unrepeated>()? {
            if object.contains_key(&key) {
                return Err(Error::custom(format!("the key {key:?} appears twice")));
            }
            object.insert(key, value);
        }
        Ok(Value::Object(object))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn only_one_strict_object_is_read() {
        let good = r#" {"a": {"b": [1, -2, 2.5, null, true, "x\u4f60"]}} "#;
        let expected = json!({"a": {"b": [1, -2, 2.5, null, true, "x你"]}});
        assert_eq!(Value::Object(Arguments::strict(good).expect("reads")), expected);
        let deep = "[".repeat(100_000);
        for bad in [
            "",
            "null",
            "[]",
            "7",
            "{",
            r#"{"a":1}{"a":2}"#,
            r#"{"a":1,"a":2}"#,
            r#"{"a":{"b":1,"b":1}}"#,
            r#"{"a":1e999}"#,
            r#"{"a":1} x"#,
            &deep,
        ] {
            assert_eq!(Arguments::parse(bad), Arguments::Malformed(bad.to_owned()), "{bad}");
        }
    }
}
