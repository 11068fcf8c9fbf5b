//! Rows to protocol types and back. Every column that is a word or JSON passes here, once.

use crate::{Result, StoreError};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

/// The wire name of a unit variant, such as `user`.
pub(crate) fn word<T: Serialize>(value: &T) -> Result<String> {
    match serde_json::to_value(value) {
        Ok(Value::String(text)) => Ok(text),
        Ok(other) => Err(StoreError::Refused(format!("{other} is not a word"))),
        Err(error) => Err(StoreError::Refused(error.to_string())),
    }
}

/// The variant of a wire name.
pub(crate) fn parse_word<T: DeserializeOwned>(table: &'static str, text: String) -> Result<T> {
    serde_json::from_value(Value::String(text)).map_err(|error| row(table, error))
}

/// A value as JSON text.
pub(crate) fn json<T: Serialize>(value: &T) -> Result<String> {
    serde_json::to_string(value).map_err(|error| StoreError::Refused(error.to_string()))
}

/// The value of JSON text.
pub(crate) fn parse_json<T: DeserializeOwned>(table: &'static str, text: &str) -> Result<T> {
    serde_json::from_str(text).map_err(|error| row(table, error))
}

/// A count for a column; SQLite's integers are signed.
pub(crate) fn signed(count: u64) -> i64 {
    i64::try_from(count).unwrap_or(i64::MAX)
}

/// A count from a column; negative ones are never written.
pub(crate) fn unsigned(count: i64) -> u64 {
    u64::try_from(count).unwrap_or(0)
}

fn row(table: &'static str, error: impl std::fmt::Display) -> StoreError {
    StoreError::Row { table, why: error.to_string() }
}
