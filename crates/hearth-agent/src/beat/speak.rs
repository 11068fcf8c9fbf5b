//! Whether something that is to be said is shown now, later, or not at all.

/// The same text is shown once in so long.
pub const REPEAT_SECONDS: i64 = 24 * 60 * 60;

/// What is known around a notice.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Around {
    /// Quiet hours as written, and when they end; none where it is not quiet.
    pub quiet: Option<(String, i64)>,
    /// Notices shown today.
    pub shown_today: u32,
    /// The most that are.
    pub max_per_day: u32,
    /// Seconds since the same text was shown.
    pub same_before: Option<i64>,
    /// The notice like which the person wants less.
    pub unwanted: Option<String>,
    /// The person set this very time themselves: an alarm is not held back.
    pub alarm: bool,
}

/// What becomes of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Speech {
    /// It is shown.
    Show,
    /// It is kept in the inbox; shown later, where a time is given.
    Keep {
        /// Why.
        why: Held,
        /// When it is shown.
        until: Option<i64>,
    },
    /// It is only in the log.
    Drop {
        /// Why.
        why: Held,
    },
}

/// Why something is held back.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Held {
    /// The person wants less like this notice.
    Unwanted(String),
    /// The same was said within [`REPEAT_SECONDS`].
    Repeat,
    /// Quiet hours, as written.
    Quiet(String),
    /// So many were shown today, and no more are.
    Full(u32),
}

/// Decides.
#[must_use]
pub fn speak(around: &Around) -> Speech {
    if around.alarm {
        return Speech::Show;
    }
    if let Some(unwanted) = &around.unwanted {
        return Speech::Drop { why: Held::Unwanted(unwanted.clone()) };
    }
    if around.same_before.is_some_and(|seconds| seconds < REPEAT_SECONDS) {
        return Speech::Drop { why: Held::Repeat };
    }
    if let Some((hours, until)) = &around.quiet {
        return Speech::Keep { why: Held::Quiet(hours.clone()), until: Some(*until) };
    }
    if around.shown_today >= around.max_per_day {
        return Speech::Keep { why: Held::Full(around.max_per_day), until: None };
    }
    Speech::Show
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_rule_holds_back_and_an_alarm_passes_all() {
        let free = Around { max_per_day: 8, ..Around::default() };
        let quiet = Around { quiet: Some(("22:30-07:30".to_owned(), 99)), ..free.clone() };
        let repeat = Around { same_before: Some(REPEAT_SECONDS - 1), ..free.clone() };
        let old = Around { same_before: Some(REPEAT_SECONDS), ..free.clone() };
        let full = Around { shown_today: 8, ..free.clone() };
        let unwanted = Around { unwanted: Some("Rain".to_owned()), ..quiet.clone() };
        assert_eq!(speak(&free), Speech::Show);
        assert_eq!(speak(&old), Speech::Show);
        let why = Held::Quiet("22:30-07:30".to_owned());
        assert_eq!(speak(&quiet), Speech::Keep { why, until: Some(99) });
        assert_eq!(speak(&full), Speech::Keep { why: Held::Full(8), until: None });
        assert_eq!(speak(&repeat), Speech::Drop { why: Held::Repeat });
        assert_eq!(speak(&unwanted), Speech::Drop { why: Held::Unwanted("Rain".to_owned()) });
        let all = Around { alarm: true, shown_today: 9, same_before: Some(1), ..unwanted };
        assert_eq!(speak(&all), Speech::Show);
    }
}
