//! The TypeScript bindings in `ui/src/bindings`: one file a type, and an index. This test fails when
//! they differ from the types; with `HEARTH_WRITE_BINDINGS` set (`cargo xtask bindings`) it writes them.
//!
//! Each type that derives `TS` is named below, once; a second test fails when one is missing.
#![allow(
    clippy::expect_used,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a failed fixture is a failed test"
)]

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use hearth_protocol::api::{
    approvals, chat, entries, files, guard, heartbeat, mcp, memory, models, persona, settings,
    skills, system, transfer, updates,
};
use hearth_protocol::{
    ApprovalState, Arguments, Attachment, CallId, ContextManifest, ErrorCode, Event, EventBody,
    ManifestSection, MemoryEventKind, Message, MessageId, MsgContext, Origin, Part, PromptMode,
    ProviderState, Purpose, RevisionId, Role, SessionKey, SkillState, StopReason, SubagentState,
    ToolCall, ToolResult, ToolSpec, TurnId, Usage, WireError,
};
use ts_rs::{Config, TS};

macro_rules! each_type {
    ($config:expr => $($name:ty),* $(,)?) => { $( <$name>::export($config).expect("exported"); )* };
}

fn export(config: &Config) {
    each_type! { config =>
        ApprovalState, Arguments, Attachment, CallId, ContextManifest, ErrorCode, Event, EventBody,
        ManifestSection, MemoryEventKind, Message, MessageId, MsgContext, Origin, Part, PromptMode,
        ProviderState, Purpose, RevisionId, Role, SessionKey, SkillState, StopReason, SubagentState,
        ToolCall, ToolResult, ToolSpec, TurnId, Usage, WireError,
        approvals::ApprovalRow, approvals::ApprovalScope, approvals::Decide, approvals::DecideAll,
        approvals::Decision,
        approvals::QuestionRow,
        chat::CommandRow, chat::CompactionRow, chat::MessageRow, chat::Rewind, chat::Rewound,
        chat::SessionChange,
        chat::SessionInfo, chat::Submit, chat::Submitted, chat::Transcript, chat::TurnView,
        entries::EntryAdd, entries::EntryChange, entries::EntryConflict, entries::EntryDay,
        entries::EntryEdit, entries::EntryEvent, entries::EntryForgotten, entries::EntryRow,
        entries::EntryTake, entries::EntryView,
        files::Author, files::FileChanged, files::FileDiff, files::FileProblem, files::FileRow,
        files::FileSave, files::FileSaved, files::FileText, files::RevisionRow, files::Undone,
        files::UndoneState,
        guard::AuditCheck, guard::AuditEntry, guard::Explain, guard::Explained,
        heartbeat::BeatDecision, heartbeat::BeatRow, heartbeat::CronAdd, heartbeat::CronNext,
        heartbeat::HeartbeatItem, heartbeat::HeartbeatRun, heartbeat::HeartbeatStatus,
        heartbeat::ItemKind, heartbeat::JobAction, heartbeat::JobRow, heartbeat::JobSource,
        heartbeat::JobState, heartbeat::LastRun, heartbeat::MissedPolicy, heartbeat::NoticeChange,
        heartbeat::NoticeRow, heartbeat::NoticeState, heartbeat::SlotRow, heartbeat::SlotState,
        mcp::McpEdit, mcp::McpRow, mcp::McpState, mcp::McpTaken, mcp::McpToolRow,
        mcp::McpToolState,
        memory::HoldsNow, memory::Latency, memory::Layer, memory::MemoryAnswer, memory::MemoryEval, memory::MemoryHit,
        memory::MemoryImported, memory::MemoryProgress, memory::MemoryQuery,
        memory::MemoryStatus, memory::SearchMode,
        models::DetectedServer, models::LocalModelRow, models::ModelEdit, models::ModelRow,
        models::ProviderEdit, models::ProviderKind, models::ProviderRow, models::ProviderTest,
        models::PullProgress,
        persona::PersonaTried, persona::PersonaTry,
        settings::GuardView, settings::Meet, settings::SettingSet, settings::SettingsProblem,
        settings::SettingsView,
        skills::SkillActive, skills::SkillActivity, skills::SkillBox, skills::SkillChange,
        skills::SkillCheck, skills::SkillFileChange, skills::SkillFileFate, skills::SkillIncoming, skills::SkillInstall, skills::SkillMatch,
        skills::SkillMoment, skills::SkillOrigin, skills::SkillRank, skills::SkillReference,
        skills::SkillRemoved, skills::SkillRequires, skills::SkillRival, skills::SkillRow, skills::SkillScript, skills::SkillSource, skills::SkillView,
        system::DoctorRow, system::ReadingProgress, system::Signal, system::UsageRow,
        transfer::BackupCounts, transfer::BackupMade, transfer::BackupNote, transfer::ImportAsk,
        transfer::ImportCounts, transfer::ImportItem, transfer::ImportKind, transfer::ImportProgress,
        transfer::ImportReason, transfer::ImportReport, transfer::ImportSource, transfer::ImportState,
        transfer::Restored,
        updates::UpdateFault, updates::UpdateKind, updates::UpdateProblem, updates::UpdateStep,
        updates::UpdateView,
        serde_json::Value,
    }
}

fn manifest_folder() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// Every file under a folder, by its path from there.
fn texts(folder: &Path) -> BTreeMap<PathBuf, String> {
    let mut found = BTreeMap::new();
    let mut open = vec![folder.to_owned()];
    while let Some(next) = open.pop() {
        for entry in fs::read_dir(&next).into_iter().flatten().flatten() {
            let path = entry.path();
            if path.is_dir() {
                open.push(path);
            } else {
                let text = fs::read_to_string(&path).expect("a text file").replace("\r\n", "\n");
                found.insert(path.strip_prefix(folder).expect("inside").to_owned(), text);
            }
        }
    }
    found
}

/// What `ui/src/bindings` should hold.
fn generated() -> BTreeMap<PathBuf, String> {
    // A folder of its own: the tests run side by side, in several clones on one target folder.
    let name = format!("bindings-{}-{:?}", std::process::id(), std::thread::current().id());
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    // Times and row ids stay below 2^53: plain numbers in TypeScript.
    export(&Config::new().with_out_dir(&folder).with_large_int("number"));
    let mut files = texts(&folder);
    fs::remove_dir_all(&folder).expect("removed");
    let index: String = files
        .keys()
        .filter(|path| path.components().count() == 1)
        .filter_map(|path| path.file_stem()?.to_str())
        .map(|name| format!("export type {{ {name} }} from \"./{name}\";\n"))
        .collect();
    files.insert(PathBuf::from("index.ts"), index);
    files
}

#[test]
fn bindings_are_what_the_types_say() {
    let folder = manifest_folder().join("../../ui/src/bindings");
    let wanted = generated();
    if std::env::var_os("HEARTH_WRITE_BINDINGS").is_some() {
        let _ = fs::remove_dir_all(&folder);
        for (path, text) in &wanted {
            let file = folder.join(path);
            fs::create_dir_all(file.parent().expect("a folder")).expect("created");
            fs::write(file, text).expect("written");
        }
    }
    let found = texts(&folder);
    let stale: BTreeSet<_> = wanted
        .keys()
        .chain(found.keys())
        .filter(|path| wanted.get(*path) != found.get(*path))
        .collect();
    assert!(stale.is_empty(), "run `cargo xtask bindings` and commit: {stale:?}");
}

#[test]
fn every_type_with_bindings_is_named() {
    let exported = generated();
    let missing: Vec<_> = texts(&manifest_folder().join("src"))
        .into_values()
        .flat_map(|source| names_of_types_with_bindings(&source))
        .filter(|name| !exported.contains_key(Path::new(&format!("{name}.ts"))))
        .collect();
    assert_eq!(missing, Vec::<String>::new(), "name these in `export` above");
}

/// The types of a source text whose derive list holds `TS`.
fn names_of_types_with_bindings(source: &str) -> Vec<String> {
    source
        .split("#[derive(")
        .skip(1)
        .filter_map(|item| {
            let (derives, rest) = item.split_once(")]")?;
            derives.split(',').any(|name| name.trim() == "TS").then_some(rest)
        })
        .filter_map(|rest| {
            let declared = rest.lines().find_map(|line| {
                line.strip_prefix("pub struct ").or_else(|| line.strip_prefix("pub enum "))
            })?;
            declared.split(|c: char| !c.is_alphanumeric()).next().map(str::to_owned)
        })
        .collect()
}
