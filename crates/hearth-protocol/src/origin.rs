//! Where a message comes from. Every channel turns what it receives into one [`MsgContext`].

use crate::SessionKey;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// Who started a turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum Origin {
    /// The main window.
    Window,
    /// The quick prompt.
    Quick,
    /// `hearth ask` and `hearth chat`.
    Cli,
    /// The heartbeat.
    Heartbeat,
    /// A scheduled job.
    Cron,
    /// Another channel, such as a messenger.
    Channel,
}

/// Where a text came from, carried along with it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "from", rename_all = "snake_case")]
pub enum Provenance {
    /// The person, their own files, or Hearth itself.
    #[default]
    Own,
    /// Somebody else: the web, a mail, a file outside the workspace, a third party's tool. Data, never
    /// instructions.
    Untrusted {
        /// Where from, for people: a URL, a path, a tool.
        source: String,
    },
}

/// A file given with a message.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct Attachment {
    /// File name without folders.
    pub name: String,
    /// For example `image/png`.
    pub media_type: String,
    /// Where it lies on this machine.
    pub path: String,
}

/// A message as it enters the engine.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct MsgContext {
    /// Who started it.
    pub origin: Origin,
    /// Channel name: `desktop`, `quick`, `cli`, `telegram`, …
    pub channel: String,
    /// The channel's account; empty where there is one only.
    #[serde(default)]
    pub account: String,
    /// The other side; empty for the owner of this machine.
    #[serde(default)]
    pub peer: String,
    /// Thread within the channel; empty where there is none.
    #[serde(default)]
    pub thread: String,
    /// The channel's id of this message, for de-duplication.
    pub message_id: String,
    /// The session it goes to.
    pub session: SessionKey,
    /// Display name of the sender.
    #[serde(default)]
    pub sender: String,
    /// The text.
    pub body: String,
    /// Files.
    #[serde(default)]
    pub attachments: Vec<Attachment>,
}

impl MsgContext {
    /// Key for de-duplication: `channel|account|session|peer|thread|message`.
    #[must_use]
    pub fn dedup_key(&self) -> String {
        let session = self.session.as_str();
        [&self.channel, &self.account, session, &self.peer, &self.thread, &self.message_id]
            .join("|")
    }
}
