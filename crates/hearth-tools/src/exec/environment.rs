//! What a command finds in its environment: an allow-list, so that no key or token is among it.

use std::ffi::OsString;
use std::path::Path;
use std::process::Command;

/// Marks every process that a call started, however far it forks.
pub(crate) const MARK: &str = "HEARTH_CALL";

/// Passed on where set. Nothing here holds a secret.
const PASSED: [&str; 30] = [
    "PATH",
    "HOME",
    "USER",
    "LOGNAME",
    "SHELL",
    "LANG",
    "LANGUAGE",
    "TZ",
    "XDG_DATA_HOME",
    "XDG_CONFIG_HOME",
    "XDG_CACHE_HOME",
    "JAVA_HOME",
    "GOPATH",
    "GOROOT",
    "CARGO_HOME",
    "RUSTUP_HOME",
    "NVM_DIR",
    "PYENV_ROOT",
    // Windows cannot start programs without these.
    "SystemRoot",
    "SystemDrive",
    "windir",
    "ComSpec",
    "PATHEXT",
    "USERPROFILE",
    "USERNAME",
    "APPDATA",
    "LOCALAPPDATA",
    "ProgramData",
    "ProgramFiles",
    "NUMBER_OF_PROCESSORS",
];
/// A window of another program, a question or a pager would wait for ever.
const SET: [(&str, &str); 11] = [
    ("TERM", "dumb"),
    ("NO_COLOR", "1"),
    ("PAGER", "cat"),
    ("GIT_PAGER", "cat"),
    ("GIT_TERMINAL_PROMPT", "0"),
    ("GIT_EDITOR", "true"),
    ("GIT_SEQUENCE_EDITOR", "true"),
    ("GIT_SSH_COMMAND", "ssh"),
    ("GIT_NO_LAZY_FETCH", "1"),
    ("GIT_ALLOW_PROTOCOL", "file:git:http:https:ssh"),
    ("DEBIAN_FRONTEND", "noninteractive"),
];

/// Settings of git that win over any repository's: a folder counts as a repository only by its `.git`, and
/// nothing that it names is run in passing. Filters and converters have names of their own and cannot be
/// turned off like this; the guard looks for those.
const GIT: [(&str, &str); 14] = [
    ("safe.bareRepository", "explicit"),
    ("core.fsmonitor", "false"),
    ("core.hooksPath", "/dev/null"),
    ("core.pager", "cat"),
    ("core.askPass", ""),
    ("core.sshCommand", "ssh"),
    ("core.alternateRefsCommand", "true"),
    ("credential.helper", ""),
    ("commit.gpgSign", "false"),
    ("tag.gpgSign", "false"),
    ("log.showSignature", "false"),
    ("gpg.program", "false"),
    ("gpg.ssh.program", "false"),
    ("gpg.x509.program", "false"),
];

/// `GIT` as git reads it from the environment.
fn git() -> impl Iterator<Item = (String, String)> {
    let settings = GIT.iter().enumerate().flat_map(|(at, (key, value))| {
        [
            (format!("GIT_CONFIG_KEY_{at}"), (*key).to_owned()),
            (format!("GIT_CONFIG_VALUE_{at}"), (*value).to_owned()),
        ]
    });
    settings.chain([("GIT_CONFIG_COUNT".to_owned(), GIT.len().to_string())])
}

/// Gives a command its environment and nothing else of ours.
pub(super) fn clean(command: &mut Command, scratch: &Path, mark: &str) {
    command.env_clear().envs(passed(std::env::vars_os())).envs(SET).envs(git()).env(MARK, mark);
    for name in ["TMPDIR", "TEMP", "TMP"] {
        command.env(name, scratch);
    }
}

/// Those of the variables that a started program may see.
pub(crate) fn passed(
    all: impl Iterator<Item = (OsString, OsString)>,
) -> impl Iterator<Item = (OsString, OsString)> {
    all.filter(|(name, _)| {
        let Some(name) = name.to_str() else { return false };
        name.starts_with("LC_") || PASSED.iter().any(|known| same(known, name))
    })
}

fn same(known: &str, name: &str) -> bool {
    if cfg!(windows) { known.eq_ignore_ascii_case(name) } else { known == name }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_secret_is_passed_on() {
        let all = ["PATH", "LC_ALL", "HEARTH_KEY_WORK", "OPENAI_API_KEY", "SSH_AUTH_SOCK", "path"];
        let passed: Vec<_> = passed(all.iter().map(|name| (name.into(), "x".into())))
            .map(|(name, _)| name.into_string().expect("text"))
            .collect();
        let expected: &[&str] =
            if cfg!(windows) { &["PATH", "LC_ALL", "path"] } else { &["PATH", "LC_ALL"] };
        assert_eq!(passed, expected);
    }
}
