//! The system's keyring: it holds one key a home, under a random name that `secrets.enc` knows.
//!
//! Invariant: each call runs on a thread of its own and is given up after its patience. A blocking
//! pool would not do: a runtime waits at its end for a call that hangs.

use crate::error::{Result, SecretsError};
use crate::seal::MasterKey;
use keyring::{Entry, Error};
use secrecy::zeroize::Zeroizing;
use std::time::Duration;
use tokio::sync::oneshot;

const SERVICE: &str = "hearth";

/// The key under a name.
pub(crate) async fn fetch(id: String, patience: Duration) -> Result<MasterKey> {
    let bytes = call(patience, move || entry(&id)?.get_secret().map(Zeroizing::new)).await?;
    let unfit = || SecretsError::Keyring("it holds something else under our name".to_owned());
    MasterKey::from_bytes(&bytes).ok_or_else(unfit)
}

/// Keeps a key and makes sure that it can be had again.
pub(crate) async fn store(id: String, key: &MasterKey, patience: Duration) -> Result<()> {
    let bytes = Zeroizing::new(*key.bytes());
    let kept = call(patience, move || {
        let entry = entry(&id)?;
        entry.set_secret(&*bytes)?;
        Ok(Zeroizing::new(entry.get_secret()?).as_slice() == bytes.as_slice())
    });
    match kept.await? {
        true => Ok(()),
        false => Err(SecretsError::Keyring("it does not keep what it is given".to_owned())),
    }
}

/// Removes a key; one that is gone already is fine.
pub(crate) async fn remove(id: String, patience: Duration) -> Result<()> {
    let removed = call(patience, move || match entry(&id)?.delete_credential() {
        Err(Error::NoEntry) => Ok(()),
        other => other,
    });
    removed.await
}

/// Writes, reads and removes a value that means nothing.
pub(crate) async fn probe(id: String, patience: Duration) -> Result<()> {
    let name = format!("probe-{id}");
    let value = MasterKey::random()?;
    store(name.clone(), &value, patience).await?;
    remove(name, patience).await
}

fn entry(id: &str) -> keyring::Result<Entry> {
    Entry::new(SERVICE, id)
}

async fn call<T: Send + 'static>(
    patience: Duration,
    work: impl FnOnce() -> keyring::Result<T> + Send + 'static,
) -> Result<T> {
    let (answer, outcome) = oneshot::channel();
    let thread = std::thread::Builder::new().name("keyring".to_owned()).spawn(move || {
        // Nobody listens any more after the patience has ended.
        let _ = answer.send(work());
    });
    thread.map_err(|error| SecretsError::System(error.to_string()))?;
    match tokio::time::timeout(patience, outcome).await {
        Ok(Ok(done)) => done.map_err(|error| SecretsError::Keyring(reason(&error))),
        Ok(Err(_)) => Err(SecretsError::Keyring("it failed without a reason".to_owned())),
        Err(_) => {
            let waited = patience.as_secs_f32();
            Err(SecretsError::Keyring(format!("it did not answer within {waited} s")))
        }
    }
}

/// The reason in words. Errors that carry stored bytes are not shown as they are.
fn reason(error: &Error) -> String {
    match error {
        Error::NoDefaultStore => "no keyring service is running".to_owned(),
        Error::NoStorageAccess(_) => "it is locked".to_owned(),
        Error::NoEntry => "it holds no key for these secrets".to_owned(),
        Error::BadEncoding(_) | Error::BadDataFormat(..) => "it returned broken data".to_owned(),
        Error::Ambiguous(_) => "it holds several keys for these secrets".to_owned(),
        other => other.to_string(),
    }
}
