//! Files of the workspace that a turn wrote which had read the words of others: whoever reads them has read
//! those words too, in any session, until the person edits them in Hearth.
//!
//! Invariants: a file is marked before its bytes can be read by another turn; a mark goes only by the person's
//! hand; the same bytes under another name are marked too. Memory and persona files have marks of their own.

use hearth_guard::path::{Part, part_of};
use hearth_guard::{Class, Shell, Source, Taint, Trust, command, resolve};
use hearth_protocol::TurnId;
use hearth_protocol::api::files::Author;
use hearth_store::Store;
use hearth_workspace::Version;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

const KEY: &str = "files.borrowed";
/// Files that are compared by their content; longer ones go by their name.
const MOST_BYTES: u64 = 4 << 20;
/// Words of a file's name that make it a text.
const NAME_WORDS: usize = 3;

/// A marked file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Mark {
    hash: String,
    source: Source,
}

type Marks = BTreeMap<String, Mark>;

/// The marks of all files.
pub(crate) struct Borrowed {
    store: Store,
    marks: Mutex<Marks>,
    /// What is stored last is the newest.
    storing: tokio::sync::Mutex<()>,
}

impl Borrowed {
    /// The marks as they were stored.
    pub(crate) async fn load(store: Store) -> Self {
        let stored = store.meta(KEY).await.ok().flatten();
        let marks = stored.and_then(|text| serde_json::from_str(&text).ok()).unwrap_or_default();
        Self { store, marks: Mutex::new(marks), storing: tokio::sync::Mutex::default() }
    }

    /// A version was written: marks it by what its turn has read, or takes the mark off.
    pub(crate) async fn written(&self, version: &Version) -> hearth_store::Result<()> {
        if part_of(&version.path) == Part::Memory || part_of(&version.path) == Part::Instruction {
            return Ok(());
        }
        let read = match &version.by.turn {
            Some(turn) => self.read_by_turn(turn).await?,
            None => None,
        };
        let _storing = self.storing.lock().await;
        let changed = {
            let mut marks = self.lock();
            let before = marks.clone();
            let same = |mark: &&Mark| !mark.hash.is_empty() && mark.hash == version.hash;
            let known = marks.values().find(same).map(|mark| mark.source);
            match (version.by.author, read.or(known), &version.bytes) {
                (Author::User, ..) => drop(marks.remove(&version.path)),
                (_, Some(source), Some(_)) => {
                    let mark = Mark { hash: version.hash.clone(), source };
                    marks.insert(version.path.clone(), mark);
                }
                // What is gone may come back under another name.
                (_, _, None) | (_, None, _) => {}
            }
            (*marks != before).then(|| marks.clone())
        };
        let Some(marks) = changed else { return Ok(()) };
        let text = serde_json::to_string(&marks).unwrap_or_default();
        self.store.set_meta(KEY, Some(&text)).await
    }

    /// The words of others that a turn has read; what cannot be read any more is believed least.
    async fn read_by_turn(&self, turn: &TurnId) -> hearth_store::Result<Option<Source>> {
        let Some(text) = self.store.taint_of_turn(turn).await? else { return Ok(None) };
        let Ok(taint) = serde_json::from_str::<Taint>(&text) else {
            return Ok(Some(Source::ThirdParty));
        };
        Ok(taint.mark().filter(|source| source.trust() == Trust::Untrusted))
    }

    /// Whose words a call showed beside those of the workspace's files.
    pub(crate) fn shown(
        &self,
        workspace: &Path,
        tool: &str,
        class: Class,
        arguments: &Map<String, Value>,
        text: &str,
    ) -> BTreeSet<Source> {
        let marks = self.lock().clone();
        if marks.is_empty() || !matches!(class, Class::Read | Class::Run) {
            return BTreeSet::new();
        }
        let root = std::fs::canonicalize(workspace).unwrap_or_else(|_| workspace.to_owned());
        let argument = |name: &str| arguments.get(name).and_then(Value::as_str).unwrap_or_default();
        let seen = match (tool, class) {
            ("read_file", _) => of_file(&marks, &root, argument("path")),
            ("search_files", _) => of(&marks, |path| text.contains(&format!("{path}:"))),
            (_, Class::Run) => {
                let folder = root.join(argument("cwd"));
                let line = command::read(Shell::here(), argument("command"));
                line.runs.iter().flat_map(|run| of_run(&marks, &root, &folder, run)).collect()
            }
            _ => BTreeSet::new(),
        };
        // A name can be a text too, wherever it is listed.
        let named = of(&marks, |path| {
            let name = path.rsplit('/').next().unwrap_or_default();
            name.split([' ', '_', '-']).count() > NAME_WORDS && text.contains(name)
        });
        seen.into_iter().chain(named).collect()
    }

    fn lock(&self) -> MutexGuard<'_, Marks> {
        self.marks.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn of(marks: &Marks, is_it: impl Fn(&str) -> bool) -> BTreeSet<Source> {
    marks.iter().filter(|(path, _)| is_it(path)).map(|(_, mark)| mark.source).collect()
}

/// A file, by its name or its content.
fn of_file(marks: &Marks, folder: &Path, path: &str) -> BTreeSet<Source> {
    let Ok(found) = resolve::real(folder, path) else { return BTreeSet::new() };
    let mut seen = below(marks, folder, &found);
    let is_short =
        std::fs::metadata(&found).is_ok_and(|meta| meta.is_file() && meta.len() < MOST_BYTES);
    if seen.is_empty() && is_short {
        let hash = std::fs::read(&found).map(|bytes| hearth_workspace::hash(&bytes));
        let same = |mark: &&Mark| hash.as_ref().is_ok_and(|hash| *hash == mark.hash);
        seen.extend(marks.values().filter(same).map(|mark| mark.source));
    }
    seen
}

/// A file or all that lies in a folder.
fn below(marks: &Marks, root: &Path, found: &Path) -> BTreeSet<Source> {
    let folded = |path: PathBuf| PathBuf::from(path.to_string_lossy().to_lowercase());
    let found = folded(found.to_owned());
    of(marks, |path| folded(root.join(path)).starts_with(&found))
}

/// What a program may show of files: of those that its arguments name, or of the folder that it starts in.
fn of_run(marks: &Marks, root: &Path, folder: &Path, run: &command::Run) -> BTreeSet<Source> {
    let sub = run.arguments.iter().find(|word| !word.starts_with('-')).map_or("", String::as_str);
    let counts_only = [
        "ls", "pwd", "date", "wc", "uname", "whoami", "uptime", "echo", "printf", "du", "df",
        "stat", "touch", "mkdir", "true", "sleep",
    ];
    let git_names_only =
        ["status", "branch", "add", "commit", "rev-parse", "ls-files", "remote", "tag", "shortlog"];
    let is_git = run.program == "git";
    if counts_only.contains(&run.program.as_str()) || is_git && git_names_only.contains(&sub) {
        return BTreeSet::new();
    }
    let named = run.arguments.iter().filter(|word| !word.starts_with('-'));
    let mut seen: BTreeSet<Source> = named
        .filter_map(|word| resolve::real(folder, word).ok().filter(|found| found.exists()))
        .flat_map(|found| match found.is_dir() {
            true => below(marks, root, &found),
            false => of_file(marks, root, &found.to_string_lossy()),
        })
        .collect();
    // These look around by themselves.
    let shows_commits =
        is_git && (sub != "log" || run.arguments.iter().any(|word| word.starts_with("-p")));
    if shows_commits || matches!(run.program.as_str(), "grep" | "egrep" | "fgrep" | "rg") {
        let names_a_place = run.arguments.iter().skip(1).any(|word| {
            !word.starts_with('-') && resolve::real(folder, word).is_ok_and(|found| found.exists())
        });
        if !names_a_place {
            seen.extend(below(
                marks,
                root,
                &std::fs::canonicalize(folder).unwrap_or_else(|_| root.to_owned()),
            ));
        }
    }
    seen
}
