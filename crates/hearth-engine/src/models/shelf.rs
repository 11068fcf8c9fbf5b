//! Which files of the built-in models are on this machine.
//!
//! A file is trusted as long as its size and time are those of its last check: hashing a gigabyte at
//! every start would cost seconds. The note of that check is `FILE.checked.json` beside it.

use super::digest;
use super::fetch::part_of;
use super::manifest::{LocalModel, Variant};
use hearth_protocol::api::models::LocalModelRow;
use serde::{Deserialize, Serialize};
use std::io::{Error, ErrorKind, Read, Result};
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

/// Name of the note beside a file that the person brought.
const OWN: &str = "a file of yours";

/// The folder of model files.
#[derive(Debug, Clone)]
pub(crate) struct Shelf {
    folder: PathBuf,
}

/// What the last check of a file found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Note {
    bytes: u64,
    modified_ns: u128,
    sha256: String,
    name: String,
    source: String,
}

/// A model file that can be loaded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Ready {
    /// The file.
    pub(crate) path: PathBuf,
    /// Variant, for display.
    pub(crate) name: String,
    /// Where it came from.
    pub(crate) source: String,
    /// Its size.
    pub(crate) bytes: u64,
}

impl Shelf {
    /// The shelf in a folder.
    pub(crate) fn new(folder: PathBuf) -> Self {
        Self { folder }
    }

    /// Where a model's files lie.
    pub(crate) fn folder(&self, model: &LocalModel) -> PathBuf {
        self.folder.join(model.id.rsplit('/').next().unwrap_or(model.id))
    }

    /// Where a variant's file lies, or will.
    pub(crate) fn path(&self, model: &LocalModel, variant: &Variant) -> PathBuf {
        self.folder(model).join(variant.file)
    }

    /// The file to load: the person's own before a fetched one.
    pub(crate) fn ready(&self, model: &LocalModel) -> Option<Ready> {
        let fetched = model.variants.iter().map(|variant| self.path(model, variant));
        std::iter::once(self.own_path(model)).chain(fetched).find_map(|path| ready(&path))
    }

    /// The row for lists.
    pub(crate) fn row(&self, model: &LocalModel, problem: Option<String>) -> LocalModelRow {
        let ready = self.ready(model);
        // What was begun, else what will be: the first variant.
        let begun = |variant: &&Variant| {
            part_of(&self.path(model, variant)).metadata().map_or(0, |meta| meta.len())
        };
        let planned = model.variants.iter().rev().max_by_key(begun);
        let name = planned.map(|variant| variant.name.to_owned());
        let bytes = planned.map_or(0, |variant| variant.bytes);
        let have = planned.as_ref().map_or(0, begun);
        LocalModelRow {
            id: model.id.to_owned(),
            name: ready.as_ref().map_or_else(|| name.unwrap_or_default(), |row| row.name.clone()),
            purpose: model.purpose.to_owned(),
            license: model.license.to_owned(),
            bytes: ready.as_ref().map_or(bytes, |ready| ready.bytes),
            have_bytes: ready.as_ref().map_or(have, |ready| ready.bytes),
            ready: ready.is_some(),
            source: ready.map(|ready| ready.source),
            path: self.folder(model).display().to_string(),
            problem,
        }
    }

    /// Looks for files that were put there by hand: a known hash is as good as a download.
    pub(crate) async fn adopt(&self, model: &LocalModel) -> Option<Ready> {
        for variant in model.variants {
            let path = self.path(model, variant);
            let right_size = path.metadata().is_ok_and(|meta| meta.len() == variant.bytes);
            if right_size && digest::sha256(&path).await.is_ok_and(|found| found == variant.sha256)
            {
                self.note(&path, variant.sha256, variant.name, OWN).ok()?;
                return ready(&path);
            }
        }
        None
    }

    /// Notes that a file was checked.
    pub(crate) fn note(&self, path: &Path, sha256: &str, name: &str, source: &str) -> Result<()> {
        let (bytes, modified_ns) = identity(path)?;
        let note = Note {
            bytes,
            modified_ns,
            sha256: sha256.to_owned(),
            name: name.to_owned(),
            source: source.to_owned(),
        };
        std::fs::write(note_of(path), serde_json::to_vec_pretty(&note)?)
    }

    /// A file of the model that is here but is not what was checked: half of it, or changed since.
    pub(crate) fn spoiled(&self, model: &LocalModel) -> Option<PathBuf> {
        if self.ready(model).is_some() {
            return None;
        }
        let known = model.variants.iter().map(|variant| self.path(model, variant));
        std::iter::once(self.own_path(model)).chain(known).find(|path| path.exists())
    }

    /// Takes a file that the person has: copied, so that theirs may go. One of unknown content must pass
    /// `sound` first.
    pub(crate) async fn import(
        &self,
        model: &LocalModel,
        from: &Path,
        sound: fn(&Path) -> Result<()>,
    ) -> Result<Ready> {
        is_gguf(from)?;
        let sha256 = digest::sha256(from).await?;
        let known = model.variants.iter().find(|variant| variant.sha256 == sha256);
        if known.is_none() {
            let file = from.to_path_buf();
            tokio::task::spawn_blocking(move || sound(&file)).await.map_err(Error::other)??;
        }
        let stem = from.file_stem().map(|stem| stem.to_string_lossy().into_owned());
        let (path, name) = match known {
            Some(variant) => (self.path(model, variant), variant.name.to_owned()),
            None => (self.own_path(model), stem.unwrap_or_else(|| model.id.to_owned())),
        };
        tokio::fs::create_dir_all(self.folder(model)).await?;
        let part = part_of(&path);
        let copied = tokio::fs::copy(from, &part).await;
        if let Err(error) = copied {
            let _ = tokio::fs::remove_file(&part).await;
            return Err(error);
        }
        tokio::fs::rename(&part, &path).await?;
        self.note(&path, &sha256, &name, OWN)?;
        ready(&path).ok_or_else(|| Error::other("the file changed while it was copied"))
    }

    fn own_path(&self, model: &LocalModel) -> PathBuf {
        self.folder(model).join("own.gguf")
    }
}

fn ready(path: &Path) -> Option<Ready> {
    let (bytes, modified_ns) = identity(path).ok()?;
    let note: Note = serde_json::from_slice(&std::fs::read(note_of(path)).ok()?).ok()?;
    let same = (note.bytes, note.modified_ns) == (bytes, modified_ns);
    same.then(|| Ready { path: path.to_path_buf(), name: note.name, source: note.source, bytes })
}

fn identity(path: &Path) -> Result<(u64, u128)> {
    let meta = path.metadata()?;
    let modified = meta.modified()?.duration_since(UNIX_EPOCH).map_err(Error::other)?;
    Ok((meta.len(), modified.as_nanos()))
}

fn note_of(path: &Path) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(".checked.json");
    PathBuf::from(name)
}

fn is_gguf(path: &Path) -> Result<()> {
    let mut magic = [0; 4];
    std::fs::File::open(path)?.read_exact(&mut magic)?;
    match &magic == b"GGUF" {
        true => Ok(()),
        false => Err(Error::new(ErrorKind::InvalidData, "it is no GGUF model file")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::models::manifest::LOCAL_MODELS;

    #[test]
    fn the_row_names_the_variant_that_was_begun() {
        let folder = tempfile::tempdir().expect("folder");
        let shelf = Shelf::new(folder.path().to_path_buf());
        let model = &LOCAL_MODELS[0];
        let row = shelf.row(model, None);
        assert_eq!((row.name.as_str(), row.have_bytes), (model.variants[0].name, 0));
        let begun = part_of(&shelf.path(model, &model.variants[1]));
        std::fs::create_dir_all(shelf.folder(model)).expect("makes");
        std::fs::write(begun, [7; 40]).expect("writes");
        let row = shelf.row(model, None);
        assert_eq!((row.name.as_str(), row.have_bytes), (model.variants[1].name, 40));
        assert_eq!((row.bytes, row.ready), (model.variants[1].bytes, false));
    }

    #[tokio::test]
    async fn an_own_file_is_taken_until_it_changes() {
        let folder = tempfile::tempdir().expect("folder");
        let shelf = Shelf::new(folder.path().join("models"));
        let model = &LOCAL_MODELS[0];
        assert_eq!(shelf.ready(model), None);
        let own = folder.path().join("mine.gguf");
        std::fs::write(&own, b"GGUF....").expect("writes");
        let ready = shelf.import(model, &own, |_| Ok(())).await.expect("imports");
        assert_eq!((ready.name.as_str(), ready.bytes), ("mine", 8));
        assert_eq!(shelf.ready(model), Some(ready.clone()));
        std::fs::write(&ready.path, b"GGUF.........").expect("writes");
        assert_eq!((shelf.ready(model), shelf.spoiled(model)), (None, Some(ready.path)));
        let half = |_: &Path| Err(Error::other("half of it is missing"));
        let error = shelf.import(model, &own, half).await.expect_err("refuses");
        assert_eq!(error.to_string(), "half of it is missing");
        std::fs::write(&own, b"PK..").expect("writes");
        let error = shelf.import(model, &own, |_| Ok(())).await.expect_err("refuses");
        assert_eq!(error.to_string(), "it is no GGUF model file");
    }
}
