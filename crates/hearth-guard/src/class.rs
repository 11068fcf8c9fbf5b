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

/// The built-in tools.
const TOOLS: &[(&str, Class)] = &[
    ("read_file", Class::Read),
    ("list_files", Class::Read),
    ("search_files", Class::Read),
    ("write_file", Class::Write),
    ("edit_file", Class::Write),
    ("exec", Class::Run),
    ("web_fetch", Class::Fetch),
    ("web_search", Class::Search),
    ("memory_search", Class::Read),
    ("memory_get", Class::Read),
    ("memory_append", Class::Remember),
    ("memory_supersede", Class::Remember),
    ("memory_forget", Class::Remember),
    ("cron", Class::Schedule),
    ("notify", Class::Notify),
    ("skill_load", Class::Read),
    ("spawn_agent", Class::Delegate),
    ("ask_user", Class::Converse),
    ("tool_load", Class::Converse),
];

/// Groups, as `group:NAME` in `allow_tools` and `deny_tools`.
const GROUPS: &[(&str, &[Class])] = &[
    ("fs", &[Class::Write]),
    ("read", &[Class::Read]),
    ("memory", &[Class::Remember]),
    ("runtime", &[Class::Run]),
    ("web", &[Class::Search, Class::Fetch]),
    ("messaging", &[Class::Send, Class::Notify]),
    ("automation", &[Class::Schedule]),
    ("agents", &[Class::Delegate]),
    ("mcp", &[Class::ThirdParty]),
];

impl Class {
    /// What a tool of this name does; a name that is not built in belongs to a third party.
    #[must_use]
    pub fn of_tool(name: &str) -> Self {
        TOOLS.iter().find(|(known, _)| *known == name).map_or(Self::ThirdParty, |(_, class)| *class)
    }
}

/// One entry of `allow_tools` or `deny_tools`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Named {
    All,
    Tool(String),
    Group(&'static [Class]),
}

impl Named {
    /// Reads an entry; says why it is none.
    pub(crate) fn parse(entry: &str) -> Result<Self, String> {
        if entry == "*" {
            return Ok(Self::All);
        }
        if let Some(group) = entry.strip_prefix("group:") {
            let found = GROUPS.iter().find(|(name, _)| *name == group);
            return found.map(|(_, classes)| Self::Group(classes)).ok_or_else(|| {
                let names: Vec<&str> = GROUPS.iter().map(|(name, _)| *name).collect();
                format!("there is no group {group:?}; there are {}", names.join(", "))
            });
        }
        // Tools of third parties carry their server's name.
        let third_party = entry.contains("__") || entry.contains('/') || entry.contains('.');
        if third_party || TOOLS.iter().any(|(name, _)| *name == entry) {
            return Ok(Self::Tool(entry.to_owned()));
        }
        Err(format!("there is no tool {entry:?}; groups are written \"group:NAME\""))
    }

    pub(crate) fn names(&self, tool: &str, class: Class) -> bool {
        match self {
            Self::All => true,
            Self::Tool(name) => {
                name == tool || name.strip_suffix('*').is_some_and(|start| tool.starts_with(start))
            }
            Self::Group(classes) => classes.contains(&class),
        }
    }
}
