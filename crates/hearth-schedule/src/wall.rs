//! From the clock on the wall to the instant.

use chrono::{DateTime, MappedLocalTime, NaiveDateTime, TimeDelta, TimeZone, Timelike};
use chrono_tz::Tz;

/// The longest time that a zone ever skipped is a day (Samoa, 2011).
const LONGEST_GAP_MINUTES: i64 = 48 * 60;

/// The instant at which a zone's clock shows `wall`: the first where it does so twice, the next minute that
/// exists where it never does.
#[must_use]
pub fn instant(wall: NaiveDateTime, zone: Tz) -> i64 {
    for minutes in 0..=LONGEST_GAP_MINUTES {
        let later = wall + TimeDelta::minutes(minutes);
        match zone.from_local_datetime(&later) {
            MappedLocalTime::Single(time) | MappedLocalTime::Ambiguous(time, _) => {
                return time.timestamp();
            }
            MappedLocalTime::None => {}
        }
    }
    // No zone skips this much.
    wall.and_utc().timestamp()
}

/// What the clock on the wall shows.
pub(crate) fn wall(at: i64, zone: Tz) -> NaiveDateTime {
    DateTime::from_timestamp(at, 0).unwrap_or_default().with_timezone(&zone).naive_local()
}

/// The wall-clock minute from which on everything that fires after `at` is found: the minute it shows, or the
/// first of the skipped minutes where the clock was just put forward.
pub(crate) fn first_minute(at: i64, zone: Tz) -> NaiveDateTime {
    let shown = wall(at, zone);
    let mut minute = shown - TimeDelta::seconds(i64::from(shown.second()));
    for _ in 0..LONGEST_GAP_MINUTES {
        let before = minute - TimeDelta::minutes(1);
        if !matches!(zone.from_local_datetime(&before), MappedLocalTime::None) {
            break;
        }
        minute = before;
    }
    minute
}
