//! What time it is here: Unix time for what is stored, local time for what people and models read.

use chrono::{DateTime, Datelike, Utc};
use chrono_tz::Tz;

/// Unix seconds.
#[must_use]
pub(crate) fn now() -> i64 {
    Utc::now().timestamp()
}

/// Unix seconds with fraction, as events carry them.
#[must_use]
#[expect(clippy::cast_precision_loss, reason = "microseconds since 1970 fit 53 bits until 2255")]
pub(crate) fn now_exact() -> f64 {
    Utc::now().timestamp_micros() as f64 / 1e6
}

/// The configured time zone, else the system's, else UTC.
#[must_use]
pub fn zone(configured: &str) -> Tz {
    let named = |name: &str| name.parse::<Tz>().ok();
    let system = || iana_time_zone::get_timezone().ok().and_then(|name| named(&name));
    named(configured).or_else(system).unwrap_or(Tz::UTC)
}

/// The local date and time of a moment.
#[must_use]
pub(crate) fn local(at: i64, zone: Tz) -> DateTime<Tz> {
    DateTime::from_timestamp(at, 0).unwrap_or_default().with_timezone(&zone)
}

/// The local day, `YYYY-MM-DD`.
#[must_use]
pub(crate) fn day(at: i64, zone: Tz) -> String {
    local(at, zone).format("%Y-%m-%d").to_string()
}

/// Unix seconds at which the local day of `at` began, and its month.
#[must_use]
pub(crate) fn day_and_month_start(at: i64, zone: Tz) -> (i64, i64) {
    let date = local(at, zone).date_naive();
    let first = date.with_day(1).unwrap_or(date);
    (midnight(date, zone), midnight(first, zone))
}

/// Local midnight, or the first moment after it where a clock change skips it.
fn midnight(date: chrono::NaiveDate, zone: Tz) -> i64 {
    let start = date.and_time(chrono::NaiveTime::MIN);
    (0..=4)
        .map(|half_hours| start + chrono::TimeDelta::minutes(30 * half_hours))
        .find_map(|time| time.and_local_timezone(zone).earliest())
        .map_or_else(|| start.and_utc().timestamp(), |moment| moment.timestamp())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_and_months_begin_by_the_local_clock() {
        let zone = zone("Asia/Shanghai");
        // 2026-11-30 17:00 UTC is 2026-12-01 01:00 in Shanghai.
        let at = 1_796_058_000;
        assert_eq!(day(at, zone), "2026-12-01");
        let (day, month) = day_and_month_start(at, zone);
        assert_eq!((at - day, day), (3600, month));
    }

    #[test]
    fn a_midnight_that_a_clock_change_skips_is_the_next_moment() {
        // Beirut went from 24:00 to 01:00 at the start of 2021-03-28.
        let zone = zone("Asia/Beirut");
        let noon = local(0, zone).timezone();
        let date = chrono::NaiveDate::from_ymd_opt(2021, 3, 28).expect("a date");
        assert_eq!(local(midnight(date, noon), zone).format("%H:%M").to_string(), "01:00");
    }
}
