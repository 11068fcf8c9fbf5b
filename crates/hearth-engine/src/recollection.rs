//! Past conversations as memory reads them: the person's own, without what ran by itself.

use crate::clock;
use chrono_tz::Tz;
use hearth_memory::{ConversationPart, Conversations, Spoken, Waiting};
use hearth_protocol::{Role, SessionKey, WireError};
use hearth_store::{Store, Stretch};

/// Runs that nobody talked in.
const BY_ITSELF: [&str; 3] = ["heartbeat", "cron", "subagent"];

/// Conversations of a ledger.
#[derive(Debug)]
pub(crate) struct PastConversations {
    pub(crate) store: Store,
    pub(crate) zone: Tz,
}

impl Conversations for PastConversations {
    fn parts(&self) -> Waiting<'_, Vec<ConversationPart>> {
        Box::pin(async move {
            let all = self.store.stretches().await.map_err(WireError::from)?;
            let part =
                |Stretch { session, number, mark }| ConversationPart { session, number, mark };
            Ok(all.into_iter().filter(|part| is_own(&part.session)).map(part).collect())
        })
    }

    fn turns(&self, part: ConversationPart) -> Waiting<'_, Vec<Spoken>> {
        Box::pin(async move {
            let Ok(session) = SessionKey::parse(&part.session) else { return Ok(Vec::new()) };
            let said = self.store.said(&session, part.number).await.map_err(WireError::from)?;
            let spoken = said.into_iter().map(|(position, message)| Spoken {
                id: message.id.as_str().to_owned(),
                position,
                by_assistant: message.role == Role::Assistant,
                at: clock::local(message.at, self.zone).format("%Y-%m-%d %H:%M").to_string(),
                text: message.joined_text(),
            });
            Ok(spoken.collect())
        })
    }
}

fn is_own(session: &str) -> bool {
    let scope = session.split_once(':').map_or("", |(_, scope)| scope);
    let kind = scope.split(':').next().unwrap_or_default();
    !BY_ITSELF.contains(&kind)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_ran_by_itself_is_no_conversation() {
        for (session, own) in [
            ("assistant:main", true),
            ("assistant:telegram:direct:42", true),
            ("assistant:heartbeat", false),
            ("assistant:cron:news:1", false),
            ("assistant:subagent:7", false),
        ] {
            assert_eq!(is_own(session), own, "{session}");
        }
    }
}
