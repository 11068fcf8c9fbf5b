//! Lengths of time as people write them.

/// Seconds of `45s`, `30m`, `2h`, `1d`, `1h30m`, `2 hours`; none where it is no length of time or none at all.
#[must_use]
pub fn span(text: &str) -> Option<i64> {
    let mut rest = text.trim();
    let mut total: i64 = 0;
    while !rest.is_empty() {
        let digits = rest.find(|c: char| !c.is_ascii_digit())?;
        let number: i64 = rest[..digits].parse().ok()?;
        rest = rest[digits..].trim_start();
        let letters = rest.find(|c: char| !c.is_alphabetic()).unwrap_or(rest.len());
        let unit = match rest[..letters].to_lowercase().as_str() {
            "s" | "sec" | "secs" | "second" | "seconds" | "秒" | "秒钟" => 1,
            "m" | "min" | "mins" | "minute" | "minutes" | "分" | "分钟" => 60,
            "h" | "hr" | "hrs" | "hour" | "hours" | "小时" => 3_600,
            "d" | "day" | "days" | "天" => 86_400,
            "w" | "week" | "weeks" | "周" => 604_800,
            _ => return None,
        };
        total = total.checked_add(number.checked_mul(unit)?)?;
        rest = rest[letters..].trim_start();
    }
    (1..=MOST).contains(&total).then_some(total)
}

/// Ten years: longer is a slip of the pen.
const MOST: i64 = 10 * 366 * 86_400;

#[cfg(test)]
mod tests {
    use super::span;

    #[test]
    fn spans_are_read() {
        for (text, seconds) in [
            ("45s", Some(45)),
            ("30m", Some(1_800)),
            (" 2 h ", Some(7_200)),
            ("1h30m", Some(5_400)),
            ("2 hours", Some(7_200)),
            ("1d", Some(86_400)),
            ("30分钟", Some(1_800)),
            ("0m", None),
            ("", None),
            ("m", None),
            ("30", None),
            ("30x", None),
            ("-5m", None),
            ("99999999999999999999h", None),
            ("999999999999d", None),
        ] {
            assert_eq!(span(text), seconds, "{text:?}");
        }
    }
}
