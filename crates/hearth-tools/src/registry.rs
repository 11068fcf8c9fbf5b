//! One form for every tool, and the table of those there are.

use crate::call::{Invocation, Outcome};
use crate::exec::Exec;
use crate::reach::Surroundings;
use crate::web::fetch::WebFetch;
use crate::{files, search};
use async_trait::async_trait;
use hearth_protocol::ToolSpec;
use serde_json::Value;
use std::borrow::Cow;
use std::sync::{Arc, PoisonError, RwLock};
use std::time::Duration;

/// What a tool does to the world, as far as policy asks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Access {
    /// It reads files of the workspace or of an allowed folder.
    Reads,
    /// It changes files of the workspace; every change is a version and can be undone.
    WritesWorkspace,
    /// It changes files of allowed folders outside the workspace.
    WritesOutside,
    /// It runs commands.
    RunsCommands,
    /// It reaches the network, and so can carry something out.
    ReachesNetwork,
    /// It reads what is remembered.
    ReadsMemory,
    /// It changes what is remembered.
    WritesMemory,
    /// It makes something happen later, without the person.
    Schedules,
    /// It shows the person a notice.
    Notifies,
    /// It sends to somebody else.
    Sends,
    /// It asks the person.
    Asks,
    /// It starts a sub-agent.
    Spawns,
}

/// What allow and deny lists of `hearth.toml` may name at once, as `group:NAME`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Group {
    /// Files of the workspace and of allowed folders.
    Files,
    /// Commands.
    Commands,
    /// The web.
    Web,
    /// Memory.
    Memory,
    /// Schedule and notices.
    Time,
    /// Sub-agents and questions to the person.
    Agents,
    /// Skills and tools that are fetched on demand.
    Skills,
    /// Tools of MCP servers.
    Mcp,
}

impl Group {
    /// As written in `hearth.toml`, after `group:`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Files => "files",
            Self::Commands => "commands",
            Self::Web => "web",
            Self::Memory => "memory",
            Self::Time => "time",
            Self::Agents => "agents",
            Self::Skills => "skills",
            Self::Mcp => "mcp",
        }
    }
}

/// The arguments that a tool takes.
#[derive(Debug, Clone)]
pub enum Schema {
    /// A built-in tool's.
    Built(fn() -> Value),
    /// As a server gave it.
    Given(Value),
}

/// All that is known of a tool before it runs.
#[derive(Debug, Clone)]
pub struct Descriptor {
    /// The name that models, skills and policies use.
    pub name: Cow<'static, str>,
    /// For the model: what it does and when to use it.
    pub description: Cow<'static, str>,
    /// For policy: all that it may do. Which of it a call does depends on its arguments.
    pub access: &'static [Access],
    /// For policy: what it is listed under.
    pub group: Group,
    /// It is stopped after so long, whatever it says about itself.
    pub limit: Duration,
    /// What it returns was written by others: data, never instructions.
    pub untrusted: bool,
    /// One line for people: what it may do, and what holds it.
    pub policy: Cow<'static, str>,
    /// JSON schema of the arguments.
    pub schema: Schema,
}

impl Descriptor {
    /// Whether it may do this.
    #[must_use]
    pub fn may(&self, access: Access) -> bool {
        self.access.contains(&access)
    }

    /// Whether a name of an allow or deny list means it: its own, or its group's.
    #[must_use]
    pub fn is_named(&self, name: &str) -> bool {
        self.name == name || name.strip_prefix("group:") == Some(self.group.name())
    }

    /// What is offered to a model.
    #[must_use]
    pub fn spec(&self) -> ToolSpec {
        ToolSpec {
            name: self.name.clone().into_owned(),
            description: self.description.clone().into_owned(),
            schema: match &self.schema {
                Schema::Built(build) => build(),
                Schema::Given(schema) => schema.clone(),
            },
        }
    }
}

/// Something the assistant can do.
#[async_trait]
pub trait Tool: Send + Sync {
    /// What is known of it.
    fn descriptor(&self) -> &Descriptor;

    /// Why a call would come to nothing whatever the person said of it; none where it may go well. It may look at
    /// files, and changes none.
    fn refuses(&self, _call: &Invocation) -> Option<String> {
        None
    }

    /// The hash of the file that a call changes, empty where nothing is there; none where it changes none.
    fn replaces(&self, _call: &Invocation) -> Option<String> {
        None
    }

    /// Does it. It ends soon after [`Invocation::cancel`]; dropped, it leaves nothing running.
    async fn run(&self, call: Invocation) -> Outcome;
}

/// The tools of one part, under its name.
type Shelf = (String, Vec<Arc<dyn Tool>>);

/// The tools there are, in a stable order. Cheap to clone; clones share what is put later.
#[derive(Clone, Default)]
pub struct Registry {
    shelves: Arc<RwLock<Vec<Shelf>>>,
}

impl Registry {
    /// The tools that need nothing but their surroundings: files, commands, and pages
    /// of the web.
    #[must_use]
    pub fn new(around: &Surroundings) -> Self {
        let registry = Self::default();
        let files: Vec<Arc<dyn Tool>> = vec![
            Arc::new(files::ReadFile(around.clone())),
            Arc::new(files::WriteFile(around.clone())),
            Arc::new(files::EditFile(around.clone())),
            Arc::new(files::ListFiles(around.clone())),
            Arc::new(search::SearchFiles(around.clone())),
        ];
        registry.put("files", files);
        registry.put("commands", vec![Arc::new(Exec(around.clone()))]);
        registry.put("web", vec![Arc::new(WebFetch::new(around.clone()))]);
        registry
    }

    /// Sets the tools of one part, in the place where that part stood before, else at the end.
    pub fn put(&self, part: &str, tools: Vec<Arc<dyn Tool>>) {
        let mut shelves = self.shelves.write().unwrap_or_else(PoisonError::into_inner);
        match shelves.iter_mut().find(|(name, _)| name == part) {
            Some((_, held)) => *held = tools,
            None => shelves.push((part.to_owned(), tools)),
        }
    }

    /// Takes a part's tools away.
    pub fn remove(&self, part: &str) {
        let mut shelves = self.shelves.write().unwrap_or_else(PoisonError::into_inner);
        shelves.retain(|(name, _)| name != part);
    }

    /// All tools, in order.
    #[must_use]
    pub fn all(&self) -> Vec<Arc<dyn Tool>> {
        let shelves = self.shelves.read().unwrap_or_else(PoisonError::into_inner);
        shelves.iter().flat_map(|(_, tools)| tools.iter().cloned()).collect()
    }

    /// What is offered to a model, in the registry's order: those that `offered` keeps.
    #[must_use]
    pub fn specs(&self, offered: impl Fn(&Descriptor) -> bool) -> Vec<ToolSpec> {
        let all = self.all();
        let descriptors = all.iter().map(|tool| tool.descriptor());
        descriptors.filter(|descriptor| offered(descriptor)).map(Descriptor::spec).collect()
    }

    /// The tool of a name; where two parts have one, the first's.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<Arc<dyn Tool>> {
        let shelves = self.shelves.read().unwrap_or_else(PoisonError::into_inner);
        let mut tools = shelves.iter().flat_map(|(_, tools)| tools);
        tools.find(|tool| tool.descriptor().name == name).cloned()
    }
}
