//! The heartbeat, jobs and their slots, and the inbox of notices.
//!
//! All times are Unix seconds unless a field says `local` or `utc`.

use crate::api::files::FileProblem;
use crate::{MessageId, SessionKey};
use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// Which form of HEARTBEAT.md an item has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum ItemKind {
    /// The free lines, looked at together at each beat.
    Checklist,
    /// A block with a trigger of its own.
    Block,
    /// An entry of `tasks:`.
    Task,
    /// A job made in a conversation, in the window or on the command line; not in the file.
    Job,
}

/// What happens when it is time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum JobAction {
    /// The text itself is shown, word for word; no model is asked.
    Remind,
    /// The model writes the message that the text asks for, or stays silent.
    #[default]
    SendMessage,
    /// A whole turn with every tool.
    RunTurn,
    /// A skill runs; the text names it.
    RunSkill,
    /// Conversations are written down, MEMORY.md is tidied.
    ConsolidateMemory,
}

/// What becomes of slots that passed while nothing ran.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum MissedPolicy {
    /// The last of them runs now, the others do not.
    #[default]
    RunOnce,
    /// None runs.
    Skip,
    /// None runs until the person says so.
    Ask,
}

/// What came of a beat.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum BeatDecision {
    /// It ran and had nothing to say.
    Silent,
    /// It spoke.
    Notify,
    /// It had something to say and was held back: quiet hours, a repeat, the day's limit, "less like this".
    Held,
    /// It did not run: nothing to do, paused, off, over the budget.
    Skipped,
    /// It ran and did not come to an end.
    Failed,
}

/// How a run of an item ended.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct LastRun {
    /// When.
    pub at: i64,
    /// What came of it.
    pub decision: BeatDecision,
    /// Why.
    pub why: String,
    /// US dollars.
    pub usd: f64,
}

/// An item of HEARTBEAT.md, or what stands in its place and cannot be read.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct HeartbeatItem {
    /// Its id, stable while its name stays.
    pub item: String,
    /// Its name for people.
    pub name: String,
    /// Which form it has.
    pub kind: ItemKind,
    /// Its schedule as written; for the checklist `every` and the setting.
    pub schedule: String,
    /// What it does.
    pub action: JobAction,
    /// What it asks for.
    pub text: String,
    /// The next five times.
    pub next: Vec<i64>,
    /// What cannot be read, with the way out, so that it never runs; or the skill it names and cannot use.
    pub error: Option<String>,
    /// Where it begins in HEARTBEAT.md, from 1.
    pub line: u32,
    /// Why it rests, where it does: ten failures, or by hand.
    pub paused: Option<String>,
    /// Its last run.
    pub last: Option<LastRun>,
    /// US dollars of its runs in the last 30 days.
    pub usd_month: f64,
}

/// What one beat did; in a dry run, what it would do.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct HeartbeatRun {
    /// Model calls made; in a dry run, those it would make.
    pub model_calls: u32,
    /// What came of it. In a dry run: what would become of something to say.
    pub decision: BeatDecision,
    /// Headline of what it says; empty where it is silent.
    pub title: String,
    /// What it says.
    pub body: String,
    /// Why it spoke or stayed silent.
    pub why: String,
    /// US dollars.
    pub usd: f64,
    /// The conversation that holds what it said, else its own.
    pub session: Option<SessionKey>,
    /// The message that says it.
    pub message: Option<MessageId>,
    /// Its place in the inbox.
    pub notice: Option<String>,
}

/// A line of the heartbeat's log.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct BeatRow {
    /// Its number.
    pub id: i64,
    /// When it ended.
    pub at: i64,
    /// The slot it ran for; none where the person asked for it.
    pub slot: Option<i64>,
    /// The item or job.
    pub item: String,
    /// Its name for people.
    pub name: String,
    /// Which form it has.
    pub kind: ItemKind,
    /// What came of it.
    pub decision: BeatDecision,
    /// Why it spoke or stayed silent.
    pub why: String,
    /// What it said, or would have said.
    pub title: String,
    /// What it said, or would have said.
    pub body: String,
    /// Model calls.
    pub model_calls: u32,
    /// Tokens read and written.
    pub tokens: u64,
    /// US dollars.
    pub usd: f64,
    /// The conversation of the run.
    pub session: Option<SessionKey>,
}

/// Where a job comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum JobSource {
    /// HEARTBEAT.md; changed there.
    File,
    /// The assistant made it in a conversation.
    Chat,
    /// The person, in the window.
    #[default]
    Window,
    /// The person, on the command line.
    Cli,
}

/// Whether a job runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum JobState {
    /// It runs at its times.
    Active,
    /// It rests until it is run by hand or made anew.
    Paused,
    /// It has no time any more.
    Done,
}

/// A job.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct JobRow {
    /// Its id.
    pub id: String,
    /// Its name for people.
    pub name: String,
    /// Where it comes from.
    pub source: JobSource,
    /// Cron of five or six fields, `every 2h`, or `at 2026-12-01 09:00`.
    pub schedule: String,
    /// The time zone of cron and `at`.
    pub zone: String,
    /// What it does.
    pub action: JobAction,
    /// What it shows or asks for; for a skill its name.
    pub text: String,
    /// What becomes of missed slots.
    pub missed: MissedPolicy,
    /// Whether it runs.
    pub state: JobState,
    /// Why it rests.
    pub why: String,
    /// Failures in a row.
    pub failures: u32,
    /// The next five times.
    pub next: Vec<CronNext>,
    /// Its last slot.
    pub last: Option<SlotRow>,
    /// The conversation it was made in.
    pub session: Option<SessionKey>,
    /// When it was made.
    pub created_at: i64,
}

/// Where a slot stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum SlotState {
    /// It is time; it waits for its turn.
    Queued,
    /// It runs.
    Running,
    /// It ran to its end.
    Ok,
    /// It ran and failed.
    Failed,
    /// The process ended while it ran.
    Interrupted,
    /// It did not run.
    Missed,
}

/// A slot: one time of a job, and what came of it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct SlotRow {
    /// The job.
    pub job: String,
    /// Its name for people.
    pub name: String,
    /// The time it was planned for.
    pub slot: i64,
    /// The last of a stretch of missed slots; none where this is one slot.
    pub until: Option<i64>,
    /// How many slots the row stands for.
    pub count: u64,
    /// Where it stands.
    pub state: SlotState,
    /// Why, where that is not plain.
    pub why: String,
    /// It waits for the person to say whether it shall run.
    pub asks: bool,
    /// When it began.
    pub started_at: Option<i64>,
    /// When it ended.
    pub ended_at: Option<i64>,
}

/// A time at which a schedule fires.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct CronNext {
    /// `2027-03-28T01:00:00Z`.
    pub at_utc: String,
    /// The same on the zone's clock: `2027-03-28T03:00:00+02:00`.
    pub local: String,
}

/// Make a job.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct CronAdd {
    /// Its name; none: the beginning of its text.
    #[serde(default)]
    pub name: Option<String>,
    /// Cron of five or six fields, `every 2h`, `at 2026-12-01 09:00`, or `in 20m`.
    pub schedule: String,
    /// The time zone; none: the person's.
    #[serde(default)]
    pub zone: Option<String>,
    /// What it does.
    #[serde(default)]
    pub action: JobAction,
    /// What it shows or asks for; for a skill its name.
    #[serde(default)]
    pub text: String,
    /// What becomes of missed slots; none: by its schedule.
    #[serde(default)]
    pub missed: Option<MissedPolicy>,
    /// Where it comes from.
    #[serde(default)]
    pub source: JobSource,
}

/// Where a notice stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum NoticeState {
    /// Nobody has said anything to it.
    New,
    /// It comes again.
    Snoozed,
    /// It is dealt with.
    Done,
    /// The person wants less like it.
    Muted,
}

/// Something that was said, or held back, with its reason.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct NoticeRow {
    /// Its id.
    pub id: String,
    /// Headline.
    pub title: String,
    /// One or two sentences.
    pub body: String,
    /// Why it came.
    pub reason: String,
    /// The item or job that said it; empty where none did.
    pub item: String,
    /// The conversation it belongs to.
    pub session: SessionKey,
    /// The message that says it.
    pub message: Option<MessageId>,
    /// When it came.
    pub at: i64,
    /// Where it stands.
    pub state: NoticeState,
    /// When it comes again.
    pub snoozed_until: Option<i64>,
    /// When it was shown; none: not yet, or never.
    pub shown_at: Option<i64>,
    /// Why it was not shown; empty where it was.
    pub held: String,
}

/// What the person says to a notice.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(tag = "change", rename_all = "snake_case")]
pub enum NoticeChange {
    /// It shall come again.
    Snooze {
        /// When.
        until: i64,
    },
    /// It is dealt with.
    Done,
    /// Less like this.
    Less,
    /// It is as new again; a "less like this" is taken back.
    Reopen,
}

/// How the heartbeat stands.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct HeartbeatStatus {
    /// `heartbeat.enabled`.
    pub enabled: bool,
    /// Why it does not beat, where it does not: off, paused, a setting that cannot be read.
    pub off_because: Option<String>,
    /// The person paused it until then.
    pub paused_until: Option<i64>,
    /// `heartbeat.every`.
    pub every: String,
    /// `heartbeat.quiet`; empty: none.
    pub quiet: String,
    /// It is quiet now.
    pub quiet_now: bool,
    /// When quiet hours end, where it is quiet now.
    pub quiet_until: Option<i64>,
    /// The time zone in force.
    pub zone: String,
    /// Notifications shown today.
    pub shown_today: u32,
    /// `heartbeat.max_per_day`.
    pub max_per_day: u32,
    /// `heartbeat.pause_on_battery`.
    pub pause_on_battery: bool,
    /// `heartbeat.time_zone`; empty: the system's.
    pub time_zone: String,
    /// The next time anything of HEARTBEAT.md runs.
    pub next_beat: Option<i64>,
    /// The machine saves its battery, and the heartbeat rests for it.
    pub battery_saver: bool,
    /// US dollars that beats and jobs used today.
    pub usd_today: f64,
    /// Notices nobody has said anything to.
    pub notices_new: u32,
    /// Notifications cannot be shown on this desktop: why.
    pub notifications_broken: Option<String>,
    /// What of HEARTBEAT.md cannot be read, by line.
    pub problems: Vec<FileProblem>,
}
