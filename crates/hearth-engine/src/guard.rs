//! The guard in the engine: the policy of the settings in force, what class a tool is of, whose text it
//! brings, and what an approval of a command pins.

use crate::engine::Inner;
use crate::notebook::has_mark;
use crate::settings::SettingsFile;
use hearth_guard::path::{Part, part_of};
use hearth_guard::{Class, Places, Policy, Shell, Source, command};
use hearth_protocol::Provenance;
use hearth_tools::{Access, Descriptor, Group, Outcome, Reach};
use serde_json::{Map, Value};
use sha2::{Digest, Sha256};
use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

/// The policy of the settings as last read.
pub(crate) fn policy(engine: &Inner) -> Policy {
    let places = Places {
        workspace: engine.workspace.folder().to_owned(),
        home: engine.home.root().to_owned(),
        person: directories::BaseDirs::new().map(|dirs| dirs.home_dir().to_owned()),
    };
    Policy::new(&engine.settings.current().guard, places)
}

/// Whether this machine holds commands to the workspace and off the network: tried once.
pub(crate) fn is_confined() -> bool {
    static HELD: OnceLock<bool> = OnceLock::new();
    *HELD.get_or_init(|| hearth_tools::sandbox::holds().confines())
}

/// How far the tools reach by themselves: the same settings, a second time.
pub(crate) fn reach(settings: Arc<SettingsFile>) -> impl Fn() -> Reach + Send + Sync + 'static {
    move || {
        let settings = settings.current();
        let rules = &settings.guard;
        Reach {
            roots: rules.allowed_roots.iter().map(PathBuf::from).collect(),
            domains: rules.allowed_domains.clone(),
            max_bytes: rules.max_size,
            command_network: false,
        }
    }
}

/// What a tool does to the world: the most that its descriptor says.
pub(crate) fn class(descriptor: &Descriptor) -> Class {
    let may = |access| descriptor.may(access);
    match () {
        () if descriptor.group == Group::Mcp => Class::ThirdParty,
        () if may(Access::RunsCommands) => Class::Run,
        () if may(Access::Sends) => Class::Send,
        () if may(Access::Schedules) => Class::Schedule,
        () if may(Access::Spawns) => Class::Delegate,
        () if may(Access::WritesMemory) => Class::Remember,
        () if may(Access::WritesWorkspace) || may(Access::WritesOutside) => Class::Write,
        () if may(Access::ReachesNetwork) => match Class::of_tool(&descriptor.name) {
            Class::Search => Class::Search,
            _ => Class::Fetch,
        },
        () if may(Access::Notifies) => Class::Notify,
        () if may(Access::Asks) => Class::Converse,
        () => Class::Read,
    }
}

/// Where the text that a call brought came from.
pub(crate) fn source(
    tool: &str,
    class: Class,
    arguments: &Map<String, Value>,
    outcome: &Outcome,
) -> Source {
    let path = arguments.get("path").and_then(Value::as_str).unwrap_or_default();
    let outside = outcome.provenance != Provenance::Own;
    match class {
        Class::Search if outside || outcome.ok => Source::SearchResults,
        Class::Fetch if outside || outcome.ok => Source::Web,
        // Hearth's own words about why nothing was read.
        Class::Search | Class::Fetch => Source::Person,
        Class::ThirdParty | Class::Send => Source::ThirdParty,
        Class::Run if outside => Source::ThirdParty,
        Class::Read if outside => Source::OutsideFile,
        Class::Read if tool == "read_file" && part_of(path) == Part::Memory => Source::Memory,
        // Persona files are in the prompt anyway; skills come from others.
        Class::Read if tool == "read_file" && part_of(path) == Part::Instruction => {
            if path.contains(['/', '\\']) { Source::Installed } else { Source::Person }
        }
        _ if outside => Source::ThirdParty,
        _ => Source::of_result(tool, class),
    }
}

/// What the prompt carries of earlier turns: an entry that bears an id, or a log; and whether one is marked.
pub(crate) async fn remembers(engine: &Inner) -> Vec<Source> {
    let day = |back: i64| {
        let zone = crate::clock::zone(&engine.settings.current().time_zone);
        format!("memory/{}.md", crate::clock::day(crate::clock::now() - back * 86_400, zone))
    };
    let (today, yesterday) = (day(0), day(1));
    let found = engine.on_workspace(move |workspace| {
        let files = ["MEMORY.md", "USER.md", &today, &yesterday];
        let texts = files
            .map(|path| (path, workspace.read(path).map(|file| file.text).unwrap_or_default()));
        let holds = |at: usize, mark: &str| texts[at].1.contains(mark);
        let remembered = holds(0, "<!-- id:") || holds(2, "- ") || holds(3, "- ");
        let marked = texts.iter().any(|(path, text)| has_mark(path, text));
        let sources = [(remembered, Source::Memory), (marked, Source::Marked)];
        Ok(sources.into_iter().filter_map(|(holds, source)| holds.then_some(source)).collect())
    });
    // What cannot be looked at may hold something.
    found.await.unwrap_or_else(|_| vec![Source::Memory, Source::Marked])
}

/// Whether a name right in the workspace is not to be changed by a command that nobody was asked about: what the
/// assistant is told, and what other programs run. A repository is, for `git add` and `git commit`.
pub(crate) fn is_kept(name: &str) -> bool {
    let is = |path: &str| part_of(path) != Part::Ordinary;
    name != ".git" && (is(name) || is(&format!("{name}/x")))
}

/// Bytes of a script that are hashed; a longer one is named with its size and time instead.
const SCRIPT_BYTES: u64 = 1 << 20;
/// Arguments that are looked at.
const PINNED: usize = 16;

/// What an approval of a command holds on to beside its text: where each program was found, and what the
/// scripts say that it names.
pub(crate) fn pins(engine: &Inner, arguments: &Map<String, Value>) -> Vec<String> {
    let text = |name: &str| arguments.get(name).and_then(Value::as_str).unwrap_or_default();
    let folder = engine.workspace.folder().join(text("cwd"));
    let mut line = command::read(Shell::here(), text("command"));
    let folder = line.entered().map_or(folder.clone(), |entered| folder.join(entered));
    let mut pins = Vec::new();
    for run in line.runs.iter().take(PINNED) {
        let found = program(&run.program, &folder);
        match &found {
            Some(path) => pins.push(format!("{} is {}", run.program, path.display())),
            // A script that an interpreter reads: its content is pinned with the interpreter's run.
            None if !run.through.is_empty() && folder.join(&run.program).is_file() => {}
            None => pins.push(format!("{} is not found", run.program)),
        }
        let own = found.filter(|_| run.program.contains('/'));
        // What is data to a program may change, by this very command even, and it runs the same.
        let reads = if command::takes_data(&run.program) { 0 } else { PINNED };
        let named = run.arguments.iter().take(reads).map(|argument| folder.join(argument));
        pins.extend(own.into_iter().chain(named).filter_map(|path| script(&path)));
    }
    // A program that runs several times is named once.
    let mut named = HashSet::new();
    pins.retain(|pin| named.insert(pin.clone()));
    pins
}

fn program(name: &str, folder: &Path) -> Option<PathBuf> {
    if name.contains('/') {
        return std::fs::canonicalize(folder.join(name)).ok();
    }
    let path = std::env::var_os("PATH")?;
    let found =
        std::env::split_paths(&path).map(|place| place.join(name)).find(|file| file.is_file())?;
    std::fs::canonicalize(found).ok()
}

/// A file that a command names, by its content.
fn script(path: &Path) -> Option<String> {
    let meta = std::fs::metadata(path).ok().filter(std::fs::Metadata::is_file)?;
    if meta.len() > SCRIPT_BYTES {
        let changed = meta.modified().ok()?.duration_since(std::time::UNIX_EPOCH).ok()?;
        return Some(format!(
            "{} of {} bytes, changed {}",
            path.display(),
            meta.len(),
            changed.as_millis()
        ));
    }
    let hash = Sha256::digest(std::fs::read(path).ok()?);
    let hex: String = hash.iter().take(8).map(|byte| format!("{byte:02x}")).collect();
    Some(format!("{} sha256:{hex}", path.display()))
}
