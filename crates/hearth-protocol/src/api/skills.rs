//! Skills: list, check, body, match, activity, install.
//!
//! Commands: `skills_list` → [`SkillRow`]s, `skills_show(name)` → [`SkillView`], `skills_change(change)` →
//! [`SkillRow`], `skills_match(text)` → [`SkillMatch`], `skills_activity(session, turn)` →
//! [`SkillActivity`] or nothing, `skills_install_preview(path)` → [`SkillInstall`],
//! `skills_install(path, hash)` → [`SkillRow`]s, `skills_update_preview(name)` → [`SkillInstall`],
//! `skills_update(name, hash)` → [`SkillRow`]s, `skills_remove(name)`, `skills_removed` → [`SkillRemoved`]s,
//! `skills_restore(name)`.

use crate::{SkillState, TurnId};
use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// Where a skill comes from. Declared in the order of precedence: the first one that has a name wins.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum SkillSource {
    /// `skills/` of the workspace.
    Workspace,
    /// `.agents/skills/` of the workspace.
    WorkspaceAgents,
    /// `~/.agents/skills/`.
    Personal,
    /// `skills/` of the home.
    Home,
    /// It comes with Hearth.
    Bundled,
    /// A folder named in `hearth.toml`.
    Extra,
}

/// What a skill needs of the machine. Only what it asks for is given.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct SkillRequires {
    /// Programs, all of them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub bins: Vec<String>,
    /// Programs, one of them.
    #[serde(default, rename = "anyBins", skip_serializing_if = "Vec::is_empty")]
    pub any_bins: Vec<String>,
    /// Variables of the environment, or secrets of the same name.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub env: Vec<String>,
    /// Keys of `hearth.toml` that must be set.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub config: Vec<String>,
    /// Operating systems, one of them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub os: Vec<String>,
    /// Channels that its message must come by, one of them: `desktop`, `quick`, `cli`, `heartbeat`, `cron`, …
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub channels: Vec<String>,
    /// Whose message it must be: `owner`, or the name a channel gives its sender.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub senders: Vec<String>,
}

/// A skill as a list shows it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct SkillRow {
    /// Its name.
    pub name: String,
    /// Its SKILL.md.
    pub path: String,
    /// Where it comes from.
    pub source: SkillSource,
    /// It can be activated.
    pub eligible: bool,
    /// If it cannot, why; else empty.
    pub reason: String,
    /// Tokens of its body.
    pub tokens: u64,
    /// What it says it is for.
    pub description: String,
    /// Its sign.
    pub emoji: Option<String>,
    /// Its version as written.
    pub version: Option<String>,
    /// The person has not turned it off.
    pub enabled: bool,
    /// It completes after `/skill`.
    pub user_invocable: bool,
    /// Messages and the model may activate it; else only the person.
    pub model_invocable: bool,
    /// Words that activate it.
    pub triggers: Vec<String>,
    /// What it needs.
    pub requires: SkillRequires,
    /// The tools it narrows the choice to; none: it does not narrow.
    pub allowed_tools: Option<Vec<String>>,
    /// Its scripts, as paths within its folder.
    pub scripts: Vec<String>,
    /// Files its body names, as paths within its folder.
    pub references: Vec<String>,
    /// Skills it may activate.
    pub uses: Vec<String>,
    /// Codes of what is odd about its SKILL.md.
    pub problems: Vec<String>,
    /// It was installed from elsewhere: its text is untrusted.
    pub installed: Option<SkillOrigin>,
}

/// Where an installed skill was taken from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct SkillOrigin {
    /// The folder, file or address.
    pub from: String,
    /// Hash of everything in it.
    pub hash: String,
    /// When, in Unix seconds.
    pub at: u64,
    /// Its files are no longer what was installed.
    pub changed: bool,
}

/// A skill with its text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct SkillView {
    /// As the list shows it.
    pub row: SkillRow,
    /// Its instructions, without the frontmatter.
    pub body: String,
    /// Boxes of its self-check.
    pub self_check: Vec<String>,
    /// Its licence as written.
    pub license: Option<String>,
    /// Its page as written.
    pub homepage: Option<String>,
    /// How what it requires could be installed; never run by itself.
    pub hints: Vec<String>,
    /// The secret its scripts are given first.
    pub primary_env: Option<String>,
}

/// What `hearth skills check` says of one SKILL.md.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct SkillCheck {
    /// The file, below the folder that was checked.
    pub path: String,
    /// It could be activated, were its requirements met.
    pub usable: bool,
    /// Its name.
    pub name: String,
    /// Its description.
    pub description: String,
    /// Words that activate it.
    pub triggers: Vec<String>,
    /// What it needs.
    pub requires: SkillRequires,
    /// The tools it narrows the choice to; none: it does not narrow.
    pub allowed_tools: Option<Vec<String>>,
    /// Codes of what is odd.
    pub warnings: Vec<String>,
    /// Boxes of its self-check.
    pub self_check: Vec<String>,
    /// Files its body names.
    pub references: Vec<String>,
    /// Skills it may activate.
    pub uses: Vec<String>,
    /// Its version as written.
    pub version: Option<String>,
    /// Its scripts.
    pub scripts: Vec<String>,
    /// It completes after `/skill`.
    pub user_invocable: bool,
    /// Messages and the model may activate it.
    pub model_invocable: bool,
}

/// Turning a skill on or off.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct SkillChange {
    /// The skill.
    pub name: String,
    /// It may be activated.
    pub enabled: bool,
}

/// A skill that was considered for a message.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct SkillRank {
    /// The skill.
    pub name: String,
    /// How near it is, 0 to 1.
    pub score: f64,
    /// Why: the words in common, the meaning, a trigger, a command.
    pub why: String,
}

/// Which skills a message asks for: the whole decision, replayable.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct SkillMatch {
    /// The message.
    pub text: String,
    /// What is activated.
    pub activated: Vec<String>,
    /// What was considered, best first.
    pub ranked: Vec<SkillRank>,
    /// The score from which on a skill is activated.
    pub threshold: f64,
    /// Meaning was looked at, too, not words alone.
    pub by_meaning: bool,
}

/// A box of a self-check, and what became of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct SkillBox {
    /// What it asks.
    pub text: String,
    /// It was ticked with evidence.
    pub ticked: bool,
    /// What shows it; empty where it is open.
    pub evidence: String,
}

/// A reference that was read.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct SkillReference {
    /// Its path within the skill's folder.
    pub path: String,
    /// What it added.
    pub tokens: u64,
    /// When, in Unix seconds.
    pub at: f64,
}

/// A skill that is, or was, active.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct SkillActive {
    /// The skill.
    pub name: String,
    /// Why it was activated.
    pub reason: String,
    /// Its score then.
    pub score: f64,
    /// The turn in which it was activated.
    pub since: TurnId,
    /// When, in Unix seconds.
    pub at: f64,
    /// Tokens its body and references add to each call.
    pub tokens: u64,
    /// The skill that activated it, if one did.
    pub by: Option<String>,
    /// References read while it was active.
    pub references: Vec<SkillReference>,
    /// Its self-check.
    pub self_check: Vec<SkillBox>,
    /// When it was released, in Unix seconds; none while it is active.
    pub released_at: Option<f64>,
    /// Why it was released; empty while it is active.
    pub released_why: String,
}

/// One moment of the timeline.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct SkillMoment {
    /// When, in Unix seconds.
    pub at: f64,
    /// The skill.
    pub name: String,
    /// What happened to it.
    pub state: SkillState,
    /// Why.
    pub reason: String,
    /// Its score then, 0 to 1.
    pub score: f64,
    /// Tokens added, or freed on release.
    pub tokens: u64,
}

/// What happened to skills in one turn: the activation view.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct SkillActivity {
    /// The turn.
    pub turn: TurnId,
    /// The decision on its message.
    pub decision: SkillMatch,
    /// Skills active during it, those activated earlier included.
    pub active: Vec<SkillActive>,
    /// Everything in order.
    pub timeline: Vec<SkillMoment>,
    /// Tokens of the index in each call.
    pub index_tokens: u64,
    /// Tokens that bodies and references added.
    pub added: u64,
    /// Tokens freed on release.
    pub freed: u64,
    /// What carrying every body would have cost.
    pub all_tokens: u64,
}

/// What an installation would bring, before it is done.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct SkillInstall {
    /// The folder, zip file or git address it was asked for.
    pub path: String,
    /// Hash of everything in it; given back with `skills_install`, so that what was shown is what comes.
    pub hash: String,
    /// Its skills.
    pub skills: Vec<SkillIncoming>,
    /// Why it is refused as a whole; then nothing can be installed.
    pub refused: Option<String>,
}

/// A skill that would be installed, and the rights it asks for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct SkillIncoming {
    /// Its name.
    pub name: String,
    /// What it says it is for.
    pub description: String,
    /// How many files it has.
    pub files: u64,
    /// Their size in all.
    pub bytes: u64,
    /// Programs of its own that it may ask to run.
    pub scripts: Vec<SkillScript>,
    /// Hosts that these programs name, sorted.
    pub hosts: Vec<String>,
    /// What it needs of the machine, secrets included.
    pub requires: SkillRequires,
    /// The tools it narrows the choice to; none: every tool the assistant has.
    pub allowed_tools: Option<Vec<String>>,
    /// Codes of what is odd about its SKILL.md.
    pub problems: Vec<String>,
    /// The version of the installed skill it would replace; empty if it has none.
    pub replaces: Option<String>,
    /// What it would change of the installed one, file by file, sorted by path.
    pub changes: Vec<SkillFileChange>,
    /// Another skill of this name that is there already.
    pub rival: Option<SkillRival>,
}

/// A skill of the same name from another source.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct SkillRival {
    /// Where it comes from.
    pub source: SkillSource,
    /// Its SKILL.md.
    pub path: String,
    /// It comes first: the new one would not be used.
    pub wins: bool,
}

/// A skill that was removed and can be brought back.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct SkillRemoved {
    /// Its name.
    pub name: String,
    /// When, in Unix seconds.
    pub at: u64,
}

/// A program that comes with a skill.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct SkillScript {
    /// Its path within the skill's folder.
    pub path: String,
    /// What runs it: `python3`, `sh`, `node`, …; `native` for machine code; empty if nothing says.
    pub runs_with: String,
    /// Its size.
    pub bytes: u64,
}

/// A file that an update adds, changes or takes away.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct SkillFileChange {
    /// Its path within the skill's folder.
    pub path: String,
    /// What becomes of it.
    pub change: SkillFileFate,
}

/// What an update does to a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum SkillFileFate {
    /// It is new.
    Added,
    /// Its content changes.
    Changed,
    /// It goes.
    Removed,
}
