//! Secrets through their public calls: passphrase, real keyring, hanging keyring, tampered files.
#![allow(
    clippy::expect_used,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a failed fixture is a failed test"
)]

use hearth_secrets::{
    Backend, ExposeSecret, KEYRING_PATIENCE, SecretString, Secrets, SecretsError, State,
};
use serde_json::{Value, json};
use std::fs;
use std::path::Path;
use std::process::{Command, ExitStatus};
use std::time::{Duration, Instant};
use tempfile::TempDir;

const VALUE: &str = "sk-very-secret-0123456789";
const PASSPHRASE: &str = "correct horse battery";

fn secret(text: &str) -> SecretString {
    SecretString::from(text)
}

async fn with_passphrase(home: &TempDir) -> Secrets {
    let secrets = Secrets::open(home.path(), Backend::Passphrase).await;
    secrets.set_passphrase(&secret(PASSPHRASE)).await.expect("is set");
    secrets.set("providers/work", &secret(VALUE)).await.expect("is stored");
    secrets
}

async fn get(secrets: &Secrets, name: &str) -> Option<String> {
    let value = secrets.get(name).await.expect("is read");
    value.map(|value| value.expose_secret().to_owned())
}

async fn state(secrets: &Secrets) -> State {
    secrets.status().await.state
}

fn file(home: &Path) -> Value {
    let text = fs::read_to_string(home.join("secrets.enc")).expect("the file");
    serde_json::from_str(&text).expect("JSON")
}

#[tokio::test]
async fn a_passphrase_seals_and_opens() {
    let home = tempfile::tempdir().unwrap();
    let secrets = Secrets::open(home.path(), Backend::Passphrase).await;
    assert_eq!(state(&secrets).await, State::Absent);
    let refused = secrets.set("providers/work", &secret(VALUE)).await;
    assert!(matches!(refused, Err(SecretsError::NoPassphrase)));
    assert_eq!(get(&secrets, "providers/work").await, None);

    let secrets = with_passphrase(&home).await;
    secrets.set("providers/älter", &secret("第二")).await.unwrap();
    secrets.set("providers/work", &secret(VALUE)).await.expect("replaces");
    assert_eq!(state(&secrets).await, State::Passphrase);
    assert_eq!(get(&secrets, "providers/work").await.as_deref(), Some(VALUE));
    assert_eq!(get(&secrets, "providers/älter").await.as_deref(), Some("第二"));
    assert_eq!(get(&secrets, "providers/none").await, None);

    let secrets = Secrets::open(home.path(), Backend::Passphrase).await;
    assert_eq!(state(&secrets).await, State::Locked);
    assert_eq!(secrets.names().await.unwrap(), ["providers/work", "providers/älter"]);
    for outcome in [
        secrets.get("providers/work").await.map(|_| ()),
        secrets.set("providers/new", &secret("x")).await,
        secrets.remove("providers/work").await.map(|_| ()),
        secrets.set_passphrase(&secret("another passphrase")).await,
    ] {
        assert!(matches!(outcome, Err(SecretsError::Locked { .. })), "{outcome:?}");
    }
    let before = file(home.path());
    let wrong = secrets.unlock(&secret("incorrect horse")).await;
    assert!(matches!(wrong, Err(SecretsError::WrongPassphrase)));
    assert_eq!((state(&secrets).await, file(home.path())), (State::Locked, before));
    secrets.unlock(&secret(PASSPHRASE)).await.expect("opens");
    assert_eq!(get(&secrets, "providers/work").await.as_deref(), Some(VALUE));
    assert_eq!(secrets.retry().await.state, State::Passphrase, "stays entered");

    assert!(secrets.remove("providers/work").await.unwrap());
    assert!(!secrets.remove("providers/work").await.unwrap());
    assert_eq!(secrets.names().await.unwrap(), ["providers/älter"]);
}

#[tokio::test]
async fn a_changed_passphrase_is_the_only_one() {
    let home = tempfile::tempdir().unwrap();
    let secrets = with_passphrase(&home).await;
    let short = secrets.set_passphrase(&secret("short")).await;
    assert!(matches!(short, Err(SecretsError::Invalid(_))));
    secrets.set_passphrase(&secret("a wholly new one")).await.unwrap();
    let again = Secrets::open(home.path(), Backend::Passphrase).await;
    let old = again.unlock(&secret(PASSPHRASE)).await;
    assert!(matches!(old, Err(SecretsError::WrongPassphrase)));
    again.unlock(&secret("a wholly new one")).await.unwrap();
    assert_eq!(get(&again, "providers/work").await.as_deref(), Some(VALUE));
}

#[tokio::test]
async fn nothing_shows_a_value() {
    let home = tempfile::tempdir().unwrap();
    let secrets = with_passphrase(&home).await;
    let value = secrets.get("providers/work").await.unwrap();
    let shown = format!("{secrets:?} {value:?} {}", file(home.path()));
    for hidden in [VALUE, PASSPHRASE, "very-secret"] {
        assert!(!shown.contains(hidden), "{shown}");
    }
    for entry in fs::read_dir(home.path()).unwrap() {
        let bytes = fs::read(entry.unwrap().path()).unwrap();
        assert!(!bytes.windows(VALUE.len()).any(|window| window == VALUE.as_bytes()));
    }
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let mode = fs::metadata(home.path().join("secrets.enc")).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
    }
}

#[tokio::test]
async fn names_and_values_that_cannot_be_are_refused() {
    let home = tempfile::tempdir().unwrap();
    let secrets = with_passphrase(&home).await;
    let long = "x".repeat(101);
    for name in ["", "a b", "a\n", "\u{7}", long.as_str()] {
        let outcome = secrets.set(name, &secret("x")).await;
        assert!(matches!(outcome, Err(SecretsError::Invalid(_))), "{name:?}");
    }
    for value in [String::new(), "x".repeat(64 * 1024 + 1)] {
        let outcome = secrets.set("a", &secret(&value)).await;
        assert!(matches!(outcome, Err(SecretsError::Invalid(_))));
    }
    assert_eq!(secrets.names().await.unwrap(), ["providers/work"]);
}

#[tokio::test]
async fn a_tampered_file_is_found_and_left_alone() {
    let home = tempfile::tempdir().unwrap();
    let secrets = with_passphrase(&home).await;
    secrets.set("providers/other", &secret("another value")).await.unwrap();
    let good = file(home.path());
    let (work, other) = ("/secrets/providers~1work", "/secrets/providers~1other");
    let edit = |change: &dyn Fn(&mut Value)| {
        let mut copy = good.clone();
        change(&mut copy);
        copy.to_string()
    };
    let cases = [
        edit(&|file| {
            let (one, two) = (file.pointer(work).cloned(), file.pointer(other).cloned());
            *file.pointer_mut(work).unwrap() = two.unwrap();
            *file.pointer_mut(other).unwrap() = one.unwrap();
        }),
        edit(&|file| {
            file["secrets"].as_object_mut().unwrap().remove("providers/other");
        }),
        edit(&|file| {
            let moved = file["secrets"]["providers/other"].clone();
            file["secrets"]["providers/new"] = moved;
        }),
        edit(&|file| file["secrets"]["providers/work"]["text"] = json!("00")),
        edit(&|file| file["secrets"]["providers/work"]["nonce"] = json!("00")),
        edit(&|file| file["seal"] = file["check"].clone()),
        edit(&|file| file["key"]["lanes"] = json!(2)),
        edit(&|file| file["secrets"] = json!([])),
        "not JSON".to_owned(),
        String::new(),
        good.to_string()[..200].to_owned(),
    ];
    let path = home.path().join("secrets.enc");
    for case in &cases {
        fs::write(&path, case).unwrap();
        for outcome in [
            secrets.get("providers/work").await.map(|_| ()),
            secrets.set("providers/work", &secret("x")).await,
            secrets.set_passphrase(&secret("another passphrase")).await,
        ] {
            assert!(matches!(outcome, Err(SecretsError::Damaged { .. })), "{outcome:?} for {case}");
        }
        assert_eq!(&fs::read_to_string(&path).unwrap(), case, "left alone");
        let fresh = Secrets::open(home.path(), Backend::Passphrase).await;
        assert_eq!(state(&fresh).await, State::Locked);
    }
    // The right passphrase does not make a changed file good: entries exchanged, an entry gone.
    for case in &cases[..2] {
        fs::write(&path, case).unwrap();
        let fresh = Secrets::open(home.path(), Backend::Passphrase).await;
        let outcome = fresh.unlock(&secret(PASSPHRASE)).await;
        assert!(matches!(outcome, Err(SecretsError::Damaged { .. })), "{outcome:?}");
    }
    fs::write(&path, good.to_string()).unwrap();
    assert_eq!(get(&secrets, "providers/work").await.as_deref(), Some(VALUE));

    fs::write(&path, edit(&|file| file["format"] = json!(2))).unwrap();
    let newer = secrets.set("providers/work", &secret("x")).await;
    assert!(matches!(newer, Err(SecretsError::Newer { found: 2, .. })), "{newer:?}");
}

#[tokio::test]
async fn a_folder_that_is_gone_is_said() {
    let home = tempfile::tempdir().unwrap();
    let secrets = Secrets::open(&home.path().join("absent"), Backend::Passphrase).await;
    let outcome = secrets.set_passphrase(&secret(PASSPHRASE)).await;
    assert!(matches!(outcome, Err(SecretsError::Io { .. })), "{outcome:?}");
    assert_eq!(state(&secrets).await, State::Absent);
}

/// Only where a session bus is: `node scripts/session.mjs --no-screen …` gives one with a keyring.
#[tokio::test]
async fn the_keyring_holds_one_key_a_home() {
    if std::env::var_os("DBUS_SESSION_BUS_ADDRESS").is_none() && cfg!(target_os = "linux") {
        eprintln!("SKIPPED: no session bus, so no keyring to test with");
        return;
    }
    let (home, other) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    hearth_secrets::probe_keyring(KEYRING_PATIENCE).await.expect("a working keyring");
    let secrets = Secrets::open(home.path(), Backend::default()).await;
    assert_eq!(state(&secrets).await, State::Keyring, "{:?}", secrets.status().await);
    assert_eq!(secrets.names().await.unwrap(), [""; 0]);
    secrets.set("providers/work", &secret(VALUE)).await.unwrap();
    let second = Secrets::open(other.path(), Backend::default()).await;
    second.set("providers/work", &secret("of another home")).await.unwrap();

    let secrets = Secrets::open(home.path(), Backend::default()).await;
    assert_eq!(state(&secrets).await, State::Keyring);
    assert_eq!(get(&secrets, "providers/work").await.as_deref(), Some(VALUE));
    let not = secrets.unlock(&secret(PASSPHRASE)).await;
    assert!(matches!(not, Err(SecretsError::Invalid(_))), "no passphrase opens it");
    assert_ne!(file(home.path())["key"]["id"], file(other.path())["key"]["id"]);

    // A copy that came with its key is sealed anew, with a key of its own.
    let copy = tempfile::tempdir().unwrap();
    fs::copy(home.path().join("secrets.enc"), copy.path().join("secrets.enc")).unwrap();
    let key = secrets.travelling_key().await.unwrap().expect("it travels");
    let settled =
        Secrets::settle(copy.path(), Some(&key), &secret(PASSPHRASE), Backend::default()).await;
    assert_eq!(settled.unwrap(), State::Keyring);
    let third = Secrets::open(copy.path(), Backend::default()).await;
    assert_eq!(get(&third, "providers/work").await.as_deref(), Some(VALUE));
    let id = file(copy.path())["key"]["id"].as_str().unwrap().to_owned();
    assert_ne!(file(home.path())["key"]["id"], id);
    delete(&id).await;

    // From keyring to passphrase: the key leaves the keyring.
    let id = file(home.path())["key"]["id"].as_str().unwrap().to_owned();
    assert!(stored(&id).await.is_some());
    secrets.set_passphrase(&secret(PASSPHRASE)).await.unwrap();
    assert_eq!(stored(&id).await, None);
    let secrets = Secrets::open(home.path(), Backend::default()).await;
    secrets.unlock(&secret(PASSPHRASE)).await.unwrap();
    assert_eq!(get(&secrets, "providers/work").await.as_deref(), Some(VALUE));

    // A key that somebody removed: locked, and nothing is overwritten.
    let id = file(other.path())["key"]["id"].as_str().unwrap().to_owned();
    delete(&id).await;
    let second = Secrets::open(other.path(), Backend::default()).await;
    assert_eq!(state(&second).await, State::Locked);
    let before = file(other.path());
    let outcome = second.set("providers/work", &secret("x")).await;
    assert!(matches!(outcome, Err(SecretsError::Locked { .. })), "{outcome:?}");
    assert_eq!(file(other.path()), before);
}

async fn stored(id: &str) -> Option<usize> {
    let id = id.to_owned();
    let read = move || match keyring::Entry::new("hearth", &id).expect("a keyring").get_secret() {
        Ok(bytes) => Some(bytes.len()),
        Err(keyring::Error::NoEntry) => None,
        Err(error) => panic!("{error}"),
    };
    tokio::task::spawn_blocking(read).await.expect("reads")
}

async fn delete(id: &str) {
    let id = id.to_owned();
    let delete = move || keyring::Entry::new("hearth", &id).and_then(|e| e.delete_credential());
    tokio::task::spawn_blocking(delete).await.expect("runs").expect("deletes");
}

const CHILD_HOME: &str = "HEARTH_SECRETS_CHILD_HOME";

/// Starts a test of this file again in a process of its own, with another bus.
fn again(test: &str, bus: &str, home: &Path) -> ExitStatus {
    Command::new(std::env::current_exe().expect("own path"))
        .args(["--exact", test, "--nocapture"])
        .env("DBUS_SESSION_BUS_ADDRESS", bus)
        .env(CHILD_HOME, home)
        .status()
        .expect("runs")
}

/// What must hold where no keyring answers: said in time, and a passphrase does.
async fn check_without_keyring(home: &Path, patience: Duration, problem: &str) {
    let began = Instant::now();
    let secrets = Secrets::open(home, Backend::Keyring(patience)).await;
    assert!(began.elapsed() < Duration::from_secs(4), "{:?}", began.elapsed());
    let status = secrets.status().await;
    assert_eq!(status.state, State::Absent);
    let said = status.problem.unwrap_or_default();
    assert!(said.contains(problem), "{said}");
    let refused = secrets.set("providers/work", &secret(VALUE)).await;
    assert!(matches!(refused, Err(SecretsError::NoPassphrase)));
    secrets.set_passphrase(&secret(PASSPHRASE)).await.expect("is set");
    secrets.set("providers/work", &secret(VALUE)).await.expect("is stored");
    assert_eq!(get(&secrets, "providers/work").await.as_deref(), Some(VALUE));
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn a_keyring_that_hangs_is_given_up() {
    if let Some(home) = std::env::var_os(CHILD_HOME) {
        let patience = Duration::from_millis(300);
        return check_without_keyring(home.as_ref(), patience, "did not answer within 0.3 s").await;
    }
    assert_eq!(KEYRING_PATIENCE, Duration::from_secs(5), "what is waited for elsewhere");
    let home = tempfile::tempdir().unwrap();
    let socket = home.path().join("bus");
    // It takes connections and never says a word.
    let _bus = std::os::unix::net::UnixListener::bind(&socket).expect("listens");
    let bus = format!("unix:path={}", socket.display());
    assert!(again("a_keyring_that_hangs_is_given_up", &bus, home.path()).success());
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn without_a_keyring_a_passphrase_does() {
    if let Some(home) = std::env::var_os(CHILD_HOME) {
        let problem = "no keyring service is running";
        return check_without_keyring(home.as_ref(), KEYRING_PATIENCE, problem).await;
    }
    let home = tempfile::tempdir().unwrap();
    let bus = format!("unix:path={}", home.path().join("nobody").display());
    assert!(again("without_a_keyring_a_passphrase_does", &bus, home.path()).success());
}
