//! Preparing a restore: everything of the backup in a folder of the home, proven and made fit for this machine.

use super::parcel::{FileHead, Unpacker};
use super::pending::{Plan, STAGING};
use super::{
    DATABASE, FORMAT, MANIFEST, Manifest, SECRETS, SECRETS_KEY, SETTINGS, SKILLS, WORKSPACE, fits,
    wire_io, wire_seal,
};
use crate::clock;
use crate::engine::{SEEDED, joined};
use crate::home::Home;
use crate::settings::SettingsFile;
use flate2::read::DeflateDecoder;
use hearth_protocol::api::transfer::{BackupCounts, Restored};
use hearth_protocol::{ErrorCode, WireError};
use hearth_secrets::{Backend, SealedReader, SecretString, Secrets, State};
use hearth_store::Store;
use secrecy::zeroize::Zeroizing;
use serde_json::Value;
use std::fs::{self, File, OpenOptions};
use std::io::{self, BufReader, BufWriter, ErrorKind, Read, Write};
use std::path::{Path, PathBuf};

/// Bytes of a manifest or a key.
const SMALL: u64 = 64 * 1024;

/// What was unpacked.
struct Unpacked {
    manifest: Manifest,
    secrets_key: Option<Zeroizing<Vec<u8>>>,
    workspace_files: u64,
    skill_files: u64,
}

/// Unpacks a backup beside what is there and makes the restore binding: whoever opens the home next completes
/// it. Only for who owns the home.
pub(crate) async fn prepare(
    home: &Home,
    path: PathBuf,
    passphrase: SecretString,
    keyring: Backend,
) -> Result<Restored, WireError> {
    let root = home.root().to_owned();
    Plan::cancel(&root).map_err(|error| wire_io(&root, &error))?;
    let name = format!("{STAGING}{}", uuid::Uuid::now_v7().simple());
    let staging = Staging { folder: root.join(&name), keep: false };
    let new = staging.folder.join("new");
    let (file, into, phrase) = (path.clone(), new.clone(), passphrase.clone());
    let unpacked = tokio::task::spawn_blocking(move || unpack(&file, &into, &phrase)).await;
    let unpacked = joined(unpacked)??;
    let sessions = database(&new, home).await?;
    settings(&new)?;
    let key = unpacked.secrets_key.as_ref().map(|key| key.as_slice());
    let state = Secrets::settle(&new, key, &passphrase, keyring).await;
    let state = state.map_err(|error| crate::vault::wire(&error))?;
    let secrets = names(&new).await?;
    let stamp = clock::local(clock::now(), clock::zone("")).format("%Y-%m-%d-%H%M%S").to_string();
    let bound = Plan::of(&root, &name, &stamp).and_then(|plan| plan.write(&root));
    bound.map_err(|error| wire_io(&root, &error))?;
    staging.keep();
    Ok(Restored {
        made_at: unpacked.manifest.made_at,
        counts: BackupCounts {
            sessions,
            workspace_files: unpacked.workspace_files,
            skill_files: unpacked.skill_files,
            secrets,
        },
        aside: String::new(),
        secrets: match state {
            State::Keyring => "keyring",
            State::Passphrase => "passphrase",
            State::Locked => "locked",
            State::Absent => "none",
        }
        .to_owned(),
        at_next_start: true,
    })
}

fn unpack(path: &Path, new: &Path, passphrase: &SecretString) -> Result<Unpacked, WireError> {
    let failed = |error: io::Error| wire_io(path, &error);
    let input = BufReader::new(File::open(path).map_err(failed)?);
    let sealed = SealedReader::open(input, passphrase).map_err(|error| wire_seal(path, &error))?;
    private_folder(new).map_err(|error| wire_io(new, &error))?;
    let mut unpacker = Unpacker::new(DeflateDecoder::new(sealed));
    let manifest = manifest(&mut unpacker).map_err(failed)?;
    if manifest.format > FORMAT {
        let message =
            format!("{} was made by a newer Hearth ({})", path.display(), manifest.version);
        return Err(WireError::new(ErrorCode::InvalidRequest, message, "Update Hearth."));
    }
    let mut unpacked = Unpacked { manifest, secrets_key: None, workspace_files: 0, skill_files: 0 };
    while let Some(head) = unpacker.next().map_err(failed)? {
        take(&mut unpacker, &head, new, &mut unpacked).map_err(failed)?;
    }
    // The end of the file is proven, too.
    io::copy(&mut unpacker.into_inner().into_inner(), &mut io::sink()).map_err(failed)?;
    Ok(unpacked)
}

fn manifest<R: Read>(unpacker: &mut Unpacker<R>) -> io::Result<Manifest> {
    let damaged =
        |why: &str| io::Error::new(ErrorKind::InvalidData, format!("it is damaged: {why}"));
    let head = unpacker.next()?.filter(|head| head.path == MANIFEST);
    head.ok_or_else(|| damaged("it does not say what it is"))?;
    let bytes = small(unpacker)?;
    serde_json::from_slice(&bytes).map_err(|error| damaged(&error.to_string()))
}

fn small<R: Read>(unpacker: &mut Unpacker<R>) -> io::Result<Zeroizing<Vec<u8>>> {
    let mut bytes = Bounded(Zeroizing::default());
    unpacker.content(&mut bytes)?;
    Ok(bytes.0)
}

struct Bounded(Zeroizing<Vec<u8>>);

impl Write for Bounded {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if (self.0.len() + bytes.len()) as u64 > SMALL {
            return Err(io::Error::new(
                ErrorKind::InvalidData,
                "it is damaged: a part is too large",
            ));
        }
        self.0.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Takes one file of the backup.
fn take<R: Read>(
    unpacker: &mut Unpacker<R>,
    head: &FileHead,
    new: &Path,
    unpacked: &mut Unpacked,
) -> io::Result<()> {
    let inside =
        |folder: &str| head.path.strip_prefix(folder).is_some_and(|rest| rest.starts_with('/'));
    match head.path.as_str() {
        SECRETS_KEY => {
            unpacked.secrets_key = Some(small(unpacker)?);
            return Ok(());
        }
        SETTINGS | DATABASE | SECRETS => {}
        _ if inside(WORKSPACE) => unpacked.workspace_files += 1,
        _ if inside(SKILLS) => unpacked.skill_files += 1,
        other => {
            let why = format!("it is damaged: {other} has no place in a home");
            return Err(io::Error::new(ErrorKind::InvalidData, why));
        }
    }
    if !fits(&head.path) {
        let why = format!("it is damaged: {} is no usable path", head.path);
        return Err(io::Error::new(ErrorKind::InvalidData, why));
    }
    let target = new.join(&head.path);
    if let Some(parent) = target.parent() {
        fs::create_dir_all(parent)?;
    }
    let mut out = BufWriter::new(create(&target, head)?);
    unpacker.content(&mut out)?;
    out.into_inner().map_err(io::IntoInnerError::into_error)?.sync_all()
}

/// A new file. In the workspace and of skills others may read, as they might before; the rest is private.
fn create(target: &Path, head: &FileHead) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt as _;
        let shared = head.path.contains('/');
        options.mode(match (shared, head.runs) {
            (false, _) => 0o600,
            (true, false) => 0o644,
            (true, true) => 0o755,
        });
    }
    #[cfg(not(unix))]
    let _ = head;
    options.open(target)
}

fn private_folder(folder: &Path) -> io::Result<()> {
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::DirBuilderExt as _;
        builder.mode(0o700);
    }
    builder.create(folder)
}

/// Opens the database: it is migrated, checked, and knows that its workspace has its templates. Says how many
/// conversations it holds.
async fn database(new: &Path, home: &Home) -> Result<u64, WireError> {
    let store = Store::open(&new.join(DATABASE)).await?;
    let ready = async {
        store.check().await?;
        let root = home.root().canonicalize().unwrap_or_else(|_| home.root().to_owned());
        let workspace = root.join(WORKSPACE).display().to_string();
        store.set_meta(SEEDED, Some(&workspace)).await?;
        Ok::<_, hearth_store::StoreError>(store.sessions().await?.len() as u64)
    };
    let ready = ready.await;
    store.close().await;
    Ok(ready?)
}

/// The workspace came along, so it lies in the home from now on, wherever it lay before.
fn settings(new: &Path) -> Result<(), WireError> {
    let path = new.join(SETTINGS);
    let failed = |error: crate::settings::SettingError| {
        WireError::new(ErrorCode::Storage, error.to_string(), "Nothing was changed.")
    };
    let file = SettingsFile::open(path).map_err(failed)?;
    if file.current().workspace_path.is_empty() {
        return Ok(());
    }
    file.set("workspace.path", &Value::Null).map_err(failed)
}

async fn names(new: &Path) -> Result<u64, WireError> {
    let secrets = Secrets::open(new, Backend::Passphrase).await;
    let names = secrets.names().await.map_err(|error| crate::vault::wire(&error))?;
    Ok(names.len() as u64)
}

/// What was unpacked goes, unless it is bound to be used.
struct Staging {
    folder: PathBuf,
    keep: bool,
}

impl Staging {
    fn keep(mut self) {
        self.keep = true;
    }
}

impl Drop for Staging {
    fn drop(&mut self) {
        if !self.keep {
            let _ = fs::remove_dir_all(&self.folder);
        }
    }
}
