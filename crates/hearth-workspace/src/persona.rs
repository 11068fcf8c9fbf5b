//! The files that make an assistant who it is, and which run is given which.

use hearth_protocol::PromptMode;

/// A file of the workspace that a prompt may carry, in the order in which it does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum PersonaFile {
    /// How to work, what never to do.
    Agents,
    /// Personality, values, tone.
    Soul,
    /// Name, emoji, avatar, role.
    Identity,
    /// Who the person is.
    User,
    /// Notes on local tools.
    Tools,
    /// The ritual of the first conversation.
    Bootstrap,
    /// Long-term memory.
    Memory,
    /// What to check on its own.
    Heartbeat,
    /// Write-ahead state, one section a session key.
    SessionState,
}

/// What decides which files a run is given.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Run {
    /// Prompt mode.
    pub mode: PromptMode,
    /// Only the person reads along.
    pub private: bool,
    /// The main session, not another one.
    pub main_session: bool,
}

impl PersonaFile {
    /// All, in the order of the prompt.
    pub const ALL: [Self; 9] = [
        Self::Agents,
        Self::Soul,
        Self::Identity,
        Self::User,
        Self::Tools,
        Self::Bootstrap,
        Self::Memory,
        Self::Heartbeat,
        Self::SessionState,
    ];

    /// Its path within the workspace.
    #[must_use]
    pub const fn path(self) -> &'static str {
        match self {
            Self::Agents => "AGENTS.md",
            Self::Soul => "SOUL.md",
            Self::Identity => "IDENTITY.md",
            Self::User => "USER.md",
            Self::Tools => "TOOLS.md",
            Self::Bootstrap => "BOOTSTRAP.md",
            Self::Memory => "MEMORY.md",
            Self::Heartbeat => "HEARTBEAT.md",
            Self::SessionState => "SESSION-STATE.md",
        }
    }

    /// The persona file at `path`, if it is one.
    #[must_use]
    pub fn at(path: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|file| file.path() == path)
    }

    /// Whether a run of this kind is given the file, if it exists. BOOTSTRAP.md is there only in a
    /// workspace whose first conversation is not over.
    #[must_use]
    pub const fn is_loaded(self, run: Run) -> bool {
        match (run.mode, self) {
            (PromptMode::Full, Self::Agents | Self::Soul | Self::Identity | Self::Tools)
            | (PromptMode::Full, Self::SessionState)
            | (PromptMode::Minimal, Self::Agents | Self::Tools)
            | (PromptMode::Heartbeat, Self::User | Self::Heartbeat) => true,
            (PromptMode::Full, Self::User | Self::Memory) => run.private,
            (PromptMode::Full, Self::Bootstrap) => run.private && run.main_session,
            (PromptMode::Full, Self::Heartbeat)
            | (PromptMode::Minimal | PromptMode::Heartbeat | PromptMode::None, _) => false,
        }
    }

    /// What the prompt carries where the file is missing, if anything.
    #[must_use]
    pub fn missing_marker(self) -> Option<String> {
        match self {
            Self::Agents | Self::Soul | Self::Identity | Self::User | Self::Tools => {
                Some(format!("[MISSING] {}", self.path()))
            }
            Self::Bootstrap | Self::Memory | Self::Heartbeat | Self::SessionState => None,
        }
    }
}

/// Path of the daily log of a date (the person's local one).
#[must_use]
pub fn daily_log_path(date: chrono::NaiveDate) -> String {
    date.format("memory/%Y-%m-%d.md").to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn loaded(mode: PromptMode, private: bool, main_session: bool) -> Vec<&'static str> {
        let run = Run { mode, private, main_session };
        PersonaFile::ALL.into_iter().filter(|f| f.is_loaded(run)).map(PersonaFile::path).collect()
    }

    #[test]
    fn each_mode_is_given_its_files_in_order() {
        use PromptMode::{Full, Heartbeat, Minimal, None};
        let always = ["AGENTS.md", "SOUL.md", "IDENTITY.md"];
        let main = [
            &always[..],
            &["USER.md", "TOOLS.md", "BOOTSTRAP.md", "MEMORY.md", "SESSION-STATE.md"],
        ];
        assert_eq!(loaded(Full, true, true), main.concat());
        let other = [&always[..], &["USER.md", "TOOLS.md", "MEMORY.md", "SESSION-STATE.md"]];
        assert_eq!(loaded(Full, true, false), other.concat());
        let group = [&always[..], &["TOOLS.md", "SESSION-STATE.md"]];
        assert_eq!(loaded(Full, false, true), group.concat());
        assert_eq!(loaded(Minimal, true, true), ["AGENTS.md", "TOOLS.md"]);
        assert_eq!(loaded(Heartbeat, true, true), ["USER.md", "HEARTBEAT.md"]);
        assert_eq!(loaded(None, true, true), [""; 0]);
    }

    #[test]
    fn only_the_five_are_missed() {
        let missed: Vec<_> = PersonaFile::ALL.iter().filter_map(|f| f.missing_marker()).collect();
        assert_eq!(
            missed,
            [
                "[MISSING] AGENTS.md",
                "[MISSING] SOUL.md",
                "[MISSING] IDENTITY.md",
                "[MISSING] USER.md",
                "[MISSING] TOOLS.md",
            ]
        );
    }
}
