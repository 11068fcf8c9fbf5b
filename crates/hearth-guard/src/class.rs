//! What a tool does to the world, and the names by which settings speak of tools.

use serde::{Deserialize, Serialize};

/// What a tool does to the world, as far as policy asks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Class {
    /// It reads what is in the workspace, in memory or in skills.
    Read,
    /// It changes files of the workspace; every change is a version.
    Write,
    /// It changes what is remembered.
    Remember,
    /// It runs a command.
    Run,
    /// It asks a search engine.
    Search,
    /// It reads a page.
    Fetch,
    /// It sends something to somebody.
    Send,
    /// It shows something to the person.
    Notify,
    /// It makes something happen later.
    Schedule,
    /// It has another agent work.
    Delegate,
    /// It talks with the person, or looks at what it can do.
    Converse,
    /// A tool of a third party: nothing is known but its name.
    ThirdParty,
}

/// The built-in tools: name, what it does, and the group under which settings speak of it.
const TOOLS: &[(&str, Class, &str)] = &[
    ("read_file", Class::Read, "files"),
    ("list_files", Class::Read, "files"),
    ("search_files", Class::Read, "files"),
    ("write_file", Class::Write, "files"),
    ("edit_file", Class::Write, "files"),
    ("exec", Class::Run, "commands"),
    ("web_fetch", Class::Fetch, "web"),
    ("web_search", Class::Search, "web"),
    ("memory_search", Class::Read, "memory"),
    ("memory_get", Class::Read, "memory"),
    ("memory_append", Class::Remember, "memory"),
    ("memory_supersede", Class::Remember, "memory"),
    ("memory_forget", Class::Remember, "memory"),
    ("cron", Class::Schedule, "time"),
    ("notify", Class::Notify, "time"),
    ("skill_load", Class::Read, "skills"),
    ("tool_load", Class::Converse, "skills"),
    ("spawn_agent", Class::Delegate, "agents"),
    ("ask_user", Class::Converse, "agents"),
];
/// The group of all other tools.
const THIRD_PARTY: &str = "mcp";

impl Class {
    /// What a tool of this name does; a name that is not built in belongs to a third party.
    #[must_use]
    pub fn of_tool(name: &str) -> Self {
        built_in(name).map_or(Self::ThirdParty, |(_, class, _)| *class)
    }
}

/// Whether a name is a built-in tool's.
#[must_use]
pub fn is_built_in(name: &str) -> bool {
    built_in(name).is_some()
}

fn built_in(name: &str) -> Option<&'static (&'static str, Class, &'static str)> {
    TOOLS.iter().find(|(known, _, _)| *known == name)
}

fn group_of(tool: &str) -> &'static str {
    built_in(tool).map_or(THIRD_PARTY, |(_, _, group)| group)
}

/// One entry of `allow_tools` or `deny_tools`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Named {
    All,
    Tool(String),
    Group(String),
}

impl Named {
    /// Reads an entry; says why it is none.
    pub(crate) fn parse(entry: &str) -> Result<Self, String> {
        if entry == "*" {
            return Ok(Self::All);
        }
        if let Some(group) = entry.strip_prefix("group:") {
            let mut names: Vec<&str> = TOOLS.iter().map(|(_, _, group)| *group).collect();
            names.dedup();
            names.push(THIRD_PARTY);
            return match names.contains(&group) {
                true => Ok(Self::Group(group.to_owned())),
                false => {
                    Err(format!("there is no group {group:?}; there are {}", names.join(", ")))
                }
            };
        }
        // Tools of third parties carry their server's name.
        let third_party = entry.contains("__") || entry.contains('/') || entry.contains('.');
        if third_party || is_built_in(entry) {
            return Ok(Self::Tool(entry.to_owned()));
        }
        Err(format!("there is no tool {entry:?}; groups are written \"group:NAME\""))
    }

    pub(crate) fn names(&self, tool: &str) -> bool {
        match self {
            Self::All => true,
            Self::Tool(name) => {
                name == tool || name.strip_suffix('*').is_some_and(|start| tool.starts_with(start))
            }
            Self::Group(group) => group_of(tool) == group,
        }
    }
}
