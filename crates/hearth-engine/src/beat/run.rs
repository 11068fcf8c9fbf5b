//! Running one thing: a beat, a block, a task, a job; and what its end means for the ledger.
//!
//! Invariants: whatever happens, the slot ends in a state and the log has a line; a model that fails is retried
//! by the job's rest, never at once.

use super::talk::{Answer, Running, Talk, give_way, session};
use super::{items, say};
use crate::clock;
use crate::driver::over_budget as over;
use crate::engine::Inner;
use hearth_agent::beat::{
    Ask, MOST_FAILURES, MissedWhy, Said, Speech, read, rest_after, speak, words,
};
use hearth_protocol::api::heartbeat::{
    BeatDecision, BeatRow, HeartbeatRun, ItemKind, JobAction, JobSource, JobState, SlotState,
};
use hearth_protocol::api::system::Signal;
use hearth_protocol::{ErrorCode, SessionKey, StopReason, WireError};
use hearth_schedule::{Schedule, Tz};
use hearth_store::StoredJob;
use hearth_workspace::skill_of;
use say::{Manner, Saying};
use std::sync::Arc;
use std::time::Duration;

/// How often memory's keeping looks whether somebody waits.
const LOOK: Duration = Duration::from_millis(100);
/// Tries to keep memory between the person's turns.
const TRIES: usize = 5;

/// Something to be done now.
#[derive(Debug, Clone)]
pub(crate) struct Work {
    pub(crate) job: StoredJob,
    /// The slot it runs for; none: by hand.
    pub(crate) slot: Option<i64>,
    /// The slot passed while nothing ran.
    pub(crate) late: bool,
    /// As if it were that time; what is stored has the real one.
    pub(crate) as_if: Option<i64>,
    /// Prompts of blocks and tasks that are done in the same beat.
    pub(crate) also: Vec<String>,
}

/// How a run ended, for the ledger.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum End {
    Ok,
    Failed(String),
    /// The engine closes.
    Interrupted,
}

struct Done {
    run: HeartbeatRun,
    tokens: u64,
    end: End,
    /// The session of its own turn, where it had one.
    session: Option<SessionKey>,
}

impl Done {
    fn without_model(run: HeartbeatRun, end: End) -> Self {
        Self { run, tokens: 0, end, session: None }
    }
}

impl Work {
    fn ask(&self) -> Ask {
        match (self.job.kind, self.job.action) {
            (ItemKind::Checklist, _) => Ask::Check { also: self.also.clone() },
            (_, JobAction::RunSkill) => {
                let (name, asked) = skill_of(&self.job.text);
                Ask::Skill { name: name.to_owned(), asked: asked.to_owned() }
            }
            _ => Ask::One { name: self.job.name.clone(), prompt: self.job.text.clone() },
        }
    }

    /// What time it is, or is taken to be.
    fn now(&self) -> i64 {
        self.as_if.unwrap_or_else(clock::now)
    }

    fn zone(&self) -> Tz {
        self.job.zone.parse().unwrap_or(Tz::UTC)
    }

    /// Under which rules it speaks.
    fn manner(&self) -> Manner {
        if self.job.action != JobAction::Remind {
            return Manner::Usual;
        }
        match Schedule::parse(&self.job.schedule).is_ok_and(|schedule| schedule.is_once()) {
            true => Manner::Alarm,
            false => Manner::Recurring,
        }
    }

    fn session(&self) -> SessionKey {
        let kind = if self.job.source == JobSource::File { "heartbeat" } else { "cron" };
        session(kind, &self.job.id, self.slot.unwrap_or_else(clock::now))
    }
}

/// A run with nothing said.
pub(crate) fn quietly(decision: BeatDecision, why: impl Into<String>) -> HeartbeatRun {
    HeartbeatRun {
        model_calls: 0,
        decision,
        title: String::new(),
        body: String::new(),
        why: why.into(),
        usd: 0.0,
        session: None,
        message: None,
        notice: None,
    }
}

/// Runs a slot that is queued, to its end.
pub(super) async fn slot(engine: Arc<Inner>, job: StoredJob, slot: i64, late: bool) {
    let ended = run_slot(&engine, job, slot, late).await;
    if let Err(error) = ended {
        tracing::error!(message = error.message, "a slot could not be brought to its end");
    }
    engine.bus.send(Signal::Heartbeat);
    engine.heart.look_again();
}

async fn run_slot(
    engine: &Arc<Inner>,
    job: StoredJob,
    slot: i64,
    late: bool,
) -> Result<(), WireError> {
    let Some(_running) = Running::mark(engine, &job.id) else {
        let why = engine.words().missed_why(MissedWhy::Busy);
        let now = clock::now();
        return Ok(engine.store.end_slot(&job.id, slot, SlotState::Missed, &why, now).await?);
    };
    // A slot that still waits when the process ends is looked at again at its next start.
    if job.action != JobAction::Remind && !give_way(engine).await {
        return Ok(());
    }
    if !engine.store.begin_slot(&job.id, slot, clock::now()).await? {
        return Ok(());
    }
    engine.bus.send(Signal::Heartbeat);
    let work = Work { job, slot: Some(slot), late, as_if: None, also: Vec::new() };
    let done = perform(engine, &work).await;
    let (state, why) = match &done.end {
        End::Ok => (SlotState::Ok, done.run.why.clone()),
        End::Failed(why) => (SlotState::Failed, why.clone()),
        End::Interrupted => (SlotState::Interrupted, engine.words().ended_while()),
    };
    engine.store.end_slot(&work.job.id, slot, state, &why, clock::now()).await?;
    log(engine, &work, &done).await?;
    health(engine, &work.job.id, &done.end, clock::now()).await
}

/// Runs something that the person asks for now.
///
/// # Errors
/// `invalid_request` where it runs already, or the database's.
pub(crate) async fn by_hand(engine: &Arc<Inner>, work: &Work) -> Result<HeartbeatRun, WireError> {
    let Some(_running) = Running::mark(engine, &work.job.id) else {
        let message = format!("“{}” runs already", work.job.name);
        return Err(WireError::new(ErrorCode::InvalidRequest, message, "Wait for its end."));
    };
    let done = perform(engine, work).await;
    log(engine, work, &done).await?;
    if done.end == End::Ok {
        wake(engine, &work.job.id).await?;
    }
    engine.bus.send(Signal::Heartbeat);
    Ok(done.run)
}

/// A job that rested after failures goes on: by hand it succeeded.
async fn wake(engine: &Inner, id: &str) -> Result<(), WireError> {
    // All of HEARTBEAT.md as one beat need not be a job.
    let Ok(job) = engine.store.job(id).await else { return Ok(()) };
    if job.state == JobState::Paused || job.failures > 0 {
        let state = if job.state == JobState::Paused { JobState::Active } else { job.state };
        engine.store.set_job_health(id, (0, None), (state, "")).await?;
        engine.heart.look_again();
    }
    Ok(())
}

/// What a run would do: no model is asked, nothing is stored.
///
/// # Errors
/// The database's.
pub(crate) async fn dry(engine: &Inner, work: &Work) -> Result<HeartbeatRun, WireError> {
    let calls = match work.job.action {
        JobAction::Remind | JobAction::ConsolidateMemory => 0,
        JobAction::SendMessage | JobAction::RunTurn | JobAction::RunSkill => 1,
    };
    if work.job.action == JobAction::RunSkill
        && let Err(error) =
            super::jobs::must_have_skill(engine, &work.job.text, work.job.source).await
    {
        return Ok(quietly(BeatDecision::Failed, error.message));
    }
    if work.job.action == JobAction::ConsolidateMemory {
        return Ok(quietly(BeatDecision::Silent, engine.words().would_keep_memory()));
    }
    if calls > 0
        && let Some(why) = over(engine, super::jobs::purpose(work.job.source)).await?
    {
        return Ok(quietly(BeatDecision::Skipped, why));
    }
    // Any words: repeats and wishes are known only with the real ones.
    let around = engine.around(("", "\u{0}"), work.manner(), work.now()).await?;
    let words = engine.words();
    let (decision, why) = match speak(&around) {
        Speech::Show => (BeatDecision::Notify, words.would_be_shown()),
        Speech::Keep { why, .. } | Speech::Drop { why } => {
            (BeatDecision::Held, words.would_be_held(&words.held(&why)))
        }
    };
    Ok(HeartbeatRun { model_calls: calls, ..quietly(decision, why) })
}

async fn log(engine: &Inner, work: &Work, done: &Done) -> Result<(), WireError> {
    let run = &done.run;
    let row = BeatRow {
        id: 0,
        at: clock::now(),
        slot: work.slot,
        item: work.job.id.clone(),
        name: work.job.name.clone(),
        kind: work.job.kind,
        decision: run.decision,
        why: run.why.clone(),
        title: run.title.clone(),
        body: run.body.clone(),
        model_calls: run.model_calls,
        tokens: done.tokens,
        usd: run.usd,
        session: done.session.clone(),
    };
    engine.store.add_beat(&row).await?;
    Ok(())
}

/// What the end of a run means for its job.
pub(super) async fn health(engine: &Inner, id: &str, end: &End, now: i64) -> Result<(), WireError> {
    // It may have been removed meanwhile.
    let Ok(job) = engine.store.job(id).await else { return Ok(()) };
    match end {
        End::Interrupted => Ok(()),
        End::Ok => {
            let once = Schedule::parse(&job.schedule).is_ok_and(|schedule| schedule.is_once());
            let state = if once { JobState::Done } else { job.state };
            if job.failures == 0 && job.retry_at.is_none() && state == job.state {
                return Ok(());
            }
            Ok(engine.store.set_job_health(id, (0, None), (state, "")).await?)
        }
        End::Failed(why) if job.failures + 1 >= MOST_FAILURES => {
            let failures = job.failures + 1;
            let words = engine.words();
            let why = words.failures(failures, why);
            let rests = (JobState::Paused, why.as_str());
            engine.store.set_job_health(id, (failures, None), rests).await?;
            let title = words.rests_title(&job.name);
            engine.report(&title, &words.rests_body(&why), id).await
        }
        End::Failed(_) => {
            let failures = job.failures + 1;
            let again = now + rest_after(failures);
            let state = (job.state, job.why.as_str());
            Ok(engine.store.set_job_health(id, (failures, Some(again)), state).await?)
        }
    }
}

async fn perform(engine: &Arc<Inner>, work: &Work) -> Done {
    let done = match work.job.action {
        JobAction::Remind => remind(engine, work).await,
        JobAction::ConsolidateMemory => consolidate(engine).await,
        JobAction::RunSkill | JobAction::SendMessage | JobAction::RunTurn => {
            ask(engine, work).await
        }
    };
    done.unwrap_or_else(|error| {
        let run = quietly(BeatDecision::Failed, error.message.clone());
        let end = match engine.closing.is_cancelled() {
            true => End::Interrupted,
            false => End::Failed(error.message),
        };
        Done::without_model(run, end)
    })
}

async fn remind(engine: &Inner, work: &Work) -> Result<Done, WireError> {
    let words = engine.words();
    let due = work.slot.filter(|_| work.late).map(|slot| words.time(slot, work.zone()));
    let reason = words.reminder(due.as_deref());
    let run = spoken(engine, work, "", &work.job.text, &reason, None).await?;
    Ok(Done::without_model(run, End::Ok))
}

/// Says something, and what came of that.
async fn spoken(
    engine: &Inner,
    work: &Work,
    title: &str,
    body: &str,
    reason: &str,
    from: Option<&SessionKey>,
) -> Result<HeartbeatRun, WireError> {
    let name = match work.job.kind {
        ItemKind::Checklist => "",
        _ => work.job.name.as_str(),
    };
    let saying = Saying {
        title,
        body,
        reason,
        item: &work.job.id,
        name,
        from,
        manner: work.manner(),
        as_if: work.as_if,
    };
    let said = engine.say(&saying).await?;
    let session = said.message.is_some().then(super::conversation);
    Ok(HeartbeatRun {
        title: title.to_owned(),
        body: body.to_owned(),
        session: session.or_else(|| from.cloned()),
        message: said.message,
        notice: said.notice,
        ..quietly(said.decision, said.why)
    })
}

async fn ask(engine: &Arc<Inner>, work: &Work) -> Result<Done, WireError> {
    let job = &work.job;
    let origin = super::jobs::origin(job.source);
    if job.action == JobAction::RunSkill {
        super::jobs::must_have_skill(engine, &job.text, job.source).await?;
    }
    let now = super::jobs::shown(work.now(), work.zone());
    let late = work.slot.filter(|_| work.late);
    let late = late.map(|slot| super::jobs::shown(slot, work.zone()));
    let unwanted = engine.store.unwanted().await?;
    let session = work.session();
    let talk = Talk {
        session: session.clone(),
        origin,
        light: job.action == JobAction::SendMessage,
        name: &job.name,
        words: words(&work.ask(), &now, late.as_deref(), &unwanted),
        maker: job.session.as_ref(),
    };
    let answer = talk.ask(engine).await?;
    let run = read_answer(engine, work, &answer, &session).await?;
    let end = match (run.decision, answer.stop) {
        _ if engine.closing.is_cancelled() => End::Interrupted,
        (BeatDecision::Failed, _) => End::Failed(run.why.clone()),
        _ => End::Ok,
    };
    let run = HeartbeatRun {
        model_calls: answer.calls,
        usd: answer.usd,
        session: run.session.or_else(|| Some(session.clone())),
        ..run
    };
    Ok(Done { run, tokens: answer.tokens, end, session: Some(session) })
}

async fn read_answer(
    engine: &Inner,
    work: &Work,
    answer: &Answer,
    session: &SessionKey,
) -> Result<HeartbeatRun, WireError> {
    use BeatDecision::{Failed, Silent, Skipped};
    let error = answer.error.clone();
    let words = engine.words();
    let failed = |why: String| quietly(Failed, error.clone().unwrap_or(why));
    Ok(match answer.stop {
        Some(StopReason::Finished) => match read(&answer.reply) {
            Said::Silent(why) => quietly(Silent, words.silence(why)),
            Said::Garbage => failed(words.garbage()),
            Said::Alert { title, body, why } => {
                spoken(engine, work, &title, &body, &why, Some(session)).await?
            }
        },
        stop @ Some(StopReason::Budget) => {
            quietly(Skipped, error.unwrap_or_else(|| words.stopped(stop)))
        }
        stop @ Some(StopReason::Cancelled) => quietly(Skipped, words.stopped(stop)),
        stop => failed(words.stopped(stop)),
    })
}

/// Keeps memory between the person's turns: a turn stops it, and it goes on after that.
async fn consolidate(engine: &Arc<Inner>) -> Result<Done, WireError> {
    for _ in 0..TRIES {
        let cancel = engine.closing.child_token();
        let gives_way = async {
            while !engine.live.any_awaited() {
                tokio::time::sleep(LOOK).await;
            }
            cancel.cancel();
            std::future::pending::<()>().await;
        };
        let kept = tokio::select! {
            () = gives_way => Ok(Vec::new()),
            kept = engine.keep_memory(&cancel) => kept,
        };
        if !cancel.is_cancelled() {
            let changes = kept?.len();
            let run = quietly(BeatDecision::Silent, engine.words().memory_kept(changes));
            return Ok(Done::without_model(run, End::Ok));
        }
        if !give_way(engine).await {
            break;
        }
    }
    let end = if engine.closing.is_cancelled() { End::Interrupted } else { End::Ok };
    let why = engine.words().gave_way();
    Ok(Done::without_model(quietly(BeatDecision::Skipped, why), end))
}

/// The whole of HEARTBEAT.md as one beat by hand; none where there is nothing to do.
pub(crate) async fn whole_file(
    engine: &Inner,
    as_if: Option<i64>,
) -> Result<Option<Work>, WireError> {
    let settings = engine.settings.current();
    let file = items::read(engine).await?.unwrap_or_default();
    let made = file.items.iter().filter_map(|item| items::wanted(item, &settings, clock::now()));
    let asks = |job: &StoredJob| matches!(job.action, JobAction::SendMessage | JobAction::RunTurn);
    let (list, others): (Vec<_>, Vec<_>) =
        made.partition(|job: &StoredJob| job.kind == ItemKind::Checklist);
    let mut also: Vec<StoredJob> = others.iter().filter(|job| asks(job)).cloned().collect();
    let work = |job: StoredJob, also: &[StoredJob]| Work {
        job,
        slot: None,
        late: false,
        as_if,
        also: also.iter().map(|job| job.text.clone()).collect(),
    };
    Ok(match (list.into_iter().next(), also.len()) {
        (Some(list), _) => Some(work(list, &also)),
        (None, 0) => others.into_iter().next().map(|job| work(job, &[])),
        (None, 1) => also.pop().map(|job| work(job, &[])),
        (None, _) => {
            let first = StoredJob {
                id: "checklist".to_owned(),
                kind: ItemKind::Checklist,
                name: "HEARTBEAT.md".to_owned(),
                action: JobAction::SendMessage,
                ..also[0].clone()
            };
            Some(work(first, &also))
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Access, Engine, OpenOptions, Quiet};

    #[tokio::test]
    async fn ten_failures_in_a_row_rest_a_job_and_say_so_and_one_success_wakes_it() {
        let folder = tempfile::tempdir().expect("folder");
        let home = Some(folder.path().to_path_buf());
        let options = OpenOptions { home, host: Arc::new(Quiet), access: Access::Own };
        let engine = Engine::open(options).await.expect("opens");
        let inner = &engine.inner;
        let job = StoredJob {
            name: "News".to_owned(),
            schedule: "every 2h".to_owned(),
            action: JobAction::RunTurn,
            text: "read the news".to_owned(),
            ..StoredJob::new("j", JobSource::Cli, ItemKind::Job, 0)
        };
        inner.store.put_job(&job).await.expect("stores");
        let failed = End::Failed("the server is away".to_owned());
        health(inner, "j", &failed, clock::now()).await.expect("notes");
        let once = inner.store.job("j").await.expect("there");
        let rest = once.retry_at.expect("is tried again") - clock::now();
        assert!(once.failures == 1 && (28..=30).contains(&rest), "{once:?}");
        health(inner, "j", &End::Ok, clock::now()).await.expect("notes");
        assert_eq!(inner.store.job("j").await.expect("there"), job);
        for _ in 0..MOST_FAILURES {
            health(inner, "j", &failed, clock::now()).await.expect("notes");
        }
        let rests = inner.store.job("j").await.expect("there");
        assert_eq!((rests.state, rests.retry_at), (JobState::Paused, None));
        assert!(rests.why.contains("10 failures") && rests.why.contains("away"), "{}", rests.why);
        let inbox = inner.store.notices(10).await.expect("lists");
        assert!(inbox.iter().any(|row| row.title.contains("News")), "{inbox:?}");
        engine.close().await;
    }

    #[tokio::test]
    async fn one_that_rests_wakes_when_it_is_run_by_hand() {
        let folder = tempfile::tempdir().expect("folder");
        let home = Some(folder.path().to_path_buf());
        let options = OpenOptions { home, host: Arc::new(Quiet), access: Access::Own };
        let engine = Engine::open(options).await.expect("opens");
        let inner = &engine.inner;
        // As HEARTBEAT.md makes it anew: without what is known of the job that rests.
        let fresh = StoredJob {
            name: "Tea".to_owned(),
            schedule: "0 9 * * *".to_owned(),
            action: JobAction::Remind,
            text: "tea".to_owned(),
            ..StoredJob::new("block-1", JobSource::File, ItemKind::Block, 0)
        };
        inner.store.put_job(&fresh).await.expect("stores");
        for _ in 0..MOST_FAILURES {
            let failed = End::Failed("away".to_owned());
            health(inner, "block-1", &failed, clock::now()).await.expect("notes");
        }
        let rests = inner.store.job("block-1").await.expect("there");
        assert_eq!(rests.state, JobState::Paused);
        let work = Work { job: fresh, slot: None, late: false, as_if: None, also: Vec::new() };
        by_hand(inner, &work).await.expect("runs");
        let woken = inner.store.job("block-1").await.expect("there");
        assert_eq!((woken.state, woken.failures, woken.why.as_str()), (JobState::Active, 0, ""));
        // Without the file its jobs are none that will run.
        let listed = async || crate::api::cron::list(&engine).await.expect("lists").len();
        assert_eq!(listed().await, 1);
        std::fs::remove_file(folder.path().join("workspace/HEARTBEAT.md")).expect("removes");
        assert_eq!(listed().await, 0);
        engine.close().await;
    }
}
