//! `secrets.enc`: JSON with names in the clear and values sealed.
//!
//! Invariants: each value is bound to its name; `check` tells a wrong key from a damaged file; `seal` covers
//! everything, so that removing or exchanging entries is noticed; the file is replaced atomically and
//! only its owner may read it.

use crate::error::{Result, SecretsError};
use crate::seal::{Kdf, MasterKey, Sealed};
use atomic_write_file::AtomicWriteFile;
use secrecy::{ExposeSecret, SecretString};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};

const FORMAT: u32 = 1;

/// Where the key of the file comes from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "from", rename_all = "snake_case")]
pub(crate) enum KeySource {
    /// The keyring, under this name.
    Keyring { id: String },
    /// A passphrase.
    Passphrase(Kdf),
}

/// The file, as it is on disk.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct SecretsFile {
    format: u32,
    key: KeySource,
    check: Sealed,
    secrets: BTreeMap<String, Sealed>,
    seal: Sealed,
}

#[derive(Deserialize)]
struct FormatOnly {
    format: u32,
}

impl SecretsFile {
    /// The file; none where there is none.
    pub(crate) async fn read(path: &Path) -> Result<Option<Self>> {
        let bytes = match tokio::fs::read(path).await {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
            Err(source) => return Err(SecretsError::Io { path: path.to_owned(), source }),
        };
        let damaged = |error: serde_json::Error| damaged(path, &error.to_string());
        let FormatOnly { format } = serde_json::from_slice(&bytes).map_err(damaged)?;
        if format > FORMAT {
            return Err(SecretsError::Newer { path: path.to_owned(), found: format });
        }
        serde_json::from_slice(&bytes).map(Some).map_err(damaged)
    }

    /// A file without secrets.
    pub(crate) fn new(key: KeySource, master: &MasterKey) -> Result<Self> {
        let check = master.seal(&check_purpose(&key)?, b"")?;
        let secrets = BTreeMap::new();
        let seal = seal_all(master, &key, &secrets)?;
        Ok(Self { format: FORMAT, key, check, secrets, seal })
    }

    /// The same secrets under another key.
    pub(crate) fn sealed_anew(
        &self,
        path: &Path,
        old: &MasterKey,
        source: KeySource,
        new: &MasterKey,
    ) -> Result<Self> {
        let mut file = Self::new(source, new)?;
        for name in self.secrets.keys() {
            file.set(path, new, name, &self.get(path, old, name)?)?;
        }
        Ok(file)
    }

    pub(crate) fn key_source(&self) -> &KeySource {
        &self.key
    }

    /// Whether this is the file's key.
    pub(crate) fn opens_with(&self, master: &MasterKey) -> bool {
        check_purpose(&self.key).is_ok_and(|purpose| master.open(&purpose, &self.check).is_some())
    }

    /// Whether the file is as it was written.
    pub(crate) fn verify(&self, path: &Path, master: &MasterKey) -> Result<()> {
        if !self.opens_with(master) {
            return Err(damaged(path, "it is sealed with another key"));
        }
        match master.open(&whole_purpose(&self.key, &self.secrets)?, &self.seal) {
            Some(_) => Ok(()),
            None => Err(damaged(path, "its parts do not belong together")),
        }
    }

    pub(crate) fn has(&self, name: &str) -> bool {
        self.secrets.contains_key(name)
    }

    pub(crate) fn names(&self) -> impl Iterator<Item = &String> {
        self.secrets.keys()
    }

    pub(crate) fn into_names(self) -> Vec<String> {
        self.secrets.into_keys().collect()
    }

    /// The value of a name that is there.
    pub(crate) fn get(&self, path: &Path, master: &MasterKey, name: &str) -> Result<SecretString> {
        self.verify(path, master)?;
        let value = self.secrets.get(name).and_then(|sealed| master.open(&purpose(name), sealed));
        let value = value.ok_or_else(|| damaged(path, "an entry does not open"))?;
        let text = std::str::from_utf8(&value).map_err(|_| damaged(path, "an entry is no text"))?;
        Ok(SecretString::from(text))
    }

    pub(crate) fn set(
        &mut self,
        path: &Path,
        master: &MasterKey,
        name: &str,
        value: &SecretString,
    ) -> Result<()> {
        self.verify(path, master)?;
        let sealed = master.seal(&purpose(name), value.expose_secret().as_bytes())?;
        self.secrets.insert(name.to_owned(), sealed);
        self.seal = seal_all(master, &self.key, &self.secrets)?;
        Ok(())
    }

    pub(crate) fn remove(&mut self, path: &Path, master: &MasterKey, name: &str) -> Result<()> {
        self.verify(path, master)?;
        self.secrets.remove(name);
        self.seal = seal_all(master, &self.key, &self.secrets)?;
        Ok(())
    }

    /// Replaces the file on disk.
    pub(crate) async fn write(&self, path: &Path) -> Result<()> {
        let text = serde_json::to_string_pretty(self)
            .map_err(|error| SecretsError::System(error.to_string()))?;
        let target: PathBuf = path.to_owned();
        let written = tokio::task::spawn_blocking(move || replace(&target, text.as_bytes())).await;
        let written = written.unwrap_or_else(|error| Err(std::io::Error::other(error)));
        written.map_err(|source| SecretsError::Io { path: path.to_owned(), source })
    }
}

fn replace(path: &Path, bytes: &[u8]) -> std::io::Result<()> {
    let options = AtomicWriteFile::options();
    #[cfg(unix)]
    let options = {
        use atomic_write_file::unix::OpenOptionsExt as _;
        use std::os::unix::fs::OpenOptionsExt as _;
        let mut options = options;
        options.mode(0o600).preserve_mode(false);
        options
    };
    let mut file = options.open(path)?;
    file.write_all(bytes)?;
    file.commit()
}

fn purpose(name: &str) -> Vec<u8> {
    format!("hearth secrets {FORMAT} entry {name}").into_bytes()
}

fn check_purpose(key: &KeySource) -> Result<Vec<u8>> {
    tagged("check", &key)
}

fn whole_purpose(key: &KeySource, secrets: &BTreeMap<String, Sealed>) -> Result<Vec<u8>> {
    tagged("whole", &(key, secrets))
}

fn seal_all(
    master: &MasterKey,
    key: &KeySource,
    secrets: &BTreeMap<String, Sealed>,
) -> Result<Sealed> {
    master.seal(&whole_purpose(key, secrets)?, b"")
}

/// A purpose that covers a value: its JSON is the same each time, as maps are ordered.
fn tagged(tag: &str, value: &impl Serialize) -> Result<Vec<u8>> {
    let json =
        serde_json::to_string(value).map_err(|error| SecretsError::System(error.to_string()))?;
    Ok(format!("hearth secrets {FORMAT} {tag} {json}").into_bytes())
}

fn damaged(path: &Path, why: &str) -> SecretsError {
    SecretsError::Damaged { path: path.to_owned(), why: why.to_owned() }
}
