//! One form for every tool, and the table of those there are.

use crate::{files, search};
use async_trait::async_trait;
use hearth_protocol::{ToolSpec, TurnId};
use hearth_workspace::WorkspaceRoot;
use serde_json::{Map, Value};
use std::sync::Arc;

/// What a tool does to the world, as far as policy asks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Access {
    /// It only reads.
    Reads,
    /// It changes files of the workspace; every change is a version and can be undone.
    WritesWorkspace,
}

/// All that is known of a tool before it runs.
#[derive(Debug)]
pub struct Descriptor {
    /// The name that models, skills and policies use.
    pub name: &'static str,
    /// For the model: what it does and when to use it.
    pub description: &'static str,
    /// For policy.
    pub access: Access,
    /// JSON schema of the arguments.
    pub schema: fn() -> Value,
}

/// One call, checked and allowed.
#[derive(Debug, Clone)]
pub struct Invocation {
    /// Arguments that fit the schema.
    pub arguments: Map<String, Value>,
    /// The turn that asked, to whom changes are attributed.
    pub turn: TurnId,
}

impl Invocation {
    /// A text argument; empty where it is absent.
    #[must_use]
    pub fn text(&self, name: &str) -> &str {
        self.arguments.get(name).and_then(Value::as_str).unwrap_or_default()
    }

    /// A whole number that is not negative; none where it is absent.
    #[must_use]
    pub fn count(&self, name: &str) -> Option<usize> {
        let number = self.arguments.get(name)?.as_u64()?;
        usize::try_from(number).ok()
    }
}

/// What came of a call, for the model.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Outcome {
    /// It did what was asked.
    pub ok: bool,
    /// The result, or what went wrong and what to do.
    pub text: String,
}

impl Outcome {
    /// It did what was asked.
    pub fn done(text: impl Into<String>) -> Self {
        Self { ok: true, text: text.into() }
    }

    /// It did not.
    pub fn failed(text: impl Into<String>) -> Self {
        Self { ok: false, text: text.into() }
    }
}

/// Something the assistant can do.
#[async_trait]
pub trait Tool: Send + Sync {
    /// What is known of it.
    fn descriptor(&self) -> &'static Descriptor;

    /// Does it.
    async fn run(&self, call: Invocation) -> Outcome;
}

/// The tools there are, in a stable order.
#[derive(Clone)]
pub struct Registry {
    tools: Arc<[Arc<dyn Tool>]>,
}

impl Registry {
    /// The built-in tools over a workspace.
    #[must_use]
    pub fn new(workspace: &Arc<WorkspaceRoot>) -> Self {
        let share = || Arc::clone(workspace);
        let tools: Vec<Arc<dyn Tool>> = vec![
            Arc::new(files::ReadFile(share())),
            Arc::new(files::WriteFile(share())),
            Arc::new(files::EditFile(share())),
            Arc::new(files::ListFiles(share())),
            Arc::new(search::SearchFiles(share())),
        ];
        Self { tools: tools.into() }
    }

    /// What is offered to a model, in the registry's order: those that `offered` keeps.
    #[must_use]
    pub fn specs(&self, offered: impl Fn(&Descriptor) -> bool) -> Vec<ToolSpec> {
        let descriptors = self.tools.iter().map(|tool| tool.descriptor());
        descriptors
            .filter(|descriptor| offered(descriptor))
            .map(|descriptor| ToolSpec {
                name: descriptor.name.to_owned(),
                description: descriptor.description.to_owned(),
                schema: (descriptor.schema)(),
            })
            .collect()
    }

    /// The tool of a name.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<Arc<dyn Tool>> {
        self.tools.iter().find(|tool| tool.descriptor().name == name).cloned()
    }
}
