//! Known holes in dependencies, as far as the two databases can be reached; else a line says that they
//! were skipped. Never fails for want of a network.

use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

use anyhow::Result;
use serde_json::Value;

use crate::run;

const PATIENCE: Duration = Duration::from_secs(15);
const DATABASE: &str = "https://github.com/RustSec/advisory-db";

/// All advisories that apply.
pub(crate) fn check(root: &Path) -> Result<Vec<String>> {
    Ok([rust(root)?, npm(root)?].into_iter().flatten().collect())
}

fn rust(root: &Path) -> Result<Option<String>> {
    if !reachable() {
        println!("advisories for Rust: skipped, the database cannot be reached");
        return Ok(None);
    }
    if !succeeds(Command::new("cargo").args(["deny", "--version"])) {
        run(Command::new("cargo").args(["install", "--locked", "cargo-deny"]), root)?;
    }
    let clean = run(Command::new("cargo").args(["deny", "check", "advisories"]), root).is_ok();
    Ok((!clean).then(|| "cargo deny found advisories".to_owned()))
}

fn succeeds(command: &mut Command) -> bool {
    command
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .is_ok_and(|status| status.success())
}

/// Asks the database's repository for its head, and gives up soon: without a route it would hang.
fn reachable() -> bool {
    let mut asked = Command::new("git");
    asked.args(["ls-remote", "--quiet", DATABASE, "HEAD"]).env("GIT_TERMINAL_PROMPT", "0");
    let Ok(mut child) = asked.stdout(Stdio::null()).stderr(Stdio::null()).spawn() else {
        return false;
    };
    let began = Instant::now();
    while began.elapsed() < PATIENCE {
        match child.try_wait() {
            Ok(None) => std::thread::sleep(Duration::from_millis(100)),
            Ok(Some(status)) => return status.success(),
            Err(_) => break,
        }
    }
    let _ = child.kill();
    let _ = child.wait();
    false
}

fn npm(root: &Path) -> Result<Option<String>> {
    let asked = Command::new("npm")
        .args(["audit", "--omit=dev", "--json", "--fetch-retries=0", "--fetch-timeout=15000"])
        .current_dir(root)
        .output();
    let Ok(Output { stdout, .. }) = asked else {
        println!("advisories for npm: skipped, npm is not on the path");
        return Ok(None);
    };
    let report: Value = serde_json::from_slice(&stdout).unwrap_or_default();
    let Some(found) = report["metadata"]["vulnerabilities"]["total"].as_u64() else {
        println!("advisories for npm: skipped, the database cannot be reached");
        return Ok(None);
    };
    Ok((found > 0).then(|| format!("npm audit: {found} shipped packages have advisories")))
}
