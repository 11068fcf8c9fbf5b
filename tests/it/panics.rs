//! What a panic says reaches nobody with a secret in it.

use hearth_engine::logging;
use std::process::Command;

const FOLDER: &str = "HEARTH_TEST_PANICS_IN";
const CANARY: &str = "canary/5521+Zq";

#[test]
fn secrets_in_a_panic_are_masked_on_standard_error_and_in_the_log() {
    if let Ok(folder) = std::env::var(FOLDER) {
        return panic_in(folder.as_ref());
    }
    let folder = tempfile::tempdir().expect("a folder");
    let child = Command::new(std::env::current_exe().expect("own path"))
        .args(["--exact", "panics::secrets_in_a_panic_are_masked_on_standard_error_and_in_the_log"])
        .arg("--nocapture")
        .env(FOLDER, folder.path())
        .env("RUST_BACKTRACE", "1")
        .output()
        .expect("runs");
    let said = String::from_utf8_lossy(&child.stdout) + String::from_utf8_lossy(&child.stderr);
    assert!(child.status.success(), "{said}");
    let log = std::fs::read_dir(folder.path()).expect("reads").flatten().next().expect("a log");
    let log = std::fs::read_to_string(log.path()).expect("reads");
    for text in [&*said, &log] {
        assert!(text.contains("thread at work panicked at"), "{text}");
        assert!(text.contains("the key *** and sk-*** are wrong"), "{text}");
        assert!(!text.contains(CANARY) && !text.contains("sk-abcdef"), "{text}");
    }
}

/// In a process of its own: a thread that panics with two keys in its message.
fn panic_in(folder: &std::path::Path) {
    let log = logging::start(folder).expect("a log");
    logging::mask_panics();
    logging::redactor().learn(CANARY);
    let work = || panic!("the key {CANARY} and sk-abcdef123456789 are wrong");
    let thread = std::thread::Builder::new().name("at work".to_owned()).spawn(work);
    assert!(thread.expect("begins").join().is_err());
    drop(log);
}
