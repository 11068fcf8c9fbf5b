//! Checks of what Hearth needs, each with what to do.

use crate::Engine;
use crate::models::manifest::{self, Purpose};
use hearth_protocol::WireError;
use hearth_protocol::api::files::FileProblem;
use hearth_protocol::api::system::DoctorRow;
use hearth_secrets::State;
use hearth_workspace::PersonaFile;
use std::io::ErrorKind;
use std::path::Path;

/// Less free space than this and a model does not fit.
const ROOM_FOR_A_MODEL: u64 = 2_000_000_000;
/// Less than this and the next conversation may not be stored.
const ROOM_TO_WORK: u64 = 200_000_000;

const MAKE_ROOM: &str = "Make room on this disk.";

/// All checks.
///
/// # Errors
/// None today: what is wrong is a row.
pub async fn run(engine: &Engine) -> Result<Vec<DoctorRow>, WireError> {
    let mut rows = vec![
        home(engine),
        settings(engine),
        database(engine).await,
        audit(engine).await,
        workspace(engine).await,
        heartbeat(engine).await,
        keys(engine).await,
        model(engine).await,
    ];
    rows.extend(built_in(engine));
    rows.extend([notifications(), disk(engine), sandbox().await]);
    Ok(rows)
}

fn row(check: &str, ok: bool, detail: impl Into<String>, fix: impl Into<String>) -> DoctorRow {
    let fix = if ok { String::new() } else { fix.into() };
    DoctorRow { check: check.to_owned(), ok, detail: detail.into(), fix }
}

fn home(engine: &Engine) -> DoctorRow {
    let root = engine.home().root();
    let writable = tempfile_in(root);
    let detail = match &writable {
        Ok(()) => root.display().to_string(),
        Err(error) => format!("{} cannot be written: {error}", root.display()),
    };
    let fix = match &writable {
        Err(error) if error.kind() == ErrorKind::StorageFull => MAKE_ROOM,
        _ => "Allow writing there, or name another folder with HEARTH_HOME.",
    };
    row("home", writable.is_ok(), detail, fix)
}

fn tempfile_in(folder: &Path) -> std::io::Result<()> {
    let probe = folder.join(format!(".probe-{}", std::process::id()));
    std::fs::write(&probe, b"hearth")?;
    std::fs::remove_file(probe)
}

/// The latest entries of the audit log; `hearth audit verify` looks at all of them.
async fn audit(engine: &Engine) -> DoctorRow {
    let fix = "Run `hearth audit verify`: it names the entry, and what came before it is whole.";
    let log = &engine.inner.audit;
    let looked = async { Ok::<_, WireError>((log.look(false).await?, log.is_anew().await?)) };
    match looked.await {
        Ok((found, anew)) if found.current_ok && (anew || !found.ok) => {
            let what = "an earlier audit log was changed; the one begun since is whole";
            row("audit", false, what, fix)
        }
        Ok((found, _)) if found.ok => row("audit", true, "the latest entries are whole", ""),
        Ok(_) => row("audit", false, "the audit log was changed by another hand", fix),
        Err(error) => row("audit", false, error.message, fix),
    }
}

fn settings(engine: &Engine) -> DoctorRow {
    let settings = engine.settings();
    let lines: Vec<String> = settings
        .problems
        .iter()
        .map(|problem| format!("line {}: {} {}", problem.line, problem.key, problem.message))
        .collect();
    let detail =
        if lines.is_empty() { "hearth.toml is understood".to_owned() } else { lines.join("; ") };
    row("settings", lines.is_empty(), detail, "Correct these lines; everything else is in force.")
}

async fn database(engine: &Engine) -> DoctorRow {
    match engine.inner.store.check().await {
        Ok(()) => row("database", true, "hearth.db is sound", ""),
        Err(error) => row("database", false, error.to_string(), error.hint()),
    }
}

async fn workspace(engine: &Engine) -> DoctorRow {
    let folder = engine.inner.workspace.folder().to_path_buf();
    let shown = folder.display().to_string();
    if let Err((why, fix)) = may_write(&folder) {
        let detail = format!("{shown} {why}: the assistant can read it and change nothing");
        return row("workspace", false, detail, fix);
    }
    let looked = engine.inner.on_workspace(move |workspace| {
        let paths = PersonaFile::ALL.map(PersonaFile::path);
        let problems = paths.iter().filter_map(|path| match workspace.read(path) {
            Err(error) => Some(error.to_string()),
            Ok(_) if is_read_only(&folder.join(path)) => Some(format!("`{path}` is read-only.")),
            Ok(_) => None,
        });
        Ok(problems.collect::<Vec<_>>())
    });
    match looked.await {
        Ok(problems) if problems.is_empty() => row("workspace", true, shown, ""),
        Ok(problems) => row("workspace", false, problems.join(" "), "Mend or restore these files."),
        Err(error) => row("workspace", false, error.message, "Choose a folder in workspace.path."),
    }
}

/// HEARTBEAT.md, by line; one that cannot be read is the workspace's matter.
async fn heartbeat(engine: &Engine) -> DoctorRow {
    let problems = crate::beat::items::problems(&engine.inner).await;
    let lines: Vec<String> = problems
        .iter()
        .map(|FileProblem { line, message }| format!("HEARTBEAT.md line {line}: {message}"))
        .collect();
    let detail =
        if lines.is_empty() { "HEARTBEAT.md is understood".to_owned() } else { lines.join("\n") };
    row("heartbeat", lines.is_empty(), detail, "Correct these lines; everything else is in force.")
}

/// Marked so; the administrator, whom no mark holds back, is told too.
fn is_read_only(path: &Path) -> bool {
    path.metadata().is_ok_and(|meta| meta.permissions().readonly())
}

/// Else: why not, and what to do.
fn may_write(folder: &Path) -> Result<(), (String, &'static str)> {
    const ALLOW: &str = "Allow writing there, or choose a folder in workspace.path.";
    if !cfg!(windows) && is_read_only(folder) {
        return Err(("is read-only".to_owned(), ALLOW));
    }
    tempfile_in(folder).map_err(|error| match error.kind() {
        ErrorKind::StorageFull => (format!("cannot be written ({error})"), MAKE_ROOM),
        _ => (format!("cannot be written ({error})"), ALLOW),
    })
}

async fn keys(engine: &Engine) -> DoctorRow {
    let status = engine.inner.secrets.status().await;
    let fix = "Start a keyring (Secret Service), set a passphrase in the settings, or give keys in \
               HEARTH_KEY_<ID>.";
    let (ok, how) = match status.state {
        State::Keyring => (true, "sealed with a key in the keyring"),
        State::Passphrase => (true, "sealed with the passphrase"),
        State::Locked => (false, "the stored keys cannot be opened"),
        State::Absent => (false, "there is no keyring and no passphrase is set"),
    };
    let why = status.problem.map(|why| format!(": {why}")).unwrap_or_default();
    row("keys", ok, format!("{how}{why}"), fix)
}

async fn model(engine: &Engine) -> DoctorRow {
    let settings = engine.settings();
    let id = &settings.model_default;
    match engine.inner.catalogue.find(&settings, id).await {
        Ok(model) => row("model", true, format!("{id}, window {} tokens", model.window), ""),
        Err(fault) => row("model", false, fault.message, fault.hint),
    }
}

/// The models that run in this process: one to answer, one to find by meaning.
fn built_in(engine: &Engine) -> Vec<DoctorRow> {
    let state = |model: &manifest::LocalModel| {
        let (check, without) = match model.purpose {
            Purpose::Chat => ("built-in model", "other models work without"),
            Purpose::Embeddings => ("embedding model", "memory is searched by words without it"),
        };
        match engine.inner.shelf.ready(model) {
            Some(ready) => {
                let detail = format!("{}: {} from {}", model.id, ready.name, ready.source);
                row(check, true, detail, "")
            }
            None => {
                let fix = format!("Fetch it with `hearth models pull {}`; {without}.", model.id);
                row(check, false, format!("{} is not fetched", model.id), fix)
            }
        }
    };
    manifest::LOCAL_MODELS.iter().map(state).collect()
}

/// Showing a notice never fails on Linux, daemon or not; only the bus itself tells.
fn notifications() -> DoctorRow {
    if !cfg!(target_os = "linux") {
        return row("notifications", true, "the system's own", "");
    }
    let there = crate::session_bus::is_there();
    let detail = if there { "a session bus answers" } else { "there is no session bus" };
    row(
        "notifications",
        there,
        detail,
        "Notices stay in the app; run Hearth in a desktop session for others.",
    )
}

/// What a command is held to is tried, not looked up.
async fn sandbox() -> DoctorRow {
    let held = tokio::task::spawn_blocking(hearth_tools::sandbox::holds).await;
    let Ok(held) = held else {
        return row("sandbox", false, "the trial did not end", "Try again.");
    };
    let holds = |held: bool, what: &str| format!("{what} {}", if held { "held" } else { "open" });
    let detail = [
        holds(held.files, "files"),
        holds(held.network, "network"),
        holds(held.processes, "other processes"),
    ]
    .join(", ");
    row(
        "sandbox",
        held.confines(),
        format!("{detail}: {}", held.how),
        match (held.files, held.network) {
            (false, false) => {
                "Commands run unconfined here, so look at each one before you allow it."
            }
            (true, _) => {
                "Commands can reach the network here, so look at each one before you allow it."
            }
            (false, true) => {
                "Commands can reach every file of yours here, so look at each one before you allow it."
            }
        },
    )
}

fn disk(engine: &Engine) -> DoctorRow {
    let root = engine.home().root();
    match fs4::available_space(root) {
        Ok(free) => {
            let needed = if engine.inner.catalogue.is_here("local/qwen") {
                ROOM_TO_WORK
            } else {
                ROOM_FOR_A_MODEL
            };
            row("disk", free >= needed, format!("{} MB free", free / 1_000_000), MAKE_ROOM)
        }
        Err(error) => row("disk", false, error.to_string(), "Check the disk."),
    }
}
