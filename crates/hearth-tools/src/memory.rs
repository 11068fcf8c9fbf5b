//! Tools for memory: search, read, append, supersede, forget.
//!
//! Invariants: the tools hand on what the model asks; who remembers ([`Notebook`]) writes the files itself,
//! dates entries by its own clock and reads back what it wrote before it says so.

use crate::call::{Invocation, Outcome};
use crate::files::{LIMIT, blocking, failed, object, read};
use crate::registry::{Access, Descriptor, Group, Schema, Tool};
use async_trait::async_trait;
use hearth_protocol::TurnId;
use hearth_workspace::WorkspaceRoot;
use serde_json::json;
use std::borrow::Cow;
use std::sync::Arc;
use std::time::Duration;

/// Hits of a search, unless the model asks for fewer or more.
const HITS: usize = 6;
const MOST_HITS: usize = 20;
/// A search may have to read changed files and the embedding model first.
const SEARCH_LIMIT: Duration = Duration::from_secs(120);

/// An entry that a tool is asked to write.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Note {
    /// What it says.
    pub text: String,
    /// Its heading; empty where the model gives none.
    pub title: String,
    /// Its kind; empty where the model gives none.
    pub kind: String,
}

/// Who remembers. Each answers with words for the model; an error is what went wrong and what to do.
#[async_trait]
pub trait Notebook: Send + Sync {
    /// What memory holds on a question.
    async fn search(&self, turn: &TurnId, query: &str, k: usize) -> Result<String, String>;
    /// Writes a new entry.
    async fn append(&self, turn: &TurnId, note: Note) -> Result<String, String>;
    /// Writes an entry in the place of another.
    async fn supersede(&self, turn: &TurnId, id: &str, text: &str) -> Result<String, String>;
    /// Forgets an entry.
    async fn forget(&self, turn: &TurnId, id: &str) -> Result<String, String>;
}

/// The memory tools over who remembers.
#[must_use]
pub fn memory_tools(
    notebook: &Arc<dyn Notebook>,
    workspace: &Arc<WorkspaceRoot>,
) -> Vec<Arc<dyn Tool>> {
    let share = || Arc::clone(notebook);
    vec![
        Arc::new(Search(share())),
        Arc::new(Get(Arc::clone(workspace))),
        Arc::new(Append(share())),
        Arc::new(Supersede(share())),
        Arc::new(Forget(share())),
    ]
}

struct Search(Arc<dyn Notebook>);
struct Get(Arc<WorkspaceRoot>);
struct Append(Arc<dyn Notebook>);
struct Supersede(Arc<dyn Notebook>);
struct Forget(Arc<dyn Notebook>);

const READS: &str = "Reads memory: files of the workspace and, if allowed, past conversations.";
const WRITES: &str = "Writes memory entries; every change is a version and can be undone.";

static SEARCH: Descriptor = Descriptor {
    name: Cow::Borrowed("memory_search"),
    description: Cow::Borrowed(
        "Search everything remembered: notes, daily logs, past conversations. Any language; ask in words.",
    ),
    access: &[Access::ReadsMemory],
    group: Group::Memory,
    limit: SEARCH_LIMIT,
    untrusted: false,
    policy: Cow::Borrowed(READS),
    schema: Schema::Built(|| {
        object(
            json!({"query": {"type": "string"},
                "k": {"type": "integer", "minimum": 1, "maximum": MOST_HITS}}),
            &["query"],
        )
    }),
};

static GET: Descriptor = Descriptor {
    name: Cow::Borrowed("memory_get"),
    description: Cow::Borrowed("Read lines of a memory file that a search named."),
    access: &[Access::ReadsMemory],
    group: Group::Memory,
    limit: LIMIT,
    untrusted: false,
    policy: Cow::Borrowed(READS),
    schema: Schema::Built(|| {
        object(
            json!({"path": {"type": "string"}, "from": {"type": "integer", "minimum": 1},
                "lines": {"type": "integer", "minimum": 1}}),
            &["path"],
        )
    }),
};

static APPEND: Descriptor = Descriptor {
    name: Cow::Borrowed("memory_append"),
    description: Cow::Borrowed(
        "Remember one fact for good: one short sentence, clear by itself. Never passwords or keys.",
    ),
    access: &[Access::WritesMemory],
    group: Group::Memory,
    limit: LIMIT,
    untrusted: false,
    policy: Cow::Borrowed(WRITES),
    schema: Schema::Built(|| {
        object(
            json!({"text": {"type": "string"}, "title": {"type": "string"},
                "kind": {"enum": ["fact", "preference", "event", "decision", "lesson"]}}),
            &["text"],
        )
    }),
};

static SUPERSEDE: Descriptor = Descriptor {
    name: Cow::Borrowed("memory_supersede"),
    description: Cow::Borrowed(
        "A remembered fact has changed: write the new one in the place of the entry `id`.",
    ),
    access: &[Access::WritesMemory],
    group: Group::Memory,
    limit: LIMIT,
    untrusted: false,
    policy: Cow::Borrowed(WRITES),
    schema: Schema::Built(|| {
        object(json!({"id": {"type": "string"}, "text": {"type": "string"}}), &["id", "text"])
    }),
};

static FORGET: Descriptor = Descriptor {
    name: Cow::Borrowed("memory_forget"),
    description: Cow::Borrowed(
        "Forget an entry: it leaves the files and every search. Only when the user asks for it.",
    ),
    access: &[Access::WritesMemory],
    group: Group::Memory,
    limit: SEARCH_LIMIT,
    untrusted: false,
    policy: Cow::Borrowed("Removes memory entries; the user can bring them back for 30 days."),
    schema: Schema::Built(|| object(json!({"id": {"type": "string"}}), &["id"])),
};

fn outcome(said: Result<String, String>) -> Outcome {
    said.map_or_else(Outcome::failed, Outcome::done)
}

#[async_trait]
impl Tool for Search {
    fn descriptor(&self) -> &Descriptor {
        &SEARCH
    }

    async fn run(&self, call: Invocation) -> Outcome {
        let k = call.count("k").unwrap_or(HITS).clamp(1, MOST_HITS);
        outcome(self.0.search(&call.turn, call.text("query"), k).await)
    }
}

#[async_trait]
impl Tool for Get {
    fn descriptor(&self) -> &Descriptor {
        &GET
    }

    async fn run(&self, call: Invocation) -> Outcome {
        let workspace = Arc::clone(&self.0);
        blocking(move || read(&workspace, call.text("path"), &call).unwrap_or_else(failed)).await
    }
}

#[async_trait]
impl Tool for Append {
    fn descriptor(&self) -> &Descriptor {
        &APPEND
    }

    async fn run(&self, call: Invocation) -> Outcome {
        let note = Note {
            text: call.text("text").to_owned(),
            title: call.text("title").to_owned(),
            kind: call.text("kind").to_owned(),
        };
        outcome(self.0.append(&call.turn, note).await)
    }
}

#[async_trait]
impl Tool for Supersede {
    fn descriptor(&self) -> &Descriptor {
        &SUPERSEDE
    }

    async fn run(&self, call: Invocation) -> Outcome {
        outcome(self.0.supersede(&call.turn, call.text("id"), call.text("text")).await)
    }
}

#[async_trait]
impl Tool for Forget {
    fn descriptor(&self) -> &Descriptor {
        &FORGET
    }

    async fn run(&self, call: Invocation) -> Outcome {
        outcome(self.0.forget(&call.turn, call.text("id")).await)
    }
}
