//! The turn of `/compact`: no reply, only a compaction, with its events, stoppable like any other.

use super::call::Choice;
use super::compacting::{Made, NoRoom, Room};
use super::prompt::{self, Occasioned};
use super::turn::{Drive, Word};
use super::{Told, faults};
use crate::turns;
use hearth_agent::prompt::PromptError;
use hearth_protocol::{ErrorCode, EventBody, StopReason, WireError};
use std::sync::Arc;
use tokio_util::sync::CancellationToken;

/// How it ended, in words for the person.
type Ended = Result<String, NoRoom>;

impl Drive {
    /// Compacts and ends.
    pub(super) async fn shrink(mut self, choice: Choice) {
        self.emit(EventBody::Started {});
        self.work = CancellationToken::new();
        if self.stopped_early {
            self.work.cancel();
        }
        let work = self.compaction(choice, self.work.clone());
        let mut work = self.engine.turns.spawn(work);
        let mut late = Vec::new();
        let ended = loop {
            tokio::select! {
                biased;
                Some(word) = self.words.recv() => match word {
                    Word::Cancel => self.work.cancel(),
                    // It is in the store already, and gets a turn of its own.
                    Word::Steer(parts) => late.extend(parts),
                },
                Some(told) = self.told.recv() => self.hear(told),
                ended = &mut work => break ended,
            }
        };
        while let Ok(told) = self.told.try_recv() {
            self.hear(told);
        }
        let (reply, stop) = match ended {
            Ok(Ok(reply)) => (reply, StopReason::Finished),
            Ok(Err(NoRoom::Cancelled)) => (String::new(), StopReason::Cancelled),
            Ok(Err(NoRoom::Broken(error))) => self.told_error(error),
            Ok(Err(NoRoom::Overflow { needed, room })) => {
                let fault = faults::no_prompt(&PromptError::Overflow { needed, room });
                self.told_error(WireError::new(
                    ErrorCode::ContextOverflow,
                    fault.message,
                    fault.hint,
                ))
            }
            Err(panic) => {
                self.told_error(WireError::new(ErrorCode::Internal, panic.to_string(), ""))
            }
        };
        if !reply.is_empty() {
            self.emit(EventBody::Text { text: reply.clone() });
        }
        self.emit(EventBody::Done { reply: reply.clone(), stop, steps: 0 });
        let (engine, begin) = (Arc::clone(&self.engine), Arc::clone(&self.begin));
        self.finish(stop, &reply).await;
        if !late.is_empty() && stop != StopReason::Cancelled {
            turns::answer_late(&engine, &begin, late).await;
        }
    }

    fn hear(&mut self, told: Told) {
        match told {
            Told::Event(body) => self.emit(body),
            Told::Compacted(compaction) => self.window.compacted(*compaction),
            Told::Delta(_)
            | Told::Model(_)
            | Told::Fill(_)
            | Told::Input(_)
            | Told::Answered(_) => {}
        }
    }

    fn told_error(&mut self, error: WireError) -> (String, StopReason) {
        let WireError { code, message, hint } = error;
        self.emit(EventBody::Error { code, message, hint });
        (String::new(), StopReason::Failed)
    }

    fn compaction(
        &self,
        choice: Choice,
        cancel: CancellationToken,
    ) -> impl Future<Output = Ended> + Send + use<> {
        let (engine, begin) = (Arc::clone(&self.engine), Arc::clone(&self.begin));
        let (window, tools, tell) =
            (self.window.clone(), Arc::clone(&self.tools), self.tell.clone());
        async move {
            let settings = engine.settings.current();
            // A summary can be made without a model, so one that is not here is no obstacle.
            let model = engine.catalogue.find_or_rough(&settings, choice.first()).await;
            let what = Occasioned {
                session: &begin.session,
                window,
                recovery: None,
                recalled: None,
                skills: None,
                tools,
                minimal: false,
                light: false,
                instead: None,
            };
            let (mut parts, _) = prompt::parts(&engine, &model, what).await?;
            let room = Room {
                engine: &engine,
                settings: &settings,
                model: &model,
                session: &begin.session,
                turn: &begin.turn,
                cancel: &cancel,
                tell: &tell,
                others: &[],
                refused: None,
                asked: Some(begin.compact.as_deref().unwrap_or_default()),
            };
            let Made { compacted, .. } = room.make(&mut parts).await?;
            Ok(match compacted {
                Some(done) => engine.words().summarised(&done),
                None => engine.words().nothing_to_summarise(),
            })
        }
    }
}
