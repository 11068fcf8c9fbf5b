//! Which skills a message asks for, with the meaning looked at where a model is here.

use super::Known;
use crate::engine::Inner;
use hearth_agent::commands;
use hearth_agent::skills::{Asked, Decision, Nearness, asked};
use hearth_protocol::WireError;
use std::sync::Arc;
use std::time::Duration;

/// A turn waits so long for the meaning of its message, loading the model included.
pub(crate) const PATIENCE: Duration = Duration::from_millis(1_200);

impl Inner {
    /// Whether a message is `/skill` with the name of one that can be used: a turn, not a command.
    pub(crate) async fn names_skill(&self, text: &str) -> Result<bool, WireError> {
        if commands::skill_argument(text).is_none() {
            return Ok(false);
        }
        let known = self.skills().await?;
        Ok(matches!(asked(text, known.matcher().candidates()), Asked::Command { .. }))
    }

    /// Decides on a message. `patience`: how long the meaning may take; none: as long as it takes.
    pub(crate) async fn match_skills(
        self: &Arc<Self>,
        known: &Arc<Known>,
        text: &str,
        patience: Option<Duration>,
    ) -> Decision {
        let nearness = if known.matcher().candidates().is_empty() || self.encoder().is_none() {
            None
        } else {
            self.nearness(known, text, patience).await
        };
        known.matcher().decide(text, nearness.as_ref())
    }

    /// What comes too late is made all the same, for the next message.
    async fn nearness(
        self: &Arc<Self>,
        known: &Arc<Known>,
        text: &str,
        patience: Option<Duration>,
    ) -> Option<Nearness> {
        let (engine, known, text) = (Arc::clone(self), Arc::clone(known), text.to_owned());
        let looking = self
            .turns
            .spawn(async move { engine.skillset.vectors.nearness(&engine, &known, &text).await });
        match patience {
            Some(patience) => tokio::time::timeout(patience, looking).await.ok()?.ok().flatten(),
            None => looking.await.ok().flatten(),
        }
    }
}
