//! Typed identifiers. Time-ordered where they are stored, opaque everywhere else.

use serde::{Deserialize, Serialize};
use std::fmt;
use thiserror::Error;
use ts_rs::TS;
use uuid::Uuid;

macro_rules! text_id {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, TS)]
        #[serde(transparent)]
        pub struct $name(pub String);

        impl $name {
            /// A new unique id, ordered by creation time (UUID version 7).
            #[must_use]
            #[expect(clippy::new_without_default, reason = "each id is unique; a default would mislead")]
            pub fn new() -> Self {
                Self(Uuid::now_v7().simple().to_string())
            }

            /// The id as text.
            #[must_use]
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }

        impl From<&str> for $name {
            fn from(text: &str) -> Self {
                Self(text.to_owned())
            }
        }
    };
}

text_id! {
    /// One turn: from a message to its final reply.
    TurnId
}
text_id! {
    /// One stored message.
    MessageId
}
text_id! {
    /// One tool call. Providers name them; where one does not, Hearth does.
    CallId
}

/// One stored version of a workspace file (a row of `revisions`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, TS)]
#[serde(transparent)]
pub struct RevisionId(pub i64);

/// The stable name of a conversation: `{agent}:{scope}`, for example `assistant:main`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, TS)]
#[serde(try_from = "String", into = "String")]
#[ts(type = "string")]
pub struct SessionKey(String);

/// Why a text is not a [`SessionKey`].
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error(
    "session key {0:?} is not AGENT:SCOPE (1 to 200 characters, no blanks or control characters), \
     for example assistant:main"
)]
pub struct InvalidSessionKey(pub String);

impl SessionKey {
    /// The conversation a person meets first.
    #[must_use]
    pub fn main() -> Self {
        Self("assistant:main".to_owned())
    }

    /// Reads a key.
    ///
    /// # Errors
    /// [`InvalidSessionKey`] unless the text is `AGENT:SCOPE` without blanks or control characters.
    pub fn parse(text: &str) -> Result<Self, InvalidSessionKey> {
        let well_formed = text.chars().count() <= 200
            && !text.chars().any(|c| c.is_whitespace() || c.is_control())
            && matches!(text.split_once(':'), Some((a, s)) if !a.is_empty() && !s.is_empty());
        if well_formed {
            Ok(Self(text.to_owned()))
        } else {
            Err(InvalidSessionKey(text.to_owned()))
        }
    }

    /// The agent part, before the first colon.
    #[must_use]
    pub fn agent(&self) -> &str {
        self.0.split_once(':').map_or("", |(agent, _)| agent)
    }

    /// The scope part, after the first colon.
    #[must_use]
    pub fn scope(&self) -> &str {
        self.0.split_once(':').map_or("", |(_, scope)| scope)
    }

    /// The key as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for SessionKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl TryFrom<String> for SessionKey {
    type Error = InvalidSessionKey;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        Self::parse(&text)
    }
}

impl From<SessionKey> for String {
    fn from(key: SessionKey) -> Self {
        key.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn session_keys_are_agent_and_scope() {
        let key = SessionKey::parse("assistant:telegram:direct:42").expect("valid");
        assert_eq!((key.agent(), key.scope()), ("assistant", "telegram:direct:42"));
        for bad in ["", "main", ":main", "assistant:", "assistant:a b", "a:\n"] {
            assert!(SessionKey::parse(bad).is_err(), "{bad:?}");
        }
    }
}
