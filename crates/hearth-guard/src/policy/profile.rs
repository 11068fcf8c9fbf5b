//! The four profiles: what each class of tool may do before arguments are looked at.

use crate::class::Class;
use crate::request::Verdict;
use serde::{Deserialize, Serialize};

/// How much the assistant may do on its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Profile {
    /// It reads and answers.
    ReadOnly,
    /// It keeps files and memory; commands beyond looking, and whatever leaves the machine, are asked.
    #[default]
    Assistant,
    /// As the assistant, and it may build and test.
    Coding,
    /// It asks only where text that is not the person's is involved, or a line cannot be judged.
    Full,
}

/// Programs that look and change nothing, and `git` as far as it does.
#[rustfmt::skip]
const LOOKING: &[&str] = &[
    "ls", "cat", "echo", "pwd", "git", "grep", "date", "head", "wc", "uname", "whoami", "uptime", "tail", "sort",
    "uniq", "cut", "tr", "nl", "tac", "rev", "paste", "fold", "column", "comm", "cmp", "diff", "stat", "file",
    "du", "df", "tree", "find", "basename", "dirname", "realpath", "readlink", "which", "cksum", "md5sum",
    "sha1sum", "sha256sum", "sha512sum", "b2sum", "printf", "seq", "true", "false", "egrep", "fgrep", "rg", "jq",
    "python3 --version", "python --version", "node --version", "rustc --version",
];
const LOOKING_CMD: &[&str] = &["dir", "type", "echo", "git", "where", "ver"];
const LOOKING_POWERSHELL: &[&str] =
    &["Get-ChildItem", "Get-Content", "Write-Output", "Get-Date", "git"];
/// Exact forms that build and test.
const BUILDING: &[&str] = &[
    "cargo build",
    "cargo check",
    "cargo test",
    "cargo clippy",
    "cargo fmt",
    "npm test",
    "npm run build",
    "npm run test",
    "npm run lint",
    "pnpm test",
    "yarn test",
    "make",
    "make test",
    "go test ./...",
];

impl Profile {
    /// As written in `hearth.toml`.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::ReadOnly => "read-only",
            Self::Assistant => "assistant",
            Self::Coding => "coding",
            Self::Full => "full",
        }
    }

    /// The profile of a word in `hearth.toml`.
    #[must_use]
    pub fn parse(word: &str) -> Option<Self> {
        let all = [Self::ReadOnly, Self::Assistant, Self::Coding, Self::Full];
        all.into_iter().find(|profile| profile.as_str() == word)
    }

    /// Before arguments are looked at.
    pub(super) const fn level(self, class: Class) -> Verdict {
        match (self, class) {
            (_, Class::Read | Class::Search | Class::Fetch | Class::Converse | Class::Delegate)
            | (_, Class::Notify) => Verdict::Allow,
            (Self::ReadOnly, _) => Verdict::Deny,
            (_, Class::Write | Class::Remember | Class::Schedule) => Verdict::Allow,
            // Whether a command is within what was allowed is looked at with its arguments.
            (_, Class::Run) => Verdict::Allow,
            (Self::Full, Class::Send | Class::ThirdParty) => Verdict::Allow,
            (_, Class::Send | Class::ThirdParty) => Verdict::Ask,
        }
    }

    /// Commands that run without asking where `allow_commands` does not say.
    pub(super) fn commands(self) -> Vec<&'static str> {
        let looking = LOOKING.iter().chain(LOOKING_CMD).chain(LOOKING_POWERSHELL);
        match self {
            Self::ReadOnly => vec![],
            Self::Assistant => looking.copied().collect(),
            // A form of one word (`make`) is that word and nothing more: such programs are on no list of
            // the harmless.
            Self::Coding | Self::Full => looking.chain(BUILDING).copied().collect(),
        }
    }
}
