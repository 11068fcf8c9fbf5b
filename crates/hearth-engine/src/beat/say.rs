//! Saying something without being asked: held back or shown, and kept in the inbox with its reason.
//!
//! Invariants: what is shown is in the conversation `assistant:heartbeat` and in the inbox before it is shown; what was
//! read to say it taints that conversation; one that cannot be shown is said so in the inbox; one thing is said
//! at a time, so that each is counted and compared with all before it.

use super::conversation;
use crate::clock;
use crate::consents;
use crate::engine::Inner;
use crate::host::{Notice, Shown};
use hearth_agent::beat::{Around, Speech, is_like, speak};
use hearth_protocol::api::chat::SessionChange;
use hearth_protocol::api::heartbeat::{BeatDecision, NoticeRow, NoticeState};
use hearth_protocol::api::system::Signal;
use hearth_protocol::{Message, MessageId, Role, SessionKey, WireError};
use hearth_store::NewNotice;

/// Notices held over the night that are shown one by one; more are one notice.
const ONE_BY_ONE: usize = 3;
/// Characters of a notification's text; the conversation has all of it.
const BODY: usize = 400;

/// Characters of a title; the conversation has all of it.
const TITLE: usize = 80;

/// Under which rules something is said.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Manner {
    /// All of them.
    Usual,
    /// All of them; its words are always the same, so the day counts and not the hour when it was late.
    Recurring,
    /// The person set these words for this one time: nothing holds it back.
    Alarm,
}

/// Something to be said.
#[derive(Debug, Clone)]
pub(super) struct Saying<'a> {
    /// Headline; may be empty.
    pub(super) title: &'a str,
    pub(super) body: &'a str,
    /// Why, for people.
    pub(super) reason: &'a str,
    /// The item or job.
    pub(super) item: &'a str,
    /// Its name.
    pub(super) name: &'a str,
    /// The session whose model said it.
    pub(super) from: Option<&'a SessionKey>,
    pub(super) manner: Manner,
    /// Whether it is shown is decided as if it were that time.
    pub(super) as_if: Option<i64>,
}

/// What became of it.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Said {
    pub(super) decision: BeatDecision,
    pub(super) why: String,
    pub(super) message: Option<MessageId>,
    pub(super) notice: Option<String>,
}

impl Inner {
    /// What is known around something to be said.
    pub(super) async fn around(
        &self,
        (title, body): (&str, &str),
        manner: Manner,
        at: i64,
    ) -> Result<Around, WireError> {
        let settings = self.settings.current();
        let (day, _) = clock::day_and_month_start(at, clock::zone(&settings.time_zone));
        let text = format!("{title} {body}");
        let unwanted = self.store.unwanted().await?;
        let before = self.store.said_before(title, body).await?;
        let before = before.filter(|before| manner != Manner::Recurring || *before >= day);
        Ok(Around {
            quiet: self.quiet_at(&settings, at),
            shown_today: self.store.shown_since(day).await?,
            max_per_day: settings.heartbeat.max_per_day,
            same_before: before.map(|before| at - before),
            unwanted: unwanted.into_iter().find(|old| is_like(old, &text)),
            alarm: manner == Manner::Alarm,
        })
    }

    /// Says something, or holds it back.
    pub(super) async fn say(&self, what: &Saying<'_>) -> Result<Said, WireError> {
        let (title, words) = (headline(what), self.words());
        let now = clock::now();
        let at = what.as_if.unwrap_or(now);
        let saying = self.heart.saying.lock().await;
        let around = self.around((&title, what.body), what.manner, at).await?;
        let (why, show_at) = match speak(&around) {
            Speech::Drop { why } => {
                let (decision, why) = (BeatDecision::Held, words.held(&why));
                return Ok(Said { decision, why, message: None, notice: None });
            }
            // The end of quiet hours that are not now is no time to show anything.
            Speech::Keep { why, until } => {
                (Some(words.held(&why)), until.filter(|_| what.as_if.is_none()))
            }
            Speech::Show => (None, None),
        };
        let message = self.deliver(what, now).await?;
        let row = NoticeRow {
            id: consents::new_id(),
            title,
            body: what.body.to_owned(),
            reason: what.reason.to_owned(),
            item: what.item.to_owned(),
            session: conversation(),
            message: Some(message.clone()),
            at: now,
            state: NoticeState::New,
            snoozed_until: None,
            shown_at: None,
            held: why.clone().unwrap_or_default(),
        };
        let new = NewNotice { row: row.clone(), show_at, counts: what.manner != Manner::Alarm };
        self.store.add_notice(&new).await?;
        let (decision, why) = match why {
            Some(why) => (BeatDecision::Held, why),
            None => {
                let sent = self.send(&row).await?;
                // The desktop's answer may take seconds; whoever is next need not wait for it.
                drop(saying);
                (BeatDecision::Notify, self.heard(&row, sent).await?)
            }
        };
        self.bus.send(Signal::Notices);
        let why = match (why.is_empty(), what.reason.is_empty()) {
            (true, _) => what.reason.to_owned(),
            (false, true) => why,
            (false, false) => format!("{why} ({})", what.reason),
        };
        Ok(Said { decision, why, message: Some(message), notice: Some(row.id) })
    }

    /// A notice that a beat's turn asks for with the tool `notify`: under the same rules.
    pub(crate) async fn say_within(
        &self,
        session: &SessionKey,
        title: String,
        body: String,
    ) -> Result<(), String> {
        let reason = self.words().asked_within();
        let saying = Saying {
            title: &title,
            body: &body,
            reason: &reason,
            item: "",
            name: "",
            from: Some(session),
            manner: Manner::Usual,
            as_if: None,
        };
        match self.say(&saying).await {
            Ok(Said { decision: BeatDecision::Notify, .. }) => Ok(()),
            Ok(said) => Err(format!("It was held back: {}.", said.why)),
            Err(error) => Err(error.message),
        }
    }

    /// Something about a job itself that the person should know.
    pub(super) async fn report(
        &self,
        title: &str,
        body: &str,
        item: &str,
    ) -> Result<(), WireError> {
        let reason = self.words().about_the_job();
        let saying = Saying {
            title,
            body,
            reason: &reason,
            item,
            name: "",
            from: None,
            manner: Manner::Usual,
            as_if: None,
        };
        self.say(&saying).await.map(drop)
    }

    /// Writes it into the conversation where everything arrives.
    async fn deliver(&self, what: &Saying<'_>, now: i64) -> Result<MessageId, WireError> {
        let session = conversation();
        let known = self.store.session(&session).await?.is_some();
        self.store.ensure_session(&session, now).await?;
        if !known {
            let title = Some("Hearth".to_owned());
            let change = SessionChange { title, ..SessionChange::default() };
            self.store.change_session(&session, &change).await?;
        }
        if let Some(from) = what.from {
            self.taints.recall(from).await?;
            let read = self.taints.of(from);
            self.taints.change(&session, |taint| taint.join(&read)).await?;
        }
        let text = match what.title.is_empty() {
            true => what.body.to_owned(),
            false => format!("**{}**\n\n{}", what.title, what.body).trim().to_owned(),
        };
        let message = Message::text(Role::Assistant, text, now);
        self.store.append(&session, std::slice::from_ref(&message)).await?;
        self.bus.send(Signal::Sessions);
        Ok(message.id)
    }

    /// Shows a notice and notes that, or why not; returns why not.
    async fn show(&self, row: &NoticeRow) -> Result<String, WireError> {
        let sent = self.send(row).await?;
        self.heard(row, sent).await
    }

    /// Hands a notice to the desktop, unless its person looks at it anyway. It counts as shown from here on.
    async fn send(&self, row: &NoticeRow) -> Result<Option<Shown>, WireError> {
        self.store.notice_shown(&row.id, Some(clock::now()), "").await?;
        let notice = Notice {
            title: row.title.clone(),
            body: cut(&row.body, BODY),
            session: row.session.clone(),
            message: row.message.clone(),
        };
        Ok((!self.host.is_watching(&row.session)).then(|| self.host.notify(notice)))
    }

    /// Waits for the desktop's answer and notes where it showed nothing; returns why.
    async fn heard(&self, row: &NoticeRow, sent: Option<Shown>) -> Result<String, WireError> {
        let Some(sent) = sent else { return Ok(String::new()) };
        let Err(why) = self.answered(sent).await else { return Ok(String::new()) };
        let held = self.words().not_shown(&why);
        self.store.notice_unshown(&row.id, &held).await?;
        Ok(held)
    }

    /// Shows what was held or snoozed until now.
    pub(super) async fn show_due(&self, now: i64) -> Result<(), WireError> {
        let _saying = self.heart.saying.lock().await;
        let due = self.store.notices_to_show(now).await?;
        if due.is_empty() {
            return Ok(());
        }
        let settings = self.settings.current();
        let (snoozed, held): (Vec<_>, Vec<_>) =
            due.into_iter().partition(|row| row.state == NoticeState::Snoozed);
        for row in &snoozed {
            self.show(row).await?;
        }
        let (day, _) = clock::day_and_month_start(now, clock::zone(&settings.time_zone));
        let shown = self.store.shown_since(day).await?;
        if held.len() > ONE_BY_ONE && shown < settings.heartbeat.max_per_day {
            self.show_together(&held).await?;
        } else {
            for (row, shown) in held.iter().zip(shown..) {
                match shown < settings.heartbeat.max_per_day {
                    true => drop(self.show(row).await?),
                    false => {
                        let why = self.words().day_is_full();
                        self.store.notice_shown(&row.id, None, &why).await?;
                    }
                }
            }
        }
        self.bus.send(Signal::Notices);
        Ok(())
    }

    /// Many notices that waited for the end of quiet hours are one.
    async fn show_together(&self, held: &[NoticeRow]) -> Result<(), WireError> {
        let titles: Vec<&str> = held.iter().map(|row| row.title.as_str()).collect();
        let body = cut(&titles.join(" · "), BODY);
        let title = format!("Hearth · {}", held.len());
        let shown = self.try_notify(Notice::new(title, body, conversation())).await;
        let words = self.words();
        let why = shown.err().map(|why| words.not_shown(&why)).unwrap_or_default();
        for (index, row) in held.iter().enumerate() {
            // One notification counts once.
            let at = (index == 0 && why.is_empty()).then(clock::now);
            let together = index > 0 && why.is_empty();
            let said = if together { words.shown_together() } else { why.clone() };
            self.store.notice_shown(&row.id, at, &said).await?;
        }
        Ok(())
    }
}

/// The headline: its own, else the name of what said it.
fn headline(what: &Saying<'_>) -> String {
    let name = what.name.trim_end_matches('…');
    let title = match what.title.is_empty() {
        false => what.title,
        true if name.is_empty() || what.body.starts_with(name) => "Hearth",
        true => what.name,
    };
    cut(&title.split_whitespace().collect::<Vec<_>>().join(" "), TITLE)
}

/// The beginning of a text, with a mark where more follows.
fn cut(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        None => text.to_owned(),
        Some(_) => text.chars().take(most - 1).chain(['…']).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_headline_is_one_short_line() {
        let saying = |title: &str| {
            let (title, manner) = (title.to_owned(), Manner::Usual);
            let what = Saying {
                title: &title,
                body: "It rains.",
                reason: "",
                item: "",
                name: "Weather",
                from: None,
                manner,
                as_if: None,
            };
            headline(&what)
        };
        assert_eq!(saying("Rain\n at 17:00"), "Rain at 17:00");
        assert_eq!(saying(""), "Weather");
        assert_eq!(saying(&"雨".repeat(80)), "雨".repeat(80));
        assert_eq!(saying(&"雨".repeat(81)), format!("{}…", "雨".repeat(79)));
    }
}
