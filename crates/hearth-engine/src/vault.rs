//! The secrets of a home, opened when first needed: asking the keyring takes time that most commands do not
//! have to spend. From then on all values are masked, whether they are used or not, and each one that is set.

use crate::audit::{Audit, Note};
use crate::logging::redactor;
use hearth_protocol::{ErrorCode, WireError};
use hearth_secrets::{Backend, KEYRING_PATIENCE, Secrets, SecretsError, State, Status};
use secrecy::zeroize::Zeroizing;
use secrecy::{ExposeSecret, SecretString};
use serde_json::json;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};
use tokio::sync::OnceCell;

/// How long a keyring that did not answer is left alone.
const HUNG: Duration = Duration::from_secs(30);

/// The secrets of a home.
pub(crate) struct Vault {
    home: PathBuf,
    secrets: OnceCell<Secrets>,
    /// When a keyring last let the person wait in vain.
    hung: Mutex<Option<Instant>>,
    audit: Audit,
}

impl Vault {
    /// Nothing is read yet.
    pub(crate) fn open(home: &Path, audit: Audit) -> Self {
        Self { home: home.to_path_buf(), secrets: OnceCell::new(), hung: Mutex::default(), audit }
    }

    async fn secrets(&self) -> &Secrets {
        let open = || async {
            let begun = Instant::now();
            let secrets = Secrets::open(&self.home, Backend::default()).await;
            self.looked(begun);
            learn(&secrets).await;
            secrets
        };
        self.secrets.get_or_init(open).await
    }

    /// A secret; none where it was never set, which is known without the key.
    pub(crate) async fn get(&self, name: &str) -> Result<Option<SecretString>, WireError> {
        if !self.names().await?.iter().any(|known| known == name) {
            return Ok(None);
        }
        let value = self.secrets().await.get(name).await.map_err(|error| wire(&error))?;
        if let Some(value) = &value {
            // Another process may have set it.
            redactor().learn(value.expose_secret());
            let body = json!({ "used": name });
            let note = Note { kind: "secret", session: None, turn: None, body: &body };
            // A process that only reads, or a full disk, does not keep the person from their models.
            if let Err(error) = self.audit.note(note).await {
                tracing::warn!(%error, name, "the use of a secret could not be noted");
            }
        }
        Ok(value)
    }

    /// Stores a secret.
    pub(crate) async fn set(&self, name: &str, value: SecretString) -> Result<(), WireError> {
        redactor().learn(value.expose_secret());
        self.secrets().await.set(name, &value).await.map_err(|error| wire(&error))
    }

    /// Removes a secret; false where there was none.
    pub(crate) async fn remove(&self, name: &str) -> Result<bool, WireError> {
        if !self.names().await?.iter().any(|known| known == name) {
            return Ok(false);
        }
        self.secrets().await.remove(name).await.map_err(|error| wire(&error))
    }

    /// The names, in order.
    pub(crate) async fn names(&self) -> Result<Vec<String>, WireError> {
        // Names stand in the file; no keyring is asked for them.
        let file = Secrets::open(&self.home, Backend::Passphrase).await;
        file.names().await.map_err(|error| wire(&error))
    }

    /// The key that a backup takes along; none where it needs none.
    pub(crate) async fn travelling_key(&self) -> Result<Option<Zeroizing<Vec<u8>>>, WireError> {
        if self.names().await?.is_empty() {
            return Ok(None);
        }
        self.secrets().await.travelling_key().await.map_err(|error| wire(&error))
    }

    /// Whether secrets can be used, and why not better. A keyring that was locked is tried again.
    pub(crate) async fn status(&self) -> Status {
        let secrets = self.secrets().await;
        match secrets.status().await {
            status if status.problem.is_none() || self.hangs() => status,
            _ => {
                let begun = Instant::now();
                let status = secrets.retry().await;
                self.looked(begun);
                learn(secrets).await;
                status
            }
        }
    }

    /// A look that began then is over.
    fn looked(&self, begun: Instant) {
        let now = Instant::now();
        let hung = (now.duration_since(begun) >= KEYRING_PATIENCE).then_some(now);
        *self.hung.lock().unwrap_or_else(PoisonError::into_inner) = hung;
    }

    /// Whether the keyring hung so lately that it is not waited for again: one wait a command.
    fn hangs(&self) -> bool {
        let hung = *self.hung.lock().unwrap_or_else(PoisonError::into_inner);
        hung.is_some_and(|at| at.elapsed() < HUNG)
    }

    /// Opens secrets sealed with a passphrase, or founds them with it where there are none yet.
    pub(crate) async fn unlock(&self, passphrase: SecretString) -> Result<(), WireError> {
        let secrets = self.secrets().await;
        let done = match secrets.status().await.state {
            State::Absent => secrets.set_passphrase(&passphrase).await,
            _ => secrets.unlock(&passphrase).await,
        };
        learn(secrets).await;
        done.map_err(|error| wire(&error))
    }
}

/// Masks whatever can be opened.
async fn learn(secrets: &Secrets) {
    secrets.values().await.iter().for_each(|value| redactor().learn(value.expose_secret()));
}

pub(crate) fn wire(error: &SecretsError) -> WireError {
    let code = match error {
        SecretsError::Locked { .. }
        | SecretsError::NoPassphrase
        | SecretsError::WrongPassphrase
        | SecretsError::Keyring(_) => ErrorCode::SecretsLocked,
        SecretsError::Invalid(_) => ErrorCode::InvalidRequest,
        _ => ErrorCode::Storage,
    };
    WireError::new(code, error.to_string(), error.hint())
}

#[cfg(test)]
mod tests {
    use super::*;
    use hearth_store::Store;

    #[tokio::test]
    async fn an_opened_vault_masks_what_nobody_used_yet() {
        let home = tempfile::tempdir().expect("a folder");
        let passphrase = || SecretString::from("a long passphrase");
        let sealed = Secrets::open(home.path(), Backend::Passphrase).await;
        sealed.set_passphrase(&passphrase()).await.expect("founds");
        let value = SecretString::from("unused-canary-31-tango");
        sealed.set("search", &value).await.expect("is set");
        let store = Store::open(&home.path().join("hearth.db")).await.expect("opens");
        let vault = Vault::open(home.path(), Audit::new(store));
        assert!(!redactor().finds(value.expose_secret()), "it is sealed");
        vault.unlock(passphrase()).await.expect("opens");
        assert!(redactor().finds(value.expose_secret()));
        assert!(!vault.hangs(), "it answered");
        vault.looked(Instant::now() - KEYRING_PATIENCE);
        assert!(vault.hangs(), "nobody waits for it twice in a row");
        let new = SecretString::from("second-canary-32-tango");
        vault.set("mail", new.clone()).await.expect("is set");
        assert!(redactor().finds(new.expose_secret()));
    }
}
