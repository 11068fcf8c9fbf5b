//! The secrets of a home, opened when first needed: asking the keyring takes time that most commands do not
//! have to spend. Each value that is read or set is masked from then on.

use crate::audit::{Audit, Note};
use crate::logging::redactor;
use hearth_protocol::{ErrorCode, WireError};
use hearth_secrets::{Backend, Secrets, SecretsError, State, Status};
use secrecy::zeroize::Zeroizing;
use secrecy::{ExposeSecret, SecretString};
use serde_json::json;
use std::path::{Path, PathBuf};
use tokio::sync::OnceCell;

/// The secrets of a home.
pub(crate) struct Vault {
    home: PathBuf,
    secrets: OnceCell<Secrets>,
    audit: Audit,
}

impl Vault {
    /// Nothing is read yet.
    pub(crate) fn open(home: &Path, audit: Audit) -> Self {
        Self { home: home.to_path_buf(), secrets: OnceCell::new(), audit }
    }

    async fn secrets(&self) -> &Secrets {
        self.secrets.get_or_init(|| Secrets::open(&self.home, Backend::default())).await
    }

    /// A secret; none where it was never set, which is known without the key.
    pub(crate) async fn get(&self, name: &str) -> Result<Option<SecretString>, WireError> {
        if !self.names().await?.iter().any(|known| known == name) {
            return Ok(None);
        }
        let value = self.secrets().await.get(name).await.map_err(|error| wire(&error))?;
        if let Some(value) = &value {
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
            status if status.problem.is_none() => status,
            _ => secrets.retry().await,
        }
    }

    /// Opens secrets sealed with a passphrase, or founds them with it where there are none yet.
    pub(crate) async fn unlock(&self, passphrase: SecretString) -> Result<(), WireError> {
        let secrets = self.secrets().await;
        let done = match secrets.status().await.state {
            State::Absent => secrets.set_passphrase(&passphrase).await,
            _ => secrets.unlock(&passphrase).await,
        };
        done.map_err(|error| wire(&error))
    }
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
