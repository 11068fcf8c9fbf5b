//! The waking clock: tokio-cron-scheduler with one job, made to sleep until that is due.
//!
//! By itself the scheduler asks its store twice a second what is due. The store here keeps it waiting for the
//! answer until the time has nearly come, so that an idle process sleeps. Invariant: a time that was set rings
//! once; setting another takes its place.

use crate::clock;
use chrono::{DateTime, Utc};
use std::future::{Future, ready};
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::watch;
use tokio_cron_scheduler::job::job_data::{JobAndNextTick, JobStoredData, JobType};
use tokio_cron_scheduler::store::{DataStore, InitStore};
use tokio_cron_scheduler::{
    Job, JobScheduler, JobSchedulerError, MetaDataStorage, SimpleJobCode, SimpleMetadataStore,
    SimpleNotificationCode, SimpleNotificationStore,
};
use uuid::Uuid;

/// The scheduler sleeps so long between two questions.
const TICK: f64 = 0.5;
/// Messages that its parts keep for each other; there is one job.
const CHANNEL: usize = 16;

/// What the scheduler waits for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Set {
    Nothing,
    At(i64),
    /// The clock stops.
    Stopped,
}

/// A clock that rings at the time it is set to.
pub(super) struct Alarm {
    scheduler: JobScheduler,
    set: Arc<watch::Sender<Set>>,
}

impl Alarm {
    /// A clock that calls `ring`; it is not set to any time yet.
    pub(super) async fn start(
        ring: impl Fn() + Send + Sync + 'static,
    ) -> Result<Self, JobSchedulerError> {
        let set = Arc::new(watch::Sender::new(Set::Nothing));
        let store = Patient { jobs: SimpleMetadataStore::default(), set: Arc::clone(&set) };
        let scheduler = JobScheduler::new_with_storage_and_code(
            Box::new(store),
            Box::new(SimpleNotificationStore::default()),
            Box::new(SimpleJobCode::default()),
            Box::new(SimpleNotificationCode::default()),
            CHANNEL,
        )
        .await?;
        // When is the store's to say; the length here is never looked at.
        scheduler.add(Job::new_one_shot(Duration::from_secs(1), move |_, _| ring())?).await?;
        scheduler.start().await?;
        Ok(Self { scheduler, set })
    }

    /// Rings at a time instead of the one that was set before. What is left until then is reckoned anew also where
    /// it is the same time: the clock may have been set.
    pub(super) fn set(&self, at: i64) {
        self.set.send_replace(Set::At(at));
    }

    /// Never rings again.
    pub(super) async fn stop(mut self) {
        // It goes with the process in any case.
        let _ = self.scheduler.shutdown().await;
        self.set.send_replace(Set::Stopped);
    }
}

/// The scheduler's store: it answers what is due when something nearly is.
struct Patient {
    jobs: SimpleMetadataStore,
    set: Arc<watch::Sender<Set>>,
}

type Answer<T> = Pin<Box<dyn Future<Output = Result<T, JobSchedulerError>> + Send>>;

impl MetaDataStorage for Patient {
    /// The scheduler notes the time before it asks: what is due within a tick it finds due at its next question.
    fn list_next_ticks(&mut self) -> Answer<Vec<JobAndNextTick>> {
        let (jobs, mut set) = (Arc::clone(&self.jobs.data), self.set.subscribe());
        Box::pin(async move {
            let Some(at) = nearly(&mut set).await else { return Ok(Vec::new()) };
            let next_tick = u64::try_from(at).unwrap_or_default().max(1);
            let due = |id: &Uuid| JobAndNextTick {
                id: Some(id.into()),
                job_type: JobType::OneShot.into(),
                next_tick,
                last_tick: None,
            };
            Ok(jobs.read().await.keys().map(due).collect())
        })
    }

    /// It has rung.
    fn set_next_and_last_tick(
        &mut self,
        _: Uuid,
        _: Option<DateTime<Utc>>,
        last: Option<DateTime<Utc>>,
    ) -> Answer<()> {
        let rung = last.map_or(0, |last| last.timestamp());
        self.set.send_if_modified(|set| match set {
            Set::At(at) if *at <= rung => {
                *set = Set::Nothing;
                true
            }
            _ => false,
        });
        Box::pin(ready(Ok(())))
    }

    fn time_till_next_job(&mut self) -> Answer<Option<Duration>> {
        let left = match *self.set.borrow() {
            Set::At(at) => u64::try_from(at - clock::now()).ok().map(Duration::from_secs),
            Set::Nothing | Set::Stopped => None,
        };
        Box::pin(ready(Ok(left)))
    }
}

/// Waits until a set time is less than a tick away; none where the clock stops.
async fn nearly(set: &mut watch::Receiver<Set>) -> Option<i64> {
    loop {
        let now = *set.borrow_and_update();
        let left = match now {
            Set::Stopped => return None,
            Set::Nothing => f64::MAX,
            Set::At(at) => at as f64 - clock::now_exact() - TICK,
        };
        if let Set::At(at) = now
            && left <= 0.0
        {
            return Some(at);
        }
        tokio::select! {
            changed = set.changed() => changed.ok()?,
            () = tokio::time::sleep(Duration::try_from_secs_f64(left).unwrap_or(Duration::MAX)) => {}
        }
    }
}

impl InitStore for Patient {
    fn init(&mut self) -> Answer<()> {
        self.jobs.init()
    }

    fn inited(&mut self) -> Answer<bool> {
        self.jobs.inited()
    }
}

impl DataStore<JobStoredData> for Patient {
    fn get(&mut self, id: Uuid) -> Answer<Option<JobStoredData>> {
        self.jobs.get(id)
    }

    fn add_or_update(&mut self, data: JobStoredData) -> Answer<()> {
        self.jobs.add_or_update(data)
    }

    fn delete(&mut self, id: Uuid) -> Answer<()> {
        self.jobs.delete(id)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};

    async fn alarm() -> (Alarm, UnboundedReceiver<f64>) {
        let (sender, rung) = unbounded_channel();
        let ring = move || {
            let _ = sender.send(clock::now_exact());
        };
        (Alarm::start(ring).await.expect("starts"), rung)
    }

    #[tokio::test]
    async fn it_rings_once_at_the_time_that_was_set_last() {
        let (alarm, mut rung) = alarm().await;
        let soon = clock::now() + 2;
        alarm.set(soon + 3_600);
        alarm.set(soon);
        let at = rung.recv().await.expect("rings");
        assert!((0.0..0.6).contains(&(at - soon as f64)), "{at} for {soon}");
        alarm.set(soon + 2);
        let at = rung.recv().await.expect("rings again");
        assert!((0.0..0.6).contains(&(at - soon as f64 - 2.0)), "{at} for {}", soon + 2);
        assert!(rung.try_recv().is_err(), "each time once");
        alarm.stop().await;
    }

    #[tokio::test]
    async fn one_that_is_past_rings_at_once() {
        let (alarm, mut rung) = alarm().await;
        alarm.set(clock::now() - 5);
        let late = tokio::time::timeout(Duration::from_secs(5), rung.recv()).await;
        assert!(late.expect("rings").is_some());
        alarm.stop().await;
    }
}
