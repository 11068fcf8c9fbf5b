//! Quiet hours: a stretch of each local day in which nothing is shown.

use crate::wall::{instant, wall};
use chrono::{NaiveTime, TimeDelta, Timelike};
use chrono_tz::Tz;

/// From `start` on, up to but without `end`; may go past midnight.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Quiet {
    start: NaiveTime,
    end: NaiveTime,
}

impl Quiet {
    /// Reads `22:30-07:30`; empty: none.
    ///
    /// # Errors
    /// What it should look like.
    pub fn parse(text: &str) -> Result<Option<Self>, String> {
        if text.trim().is_empty() {
            return Ok(None);
        }
        let wrong = || format!("{text:?} is no stretch of a day such as \"22:30-07:30\"");
        let (start, end) = text.split_once(['-', '–']).ok_or_else(wrong)?;
        let start = time(start).ok_or_else(wrong)?;
        let end = time(end).ok_or_else(wrong)?;
        match start == end {
            true => Err(format!("{text:?} begins and ends at the same time; \"\" is none")),
            false => Ok(Some(Self { start, end })),
        }
    }

    /// Whether it is quiet at a moment.
    #[must_use]
    pub fn holds(self, at: i64, zone: Tz) -> bool {
        let now = wall(at, zone).time();
        match self.start < self.end {
            true => (self.start..self.end).contains(&now),
            false => now >= self.start || now < self.end,
        }
    }

    /// When the stretch that holds a moment ends.
    #[must_use]
    pub fn ends(self, at: i64, zone: Tz) -> i64 {
        let day = wall(at, zone).date();
        let days = (0..3).map(|days| day + TimeDelta::days(days));
        let ends = days.map(|day| instant(day.and_time(self.end), zone)).find(|end| *end > at);
        ends.unwrap_or(at)
    }

    /// As written: `22:30-07:30`.
    #[must_use]
    pub fn text(self) -> String {
        let hm = |time: NaiveTime| format!("{:02}:{:02}", time.hour(), time.minute());
        format!("{}-{}", hm(self.start), hm(self.end))
    }
}

/// `7:30` or `07:30`.
fn time(text: &str) -> Option<NaiveTime> {
    let (hour, minute) = text.trim().split_once(':')?;
    let plain = |part: &str, most: usize| {
        (1..=most).contains(&part.len()) && part.bytes().all(|byte| byte.is_ascii_digit())
    };
    if !plain(hour, 2) || !plain(minute, 2) || minute.len() != 2 {
        return None;
    }
    NaiveTime::from_hms_opt(hour.parse().ok()?, minute.parse().ok()?, 0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::moment;

    #[test]
    fn it_is_quiet_from_the_start_up_to_the_end() {
        let zone = Tz::Europe__Oslo;
        let at = |text: &str| moment(text, zone).unwrap_or_default();
        let night = Quiet::parse("22:30-07:30").ok().flatten().expect("valid");
        let day = Quiet::parse("9:00-17:00").ok().flatten().expect("valid");
        for (quiet, time, holds) in [
            (night, "22:29", false),
            (night, "22:30", true),
            (night, "00:00", true),
            (night, "07:29", true),
            (night, "07:30", false),
            (night, "12:00", false),
            (day, "08:59", false),
            (day, "09:00", true),
            (day, "16:59", true),
            (day, "17:00", false),
        ] {
            let at = at(&format!("2026-12-01 {time}"));
            assert_eq!(quiet.holds(at, zone), holds, "{time}");
        }
        assert_eq!(night.ends(at("2026-12-01 23:00"), zone), at("2026-12-02 07:30"));
        assert_eq!(night.ends(at("2026-12-02 03:00"), zone), at("2026-12-02 07:30"));
        assert_eq!(night.text(), "22:30-07:30");
        // The night in which 02:00 to 03:00 does not exist is an hour shorter.
        let spring = Quiet::parse("02:10-02:50").ok().flatten().expect("valid");
        assert!(!spring.holds(at("2027-03-28 03:00"), zone));
        assert_eq!(spring.ends(at("2027-03-28 01:00"), zone), at("2027-03-28 03:00"));
    }

    #[test]
    fn what_is_no_stretch_is_refused() {
        assert_eq!(Quiet::parse("  "), Ok(None));
        for bad in [
            "25:00-7",
            "22:30",
            "22:30-24:00",
            "22:30-22:30",
            "a-b",
            "-",
            "22:3-07:30",
            "22.30-7.30",
        ] {
            assert!(Quiet::parse(bad).is_err(), "{bad}");
        }
    }
}
