//! The door: how a second process on the same home has its writing done by the owner.
//!
//! One JSON object a line over a local socket that only this user may open (mode 600 inside the private
//! home; a named pipe on Windows; never TCP). The owner answers with signals, then one answer or error.
//! Invariant: a call either was read whole and will be answered, or the client sees the end of the
//! connection without a line and may try again.

mod client;
mod perform;
mod server;

pub use client::{Door, knock};
pub use perform::perform;
pub(crate) use server::{Doorkeeper, open};

use crate::api::installs::InstallOrder;
use hearth_protocol::api::approvals::{Decide, DecideAll};
use hearth_protocol::api::chat::{SessionChange, Submit};
use hearth_protocol::api::entries::EntryAdd;
use hearth_protocol::api::heartbeat::{CronAdd, NoticeChange};
use hearth_protocol::api::system::Signal;
use hearth_protocol::api::transfer::ImportAsk;
use hearth_protocol::{RevisionId, SessionKey, TurnId, WireError};
use interprocess::local_socket::{GenericFilePath, Name, ToFsName};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::path::{Path, PathBuf};

/// Something that only the owner of a home may do.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "call", rename_all = "snake_case")]
pub enum Call {
    /// Submit, then tell the turn's events until it is done.
    Ask {
        /// The message.
        #[serde(flatten)]
        submit: Submit,
        /// The caller has a person at a terminal who can be asked back.
        #[serde(default)]
        answers: bool,
    },
    /// Decide an approval.
    Decide(Decide),
    /// Decide all that is open of a batch.
    DecideAll(DecideAll),
    /// Take a standing approval back.
    Revoke {
        /// Which.
        id: String,
    },
    /// Answer a question of `ask_user`.
    Answer {
        /// Which.
        id: String,
        /// The answer.
        text: String,
    },
    /// Take back a turn's file changes.
    Undo {
        /// Which.
        turn: TurnId,
    },
    /// Stop what runs in a session.
    Stop {
        /// Which.
        session: SessionKey,
    },
    /// Change a session.
    ChangeSession {
        /// Which.
        session: SessionKey,
        /// How.
        change: SessionChange,
    },
    /// Make a session of an export.
    Import {
        /// Under which key; where absent its own, or a new one.
        session: Option<SessionKey>,
        /// The export, JSON Lines.
        lines: String,
    },
    /// Bring a version of a file back.
    Restore {
        /// Path within the workspace.
        path: String,
        /// Which version.
        rev: RevisionId,
    },
    /// Fetch a model's files.
    Pull {
        /// Which.
        id: String,
    },
    /// Take a model file that the person has.
    ImportModel {
        /// For which model.
        id: String,
        /// Absolute path.
        path: String,
    },
    /// Bring in what another assistant left behind.
    ImportFrom(ImportAsk),
    /// Write dated notes into daily logs.
    ImportMemory {
        /// Absolute path of a JSON Lines file.
        path: String,
    },
    /// Remember something.
    AddEntry(EntryAdd),
    /// Put what is true now in the place of an entry.
    CorrectEntry {
        /// Which.
        id: String,
        /// What is true now.
        text: String,
    },
    /// Forget an entry.
    ForgetEntry {
        /// Which.
        id: String,
        /// It can never be brought back.
        erase: bool,
    },
    /// Bring a forgotten entry back.
    BringBackEntry {
        /// Which.
        id: String,
    },
    /// Build the index of memory anew.
    Reindex,
    /// Start an MCP server anew and see what it offers.
    TestMcp {
        /// Which.
        id: String,
    },
    /// Allow an MCP server's tools as they are now.
    AllowMcp {
        /// Which.
        id: String,
    },
    /// Remove an MCP server.
    RemoveMcp {
        /// Which.
        id: String,
    },
    /// Install skills that were shown.
    InstallSkills(InstallOrder),
    /// Set an installed skill aside.
    RemoveSkill {
        /// Its name.
        name: String,
    },
    /// Bring a skill back that was removed.
    RestoreSkill {
        /// Its name.
        name: String,
    },
    /// A beat now, or one item of HEARTBEAT.md.
    Beat {
        /// Which; none: all of it.
        item: Option<String>,
        /// As if it were that time, Unix seconds.
        at: Option<i64>,
    },
    /// Pause beats and jobs until a time, or end the pause.
    PauseHeart {
        /// Unix seconds.
        until: Option<i64>,
    },
    /// Make a job.
    AddJob(CronAdd),
    /// Remove a job.
    RemoveJob {
        /// Which.
        id: String,
    },
    /// Run a job now.
    RunJob {
        /// Which.
        id: String,
    },
    /// Say something to a notice.
    ChangeNotice {
        /// Which.
        id: String,
        /// What.
        change: NoticeChange,
    },
    /// Store a secret.
    SetSecret {
        /// Its name.
        name: String,
        /// Its value.
        value: Secret,
    },
    /// Remove a secret.
    RemoveSecret {
        /// Its name.
        name: String,
    },
}

/// A text that is never shown.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Secret(pub String);

impl std::fmt::Debug for Secret {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Secret(***)")
    }
}

/// A line from the owner.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Line {
    Signal(Signal),
    Answer(Value),
    Error(WireError),
}

/// Where the socket of a home is. Socket paths are short by nature (about 100 bytes), homes are not.
fn socket_path(home: &Path) -> PathBuf {
    let near = home.join("hearth.sock");
    if !cfg!(windows) && near.as_os_str().len() <= 100 {
        return near;
    }
    let hash = blake3::hash(home.as_os_str().as_encoded_bytes()).to_hex();
    let name = format!("hearth-{}.sock", &hash[..24]);
    match cfg!(windows) {
        true => PathBuf::from(format!(r"\\.\pipe\{name}")),
        false => runtime_folder().join(name),
    }
}

fn runtime_folder() -> PathBuf {
    std::env::var_os("XDG_RUNTIME_DIR").map_or_else(std::env::temp_dir, PathBuf::from)
}

fn name(path: &Path) -> std::io::Result<Name<'_>> {
    path.to_fs_name::<GenericFilePath>()
}
