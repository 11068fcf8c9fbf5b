//! macOS: Seatbelt, through `sandbox-exec` and a profile written for each command.

use super::{Confinement, Holds};
use std::fmt::Write as _;
use std::io;
use std::path::Path;
use std::process::{Child, Command};

const LAUNCHER: &str = "/usr/bin/sandbox-exec";
const SYSTEM: [&str; 9] = [
    "/usr",
    "/bin",
    "/sbin",
    "/System",
    "/Library",
    "/opt",
    "/private/etc",
    "/private/var/db",
    "/dev",
];

pub(super) fn holds() -> Holds {
    let tried =
        Command::new(LAUNCHER).args(["-p", "(version 1)(allow default)", "/usr/bin/true"]).status();
    let works = tried.is_ok_and(|status| status.success());
    let how =
        if works { "Seatbelt (sandbox-exec)" } else { "nothing: sandbox-exec does not work here" };
    Holds { files: works, network: works, processes: works, how: how.to_owned() }
}

pub(super) fn command(program: &str, arguments: &[&str], confinement: &Confinement) -> Command {
    if !Path::new(LAUNCHER).exists() {
        let mut command = Command::new(program);
        command.args(arguments);
        return command;
    }
    let mut command = Command::new(LAUNCHER);
    command.arg("-p").arg(profile(confinement)).arg(program).args(arguments);
    command
}

pub(super) fn spawn(mut command: Command, _confinement: &Confinement) -> io::Result<Child> {
    command.spawn()
}

fn profile(confinement: &Confinement) -> String {
    let mut text = String::from(
        "(version 1)(deny default)(allow process*)(allow sysctl-read)(allow file-read-metadata)\
         (allow signal (target same-sandbox))(allow file-write* (literal \"/dev/null\"))",
    );
    let system = SYSTEM.iter().map(Path::new);
    let mut rule = |what: &str, path: &Path| {
        let path = path.display().to_string().replace('\\', "\\\\").replace('"', "\\\"");
        let _ = write!(text, "(allow {what} (subpath \"{path}\"))");
    };
    for folder in system.chain(confinement.read.iter().map(AsRef::as_ref)) {
        rule("file-read*", folder);
    }
    for folder in &confinement.write {
        rule("file-read*", folder);
        rule("file-write*", folder);
    }
    if confinement.network {
        text.push_str("(allow network*)");
    }
    text
}
