//! 10,000 random sequences of kills, sleeps, clock jumps and restarts over the real ledger in SQLite.
//!
//! The engine's own code looks, writes and heals; only the time and the end of each run are made up. The files
//! stand in memory where the system has a place for that, and several homes go on beside each other.
//! `HEARTH_SEQUENCES` is another number of them.

use super::*;
use crate::{Access, Engine, OpenOptions, Quiet};
use hearth_protocol::api::heartbeat::{ItemKind, SlotRow};
use rand::rngs::StdRng;
use rand::{Rng as _, SeedableRng as _};
use std::collections::HashMap;
use std::path::Path;

const SEQUENCES: u64 = 10_000;
/// Homes beside each other.
const HOMES: u8 = 4;
const STEPS: usize = 24;
/// One kill in so many is a new engine over the same files; else only what an engine does when it opens.
const REAL_RESTARTS: u32 = 200;
const START: i64 = 1_806_000_000;
const SCHEDULES: [&str; 5] =
    ["*/20 * * * *", "30 2 * * *", "every 45m", "every 6h", "at 2027-03-28 02:30"];
const POLICIES: [MissedPolicy; 3] = [MissedPolicy::RunOnce, MissedPolicy::Skip, MissedPolicy::Ask];

async fn open(home: &Path) -> Engine {
    let options =
        OpenOptions { home: Some(home.to_path_buf()), host: Arc::new(Quiet), access: Access::Own };
    Engine::open(options).await.expect("opens")
}

fn job(id: String, schedule: &str, missed: MissedPolicy) -> StoredJob {
    StoredJob {
        name: "News".to_owned(),
        schedule: schedule.to_owned(),
        zone: "Europe/Oslo".to_owned(),
        action: JobAction::RunTurn,
        text: "read the news".to_owned(),
        missed,
        ..StoredJob::new(id, JobSource::Cli, ItemKind::Job, START)
    }
}

/// Where the one run of a job stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Run {
    None,
    Queued(i64),
    Running(i64),
}

struct Sequence {
    id: String,
    now: i64,
    run: Run,
    runs: HashMap<i64, u32>,
    /// The latest that any look saw.
    seen: i64,
    done: Vec<String>,
}

impl Sequence {
    async fn look(&mut self, engine: &Engine) {
        let inner = &engine.inner;
        let job = inner.store.job(&self.id).await.expect("there");
        if job.state != JobState::Active {
            return;
        }
        let free = Gates { off: None, paused: None, quiet: None, saving: false };
        // What is queued or runs is marked as such in the engine that runs it.
        let busy = self.run != Run::None;
        if busy {
            super::super::lock(&inner.heart.running).insert(self.id.clone());
        }
        let taken = look_at(inner, job, &free, false, self.now).await.expect("looks");
        super::super::lock(&inner.heart.running).remove(&self.id);
        if let Some(begin) = taken.begin {
            assert!(!busy, "one run of a job at a time: {:?}", self.done);
            self.run = Run::Queued(begin.slot);
        }
        self.seen = self.seen.max(self.now);
    }

    /// A run that waits begins; one that runs ends.
    async fn go_on(&mut self, engine: &Engine, ok: bool) {
        let store = &engine.inner.store;
        self.run = match self.run {
            Run::None => Run::None,
            Run::Queued(slot) => {
                assert!(store.begin_slot(&self.id, slot, self.now).await.expect("begins"));
                *self.runs.entry(slot).or_default() += 1;
                Run::Running(slot)
            }
            Run::Running(slot) => {
                let (state, end) = match ok {
                    true => (SlotState::Ok, run::End::Ok),
                    false => (SlotState::Failed, run::End::Failed("away".to_owned())),
                };
                store.end_slot(&self.id, slot, state, "", self.now).await.expect("ends");
                run::health(&engine.inner, &self.id, &end, self.now).await.expect("notes");
                Run::None
            }
        };
    }

    /// After a kill: what waited is taken up, what ran is interrupted.
    async fn heal(&mut self, engine: &Engine) {
        self.run = Run::None;
        for begin in take_up(&engine.inner, self.now).await.expect("takes up") {
            assert_eq!(begin.job.id, self.id, "each sequence leaves nothing open");
            self.run = Run::Queued(begin.slot);
        }
        self.look(engine).await;
    }

    async fn end(mut self, engine: &Engine, schedule: &Schedule) {
        while self.run != Run::None {
            self.go_on(engine, true).await;
        }
        self.look(engine).await;
        while self.run != Run::None {
            self.go_on(engine, true).await;
        }
        assert!(self.runs.values().all(|runs| *runs == 1), "{:?}: {:?}", self.runs, self.done);
        let rows = engine.inner.store.slots(Some(&self.id), u32::MAX).await.expect("lists");
        let open = |row: &&SlotRow| matches!(row.state, SlotState::Queued | SlotState::Running);
        assert_eq!(rows.iter().find(open), None, "{:?}", self.done);
        let holds = |slot: i64| {
            rows.iter().any(|row| (row.slot..=row.until.unwrap_or(row.slot)).contains(&slot))
        };
        let fires = schedule.fires(START, START, Tz::Europe__Oslo);
        for slot in fires.take_while(|at| *at <= self.seen) {
            assert!(holds(slot), "{slot} has no state: {:?}", self.done);
        }
    }
}

/// A folder whose files stand in memory, where there is such a place.
fn folder() -> tempfile::TempDir {
    tempfile::tempdir_in("/dev/shm").or_else(|_| tempfile::tempdir()).expect("folder")
}

async fn sequence(engine: &mut Engine, home: &Path, number: u64) {
    let mut chance = StdRng::seed_from_u64(number);
    let text = SCHEDULES[chance.random_range(0..SCHEDULES.len())];
    let policy = POLICIES[chance.random_range(0..POLICIES.len())];
    let id = format!("job{number}");
    engine.inner.store.put_job(&job(id.clone(), text, policy)).await.expect("stores");
    let mut one = Sequence {
        id,
        now: START,
        run: Run::None,
        runs: HashMap::new(),
        seen: START,
        done: vec![format!("{number}: {text} {policy:?}")],
    };
    for _ in 0..chance.random_range(1..=STEPS) {
        let step = chance.random_range(0..15);
        let seconds = match step {
            0..6 => chance.random_range(1..1_200),
            6 | 7 => chance.random_range(60..200_000),
            8 => chance.random_range(-20_000..20_000),
            _ => 0,
        };
        one.now += seconds;
        one.done.push(format!("{step} +{seconds}"));
        match step {
            6 | 7 => {}
            0..9 => one.look(engine).await,
            9 | 10 => {
                if chance.random_ratio(1, REAL_RESTARTS) {
                    engine.close().await;
                    *engine = open(home).await;
                }
                one.heal(engine).await;
            }
            _ => one.go_on(engine, chance.random_ratio(1, 2)).await,
        }
    }
    let (id, schedule) = (one.id.clone(), Schedule::parse(text).expect("a schedule"));
    one.end(engine, &schedule).await;
    engine.inner.store.remove_job(&id).await.expect("removes");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn on_the_real_ledger_no_slot_runs_twice_and_each_ends_in_a_state() {
    let wanted = std::env::var("HEARTH_SEQUENCES").ok().and_then(|text| text.parse().ok());
    let sequences: u64 = wanted.unwrap_or(SEQUENCES);
    let homes = (0..HOMES).map(|first| {
        tokio::spawn(async move {
            let home = folder();
            let mut engine = open(home.path()).await;
            for number in (u64::from(first)..sequences).step_by(usize::from(HOMES)) {
                sequence(&mut engine, home.path(), number).await;
            }
            engine.close().await;
        })
    });
    for home in homes.collect::<Vec<_>>() {
        home.await.expect("each holds");
    }
}
