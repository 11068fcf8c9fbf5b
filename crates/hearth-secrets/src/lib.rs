//! Secrets of a home: one master key in the system's keyring (or made from a passphrase), everything
//! else sealed with it in `secrets.enc`.
//!
//! Invariants: a secret's value is on disk only sealed, bound to its name; the file is replaced whole
//! or not at all; a file that cannot be opened or was tampered with is never overwritten; nothing here
//! shows a value in `Debug`, an error or a log.
//! Absent here: keys given in the environment, and what a secret is for.

mod error;
mod file;
mod keyring;
mod seal;
mod stream;

pub use error::SecretsError;
pub use secrecy::{ExposeSecret, SecretString};
pub use stream::{SealError, SealedKey, SealedReader, SealedWriter};

use error::Result;
use file::{KeySource, SecretsFile};
use seal::{Kdf, MasterKey};
use secrecy::zeroize::Zeroizing;
use std::path::{Path, PathBuf};
use std::time::Duration;
use tokio::sync::Mutex;

/// How long a keyring may take for one answer.
pub const KEYRING_PATIENCE: Duration = Duration::from_secs(5);
const FILE: &str = "secrets.enc";
pub(crate) const SHORTEST_PASSPHRASE: usize = 8;
const LONGEST_NAME: usize = 100;
const LONGEST_VALUE: usize = 64 * 1024;

/// Where a master key may be kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Backend {
    /// In the system's keyring, if it answers within this time.
    Keyring(Duration),
    /// Nowhere: it is made from a passphrase.
    Passphrase,
}

impl Default for Backend {
    fn default() -> Self {
        Self::Keyring(KEYRING_PATIENCE)
    }
}

/// Whether secrets can be read and stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum State {
    /// Yes, with the keyring's key.
    Keyring,
    /// Yes, with the key made from the passphrase.
    Passphrase,
    /// No: there are secrets, but their key is not at hand.
    Locked,
    /// No: there are none, there is no keyring, and no passphrase was set yet.
    Absent,
}

/// A state and what stands in the way.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Status {
    /// The state.
    pub state: State,
    /// Why not better, for people.
    pub problem: Option<String>,
}

/// The secrets of one home. Only the process that owns the home may change them.
#[derive(Debug)]
pub struct Secrets {
    path: PathBuf,
    backend: Backend,
    held: Mutex<Held>,
}

/// What is known since the last look.
#[derive(Debug)]
struct Held {
    key: Option<MasterKey>,
    status: Status,
}

impl Secrets {
    /// Looks for the key of a home's secrets. Always answers: what is wrong is in [`Secrets::status`].
    ///
    /// A keyring that holds our key is asked for it; one that holds none yet is tried with a real
    /// write, read and removal. Either within the backend's patience.
    pub async fn open(home: &Path, backend: Backend) -> Self {
        let path = home.join(FILE);
        let held = Mutex::new(look(&path, backend).await);
        Self { path, backend, held }
    }

    /// Looks again, for a keyring that was locked or slow before. A passphrase stays entered.
    pub async fn retry(&self) -> Status {
        let mut held = self.held.lock().await;
        if held.status.state != State::Passphrase {
            *held = look(&self.path, self.backend).await;
        }
        held.status.clone()
    }

    /// Whether secrets can be used.
    pub async fn status(&self) -> Status {
        self.held.lock().await.status.clone()
    }

    /// A secret's value; none where there is no such secret.
    ///
    /// # Errors
    /// [`SecretsError::Locked`] without the key, [`SecretsError::Damaged`] where the file was tampered with.
    pub async fn get(&self, name: &str) -> Result<Option<SecretString>> {
        let held = self.held.lock().await;
        let Some(file) = SecretsFile::read(&self.path).await? else { return Ok(None) };
        if !file.has(name) {
            return Ok(None);
        }
        file.get(&self.path, held.key()?, name).map(Some)
    }

    /// All values that the key at hand opens, so that they can be masked; none without it. Asks no keyring.
    pub async fn values(&self) -> Vec<SecretString> {
        let held = self.held.lock().await;
        let (Ok(Some(file)), Ok(key)) = (SecretsFile::read(&self.path).await, held.key()) else {
            return Vec::new();
        };
        file.names().filter_map(|name| file.get(&self.path, key, name).ok()).collect()
    }

    /// Stores a secret, or replaces it.
    ///
    /// # Errors
    /// As [`Secrets::get`]; [`SecretsError::Invalid`] for a name or value that cannot be;
    /// [`SecretsError::NoPassphrase`] without a keyring; [`SecretsError::Io`], with the old file in place.
    pub async fn set(&self, name: &str, value: &SecretString) -> Result<()> {
        check_name(name)?;
        check_value(value)?;
        let mut held = self.held.lock().await;
        let mut file = match SecretsFile::read(&self.path).await? {
            Some(file) => file,
            None => self.begin(&mut held).await?,
        };
        file.set(&self.path, held.key()?, name, value)?;
        file.write(&self.path).await
    }

    /// Removes a secret; false where there was none.
    ///
    /// # Errors
    /// As [`Secrets::set`].
    pub async fn remove(&self, name: &str) -> Result<bool> {
        let held = self.held.lock().await;
        let Some(mut file) = SecretsFile::read(&self.path).await? else { return Ok(false) };
        if !file.has(name) {
            return Ok(false);
        }
        file.remove(&self.path, held.key()?, name)?;
        file.write(&self.path).await?;
        Ok(true)
    }

    /// The names, in order. They are no secret and can be listed without the key.
    ///
    /// # Errors
    /// [`SecretsError::Damaged`] or [`SecretsError::Io`].
    pub async fn names(&self) -> Result<Vec<String>> {
        let file = SecretsFile::read(&self.path).await?;
        Ok(file.map(SecretsFile::into_names).unwrap_or_default())
    }

    /// Opens secrets that are sealed with a passphrase.
    ///
    /// # Errors
    /// [`SecretsError::WrongPassphrase`]; [`SecretsError::Invalid`] where they have another kind of key.
    pub async fn unlock(&self, passphrase: &SecretString) -> Result<()> {
        let mut held = self.held.lock().await;
        let Some(file) = SecretsFile::read(&self.path).await? else {
            return Err(SecretsError::NoPassphrase);
        };
        let KeySource::Passphrase(kdf) = file.key_source() else {
            let why = "the secrets are sealed with the keyring's key, not with a passphrase";
            return Err(SecretsError::Invalid(why.to_owned()));
        };
        let key = kdf.derive(&self.path, passphrase).await?;
        if !file.opens_with(&key) {
            return Err(SecretsError::WrongPassphrase);
        }
        file.verify(&self.path, &key)?;
        *held = Held::open(key, State::Passphrase);
        Ok(())
    }

    /// Seals everything with a key made from a new passphrase. The keyring's key, if there was one, is
    /// removed.
    ///
    /// # Errors
    /// [`SecretsError::Locked`] where there are secrets that cannot be opened; [`SecretsError::Invalid`]
    /// for a passphrase that is too short; [`SecretsError::Io`], with the old file in place.
    pub async fn set_passphrase(&self, passphrase: &SecretString) -> Result<()> {
        if passphrase.expose_secret().chars().count() < SHORTEST_PASSPHRASE {
            let why = format!("a passphrase has at least {SHORTEST_PASSPHRASE} characters");
            return Err(SecretsError::Invalid(why));
        }
        let mut held = self.held.lock().await;
        let old = SecretsFile::read(&self.path).await?;
        if let Some(old) = &old {
            old.verify(&self.path, held.key()?)?;
        }
        let kdf = Kdf::new()?;
        let key = kdf.derive(&self.path, passphrase).await?;
        let source = KeySource::Passphrase(kdf);
        let file = match &old {
            Some(old) => old.sealed_anew(&self.path, held.key()?, source, &key)?,
            None => SecretsFile::new(source, &key)?,
        };
        file.write(&self.path).await?;
        *held = Held::open(key, State::Passphrase);
        if let (Some(KeySource::Keyring { id }), Backend::Keyring(patience)) =
            (old.as_ref().map(SecretsFile::key_source), self.backend)
            && let Err(error) = keyring::remove(id.clone(), patience).await
        {
            tracing::warn!(%error, "the old key stays in the keyring");
        }
        Ok(())
    }

    /// The key that has to travel with the file so that it opens on another machine; none where there are no
    /// secrets, or where they are sealed with a passphrase, which travels in the person's head.
    ///
    /// # Errors
    /// [`SecretsError::Locked`] where the key is not at hand; [`SecretsError::Damaged`]; [`SecretsError::Io`].
    pub async fn travelling_key(&self) -> Result<Option<Zeroizing<Vec<u8>>>> {
        let held = self.held.lock().await;
        let Some(file) = SecretsFile::read(&self.path).await? else { return Ok(None) };
        if matches!(file.key_source(), KeySource::Passphrase(_)) {
            return Ok(None);
        }
        file.verify(&self.path, held.key()?)?;
        Ok(Some(Zeroizing::new(held.key()?.bytes().to_vec())))
    }

    /// Makes secrets that came with their key this machine's own: sealed anew with a new key in the keyring,
    /// or, where there is none, with a key made from `passphrase`. Those sealed with a passphrase stay as they
    /// are. Says how they are sealed now.
    ///
    /// # Errors
    /// [`SecretsError::Damaged`] where key and file do not belong together; [`SecretsError::Io`], with the old
    /// file in place.
    pub async fn settle(
        home: &Path,
        key: Option<&[u8]>,
        passphrase: &SecretString,
        backend: Backend,
    ) -> Result<State> {
        let path = home.join(FILE);
        let Some(old) = SecretsFile::read(&path).await? else { return Ok(State::Absent) };
        if matches!(old.key_source(), KeySource::Passphrase(_)) {
            return Ok(State::Passphrase);
        }
        let Some(key) = key.and_then(MasterKey::from_bytes) else { return Ok(State::Locked) };
        old.verify(&path, &key)?;
        let (source, new, state) = match new_in_keyring(backend).await {
            Some((id, new)) => (KeySource::Keyring { id }, new, State::Keyring),
            None => {
                let kdf = Kdf::new()?;
                let new = kdf.derive(&path, passphrase).await?;
                (KeySource::Passphrase(kdf), new, State::Passphrase)
            }
        };
        old.sealed_anew(&path, &key, source, &new)?.write(&path).await?;
        Ok(state)
    }

    /// The first file of a home: puts a new key into the keyring.
    async fn begin(&self, held: &mut Held) -> Result<SecretsFile> {
        let (State::Keyring, Backend::Keyring(patience)) = (held.status.state, self.backend) else {
            return Err(SecretsError::NoPassphrase);
        };
        let (id, key) = (seal::random_id()?, MasterKey::random()?);
        keyring::store(id.clone(), &key, patience).await?;
        let file = SecretsFile::new(KeySource::Keyring { id }, &key)?;
        *held = Held::open(key, State::Keyring);
        Ok(file)
    }
}

impl Held {
    fn open(key: MasterKey, state: State) -> Self {
        Self { key: Some(key), status: Status { state, problem: None } }
    }

    fn without(state: State, problem: Option<String>) -> Self {
        Self { key: None, status: Status { state, problem } }
    }

    fn key(&self) -> Result<&MasterKey> {
        let why = || self.status.problem.clone().unwrap_or_else(|| "the key is not at hand".into());
        self.key.as_ref().ok_or_else(|| SecretsError::Locked { why: why() })
    }
}

/// Tries the system's keyring with a real write, read and removal; for `doctor`.
///
/// # Errors
/// [`SecretsError::Keyring`] with the reason.
pub async fn probe_keyring(patience: Duration) -> Result<()> {
    keyring::probe(seal::random_id()?, patience).await
}

/// A new key in the keyring; none where that cannot be.
async fn new_in_keyring(backend: Backend) -> Option<(String, MasterKey)> {
    let Backend::Keyring(patience) = backend else { return None };
    let (id, key) = (seal::random_id().ok()?, MasterKey::random().ok()?);
    match keyring::store(id.clone(), &key, patience).await {
        Ok(()) => Some((id, key)),
        Err(error) => {
            tracing::info!(%error, "no keyring takes a key");
            None
        }
    }
}

async fn look(path: &Path, backend: Backend) -> Held {
    let file = match SecretsFile::read(path).await {
        Ok(file) => file,
        Err(error) => return Held::without(State::Locked, Some(error.to_string())),
    };
    match (file.as_ref().map(|file| (file, file.key_source())), backend) {
        (None, Backend::Passphrase) => Held::without(State::Absent, None),
        (None, Backend::Keyring(patience)) => match probe_keyring(patience).await {
            Ok(()) => Held::without(State::Keyring, None),
            Err(error) => Held::without(State::Absent, Some(error.to_string())),
        },
        (Some((_, KeySource::Passphrase(_))), _) => {
            Held::without(State::Locked, Some("the passphrase was not entered yet".to_owned()))
        }
        (Some((_, KeySource::Keyring { .. })), Backend::Passphrase) => {
            let why = "the secrets are sealed with a key of the keyring, which is turned off";
            Held::without(State::Locked, Some(why.to_owned()))
        }
        (Some((file, KeySource::Keyring { id })), Backend::Keyring(patience)) => {
            match keyring::fetch(id.clone(), patience).await {
                Ok(key) if file.opens_with(&key) => Held::open(key, State::Keyring),
                Ok(_) => {
                    let why = "the key in the keyring does not open the secrets";
                    Held::without(State::Locked, Some(why.to_owned()))
                }
                Err(error) => Held::without(State::Locked, Some(error.to_string())),
            }
        }
    }
}

fn check_name(name: &str) -> Result<()> {
    let fits = !name.is_empty()
        && name.len() <= LONGEST_NAME
        && name.chars().all(|c| !c.is_whitespace() && !c.is_control());
    match fits {
        true => Ok(()),
        false => Err(SecretsError::Invalid(format!(
            "a name has 1 to {LONGEST_NAME} characters and no blanks, for example providers/work"
        ))),
    }
}

fn check_value(value: &SecretString) -> Result<()> {
    match value.expose_secret().len() {
        0 => Err(SecretsError::Invalid("the value is empty".to_owned())),
        1..=LONGEST_VALUE => Ok(()),
        _ => Err(SecretsError::Invalid(format!("a value has at most {LONGEST_VALUE} bytes"))),
    }
}

#[cfg(test)]
#[allow(clippy::expect_used, reason = "a failed fixture is a failed test")]
mod tests {
    use super::*;

    const VALUE: &str = "sk-very-secret-0123456789";

    /// Secrets as another machine's keyring sealed them, and their key.
    async fn from_elsewhere(home: &Path) -> MasterKey {
        let key = MasterKey::random().expect("a key");
        let path = home.join(FILE);
        let source = KeySource::Keyring { id: "elsewhere".to_owned() };
        let mut file = SecretsFile::new(source, &key).expect("begins");
        file.set(&path, &key, "providers/work", &SecretString::from(VALUE)).expect("is set");
        file.write(&path).await.expect("is written");
        key
    }

    #[tokio::test]
    async fn secrets_settle_where_no_keyring_is() {
        let home = tempfile::tempdir().expect("a folder");
        let key = from_elsewhere(home.path()).await;
        let phrase = SecretString::from("correct horse battery");
        let bytes = || std::fs::read(home.path().join(FILE)).expect("is there");
        let before = bytes();
        let settle = |key: Option<Vec<u8>>| {
            let (home, phrase) = (home.path().to_owned(), phrase.clone());
            async move { Secrets::settle(&home, key.as_deref(), &phrase, Backend::Passphrase).await }
        };
        assert_eq!(settle(None).await.expect("stays"), State::Locked);
        let other = MasterKey::random().expect("a key").bytes().to_vec();
        assert!(matches!(settle(Some(other)).await, Err(SecretsError::Damaged { .. })));
        assert_eq!(bytes(), before, "nothing is lost");
        assert_eq!(settle(Some(key.bytes().to_vec())).await.expect("settles"), State::Passphrase);
        let secrets = Secrets::open(home.path(), Backend::Passphrase).await;
        assert!(secrets.travelling_key().await.expect("needs none").is_none());
        secrets.unlock(&phrase).await.expect("opens");
        let value = secrets.get("providers/work").await.expect("reads").expect("is there");
        assert_eq!(value.expose_secret(), VALUE);
        assert_eq!(settle(None).await.expect("as it is"), State::Passphrase);
    }

    #[tokio::test]
    async fn nothing_to_settle() {
        let home = tempfile::tempdir().expect("a folder");
        let phrase = SecretString::from("correct horse battery");
        let settled = Secrets::settle(home.path(), None, &phrase, Backend::Passphrase).await;
        assert_eq!(settled.expect("there are none"), State::Absent);
        let secrets = Secrets::open(home.path(), Backend::Passphrase).await;
        assert!(secrets.travelling_key().await.expect("needs none").is_none());
    }

    #[tokio::test]
    async fn a_key_that_is_not_at_hand_does_not_travel() {
        let home = tempfile::tempdir().expect("a folder");
        from_elsewhere(home.path()).await;
        let secrets = Secrets::open(home.path(), Backend::Passphrase).await;
        assert!(matches!(secrets.travelling_key().await, Err(SecretsError::Locked { .. })));
    }
}
