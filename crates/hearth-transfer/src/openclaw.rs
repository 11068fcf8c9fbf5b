//! Where things lie in what OpenClaw leaves: its state folder, one workspace, or a folder of sessions.

use crate::error::{Result, TransferError};
use crate::{place, unpack};
use serde_json::{Map, Value};
use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};

/// What makes a folder a workspace.
const OF_WORKSPACE: [&str; 9] = [
    "AGENTS.md",
    "SOUL.md",
    "USER.md",
    "IDENTITY.md",
    "MEMORY.md",
    "TOOLS.md",
    "HEARTBEAT.md",
    "memory",
    "skills",
];
/// Sessions that nobody talked in, by a part of their key.
const BY_ITSELF: [&str; 5] = ["cron", "subagent", "hook", "heartbeat", "acp"];

/// What was found of OpenClaw.
#[derive(Debug, Default)]
pub struct Openclaw {
    /// Folders with persona files and memory.
    pub workspace: Option<PathBuf>,
    /// Folders of skills, each with a SKILL.md, and whether they are the workspace's.
    pub skills: Vec<(PathBuf, bool)>,
    /// Transcripts, by path.
    pub transcripts: Vec<Transcript>,
    /// What of an archive was not unpacked, and why.
    pub refused: Vec<(String, String)>,
    /// What was unpacked goes with this.
    scratch: Option<Scratch>,
}

/// A transcript on disk.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Transcript {
    /// Where.
    pub path: PathBuf,
    /// Whose it is: `main`, or another agent of theirs.
    pub agent: String,
    /// It ran by itself, by its key there.
    pub by_itself: bool,
    /// What it is called where it does not say itself.
    pub name: String,
}

/// A folder that is removed at the end.
#[derive(Debug)]
struct Scratch(PathBuf);

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

impl Openclaw {
    /// Looks at a folder, a zip file of one, or a transcript. `scratch` is a folder of its own for what a zip
    /// file holds; it is made if need be and gone when this value is.
    ///
    /// # Errors
    /// Why the source is refused as a whole.
    pub fn open(path: &Path, scratch: &Path) -> Result<Self> {
        let meta = fs::metadata(path).map_err(|error| TransferError::io(path, error))?;
        let none = || TransferError::NotOpenclaw { path: path.display().to_string() };
        if meta.is_dir() {
            return look(path).ok_or_else(none);
        }
        if is_transcript(&name_of(path)) {
            let transcript = transcript(path, "main", &HashMap::new());
            return Ok(Self { transcripts: vec![transcript], ..Self::default() });
        }
        if !place::is_zip(path)? {
            return Err(none());
        }
        let guard = Scratch(scratch.to_owned());
        let refused = unpack::unpack(path, scratch)?;
        let mut found = look(scratch).ok_or_else(none)?;
        found.refused = refused;
        found.scratch = Some(guard);
        Ok(found)
    }
}

/// What a folder holds, or else the only folder in it.
fn look(folder: &Path) -> Option<Openclaw> {
    let found = look_here(folder);
    if !found.is_nothing() {
        return Some(found);
    }
    let mut inner = fs::read_dir(folder).ok()?.flatten().map(|entry| entry.path());
    let (Some(only), None) = (inner.next(), inner.next()) else { return None };
    let found = only.is_dir().then(|| look_here(&only))?;
    (!found.is_nothing()).then_some(found)
}

impl Openclaw {
    fn is_nothing(&self) -> bool {
        self.workspace.is_none() && self.skills.is_empty() && self.transcripts.is_empty()
    }
}

fn look_here(folder: &Path) -> Openclaw {
    let mut found = Openclaw::default();
    let is_state = folder.join("agents").is_dir() || folder.join("openclaw.json").is_file();
    let inside = folder.join("workspace");
    if is_workspace(&inside) {
        found.workspace = Some(inside);
    } else if !is_state && is_workspace(folder) {
        found.workspace = Some(folder.to_owned());
    }
    if let Some(workspace) = &found.workspace {
        found
            .skills
            .extend(skills_in(&workspace.join("skills")).into_iter().map(|one| (one, true)));
    }
    if is_state {
        found.skills.extend(skills_in(&folder.join("skills")).into_iter().map(|one| (one, false)));
    }
    for (sessions, agent) in session_folders(folder) {
        found.transcripts.extend(transcripts_in(&sessions, &agent));
    }
    found
}

fn is_workspace(folder: &Path) -> bool {
    OF_WORKSPACE.iter().any(|name| folder.join(name).exists())
}

fn skills_in(folder: &Path) -> Vec<PathBuf> {
    let mut found: Vec<PathBuf> =
        entries(folder).into_iter().filter(|path| path.join("SKILL.md").is_file()).collect();
    found.sort();
    found
}

/// `agents/ID/sessions` below a state folder; else the folder itself, or its `sessions`.
fn session_folders(folder: &Path) -> Vec<(PathBuf, String)> {
    let agents = entries(&folder.join("agents"));
    let mut found: Vec<(PathBuf, String)> = agents
        .into_iter()
        .map(|agent| (agent.join("sessions"), name_of(&agent)))
        .filter(|(sessions, _)| sessions.is_dir())
        .collect();
    if found.is_empty() {
        let above = |path: &Path| path.parent().map(name_of).filter(|name| !name.is_empty());
        let inside = folder.join("sessions");
        let own = if inside.is_dir() { inside } else { folder.to_owned() };
        let agent = above(&own).filter(|_| own.ends_with("sessions"));
        found.push((own, agent.unwrap_or_else(|| "main".to_owned())));
    }
    found.sort();
    found
}

fn transcripts_in(folder: &Path, agent: &str) -> Vec<Transcript> {
    let keys = keys(&folder.join("sessions.json"));
    let mut found: Vec<Transcript> = entries(folder)
        .into_iter()
        .filter(|path| path.is_file() && is_transcript(&name_of(path)))
        .map(|path| transcript(&path, agent, &keys))
        .collect();
    found.sort_by(|a, b| a.path.cmp(&b.path));
    found
}

fn transcript(path: &Path, agent: &str, keys: &HashMap<String, String>) -> Transcript {
    let file = name_of(path);
    let name = file.split(".jsonl").next().unwrap_or(&file).to_owned();
    let key = keys.get(&name).map(String::as_str).unwrap_or_default();
    let by_itself = key.split(':').any(|part| BY_ITSELF.contains(&part));
    Transcript { path: path.to_owned(), agent: agent.to_owned(), by_itself, name }
}

/// `ID.jsonl`, and `ID.jsonl.reset.TIME`: a conversation that was begun anew. Deleted ones stay deleted.
fn is_transcript(name: &str) -> bool {
    name.ends_with(".jsonl") || name.contains(".jsonl.reset.")
}

/// Session ids to keys, by `sessions.json`. Without a readable one nothing is known of them.
fn keys(path: &Path) -> HashMap<String, String> {
    let bytes = fs::read(path).unwrap_or_default();
    let map: Map<String, Value> = serde_json::from_slice(&bytes).unwrap_or_default();
    let row =
        |(key, entry): (String, Value)| Some((entry.get("sessionId")?.as_str()?.to_owned(), key));
    map.into_iter().filter_map(row).collect()
}

fn entries(folder: &Path) -> Vec<PathBuf> {
    fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path()).collect()
}

fn name_of(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}
