//! The master key and what it does: XChaCha20-Poly1305 with a random nonce, always bound to a purpose;
//! Argon2id to make it from a passphrase.

use crate::error::{Result, SecretsError};
use argon2::{Algorithm, Argon2, Params, Version};
use chacha20poly1305::aead::{Aead, KeyInit, Payload};
use chacha20poly1305::{XChaCha20Poly1305, XNonce};
use rand::TryRngCore;
use rand::rngs::OsRng;
use secrecy::zeroize::Zeroizing;
use secrecy::{ExposeSecret, SecretString};
use serde::{Deserialize, Serialize};
use std::fmt;
use std::path::Path;

pub(crate) const KEY_BYTES: usize = 32;
pub(crate) const NONCE_BYTES: usize = 24;
const SALT_BYTES: usize = 16;

/// Costs of new passphrase keys: a quarter of a second on a common machine.
const MEMORY_KIB: u32 = 64 * 1024;
const PASSES: u32 = 3;
const LANES: u32 = 1;
/// Costs a file may ask for; more would be an attack on this machine's memory.
const MOST_MEMORY_KIB: u32 = 1024 * 1024;
const MOST_PASSES: u32 = 16;
const MOST_LANES: u32 = 16;

/// The key of all secrets. Wiped when dropped.
pub(crate) struct MasterKey(Zeroizing<[u8; KEY_BYTES]>);

impl fmt::Debug for MasterKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("MasterKey(…)")
    }
}

/// Something sealed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Sealed {
    #[serde(with = "hex")]
    nonce: Vec<u8>,
    #[serde(with = "hex")]
    text: Vec<u8>,
}

impl MasterKey {
    pub(crate) fn random() -> Result<Self> {
        let mut key = Zeroizing::new([0; KEY_BYTES]);
        fill(&mut *key)?;
        Ok(Self(key))
    }

    pub(crate) fn from_bytes(bytes: &[u8]) -> Option<Self> {
        Some(Self(Zeroizing::new(bytes.try_into().ok()?)))
    }

    pub(crate) fn bytes(&self) -> &[u8; KEY_BYTES] {
        &self.0
    }

    /// Seals a text for one purpose; it opens for no other.
    pub(crate) fn seal(&self, purpose: &[u8], text: &[u8]) -> Result<Sealed> {
        let mut nonce = [0; NONCE_BYTES];
        fill(&mut nonce)?;
        let sealed = self
            .cipher()
            .encrypt(&XNonce::from(nonce), Payload { msg: text, aad: purpose })
            .map_err(|error| SecretsError::System(error.to_string()))?;
        Ok(Sealed { nonce: nonce.to_vec(), text: sealed })
    }

    /// The text, if it was sealed with this key for this purpose and nobody touched it.
    pub(crate) fn open(&self, purpose: &[u8], sealed: &Sealed) -> Option<Zeroizing<Vec<u8>>> {
        let nonce: [u8; NONCE_BYTES] = sealed.nonce.as_slice().try_into().ok()?;
        let payload = Payload { msg: &sealed.text, aad: purpose };
        self.cipher().decrypt(&XNonce::from(nonce), payload).ok().map(Zeroizing::new)
    }

    /// Seals a text under a nonce that the caller never uses twice.
    pub(crate) fn seal_at(
        &self,
        nonce: [u8; NONCE_BYTES],
        purpose: &[u8],
        text: &[u8],
    ) -> Option<Vec<u8>> {
        let payload = Payload { msg: text, aad: purpose };
        self.cipher().encrypt(&XNonce::from(nonce), payload).ok()
    }

    /// What [`MasterKey::seal_at`] sealed.
    pub(crate) fn open_at(
        &self,
        nonce: [u8; NONCE_BYTES],
        purpose: &[u8],
        sealed: &[u8],
    ) -> Option<Zeroizing<Vec<u8>>> {
        let payload = Payload { msg: sealed, aad: purpose };
        self.cipher().decrypt(&XNonce::from(nonce), payload).ok().map(Zeroizing::new)
    }

    fn cipher(&self) -> XChaCha20Poly1305 {
        XChaCha20Poly1305::new((&*self.0).into())
    }
}

/// How a key is made from a passphrase; stored beside what it seals.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Kdf {
    #[serde(with = "hex")]
    salt: Vec<u8>,
    memory_kib: u32,
    passes: u32,
    lanes: u32,
}

impl Kdf {
    pub(crate) fn new() -> Result<Self> {
        let mut salt = vec![0; SALT_BYTES];
        fill(&mut salt)?;
        Ok(Self { salt, memory_kib: MEMORY_KIB, passes: PASSES, lanes: LANES })
    }

    /// Makes the key, off the runtime's threads: it takes a while and a lot of memory on purpose.
    pub(crate) async fn derive(&self, path: &Path, passphrase: &SecretString) -> Result<MasterKey> {
        let (kdf, path, passphrase) = (self.clone(), path.to_owned(), passphrase.clone());
        let derived = tokio::task::spawn_blocking(move || {
            let damaged = |why: String| SecretsError::Damaged { path, why };
            kdf.params().map_err(damaged).map(|params| kdf.key(params, &passphrase))
        });
        match derived.await {
            Ok(key) => key?,
            Err(error) => Err(SecretsError::System(error.to_string())),
        }
    }

    /// As [`Kdf::derive`], on this thread. What is wrong with the costs is said in words.
    pub(crate) fn derive_here(
        &self,
        passphrase: &SecretString,
    ) -> Result<Result<MasterKey>, String> {
        self.params().map(|params| self.key(params, passphrase))
    }

    fn params(&self) -> Result<Params, String> {
        if self.memory_kib > MOST_MEMORY_KIB || self.passes > MOST_PASSES || self.lanes > MOST_LANES
        {
            return Err("it asks for a passphrase key of unreasonable cost".to_owned());
        }
        Params::new(self.memory_kib, self.passes, self.lanes, Some(KEY_BYTES))
            .map_err(|error| error.to_string())
    }

    fn key(&self, params: Params, passphrase: &SecretString) -> Result<MasterKey> {
        let mut key = Zeroizing::new([0; KEY_BYTES]);
        Argon2::new(Algorithm::Argon2id, Version::V0x13, params)
            .hash_password_into(passphrase.expose_secret().as_bytes(), &self.salt, &mut *key)
            .map(|()| MasterKey(key))
            .map_err(|error| SecretsError::System(error.to_string()))
    }
}

/// A name nobody else uses.
pub(crate) fn random_id() -> Result<String> {
    let mut bytes = [0; 8];
    fill(&mut bytes)?;
    Ok(hex::encode(&bytes))
}

pub(crate) fn fill(bytes: &mut [u8]) -> Result<()> {
    OsRng.try_fill_bytes(bytes).map_err(|error| SecretsError::System(error.to_string()))
}

/// Bytes as hexadecimal text in the file.
mod hex {
    use serde::{Deserialize, Deserializer, Serializer, de};
    use std::fmt::Write;

    pub(super) fn encode(bytes: &[u8]) -> String {
        bytes.iter().fold(String::with_capacity(bytes.len() * 2), |mut out, byte| {
            // Writing to a String cannot fail.
            let _ = write!(out, "{byte:02x}");
            out
        })
    }

    pub(super) fn serialize<S: Serializer>(bytes: &[u8], serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&encode(bytes))
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(reader: D) -> Result<Vec<u8>, D::Error> {
        let text = String::deserialize(reader)?;
        let digit = |digit: u8| char::from(digit).to_digit(16).and_then(|d| u8::try_from(d).ok());
        let byte = |pair: &[u8]| match pair {
            [high, low] => Some(digit(*high)? << 4 | digit(*low)?),
            _ => None,
        };
        let bytes: Option<Vec<u8>> = text.as_bytes().chunks(2).map(byte).collect();
        bytes.ok_or_else(|| de::Error::custom("not hexadecimal"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_sealed_opens_only_as_it_was() {
        let key = MasterKey::random().expect("a key");
        let sealed = key.seal(b"a", b"hello").expect("seals");
        assert_eq!(key.open(b"a", &sealed).expect("opens").as_slice(), b"hello");
        assert!(key.open(b"b", &sealed).is_none(), "another purpose");
        assert!(MasterKey::random().expect("a key").open(b"a", &sealed).is_none(), "another key");
        for bit in 0..sealed.text.len() * 8 {
            let mut touched = sealed.clone();
            touched.text[bit / 8] ^= 1 << (bit % 8);
            assert!(key.open(b"a", &touched).is_none(), "bit {bit}");
        }
        let again = key.seal(b"a", b"hello").expect("seals");
        assert_ne!(sealed, again, "never the same nonce");
        assert_eq!(format!("{key:?}"), "MasterKey(…)");
    }

    #[test]
    fn sealed_texts_are_hexadecimal() {
        let sealed = Sealed { nonce: vec![0, 255], text: vec![16] };
        let text = serde_json::to_string(&sealed).expect("writes");
        assert_eq!(text, r#"{"nonce":"00ff","text":"10"}"#);
        assert_eq!(serde_json::from_str::<Sealed>(&text).expect("reads"), sealed);
        for bad in [
            r#"{"nonce":"0","text":""}"#,
            r#"{"nonce":"+1","text":""}"#,
            r#"{"nonce":"é","text":""}"#,
        ] {
            assert!(serde_json::from_str::<Sealed>(bad).is_err(), "{bad}");
        }
    }

    #[tokio::test]
    async fn a_file_cannot_ask_for_all_memory() {
        let kdf = Kdf { memory_kib: u32::MAX, ..Kdf::new().expect("salt") };
        let outcome = kdf.derive(Path::new("x"), &SecretString::from("passphrase")).await;
        assert!(matches!(outcome, Err(SecretsError::Damaged { .. })));
    }
}
