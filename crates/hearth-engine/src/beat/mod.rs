//! What happens by itself: the items of HEARTBEAT.md, jobs, notices whose time has come.
//!
//! Invariants: the ledger is written before a run starts; one run of a job at a time; a beat runs in a session
//! of its own, out of sight, and what it says arrives in `assistant:heartbeat`; it never takes a place from the
//! person's turn. It beats only where a shell that stays has started it ([`start`]).
//! Absent here: what a reply means, which slots run and what is held back (`hearth_agent::beat`).

mod alarm;
mod clockwork;
pub(crate) mod items;
mod jobs;
pub(crate) mod planner;
mod power;
mod run;
mod say;
mod talk;

pub(crate) use clockwork::start;
pub(crate) use jobs::{add, checked, must_have_skill, next_of, past, settled};
pub(crate) use power::is_saving;
pub(crate) use run::{Work, by_hand, dry, quietly, whole_file};

use crate::clock;
use crate::engine::Inner;
use crate::host::{Notice, Shown};
use crate::logging::redactor;
use crate::settings::Settings;
use hearth_protocol::SessionKey;
use hearth_protocol::api::chat::SessionInfo;
use hearth_schedule::Quiet;
use std::collections::HashSet;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;
use tokio::sync::Notify;

/// Where the person's pause is kept.
const PAUSED: &str = "heartbeat.paused_until";
/// Characters of what a notice says.
pub(crate) const NOTICE_CHARS: usize = 200;
/// A wall clock that moved so much against elapsed time was set, or the computer slept.
const JUMP_SECONDS: i64 = 3;

/// The state of what happens by itself.
#[derive(Default)]
pub(crate) struct Heart {
    /// Told when something changed that may make something due.
    again: Notify,
    running: Mutex<HashSet<String>>,
    started: Mutex<bool>,
    /// Why notifications cannot be seen, as last found.
    broken: Arc<Mutex<Option<String>>>,
    /// Held while it is decided whether something is said, until that is written down.
    saying: tokio::sync::Mutex<()>,
    /// Elapsed and wall-clock time, as last compared.
    clocks: Mutex<Option<(Instant, i64)>>,
}

impl Heart {
    /// Something changed that may make something due.
    pub(crate) fn look_again(&self) {
        self.again.notify_one();
    }

    /// Notices a clock that was set, and a computer that slept.
    pub(crate) fn mind_the_clock(&self) {
        let (elapsed, wall) = (Instant::now(), clock::now());
        let before = lock(&self.clocks).replace((elapsed, wall));
        let Some((then, wall_then)) = before else { return };
        let passed = i64::try_from(elapsed.duration_since(then).as_secs()).unwrap_or(i64::MAX);
        if (wall - wall_then - passed).abs() > JUMP_SECONDS {
            tracing::info!(seconds = wall - wall_then - passed, "the clock has jumped");
            self.look_again();
        }
    }

    /// Why notifications cannot be seen; none where they can, as far as is known.
    pub(crate) fn broken(&self) -> Option<String> {
        lock(&self.broken).clone()
    }

    fn is_running(&self, job: &str) -> bool {
        lock(&self.running).contains(job)
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Whether a session is a beat's or a job's own, where nobody talks.
pub(crate) fn is_work(session: &SessionKey) -> bool {
    ["heartbeat:", "cron:"].iter().any(|kind| session.scope().starts_with(kind))
}

/// Where everything arrives that Hearth says by itself.
pub(crate) fn conversation() -> SessionKey {
    SessionKey::parse("assistant:heartbeat").unwrap_or_else(|_| SessionKey::main())
}

impl Inner {
    /// Shows a notice; one that cannot be seen is noticed.
    pub(crate) fn notify(&self, notice: Notice) {
        let title = notice.title.clone();
        let (shown, broken) = (self.host.notify(notice), Arc::clone(&self.heart.broken));
        tokio::spawn(async move {
            let why = shown.await.err();
            if let Some(why) = &why {
                tracing::warn!(title, why, "a notice could not be shown");
            }
            *lock(&broken) = why;
        });
    }

    /// Tells a person who does not look at a conversation; no secret is shown.
    pub(crate) fn notice_unseen(&self, session: &SessionKey, title: String, text: &str) {
        if self.host.is_watching(session) {
            return;
        }
        let body: String = redactor().values(text).chars().take(NOTICE_CHARS).collect();
        self.notify(Notice::new(title, body, session.clone()));
    }

    /// Shows a notice, or says why it cannot be seen.
    pub(crate) async fn try_notify(&self, notice: Notice) -> Result<(), String> {
        self.answered(self.host.notify(notice)).await
    }

    /// What the desktop answered, which the next look at the heartbeat tells.
    async fn answered(&self, sent: Shown) -> Result<(), String> {
        let shown = sent.await;
        *lock(&self.heart.broken) = shown.as_ref().err().cloned();
        shown
    }

    /// Why HEARTBEAT.md is not acted on: turned off, or a setting that cannot be read.
    pub(crate) fn heart_is_off(&self, settings: &Settings) -> Option<String> {
        let unread = |key: &str| settings.problems.iter().find(|problem| problem.key == key);
        let broken = unread("heartbeat.quiet").or_else(|| unread("heartbeat.time_zone"));
        if let Some(problem) = broken {
            let place = format!("hearth.toml line {}", problem.line);
            return Some(format!("{place}: {} {}", problem.key, problem.message));
        }
        (!settings.heartbeat.enabled).then(|| self.words().switched_off())
    }

    /// Until when the person paused it.
    pub(crate) async fn paused_until(&self, now: i64) -> Option<i64> {
        let kept = self.store.meta(PAUSED).await.ok().flatten();
        kept.and_then(|text| text.parse().ok()).filter(|until| *until > now)
    }

    /// Pauses it, or ends the pause.
    pub(crate) async fn pause_heart(
        &self,
        until: Option<i64>,
    ) -> Result<(), hearth_store::StoreError> {
        let text = until.map(|until| until.to_string());
        self.store.set_meta(PAUSED, text.as_deref()).await?;
        self.heart.look_again();
        Ok(())
    }

    /// Quiet hours as written and when they end, where it is quiet at a moment.
    pub(crate) fn quiet_at(&self, settings: &Settings, at: i64) -> Option<(String, i64)> {
        let quiet = Quiet::parse(&settings.heartbeat.quiet).ok().flatten()?;
        let zone = clock::zone(&settings.time_zone);
        quiet.holds(at, zone).then(|| (quiet.text(), quiet.ends(at, zone)))
    }

    /// What ran when the process ended before is interrupted; what only waited waits on.
    pub(crate) async fn heal_slots(&self) -> Result<(), hearth_store::StoreError> {
        const DAY: i64 = 86_400;
        const KEPT_DAYS: i64 = 90;
        // What a run was given and said in passing is looked at soon or never.
        const WORK_DAYS: i64 = 14;
        let now = clock::now();
        self.store.recover_slots(&self.words().ended_while(), now).await?;
        self.store.prune_beats(now - KEPT_DAYS * DAY).await?;
        let old = |row: &SessionInfo| !row.running && row.updated_at < now - WORK_DAYS * DAY;
        for row in self.store.sessions().await? {
            if is_work(&row.key) && old(&row) {
                self.store.delete_session(&row.key).await?;
            }
        }
        Ok(())
    }
}
