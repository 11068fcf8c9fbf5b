//! Which files of the built-in models are on this machine.
//!
//! A file is trusted as long as its size and time are those of its last check: hashing a gigabyte at
//! every start would cost seconds. The note of that check is `FILE.checked.json` beside it.

use super::digest;
use super::fetch::part_of;
use super::manifest::{LocalModel, ModelFile, Purpose, Variant};
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

    /// Where a file of it lies, or will.
    pub(crate) fn path(&self, model: &LocalModel, file: &ModelFile) -> PathBuf {
        self.folder(model).join(file.name)
    }

    /// What to load: the person's own file before fetched ones.
    pub(crate) fn ready(&self, model: &LocalModel) -> Option<Ready> {
        let own = || {
            let path = self.own_path(model);
            let Note { name, source, bytes, .. } = checked(&path)?;
            Some(Ready { path, name, source, bytes })
        };
        own().or_else(|| model.variants.iter().find_map(|variant| self.whole(model, variant)))
    }

    /// Whether this very file is here.
    pub(crate) fn has(&self, model: &LocalModel, file: &ModelFile) -> bool {
        checked(&self.path(model, file)).is_some_and(|note| note.sha256 == file.sha256)
    }

    fn whole(&self, model: &LocalModel, variant: &Variant) -> Option<Ready> {
        let weights = self.path(model, variant.files.last()?);
        let here = variant.files.iter().all(|file| self.has(model, file));
        let note = checked(&weights).filter(|_| here)?;
        let (name, source, bytes) = (variant.name.to_owned(), note.source, variant.bytes());
        Some(Ready { path: weights, name, source, bytes })
    }

    /// The row for lists.
    pub(crate) fn row(&self, model: &LocalModel, problem: Option<String>) -> LocalModelRow {
        let ready = self.ready(model);
        // What was begun, else what will be: the first variant.
        let begun = |variant: &&Variant| -> u64 {
            variant.files.iter().map(|file| self.begun(model, file)).sum()
        };
        let planned = model.variants.iter().rev().max_by_key(begun);
        let name = planned.map(|variant| variant.name.to_owned());
        let bytes = planned.map_or(0, Variant::bytes);
        let have = planned.as_ref().map_or(0, begun);
        LocalModelRow {
            id: model.id.to_owned(),
            name: ready.as_ref().map_or_else(|| name.unwrap_or_default(), |row| row.name.clone()),
            purpose: model.purpose.as_str().to_owned(),
            license: model.license.to_owned(),
            bytes: ready.as_ref().map_or(bytes, |ready| ready.bytes),
            have_bytes: ready.as_ref().map_or(have, |ready| ready.bytes),
            ready: ready.is_some(),
            source: ready.map(|ready| ready.source),
            path: self.folder(model).display().to_string(),
            problem,
        }
    }

    fn begun(&self, model: &LocalModel, file: &ModelFile) -> u64 {
        if self.has(model, file) {
            return file.bytes;
        }
        let part = part_of(&self.path(model, file)).metadata();
        part.map_or(0, |meta| meta.len().min(file.bytes))
    }

    /// Looks for files that were put there by hand: known hashes are as good as a download.
    pub(crate) async fn adopt(&self, model: &LocalModel) -> Option<Ready> {
        let folder = self.folder(model);
        let variant = known_in(&folder, model).await?;
        for file in variant.files.iter().filter(|file| !self.has(model, file)) {
            self.note(&folder.join(file.name), file.sha256, variant.name, OWN).ok()?;
        }
        self.whole(model, variant)
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
        let files = model.variants.iter().flat_map(|variant| variant.files);
        let known = files.map(|file| self.path(model, file));
        std::iter::once(self.own_path(model))
            .chain(known)
            .find(|path| path.exists() && checked(path).is_none())
    }

    /// Takes what the person has: copied, so that theirs may go. A GGUF file of unknown content must pass
    /// `sound` first; other models are a folder of known files.
    pub(crate) async fn import(
        &self,
        model: &LocalModel,
        from: &Path,
        sound: fn(&Path) -> Result<()>,
    ) -> Result<Ready> {
        match model.purpose {
            Purpose::Chat => self.import_gguf(model, from, sound).await,
            Purpose::Embeddings => self.import_folder(model, from).await,
        }
    }

    async fn import_folder(&self, model: &LocalModel, from: &Path) -> Result<Ready> {
        let unknown =
            || Error::new(ErrorKind::InvalidData, "its files are not those of this model");
        let variant = known_in(from, model).await.ok_or_else(unknown)?;
        for file in variant.files {
            self.take(model, &from.join(file.name), &self.path(model, file)).await?;
            self.note(&self.path(model, file), file.sha256, variant.name, OWN)?;
        }
        self.whole(model, variant).ok_or_else(changed)
    }

    async fn import_gguf(
        &self,
        model: &LocalModel,
        from: &Path,
        sound: fn(&Path) -> Result<()>,
    ) -> Result<Ready> {
        is_gguf(from)?;
        let sha256 = digest::sha256(from).await?;
        let same = |variant: &&Variant| variant.files.iter().any(|file| file.sha256 == sha256);
        let known = model.variants.iter().find(same);
        if known.is_none() {
            let file = from.to_path_buf();
            tokio::task::spawn_blocking(move || sound(&file)).await.map_err(Error::other)??;
        }
        let stem = from.file_stem().map(|stem| stem.to_string_lossy().into_owned());
        let (path, name) = match known.and_then(|variant| Some((variant, variant.files.last()?))) {
            Some((variant, file)) => (self.path(model, file), variant.name.to_owned()),
            None => (self.own_path(model), stem.unwrap_or_else(|| model.id.to_owned())),
        };
        self.take(model, from, &path).await?;
        self.note(&path, &sha256, &name, OWN)?;
        self.ready(model).ok_or_else(changed)
    }

    async fn take(&self, model: &LocalModel, from: &Path, to: &Path) -> Result<()> {
        tokio::fs::create_dir_all(self.folder(model)).await?;
        let part = part_of(to);
        let copied = tokio::fs::copy(from, &part).await;
        if let Err(error) = copied {
            let _ = tokio::fs::remove_file(&part).await;
            return Err(error);
        }
        tokio::fs::rename(&part, to).await
    }

    fn own_path(&self, model: &LocalModel) -> PathBuf {
        self.folder(model).join("own.gguf")
    }
}

fn changed() -> Error {
    Error::other("the file changed while it was copied")
}

/// The variant whose files a folder holds.
async fn known_in(folder: &Path, model: &LocalModel) -> Option<&'static Variant> {
    for variant in model.variants {
        if holds(folder, variant).await {
            return Some(variant);
        }
    }
    None
}

async fn holds(folder: &Path, variant: &Variant) -> bool {
    let right_size = |file: &ModelFile| {
        folder.join(file.name).metadata().is_ok_and(|meta| meta.len() == file.bytes)
    };
    if !variant.files.iter().all(right_size) {
        return false;
    }
    for file in variant.files {
        let found = digest::sha256(&folder.join(file.name)).await;
        if !found.is_ok_and(|found| found == file.sha256) {
            return false;
        }
    }
    true
}

/// The note of a file's last check, as long as it is still that file.
fn checked(path: &Path) -> Option<Note> {
    let (bytes, modified_ns) = identity(path).ok()?;
    let note: Note = serde_json::from_slice(&std::fs::read(note_of(path)).ok()?).ok()?;
    ((note.bytes, note.modified_ns) == (bytes, modified_ns)).then_some(note)
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
        let begun = part_of(&shelf.path(model, &model.variants[1].files[0]));
        std::fs::create_dir_all(shelf.folder(model)).expect("makes");
        std::fs::write(begun, [7; 40]).expect("writes");
        let row = shelf.row(model, None);
        assert_eq!((row.name.as_str(), row.have_bytes), (model.variants[1].name, 40));
        assert_eq!((row.bytes, row.ready), (model.variants[1].bytes(), false));
    }

    const PAIR: LocalModel = LocalModel {
        id: "pair",
        purpose: Purpose::Embeddings,
        variants: &[
            Variant {
                name: "Another",
                files: &[ModelFile { name: "a", bytes: 9, sha256: "of another" }, HELLO],
                ..LOCAL_MODELS[1].variants[0]
            },
            Variant { name: "A pair", files: &[A, HELLO], ..LOCAL_MODELS[1].variants[0] },
        ],
        ..LOCAL_MODELS[1]
    };
    const A: ModelFile = ModelFile {
        name: "a",
        bytes: 1,
        sha256: "ca978112ca1bbdcafac231b39a23dc4da786eff8147c4e72b9807785afee48bb",
    };
    const HELLO: ModelFile = ModelFile {
        name: "hello",
        bytes: 5,
        sha256: "2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824",
    };

    #[tokio::test]
    async fn a_model_of_several_files_is_here_when_all_are() {
        let folder = tempfile::tempdir().expect("folder");
        let shelf = Shelf::new(folder.path().join("models"));
        let home = shelf.folder(&PAIR);
        std::fs::create_dir_all(&home).expect("makes");
        std::fs::write(home.join("a"), "a").expect("writes");
        shelf.note(&home.join("a"), A.sha256, "A pair", "a hub").expect("notes");
        assert_eq!(
            (shelf.ready(&PAIR), shelf.spoiled(&PAIR)),
            (None, None),
            "half of it is no damage"
        );
        let row = shelf.row(&PAIR, None);
        assert_eq!((row.name.as_str(), row.have_bytes, row.bytes), ("A pair", 1, 6));
        std::fs::write(home.join("hello"), "hellO").expect("writes");
        assert_eq!(shelf.adopt(&PAIR).await, None);
        assert_eq!(shelf.spoiled(&PAIR), Some(home.join("hello")));
        std::fs::write(home.join("hello"), "hello").expect("writes");
        let ready = shelf.adopt(&PAIR).await.expect("known files");
        assert_eq!((ready.name.as_str(), ready.bytes), ("A pair", 6));
        assert_eq!(ready.path, home.join("hello"));

        // Elsewhere: a folder is taken whole or not at all.
        let other = Shelf::new(folder.path().join("other"));
        let error = other.import(&PAIR, folder.path(), |_| Ok(())).await.expect_err("refuses");
        assert!(error.to_string().contains("not those of this model"), "{error}");
        let taken = other.import(&PAIR, &home, |_| Ok(())).await.expect("imports");
        assert_eq!((taken.name.as_str(), other.ready(&PAIR)), ("A pair", Some(taken.clone())));
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
