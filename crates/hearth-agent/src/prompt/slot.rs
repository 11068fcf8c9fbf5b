//! The places of the prompt: their order, their names, and the modes that carry them.

use hearth_protocol::PromptMode;

/// A place in the prompt. Declared in the order of the prompt.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[expect(missing_docs, reason = "the names are the documentation")]
pub enum Slot {
    Identity,
    Capabilities,
    Tools,
    ToolIndex,
    SkillIndex,
    Safety,
    Guidance,
    AgentsFile,
    SoulFile,
    IdentityFile,
    UserFile,
    ToolsFile,
    BootstrapFile,
    MemoryFile,
    HeartbeatFile,
    NearestSkills,
    Date,
    DailyLog,
    SessionState,
    WorkingBuffer,
    Recalled,
    ActiveSkill,
    Recovery,
    Summary,
    History,
    Message,
    Steps,
}

use Slot as S;

/// Full, minimal, heartbeat, none.
type Modes = [bool; 4];

/// Which slots exist in which mode: the one table.
const TABLE: [(Slot, &str, Modes); 27] = [
    (S::Identity, "identity", [true, true, true, true]),
    (S::Capabilities, "capabilities", [true, true, true, false]),
    (S::Tools, "tools", [true, true, true, false]),
    (S::ToolIndex, "tool_index", [true, true, true, false]),
    (S::SkillIndex, "skill_index", [true, true, false, false]),
    (S::Safety, "safety", [true, true, true, false]),
    (S::Guidance, "guidance", [true, false, false, false]),
    (S::AgentsFile, "agents", [true, true, false, false]),
    (S::SoulFile, "soul", [true, false, false, false]),
    (S::IdentityFile, "identity_file", [true, false, false, false]),
    (S::UserFile, "user", [true, false, true, false]),
    (S::ToolsFile, "tools_file", [true, true, false, false]),
    (S::BootstrapFile, "bootstrap", [true, false, false, false]),
    (S::MemoryFile, "memory", [true, false, false, false]),
    (S::HeartbeatFile, "heartbeat", [false, false, true, false]),
    (S::NearestSkills, "nearest_skills", [true, false, false, false]),
    (S::Date, "date", [true, true, true, false]),
    (S::DailyLog, "daily_log", [true, false, true, false]),
    (S::SessionState, "session_state", [true, false, false, false]),
    (S::WorkingBuffer, "working_buffer", [true, false, false, false]),
    (S::Recalled, "recalled", [true, false, false, false]),
    (S::ActiveSkill, "active_skill", [true, true, false, false]),
    (S::Recovery, "recovery", [true, false, false, false]),
    (S::Summary, "summary", [true, true, true, true]),
    (S::History, "history", [true, true, true, true]),
    (S::Message, "message", [true, true, true, true]),
    (S::Steps, "steps", [true, true, true, true]),
];

impl Slot {
    /// The slot of a workspace file that the prompt carries.
    #[must_use]
    pub fn of_file(name: &str) -> Option<Self> {
        Some(match name {
            "AGENTS.md" => S::AgentsFile,
            "SOUL.md" => S::SoulFile,
            "IDENTITY.md" => S::IdentityFile,
            "USER.md" => S::UserFile,
            "TOOLS.md" => S::ToolsFile,
            "BOOTSTRAP.md" => S::BootstrapFile,
            "MEMORY.md" => S::MemoryFile,
            "HEARTBEAT.md" => S::HeartbeatFile,
            "SESSION-STATE.md" => S::SessionState,
            _ => return None,
        })
    }

    /// Its stable name in the manifest.
    #[must_use]
    pub fn name(self) -> &'static str {
        TABLE[self as usize].1
    }

    /// Whether a mode carries it.
    #[must_use]
    pub fn is_in(self, mode: PromptMode) -> bool {
        let column = match mode {
            PromptMode::Full => 0,
            PromptMode::Minimal => 1,
            PromptMode::Heartbeat => 2,
            PromptMode::None => 3,
        };
        TABLE[self as usize].2[column]
    }

    /// Whether it stands above the cache boundary.
    #[must_use]
    pub fn is_stable(self) -> bool {
        self <= Self::HeartbeatFile
    }

    /// Whether its text is a file of the workspace or part of one.
    pub(super) fn has_heading(self) -> bool {
        (Self::AgentsFile..=Self::HeartbeatFile).contains(&self)
            || (Self::DailyLog..=Self::ActiveSkill).contains(&self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_has_each_slot_at_its_place() {
        for (place, (slot, name, modes)) in TABLE.iter().enumerate() {
            assert_eq!(*slot as usize, place, "{name}");
            assert!(modes.contains(&true), "{name} is in no mode");
        }
    }
}
