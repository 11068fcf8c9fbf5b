//! Making a backup: beside whoever works in the home, without stopping them.

use super::parcel::{Packer, Unpacker};
use super::{
    DATABASE, FORMAT, MANIFEST, Manifest, ORIGIN, SECRETS, SECRETS_KEY, SETTINGS, SKILLS,
    WORKSPACE, fits, pending, wire_io, wire_seal,
};
use crate::engine::{Access, Inner, joined};
use crate::{Engine, clock};
use flate2::Compression;
use flate2::read::DeflateDecoder;
use flate2::write::DeflateEncoder;
use hearth_protocol::api::transfer::{BackupCounts, BackupMade, BackupNote};
use hearth_protocol::{ErrorCode, WireError};
use hearth_secrets::{SealError, SealedReader, SealedWriter, SecretString};
use secrecy::zeroize::Zeroizing;
use std::fs::{self, File, OpenOptions};
use std::io::{self, BufReader, BufWriter, ErrorKind, Write};
use std::path::{Path, PathBuf};

/// Where it is put together, beside the file itself.
const PART: &str = ".part";

/// What goes in.
struct Plan {
    target: PathBuf,
    settings: PathBuf,
    database: PathBuf,
    secrets: PathBuf,
    secrets_key: Option<Zeroizing<Vec<u8>>>,
    workspace: PathBuf,
    skills: PathBuf,
    counts: BackupCounts,
    left_out: Vec<BackupNote>,
}

/// Makes a backup of the home.
pub(crate) async fn make(
    engine: &Engine,
    path: PathBuf,
    passphrase: SecretString,
) -> Result<BackupMade, WireError> {
    let inner = &engine.inner;
    if inner.access == Access::Own {
        inner.log.flush().await?;
    }
    check_target(inner, &path)?;
    let scratch = Scratch::new(inner.home.root()).map_err(|e| wire_io(inner.home.root(), &e))?;
    let plan = plan(inner, path, &scratch).await?;
    let made = joined(tokio::task::spawn_blocking(move || write(plan, &passphrase)).await)?;
    drop(scratch);
    made
}

/// A backup within what it holds would hold itself; one that is there is somebody's.
fn check_target(inner: &Inner, path: &Path) -> Result<(), WireError> {
    let refused = |why: &str, hint: &str| {
        Err(WireError::new(ErrorCode::InvalidRequest, format!("{} {why}", path.display()), hint))
    };
    if !path.is_absolute() || path.file_name().is_none() {
        return refused("is no path of a file", "Give the whole path.");
    }
    if fs::symlink_metadata(path).is_ok() {
        return refused("is there already", "Choose another name; nothing is overwritten.");
    }
    let Some(folder) = path.parent().and_then(|folder| folder.canonicalize().ok()) else {
        return refused("is in a folder that is not there", "Make the folder first.");
    };
    let own = [inner.home.root(), inner.workspace.folder()];
    if own.iter().filter_map(|own| own.canonicalize().ok()).any(|own| folder.starts_with(own)) {
        return refused("is inside the home or the workspace", "Choose a place outside of them.");
    }
    Ok(())
}

async fn plan(inner: &Inner, target: PathBuf, scratch: &Scratch) -> Result<Plan, WireError> {
    let database = scratch.0.join(DATABASE);
    inner.store.copy_to(&database).await?;
    let mut left_out = Vec::new();
    let secrets_key = match inner.secrets.travelling_key().await {
        Ok(key) => key,
        Err(error) => {
            let why = format!("{}; they open on this machine only", error.message);
            left_out.push(BackupNote { name: "secrets".to_owned(), why });
            None
        }
    };
    let counts = BackupCounts {
        sessions: inner.store.sessions().await?.len() as u64,
        secrets: inner.secrets.names().await?.len() as u64,
        ..BackupCounts::default()
    };
    let root = inner.home.root();
    Ok(Plan {
        target,
        settings: inner.home.settings(),
        database,
        secrets: root.join(SECRETS),
        secrets_key,
        workspace: inner.workspace.folder().to_owned(),
        skills: root.join(SKILLS),
        counts,
        left_out,
    })
}

/// Writes it beside its place, reads it back, and gives it its name.
fn write(mut plan: Plan, passphrase: &SecretString) -> Result<BackupMade, WireError> {
    let target = plan.target.clone();
    let mut part = target.clone().into_os_string();
    part.push(PART);
    let part = Part(PathBuf::from(part));
    let failed = |error: &SealError| wire_seal(&target, error);
    let (key, files) = pack(&mut plan, &part.0, passphrase).map_err(|error| failed(&error))?;
    let read = SealedReader::open_again(open(&part.0).map_err(|e| wire_io(&target, &e))?, key);
    let read = read.map_err(|error| failed(&error))?;
    let found = count(read).map_err(|error| wire_io(&target, &error))?;
    if found != files {
        return Err(failed(&SealError::Damaged("it does not read back".to_owned())));
    }
    name(&part.0, &target).map_err(|error| wire_io(&target, &error))?;
    let bytes = fs::metadata(&target).map_or(0, |meta| meta.len());
    let path = target.display().to_string();
    Ok(BackupMade { path, bytes, counts: plan.counts, left_out: plan.left_out })
}

fn pack(
    plan: &mut Plan,
    part: &Path,
    passphrase: &SecretString,
) -> Result<(hearth_secrets::SealedKey, u64), SealError> {
    let file = private(part)?;
    let sealed = SealedWriter::new(BufWriter::new(file), passphrase)?;
    let mut packer = Packer::new(DeflateEncoder::new(sealed, Compression::fast()));
    fill(plan, &mut packer)?;
    let (deflated, files) = packer.finish()?;
    let (out, key) = deflated.finish()?.finish()?;
    out.into_inner().map_err(io::IntoInnerError::into_error)?.sync_all()?;
    Ok((key, files))
}

fn fill(plan: &mut Plan, packer: &mut Packer<impl Write>) -> io::Result<()> {
    let version = env!("CARGO_PKG_VERSION").to_owned();
    let manifest = Manifest { format: FORMAT, version, made_at: clock::now() };
    let manifest = serde_json::to_vec(&manifest).map_err(io::Error::other)?;
    packer.add(MANIFEST, false, &manifest[..])?;
    for (name, path) in
        [(SETTINGS, &plan.settings), (DATABASE, &plan.database), (SECRETS, &plan.secrets)]
    {
        match File::open(path) {
            Ok(file) => packer.add(name, false, file)?,
            Err(error) if error.kind() == ErrorKind::NotFound => {}
            Err(error) => return Err(error),
        }
    }
    if let Some(key) = plan.secrets_key.take() {
        packer.add(SECRETS_KEY, false, &key[..])?;
    }
    plan.counts.workspace_files = tree(&plan.workspace, WORKSPACE, packer, &mut plan.left_out)?;
    plan.counts.skill_files = tree(&plan.skills, SKILLS, packer, &mut plan.left_out)?;
    Ok(())
}

/// Adds all files below a folder; links and what cannot be read are noted.
fn tree(
    folder: &Path,
    name: &str,
    packer: &mut Packer<impl Write>,
    left_out: &mut Vec<BackupNote>,
) -> io::Result<u64> {
    let Ok(entries) = fs::read_dir(folder) else { return Ok(0) };
    let mut entries: Vec<_> = entries.flatten().collect();
    entries.sort_by_key(fs::DirEntry::file_name);
    let mut count = 0;
    for entry in entries {
        let own = entry.file_name();
        let path = format!("{name}/{}", own.to_string_lossy());
        let mut note =
            |why: &str| left_out.push(BackupNote { name: path.clone(), why: why.to_owned() });
        let (Some(plain), Ok(kind)) = (own.to_str(), entry.file_type()) else {
            note("its name is no UTF-8 text");
            continue;
        };
        // Files in the middle of a write, and what was removed before.
        if plain == ".trash" || (plain.starts_with(".hearth-") && plain != ORIGIN) {
            continue;
        }
        if kind.is_dir() {
            count += tree(&entry.path(), &path, packer, left_out)?;
        } else if !kind.is_file() {
            note("it is a link or no file; links are not followed");
        } else if !fits(&path) {
            note("other systems cannot have a file of this name");
        } else {
            match File::open(entry.path()) {
                Ok(file) => {
                    let runs = file.metadata().is_ok_and(|meta| may_run(&meta));
                    packer.add(&path, runs, file)?;
                    count += 1;
                }
                Err(error) => note(&error.to_string()),
            }
        }
    }
    Ok(count)
}

#[cfg(unix)]
fn may_run(meta: &fs::Metadata) -> bool {
    use std::os::unix::fs::PermissionsExt as _;
    meta.permissions().mode() & 0o100 != 0
}

#[cfg(not(unix))]
fn may_run(_: &fs::Metadata) -> bool {
    false
}

/// Reads all of it and counts the files.
fn count(sealed: SealedReader<BufReader<File>>) -> io::Result<u64> {
    let mut unpacker = Unpacker::new(DeflateDecoder::new(sealed));
    let mut files = 0;
    while unpacker.next()?.is_some() {
        unpacker.content(&mut io::sink())?;
        files += 1;
    }
    io::copy(&mut unpacker.into_inner().into_inner(), &mut io::sink())?;
    Ok(files)
}

fn open(path: &Path) -> io::Result<BufReader<File>> {
    Ok(BufReader::new(File::open(path)?))
}

/// A new file that only its owner may read. One that a broken-off backup left goes.
fn private(path: &Path) -> io::Result<File> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt as _;
        options.mode(0o600);
    }
    options.open(path)
}

/// Gives a file its name, unless somebody has it by now.
fn name(part: &Path, target: &Path) -> io::Result<()> {
    match fs::hard_link(part, target) {
        Ok(()) => {}
        Err(error) if error.kind() == ErrorKind::AlreadyExists => return Err(error),
        // A file system without hard links.
        Err(_) => fs::rename(part, target)?,
    }
    pending::sync_folder(target.parent());
    Ok(())
}

/// Gone when this is: what is finished has another name by then.
struct Part(PathBuf);

impl Drop for Part {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.0);
    }
}

/// A folder in the home for the copy of the database, gone at the end.
struct Scratch(PathBuf);

impl Scratch {
    fn new(home: &Path) -> io::Result<Self> {
        let folder = home.join(format!("{}{}", pending::COPY, uuid::Uuid::now_v7().simple()));
        fs::create_dir(&folder)?;
        Ok(Self(folder))
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}
