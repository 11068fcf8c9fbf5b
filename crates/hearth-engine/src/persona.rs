//! What of the workspace a prompt carries: persona files and daily logs, read, capped, with their reasons.
//!
//! Files above the cache boundary share the caps first, so that a growing log never changes them.

use crate::catalogue::Model;
use crate::clock;
use chrono_tz::Tz;
use hearth_agent::prompt::{Section, Slot, Today};
use hearth_agent::survival::{BUFFER_PATH, sections};
use hearth_protocol::api::files::FileRow;
use hearth_protocol::{PromptMode, SessionKey};
use hearth_workspace::{
    Budget, Injected, Listed, Loaded, PersonaFile, Run, WorkspaceError, WorkspaceRoot,
    daily_log_path, distribute, framed, identity,
};
use std::sync::Arc;

/// What is read for one model call.
#[derive(Debug, Clone)]
pub(crate) struct Persona {
    /// Files and logs, in the order of the prompt.
    pub(crate) sections: Vec<Section>,
    /// The assistant's name.
    pub(crate) name: String,
    /// Files that are there and cannot be used, in words for the person.
    pub(crate) problems: Vec<String>,
    /// What the session has noted for itself.
    pub(crate) noted: Noted,
}

/// The session's own sections of the files that outlive a window.
#[derive(Debug, Clone, Default)]
pub(crate) struct Noted {
    /// Of SESSION-STATE.md.
    pub(crate) state: Option<String>,
    /// Of the working buffer.
    pub(crate) buffer: Option<String>,
}

/// For whom and when it is read.
#[derive(Debug, Clone)]
pub(crate) struct Occasion {
    pub(crate) session: SessionKey,
    pub(crate) mode: PromptMode,
    pub(crate) window: u64,
    pub(crate) zone: Tz,
    pub(crate) at: i64,
    /// A text that is not saved, for a trial.
    pub(crate) instead: Option<Instead>,
}

/// A text that stands for a file.
#[derive(Debug, Clone)]
pub(crate) struct Instead {
    pub(crate) file: PersonaFile,
    pub(crate) text: String,
}

/// A file on its way into the prompt.
struct Piece {
    slot: Slot,
    path: String,
    text: String,
    missing: bool,
    reason: &'static str,
}

/// Reads what a run is given. Blocks on the disk.
pub(crate) fn read(
    workspace: &WorkspaceRoot,
    occasion: &Occasion,
    count: &dyn Fn(&str) -> u64,
) -> Result<Persona, WorkspaceError> {
    let session = &occasion.session;
    let run = Run { mode: occasion.mode, private: true, main_session: session.scope() == "main" };
    let mut loaded = workspace.load(run)?;
    if let Some(instead) = &occasion.instead {
        lay_over(&mut loaded, instead);
    }
    let name = loaded
        .iter()
        .find(|file| file.file == PersonaFile::Identity)
        .and_then(|file| identity(&file.text).name);
    let mut problems = unusable(&loaded);
    let noted = noted(workspace, &loaded, occasion);
    let (mut above, mut below): (Vec<Piece>, Vec<Piece>) =
        loaded.into_iter().filter_map(piece).partition(|piece| piece.slot.is_stable());
    below.splice(0..0, logs(workspace, occasion, &mut problems));
    let budget = Budget::for_window(occasion.window);
    let upper = cut(&above, budget, count);
    let lower = cut(&below, budget.after(&upper, count), count);
    let mut sections: Vec<Section> = above.drain(..).zip(upper).map(section).collect();
    sections.extend(below.drain(..).zip(lower).map(section));
    Ok(Persona { sections, name: name.unwrap_or_else(|| "Hearth".to_owned()), problems, noted })
}

/// The day as prompts name it.
pub(crate) fn today(occasion: &Occasion) -> Today {
    let local = clock::local(occasion.at, occasion.zone);
    Today {
        date: local.format("%Y-%m-%d").to_string(),
        weekday: local.format("%A").to_string(),
        zone: occasion.zone.name().to_owned(),
    }
}

/// A missing file is no problem (its marker says so); one that is there and refused is.
fn unusable(loaded: &[Loaded]) -> Vec<String> {
    let refused = loaded.iter().filter(|file| file.text.starts_with("[UNREADABLE]"));
    refused.filter_map(|file| file.problem.clone()).collect()
}

/// The text in the place of the file; one that is not there, or that this run would not be given, is added.
fn lay_over(loaded: &mut Vec<Loaded>, Instead { file, text }: &Instead) {
    loaded.retain(|row| row.file != *file);
    let (text, hash) = (text.clone(), String::new());
    loaded.push(Loaded { file: *file, text, hash, problem: None });
}

fn piece(file: Loaded) -> Option<Piece> {
    let slot = Slot::of_file(file.file.path())?;
    let (text, reason) = match file.file {
        // It has its own part of the window, whatever the files take.
        PersonaFile::SessionState => return None,
        PersonaFile::Bootstrap => (file.text, "first conversation of a new workspace"),
        PersonaFile::Memory => {
            (framed("MEMORY.md", &file.text).into_owned(), "long-term memory, in private sessions")
        }
        PersonaFile::User => {
            (framed("USER.md", &file.text).into_owned(), "who the user is, in private sessions")
        }
        _ => (file.text, "persona file, in every run of this kind"),
    };
    let missing = text.starts_with("[MISSING]");
    Some(Piece { slot, path: file.file.path().to_owned(), text, missing, reason })
}

/// The session's own sections, in runs that carry its state.
fn noted(workspace: &WorkspaceRoot, loaded: &[Loaded], occasion: &Occasion) -> Noted {
    if occasion.mode != PromptMode::Full {
        return Noted::default();
    }
    let key = occasion.session.to_string();
    let own = |text: &str| sections::section(text, &key).map(str::to_owned);
    let state = loaded.iter().find(|file| file.file == PersonaFile::SessionState);
    let buffer = workspace.read(BUFFER_PATH).ok();
    Noted {
        state: state.and_then(|file| own(&file.text)),
        buffer: buffer.and_then(|file| own(&file.text)),
    }
}

/// Today's and yesterday's log, where they exist.
fn logs(workspace: &WorkspaceRoot, occasion: &Occasion, problems: &mut Vec<String>) -> Vec<Piece> {
    let today = clock::local(occasion.at, occasion.zone).date_naive();
    let wanted = match occasion.mode {
        PromptMode::Full => [today.pred_opt(), Some(today)],
        PromptMode::Heartbeat => [None, Some(today)],
        PromptMode::Minimal | PromptMode::None => [None, None],
    };
    let mut pieces = Vec::new();
    for path in wanted.into_iter().flatten().map(daily_log_path) {
        match workspace.read(&path) {
            Ok(file) if file.exists && !file.text.trim().is_empty() => pieces.push(Piece {
                slot: Slot::DailyLog,
                text: framed(&path, &file.text).into_owned(),
                path,
                missing: false,
                reason: "log of today or yesterday",
            }),
            Ok(_) => {}
            Err(error) => problems.push(error.to_string()),
        }
    }
    pieces
}

fn cut(pieces: &[Piece], budget: Budget, count: &dyn Fn(&str) -> u64) -> Vec<Injected> {
    let files: Vec<(&str, &str)> =
        pieces.iter().map(|piece| (piece.path.as_str(), piece.text.as_str())).collect();
    distribute(&files, budget, count)
}

fn section((piece, injected): (Piece, Injected)) -> Section {
    Section {
        slot: piece.slot,
        source: piece.path,
        text: (!piece.missing).then(|| Arc::from(injected.text)),
        raw_chars: if piece.missing { 0 } else { injected.raw as u64 },
        truncated: injected.truncated,
        reason: piece.reason.to_owned(),
    }
}

/// The rows of the Persona page: persona files in the order of the prompt, missing ones too, then the rest.
/// Blocks on the disk.
pub(crate) fn rows(
    workspace: &WorkspaceRoot,
    model: &Model,
) -> Result<Vec<FileRow>, WorkspaceError> {
    let listed = workspace.list()?;
    let texts: Vec<_> = PersonaFile::ALL.iter().map(|file| workspace.read(file.path())).collect();
    let sendable: Vec<(&str, &str)> = texts
        .iter()
        .flatten()
        .filter(|file| file.exists)
        .map(|file| (file.path.as_str(), file.text.as_str()))
        .collect();
    let count = |text: &str| model.counter.count(text);
    let injected = distribute(&sendable, Budget::for_window(model.window), &count);
    let shown =
        |path: &str| sendable.iter().position(|(name, _)| *name == path).map(|at| &injected[at]);
    let mut rows: Vec<FileRow> = Vec::new();
    for (file, read) in PersonaFile::ALL.into_iter().zip(&texts) {
        let path = file.path();
        let on_disk = listed.iter().find(|row| row.path == path);
        let part = shown(path);
        rows.push(FileRow {
            path: path.to_owned(),
            bytes: on_disk.map_or(0, |row| row.bytes),
            chars: part.map_or(0, |part| part.raw as u64),
            injected_chars: part.map_or(0, |part| part.shown as u64),
            tokens: part.map_or(0, |part| count(&part.text)),
            modified_at: on_disk.map(|row| row.modified_at),
            exists: on_disk.is_some(),
            persona: true,
            problem: read.as_ref().err().map(ToString::to_string),
        });
    }
    let others = listed.iter().filter(|row| PersonaFile::at(&row.path).is_none());
    rows.extend(others.map(|row| other_row(workspace, row, &count)));
    Ok(rows)
}

fn other_row(workspace: &WorkspaceRoot, listed: &Listed, count: &dyn Fn(&str) -> u64) -> FileRow {
    let read = workspace.read(&listed.path);
    let text = read.as_ref().map_or("", |file| file.text.as_str());
    FileRow {
        path: listed.path.clone(),
        bytes: listed.bytes,
        chars: text.chars().count() as u64,
        injected_chars: 0,
        tokens: count(text),
        modified_at: Some(listed.modified_at),
        exists: true,
        persona: false,
        problem: read.as_ref().err().map(ToString::to_string),
    }
}
