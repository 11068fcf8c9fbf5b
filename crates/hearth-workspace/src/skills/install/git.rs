//! Fetching a repository with the person's git.
//!
//! Invariants: only the newest state, without hooks, submodules, filters or any configuration of the
//! machine; over an encrypted way or from this machine's disk; nobody is asked for a password; it ends
//! within its time and size, with everything it started. What comes is only read.

use super::error::{InstallError, Result, trouble};
use super::names::shown;
use std::fs;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

const LIMIT: Duration = Duration::from_secs(180);
/// On disk, history and working copy together.
const MAX_BYTES: u64 = 256 * 1024 * 1024;
const POLL: Duration = Duration::from_millis(50);

/// An address, and the folder in it that is wanted.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Address<'a> {
    url: &'a str,
    inside: Option<&'a str>,
}

/// Whether a source reads like an address, and which; `#` names a folder in it.
pub(super) fn address(source: &str) -> Option<Result<Address<'_>>> {
    let looks = source.contains("://") || is_scp(source);
    looks.then(|| {
        let (url, inside) = match source.split_once('#') {
            Some((url, inside)) => (url, Some(inside.trim_matches('/')).filter(|i| !i.is_empty())),
            None => (source, None),
        };
        let scheme = url.split_once("://").map(|(scheme, _)| scheme);
        let known = matches!(scheme, Some("https" | "ssh" | "file") | None);
        let host = scheme.map_or(url, |scheme| &url[scheme.len() + 3..]);
        let plain = url.chars().all(|c| c.is_ascii_graphic() || c.is_alphanumeric());
        if !known || host.is_empty() || host.starts_with('-') || !plain {
            return Err(InstallError::Address { from: shown(source) });
        }
        if let Some(inside) = inside {
            super::names::check(inside)?;
        }
        Ok(Address { url, inside })
    })
}

/// `user@host:path`.
fn is_scp(source: &str) -> bool {
    let Some((who, path)) = source.split_once(':') else { return false };
    let Some((user, host)) = who.split_once('@') else { return false };
    let word = |text: &str| {
        !text.is_empty() && text.chars().all(|c| c.is_ascii_alphanumeric() || "._-".contains(c))
    };
    word(user) && word(host) && !user.starts_with('-') && !host.starts_with('-') && !path.is_empty()
}

/// Fetches into a new folder below `scratch`, which the caller removes, and returns what is wanted of it.
pub(super) fn fetch(address: &Address<'_>, scratch: &Path) -> Result<PathBuf> {
    fs::create_dir_all(scratch).map_err(|error| trouble(scratch, error))?;
    let place = scratch.join("clone");
    let mut child = match command(address.url, scratch, &place).spawn() {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            return Err(InstallError::NoGit);
        }
        Err(error) => return Err(trouble(Path::new("git"), error)),
        Ok(child) => child,
    };
    let done = wait(&mut child, scratch);
    if done.is_err() {
        stop(&mut child);
    }
    if !done?.success() {
        return Err(InstallError::Git { why: said(&mut child) });
    }
    let wanted = address.inside.map_or_else(|| place.clone(), |inside| place.join(inside));
    // A folder behind a link would be outside of what was fetched.
    let inside = match (wanted.canonicalize(), place.canonicalize()) {
        (Ok(wanted), Ok(place)) => wanted.starts_with(place) && wanted.is_dir(),
        _ => false,
    };
    if !inside {
        let why =
            format!("there is no folder `{}` in it", shown(address.inside.unwrap_or_default()));
        return Err(InstallError::Git { why });
    }
    Ok(wanted)
}

fn command(url: &str, scratch: &Path, place: &Path) -> Command {
    let nothing = if cfg!(windows) { "NUL" } else { "/dev/null" };
    let mut git = Command::new("git");
    for setting in [
        "core.hooksPath=/dev/null",
        "core.fsmonitor=false",
        "core.autocrlf=false",
        "submodule.recurse=false",
        "advice.detachedHead=false",
        "transfer.fsckObjects=true",
    ] {
        git.args(["-c", setting]);
    }
    git.args(["clone", "--quiet", "--depth=1", "--single-branch", "--no-tags", "--template="]);
    git.args(["--no-recurse-submodules", "--no-local", "--"]).arg(url).arg(place);
    for name in ["GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_TEMPLATE_DIR", "GIT_ASKPASS"] {
        git.env_remove(name);
    }
    git.env("GIT_CONFIG_NOSYSTEM", "1").env("GIT_CONFIG_GLOBAL", nothing);
    git.env("GIT_ALLOW_PROTOCOL", "https:ssh:file").env("GIT_TERMINAL_PROMPT", "0");
    git.env("GIT_LFS_SKIP_SMUDGE", "1").env("SSH_ASKPASS_REQUIRE", "never");
    git.env("GIT_SSH_COMMAND", "ssh -oBatchMode=yes").env("LC_ALL", "C");
    git.current_dir(scratch).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped());
    own_group(&mut git);
    git
}

/// Waits for the end, and stops what takes too long or grows too large.
fn wait(child: &mut Child, scratch: &Path) -> Result<ExitStatus> {
    let began = Instant::now();
    loop {
        match child.try_wait().map_err(|error| trouble(Path::new("git"), error))? {
            Some(status) => return Ok(status),
            None if began.elapsed() > LIMIT => {
                return Err(InstallError::Slow { seconds: LIMIT.as_secs() });
            }
            None if size(scratch, 0) > MAX_BYTES => {
                return Err(InstallError::TooLarge { limit: MAX_BYTES / 1024 / 1024 });
            }
            None => std::thread::sleep(POLL),
        }
    }
}

fn size(folder: &Path, depth: usize) -> u64 {
    let Ok(entries) = fs::read_dir(folder) else { return 0 };
    let sizes = entries.flatten().map(|entry| match fs::symlink_metadata(entry.path()) {
        Ok(meta) if meta.is_dir() && depth < 16 => size(&entry.path(), depth + 1),
        Ok(meta) => meta.len(),
        Err(_) => 0,
    });
    sizes.sum()
}

/// The last line git wrote, without what it says about itself.
fn said(child: &mut Child) -> String {
    let mut bytes = Vec::new();
    if let Some(pipe) = child.stderr.take() {
        let _ = pipe.take(16 * 1024).read_to_end(&mut bytes);
    }
    let text = String::from_utf8_lossy(&bytes);
    let line =
        text.lines().rev().find(|line| line.starts_with("fatal:") || line.starts_with("error:"));
    let line = line.or_else(|| text.lines().last()).unwrap_or("it gave no reason");
    shown(line.trim_start_matches("fatal: ").trim_start_matches("error: ").trim_end_matches('.'))
}

#[cfg(unix)]
fn own_group(git: &mut Command) {
    use std::os::unix::process::CommandExt as _;
    git.process_group(0);
}

#[cfg(not(unix))]
fn own_group(_: &mut Command) {}

/// Ends git and what it started.
fn stop(child: &mut Child) {
    #[cfg(unix)]
    if let Some(group) = i32::try_from(child.id()).ok().and_then(rustix::process::Pid::from_raw) {
        let _ = rustix::process::kill_process_group(group, rustix::process::Signal::KILL);
    }
    let _ = child.kill();
    let _ = child.wait();
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses() {
        let taken = [
            ("https://example.org/a/b.git", "https://example.org/a/b.git", None),
            ("https://example.org/a#skills/one", "https://example.org/a", Some("skills/one")),
            ("https://example.org/a#", "https://example.org/a", None),
            ("git@example.org:a/b.git", "git@example.org:a/b.git", None),
            ("ssh://git@example.org/a", "ssh://git@example.org/a", None),
        ];
        for (source, url, inside) in taken {
            assert_eq!(address(source).unwrap().unwrap(), Address { url, inside }, "{source}");
        }
        for source in [
            "http://example.org/a",
            "ext::sh -c touch%20x",
            "git://example.org/a",
            "ssh://-oProxyCommand=x/a",
            "https://",
            "https://example.org/a b",
            "https://example.org/a\n--upload-pack=x",
            "file://-x",
            "ftp://example.org",
            "https://example.org/a#../..",
            "https://example.org/a#C:/x",
        ] {
            assert!(address(source).is_none_or(|found| found.is_err()), "{source}");
        }
        for source in
            ["/home/me/skill", "skill.zip", "C:\\skills", "a:b", "--upload-pack=x", "-x@host:y"]
        {
            assert!(address(source).is_none(), "{source}");
        }
    }
}
