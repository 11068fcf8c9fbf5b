//! How long a person waits for the first words of a reply, alone and while beats talk to a slow model.

use crate::{TestHome, message};
use anyhow::{Context, Result};
use hearth_engine::{Engine, Heard, api};
use hearth_llm::scripted::{Gate, Reply};
use hearth_protocol::api::chat::{Submit, Submitted};
use hearth_protocol::api::heartbeat::{CronAdd, JobAction};
use hearth_protocol::api::system::Signal;
use hearth_protocol::{EventBody, SessionKey};
use std::time::{Duration, Instant};

/// What each beat's request holds.
const MARK: &str = "watch the tide";
/// Beats at the same time: as many as may run, and one that waits for a place.
const BEATS: usize = 3;
/// Words of a beat's reply, one every few milliseconds, before it waits for the end.
const WORDS: usize = 800;

/// Seconds to the first words of each reply.
#[derive(Debug, Clone)]
pub struct Waits {
    /// With nothing beside.
    pub alone: Vec<Duration>,
    /// Beside beats that a slow model answers.
    pub beside: Vec<Duration>,
}

impl Waits {
    /// The middle of both: alone, beside.
    #[must_use]
    pub fn medians(&self) -> (Duration, Duration) {
        (percentile(&self.alone, 50), percentile(&self.beside, 50))
    }
}

/// The time that so many in a hundred stay below.
#[must_use]
pub fn percentile(waits: &[Duration], percent: usize) -> Duration {
    let mut waits = waits.to_vec();
    waits.sort();
    waits.get((waits.len().saturating_sub(1)) * percent / 100).copied().unwrap_or_default()
}

/// Measures so many turns of each kind.
///
/// # Errors
/// When something of the home or of its turns fails.
pub async fn measure(home: &TestHome, engine: &Engine, rounds: usize) -> Result<Waits> {
    // What is loaded once is not part of it.
    turns(home, engine, "warm", 3).await?;
    let alone = turns(home, engine, "alone", rounds).await?;
    let gate = Gate::default();
    let slow = (0..WORDS).fold(Reply::new(), |reply, word| {
        reply.text(format!("word{word} ")).wait(Duration::from_millis(4))
    });
    home.server.aside(MARK, slow.hold(&gate).text("HEARTBEAT_OK"));
    let asked = home.server.requests().len();
    let mut beats = Vec::new();
    for number in 0..BEATS {
        let job = CronAdd {
            schedule: "0 9 1 1 *".to_owned(),
            text: format!("{MARK} {number}"),
            action: JobAction::RunTurn,
            ..CronAdd::default()
        };
        let id = api::cron::add(engine, job).await?.id;
        let engine = engine.clone();
        beats.push(tokio::spawn(async move { api::cron::run(&engine, id).await }));
    }
    home.server.asked(asked + BEATS - 1).await;
    let beside = turns(home, engine, "beside", rounds).await?;
    gate.open();
    for beat in beats {
        beat.await.context("the beat's task")??;
    }
    Ok(Waits { alone, beside })
}

async fn turns(
    home: &TestHome,
    engine: &Engine,
    kind: &str,
    rounds: usize,
) -> Result<Vec<Duration>> {
    let mut waits = Vec::new();
    for round in 0..rounds {
        home.server.push(Reply::new().text("Here I am."));
        let session = SessionKey::parse(&format!("assistant:{kind}-{round}"))?;
        let request = Submit { session, ..message(&format!("hello {kind} {round}")) };
        let mut listener = engine.listen();
        let begun = Instant::now();
        let Submitted::Turn { turn } = api::chat::submit(engine, request).await? else {
            anyhow::bail!("not a turn");
        };
        let mut first = None;
        while let Some(heard) = listener.next().await {
            let Heard::Signal(Signal::Turn(event)) = heard else { continue };
            if event.turn != turn {
                continue;
            }
            match event.body {
                EventBody::Text { .. } => first = first.or_else(|| Some(begun.elapsed())),
                EventBody::Done { .. } => break,
                _ => {}
            }
        }
        waits.push(first.context("the reply had no words")?);
    }
    Ok(waits)
}
