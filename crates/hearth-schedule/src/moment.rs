//! Moments as people write them, and as they read them.

use crate::wall::instant;
use chrono::{DateTime, NaiveDate, NaiveDateTime, NaiveTime, SecondsFormat};
use chrono_tz::Tz;

const FORMS: [&str; 4] =
    ["%Y-%m-%d %H:%M", "%Y-%m-%d %H:%M:%S", "%Y-%m-%dT%H:%M", "%Y-%m-%dT%H:%M:%S"];

/// A time on the wall, or one that says its offset itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Written {
    Wall(NaiveDateTime),
    Instant(i64),
}

impl Written {
    pub(crate) fn read(text: &str) -> Option<Self> {
        let text = text.trim();
        if let Ok(time) = DateTime::parse_from_rfc3339(text) {
            return Some(Self::Instant(time.timestamp()));
        }
        FORMS.iter().find_map(|form| NaiveDateTime::parse_from_str(text, form).ok()).map(Self::Wall)
    }

    pub(crate) fn instant(self, zone: Tz) -> i64 {
        match self {
            Self::Wall(wall) => instant(wall, zone),
            Self::Instant(at) => at,
        }
    }
}

/// Unix seconds of `2026-12-01 09:00` (on the zone's clock), `2026-12-01`, `2026-12-01T09:00:00+01:00`, or of
/// plain Unix seconds.
#[must_use]
pub fn moment(text: &str, zone: Tz) -> Option<i64> {
    if let Some(written) = Written::read(text) {
        return Some(written.instant(zone));
    }
    if let Ok(day) = NaiveDate::parse_from_str(text.trim(), "%Y-%m-%d") {
        return Some(instant(day.and_time(NaiveTime::MIN), zone));
    }
    text.trim().parse().ok()
}

/// `2027-03-28T01:00:00Z`.
#[must_use]
pub fn utc(at: i64) -> String {
    DateTime::from_timestamp(at, 0).unwrap_or_default().to_rfc3339_opts(SecondsFormat::Secs, true)
}

/// `2027-03-28T03:00:00+02:00`: the same on the zone's clock.
#[must_use]
pub fn local(at: i64, zone: Tz) -> String {
    let time = DateTime::from_timestamp(at, 0).unwrap_or_default().with_timezone(&zone);
    time.to_rfc3339_opts(SecondsFormat::Secs, false)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments_are_read_and_written() {
        let oslo = Tz::Europe__Oslo;
        for text in [
            "2027-03-28 02:30",
            "2027-03-28T02:30:00",
            "2027-03-28T01:00:00Z",
            "2027-03-28T03:00:00+02:00",
            "1806195600",
        ] {
            let at = moment(text, oslo).unwrap_or_default();
            assert_eq!(utc(at), "2027-03-28T01:00:00Z", "{text}");
            assert_eq!(local(at, oslo), "2027-03-28T03:00:00+02:00", "{text}");
        }
        assert_eq!(moment("2027-03-28", oslo).map(utc), Some("2027-03-27T23:00:00Z".to_owned()));
        assert_eq!(moment("tomorrow", oslo), None);
    }
}
