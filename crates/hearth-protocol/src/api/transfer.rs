//! Moving in and out: imports from other assistants, one encrypted backup, and bringing it back.

use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// Whose files are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum ImportSource {
    /// A workspace, skills and transcripts of OpenClaw.
    Openclaw,
    /// The data export of ChatGPT.
    Chatgpt,
    /// The data export of Claude.
    Claude,
}

impl ImportSource {
    /// As it stands in keys and on the command line.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Openclaw => "openclaw",
            Self::Chatgpt => "chatgpt",
            Self::Claude => "claude",
        }
    }
}

/// What to import.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct ImportAsk {
    /// Whose files.
    pub source: ImportSource,
    /// Absolute path of a folder, a zip file or the file itself.
    pub path: String,
    /// Only say what would come; nothing is written.
    pub dry_run: bool,
}

/// What an item is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum ImportKind {
    /// A past conversation.
    Conversation,
    /// A file of the workspace.
    File,
    /// A daily log.
    Log,
    /// A skill.
    Skill,
    /// A file of the export itself.
    Export,
}

/// What became of an item.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum ImportState {
    /// It is here now; in a dry run: it would be.
    Added,
    /// It was here before.
    AlreadyThere,
    /// It was left out on purpose.
    Skipped,
    /// It could not be read or written. The others are not touched by that.
    Failed,
}

/// Why that became of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum ImportReason {
    /// It is new here.
    New,
    /// It is new here; pictures, files or the like in it did not come along.
    LeftOut,
    /// What was missing was added to a daily log.
    Merged,
    /// Yours differs and stays; this one lies beside it.
    Beside,
    /// It took the place of a template that you never changed.
    OverTemplate,
    /// The same is here.
    Same,
    /// The conversation is here; the export has more of it.
    Grew,
    /// Nothing was said in it.
    Empty,
    /// It ran by itself: nobody talked in it.
    ByItself,
    /// It is older than what `sessions.keep_days` keeps.
    TooOld,
    /// Files of this kind are not taken.
    NotTaken,
    /// It was refused; the detail says why.
    Refused,
    /// It cannot be read.
    Unreadable,
    /// It ends in the middle; what came before it is here.
    CutShort,
    /// It could not be stored.
    NotStored,
}

/// One item of an import.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct ImportItem {
    /// What it is.
    pub kind: ImportKind,
    /// Its title or path in the source.
    pub name: String,
    /// What became of it.
    pub state: ImportState,
    /// Why.
    pub reason: ImportReason,
    /// More on that; may be empty.
    pub detail: String,
    /// Where it is here: a session's key, a path of the workspace, a skill's name; empty where it is not.
    pub target: String,
}

/// How many of each.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct ImportCounts {
    /// Here now.
    pub added: u64,
    /// Here before.
    pub already_there: u64,
    /// Left out on purpose.
    pub skipped: u64,
    /// Could not be read or written.
    pub failed: u64,
    /// Messages in what was added.
    pub messages: u64,
}

/// What an import did, or would do.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct ImportReport {
    /// Whose files.
    pub source: ImportSource,
    /// Nothing was written.
    pub dry_run: bool,
    /// How many of each.
    pub counts: ImportCounts,
    /// Each item, in the source's order.
    pub items: Vec<ImportItem>,
}

/// How far an import is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct ImportProgress {
    /// Bytes read.
    pub done_bytes: u64,
    /// Bytes to read.
    pub total_bytes: u64,
    /// Items dealt with.
    pub items: u64,
}

/// What a backup holds, or a restore brought.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct BackupCounts {
    /// Conversations.
    pub sessions: u64,
    /// Files of the workspace.
    pub workspace_files: u64,
    /// Files of installed skills.
    pub skill_files: u64,
    /// Sealed secrets.
    pub secrets: u64,
}

/// What a backup left out, and why.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct BackupNote {
    /// A path, or `secrets`.
    pub name: String,
    /// Why, for people.
    pub why: String,
}

/// A finished backup.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct BackupMade {
    /// The file.
    pub path: String,
    /// Its size.
    pub bytes: u64,
    /// What it holds.
    pub counts: BackupCounts,
    /// What it does not hold.
    pub left_out: Vec<BackupNote>,
}

/// A backup that was brought back, or waits for the next start.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct Restored {
    /// When the backup was made, Unix seconds.
    pub made_at: i64,
    /// What it brought.
    pub counts: BackupCounts,
    /// Where what was here before lies now; empty where nothing was here.
    pub aside: String,
    /// How the secrets are sealed here: `keyring`, `passphrase`, `locked` or `none`.
    pub secrets: String,
    /// It takes effect at the next start.
    pub at_next_start: bool,
}
