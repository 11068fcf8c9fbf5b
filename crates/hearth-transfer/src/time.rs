//! Times as exports write them, as Unix seconds.

use chrono::{DateTime, NaiveDateTime};
use serde_json::Value;

/// Above this a number counts milliseconds: as seconds it would be past the year 5000.
const SECONDS_END: f64 = 1e11;

/// Seconds, milliseconds or a written date; none where it is none of these.
pub(crate) fn seconds(value: &Value) -> Option<i64> {
    match value {
        Value::Number(number) => of_number(number.as_f64()?),
        Value::String(text) => of_text(text.trim()),
        _ => None,
    }
}

fn of_number(number: f64) -> Option<i64> {
    let seconds = if number.abs() >= SECONDS_END { number / 1000.0 } else { number };
    let plain = seconds.is_finite() && seconds > 0.0 && seconds < SECONDS_END;
    #[expect(
        clippy::cast_possible_truncation,
        reason = "the bounds are checked; parts of a second go"
    )]
    plain.then_some(seconds as i64)
}

fn of_text(text: &str) -> Option<i64> {
    let at = DateTime::parse_from_rfc3339(text).map(|at| at.timestamp());
    let at = at.or_else(|_| {
        let plain = NaiveDateTime::parse_from_str(text, "%Y-%m-%dT%H:%M:%S%.f");
        plain.map(|at| at.and_utc().timestamp())
    });
    at.ok().filter(|at| *at > 0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn times_of_every_kind_are_seconds() {
        for (written, at) in [
            (json!(1_710_000_000.25), Some(1_710_000_000)),
            (json!(1_710_000_000_250_i64), Some(1_710_000_000)),
            (json!("2024-03-09T16:00:00Z"), Some(1_710_000_000)),
            (json!("2024-03-09T17:00:00.123456+01:00"), Some(1_710_000_000)),
            (json!("2024-03-09T16:00:00.5"), Some(1_710_000_000)),
            (json!(null), None),
            (json!(0), None),
            (json!(-5), None),
            (json!(1e300), None),
            (json!("yesterday"), None),
            (json!({}), None),
        ] {
            assert_eq!(seconds(&written), at, "{written}");
        }
    }
}
