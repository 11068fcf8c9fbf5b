//! Skills: which are active in a conversation, and what happened to them in each turn.
//!
//! Invariant: what is stored is what the caller gave, as JSON; what cannot be read any more is as if it had
//! never been there. Absent here: what any of it means.

use crate::{Result, Store, rim};
use hearth_protocol::api::skills::SkillActivity;
use hearth_protocol::{Message, Role, SessionKey, TurnId};

impl Store {
    /// The skills that are active in a session, as they were stored.
    ///
    /// # Errors
    /// The database's.
    pub async fn skill_ledger(&self, session: &SessionKey) -> Result<Option<String>> {
        let ledger = sqlx::query_scalar("SELECT ledger FROM skill_ledgers WHERE session = ?")
            .bind(session.as_str());
        Ok(ledger.fetch_optional(self.read()).await?)
    }

    /// Stores what is active in a session and what happened in a turn of it, at once.
    ///
    /// # Errors
    /// The database's; the session or turn is gone.
    pub async fn set_skills(
        &self,
        session: &SessionKey,
        ledger: &str,
        activity: &SkillActivity,
    ) -> Result<()> {
        let mut tx = self.write().await?;
        sqlx::query(
            "INSERT INTO skill_ledgers (session, ledger) VALUES (?, ?)
             ON CONFLICT (session) DO UPDATE SET ledger = excluded.ledger",
        )
        .bind(session.as_str())
        .bind(ledger)
        .execute(&mut *tx)
        .await?;
        sqlx::query(
            "INSERT INTO skill_activity (turn, activity) VALUES (?, ?)
             ON CONFLICT (turn) DO UPDATE SET activity = excluded.activity",
        )
        .bind(activity.turn.as_str())
        .bind(rim::json(activity)?)
        .execute(&mut *tx)
        .await?;
        Ok(tx.commit().await?)
    }

    /// What happened to skills in a turn of a session, with the message that it answered.
    ///
    /// # Errors
    /// The database's.
    pub async fn skill_activity(
        &self,
        session: &SessionKey,
        turn: &TurnId,
    ) -> Result<Option<SkillActivity>> {
        let stored: Option<String> = sqlx::query_scalar(
            "SELECT a.activity FROM skill_activity a JOIN turns t ON t.id = a.turn
             WHERE a.turn = ? AND t.session = ?",
        )
        .bind(turn.as_str())
        .bind(session.as_str())
        .fetch_optional(self.read())
        .await?;
        let Some(mut activity) =
            stored.and_then(|text| serde_json::from_str::<SkillActivity>(&text).ok())
        else {
            return Ok(None);
        };
        let said =
            |message: &&Message| message.role == Role::User && message.turn.as_ref() == Some(turn);
        let messages = self.messages(session).await?;
        activity.decision.text =
            messages.iter().find(said).map(Message::joined_text).unwrap_or_default();
        Ok(Some(activity))
    }
}
