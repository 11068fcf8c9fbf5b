//! `exec`: one command line, in a shell, confined, watched, and gone when the call is over.
//!
//! Invariants: it runs in a process group of its own, with a clean environment and nothing to read from;
//! whatever it started ends with it, however it ends; its output goes to disk piece by piece and is never
//! held whole. Absent here: whether it may run (policy).

pub(crate) mod environment;
pub(crate) mod group;
mod report;
mod running;
mod writable;

use crate::call::{Invocation, Outcome};
use crate::files::object;
use crate::reach::Surroundings;
use crate::registry::{Access, Descriptor, Group, Schema, Tool};
use crate::sandbox::Confinement;
use async_trait::async_trait;
use running::{Order, Running};
use serde_json::json;
use std::borrow::Cow;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// A command's time unless it asks for another.
const USUAL: Duration = Duration::from_secs(120);
/// The longest time that it can ask for.
const LONGEST: Duration = Duration::from_secs(600);

/// Runs commands.
pub(crate) struct Exec(pub(crate) Surroundings);

static EXEC: Descriptor = Descriptor {
    name: Cow::Borrowed("exec"),
    description: Cow::Borrowed(
        "Run a shell command and wait for it. It starts in the workspace or in `cwd`, gets no input, may write \
         only there and in $TMPDIR, has no network, and ends after `timeout_s` seconds (120, at most 600). \
         What it leaves running is ended.",
    ),
    access: &[Access::RunsCommands],
    group: Group::Commands,
    limit: Duration::from_secs(620),
    untrusted: false,
    policy: Cow::Borrowed(
        "Runs a command, confined to the workspace and the allowed folders, without network or secrets.",
    ),
    schema: Schema::Built(|| {
        object(
            json!({"command": {"type": "string"}, "cwd": {"type": "string"},
                "timeout_s": {"type": "integer", "minimum": 1, "maximum": LONGEST.as_secs()}}),
            &["command"],
        )
    }),
};

#[async_trait]
impl Tool for Exec {
    fn descriptor(&self) -> &Descriptor {
        &EXEC
    }

    async fn run(&self, call: Invocation) -> Outcome {
        let order = match self.order(&call) {
            Ok(order) => order,
            Err(why) => return Outcome::failed(why),
        };
        let untrusted = order.untrusted;
        let running = match Running::start(order, &self.0.outputs).await {
            Ok(running) => running,
            Err(error) => {
                return Outcome::failed(format!("The command could not be started: {error}"));
            }
        };
        let outcome = running.finish(&call).await;
        if untrusted { outcome.from_outside("a command") } else { outcome }
    }
}

fn mark(name: &str) -> String {
    static STARTED: AtomicU64 = AtomicU64::new(0);
    let number = STARTED.fetch_add(1, Ordering::Relaxed);
    format!("{name}-{}-{number}", std::process::id())
}

impl Exec {
    /// A folder of a skill that is active: its scripts may start where their paths begin.
    fn of_skill(&self, call: &Invocation, path: &str) -> Option<PathBuf> {
        let found = self.0.workspace.folder().join(path).canonicalize().ok()?;
        let is_its = |root: &PathBuf| root.canonicalize().is_ok_and(|root| found.starts_with(root));
        (found.is_dir() && call.extras.read.iter().any(is_its)).then_some(found)
    }

    fn order(&self, call: &Invocation) -> Result<Order, String> {
        let command = call.text("command");
        if command.trim().is_empty() {
            return Err("`command` is empty.".to_owned());
        }
        if command.contains('\0') {
            return Err("`command` holds a zero byte.".to_owned());
        }
        let cwd = match call.text("cwd") {
            "" => self.0.workspace.folder().to_path_buf(),
            path => match self.of_skill(call, path) {
                Some(folder) => folder,
                None => self.0.folder(path)?,
            },
        };
        let name = crate::outputs::Outputs::name(&call.turn, &call.call);
        let scratch = self.0.outputs.scratch(&name);
        let scratch = scratch.map_err(|error| format!("No place for temporary files: {error}"))?;
        let workspace = self.0.workspace.folder().to_path_buf();
        let roots = self.0.roots();
        let mut read: Vec<PathBuf> =
            call.extras.read.iter().cloned().chain(git_settings()).collect();
        let mut write = vec![scratch.clone()];
        match call.extras.keeps {
            Some(keeps) => {
                write.extend(writable::unasked(&workspace, &cwd, keeps));
                read.push(workspace);
            }
            None => write.push(workspace),
        }
        let network = self.0.reach().command_network || call.extras.network;
        let untrusted = network || !roots.is_empty();
        write.extend(roots);
        let seconds = call.count("timeout_s").map(|s| Duration::from_secs(s as u64));
        Ok(Order {
            command: command.to_owned(),
            cwd,
            mark: mark(&name),
            untrusted,
            name,
            scratch,
            confinement: Confinement { read, write, network },
            env: call.extras.env.clone(),
            limit: seconds.unwrap_or(USUAL).min(LONGEST),
        })
    }
}

/// The person's settings of git, who they are among them: git refuses all work where they are there and cannot
/// be read.
fn git_settings() -> Vec<PathBuf> {
    let home = std::env::var_os("HOME").map(PathBuf::from).filter(|home| home.is_absolute());
    home.map(|home| vec![home.join(".gitconfig"), home.join(".config/git")]).unwrap_or_default()
}
