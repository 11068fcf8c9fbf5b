//! Linux: Landlock for files, devices, signals and abstract sockets; a system-call filter for the network and
//! for the limit by which a command's processes are known (`exec::group`).
//!
//! Both bind the thread that asks for them and what it starts, so a thread is made for each command, binds
//! itself, starts the command and ends. No code runs between fork and exec.

use super::{Confinement, Holds};
use landlock::{
    ABI, Access, AccessFs, AccessNet, CompatLevel, Compatible, LandlockStatus, PathBeneath, PathFd,
    PathFdError, Ruleset, RulesetAttr, RulesetCreated, RulesetCreatedAttr, RulesetError,
    RulesetStatus, Scope,
};
use seccompiler::{
    BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter,
    SeccompRule,
};
use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Child, Command};

/// The newest set of rights that is asked for; an older kernel holds what it knows of it.
const RIGHTS: ABI = ABI::V6;
/// Programs, libraries and configuration. Not here: the home folder, `/tmp`, `/run`, `/var`, `/mnt`.
const SYSTEM: [&str; 13] = [
    "/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/etc", "/opt", "/nix",
    "/proc", "/sys", "/gnu",
];
/// Devices without side effects.
const DEVICES: [&str; 5] = ["/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom"];
/// The bit that marks the x32 form of a call, which is another number for the same thing.
const X32: i64 = 0x4000_0000;

pub(super) fn holds() -> Holds {
    let tried = std::thread::spawn(|| bind(&Confinement::default(), &[])).join();
    let bound = match tried {
        Ok(Ok(bound)) => bound,
        Ok(Err(error)) => return nothing(&error.to_string()),
        Err(_) => return nothing("the trial did not end"),
    };
    let how = match (bound.files, bound.network, bound.processes) {
        (true, true, true) => "Landlock and a system-call filter",
        (true, true, false) => {
            "Landlock and a system-call filter; this kernel cannot keep signals inside (6.12 can)"
        }
        (false, true, _) => {
            "a system-call filter against the network only; this kernel has no Landlock"
        }
        (true, false, _) => "Landlock only; this kernel has no system-call filters",
        (false, false, _) => "nothing: this kernel has neither Landlock nor system-call filters",
    };
    Holds {
        files: bound.files,
        network: bound.network,
        processes: bound.processes,
        how: how.to_owned(),
    }
}

fn nothing(why: &str) -> Holds {
    Holds { files: false, network: false, processes: false, how: format!("nothing: {why}") }
}

pub(super) fn command(program: &str, arguments: &[&str], _confinement: &Confinement) -> Command {
    let mut command = Command::new(program);
    command.args(arguments);
    command
}

pub(super) fn spawn(mut command: Command, confinement: &Confinement) -> io::Result<Child> {
    let confinement = confinement.clone();
    let programs = program_folders(&command);
    if let Ok(path) = std::env::join_paths(&programs)
        && !programs.is_empty()
    {
        command.env("PATH", path);
    }
    let started =
        std::thread::Builder::new().name("confined start".to_owned()).spawn(move || {
            bind(&confinement, &programs)?;
            command.spawn()
        })?;
    started.join().unwrap_or_else(|_| Err(io::Error::other("the start of the command broke off")))
}

/// Where the command will look for programs. Shims (of pyenv, asdf and their like) are left out: what they lead
/// to lies in the home folder, which cannot be read, so the system's own program is found instead.
fn program_folders(command: &Command) -> Vec<PathBuf> {
    let path = command.get_envs().find(|(name, _)| *name == "PATH").and_then(|(_, value)| value);
    let usable = |folder: &PathBuf| folder.is_absolute() && !folder.ends_with("shims");
    path.map(|path| std::env::split_paths(path).filter(usable).collect()).unwrap_or_default()
}

struct Bound {
    files: bool,
    network: bool,
    processes: bool,
}

/// Binds the calling thread and whatever it starts.
fn bind(confinement: &Confinement, programs: &[PathBuf]) -> io::Result<Bound> {
    let (files, processes) = bind_files(confinement, programs).map_err(io::Error::other)?;
    let network = bind_calls(confinement.network)? && !confinement.network;
    Ok(Bound { files, network, processes })
}

/// False where this kernel has no system-call filter.
fn bind_calls(network: bool) -> io::Result<bool> {
    let filter = filter(network).map_err(io::Error::other)?;
    match seccompiler::apply_filter(&filter) {
        Ok(()) => Ok(true),
        Err(seccompiler::Error::Prctl(error) | seccompiler::Error::Seccomp(error))
            if is_lacking(&error) =>
        {
            Ok(false)
        }
        Err(error) => Err(io::Error::other(error)),
    }
}

/// The kernel does not know what it was asked for; any other error is a failure of what it has.
fn is_lacking(error: &io::Error) -> bool {
    matches!(error.raw_os_error(), Some(libc::ENOSYS | libc::EINVAL))
}

fn bind_files(
    confinement: &Confinement,
    programs: &[PathBuf],
) -> Result<(bool, bool), RulesetError> {
    let mut rules = Ruleset::default()
        .set_compatibility(CompatLevel::BestEffort)
        .handle_access(AccessFs::from_all(RIGHTS))?
        .scope(Scope::from_all(RIGHTS))?;
    if !confinement.network {
        rules = rules.handle_access(AccessNet::from_all(RIGHTS))?;
    }
    let mut rules = rules.create()?;
    let reading = AccessFs::from_read(RIGHTS);
    let system = SYSTEM.iter().map(Path::new).chain(programs.iter().map(PathBuf::as_path));
    for folder in system.chain(confinement.read.iter().map(PathBuf::as_path)) {
        rules = allow(rules, folder, reading)?;
    }
    for folder in &confinement.write {
        // Everything but controlling devices.
        rules = allow(rules, folder, AccessFs::from_all(RIGHTS) & !AccessFs::IoctlDev)?;
    }
    for device in DEVICES {
        rules = allow(rules, Path::new(device), AccessFs::ReadFile | AccessFs::WriteFile)?;
    }
    let status = rules.restrict_self()?;
    let processes = matches!(status.landlock,
        LandlockStatus::Available { effective_abi, .. } if effective_abi >= ABI::V6);
    Ok((status.ruleset != RulesetStatus::NotEnforced, processes))
}

/// A folder that is not there needs no rule.
fn allow(
    rules: RulesetCreated,
    path: &Path,
    rights: landlock::BitFlags<AccessFs>,
) -> Result<RulesetCreated, RulesetError> {
    let place = match PathFd::new(path) {
        Ok(place) => place,
        Err(PathFdError::OpenCall { .. }) | Err(_) => return Ok(rules),
    };
    let rights = if path.is_dir() { rights } else { rights & AccessFs::from_file(RIGHTS) };
    rules.add_rule(PathBeneath::new(place, rights))
}

/// Refuses to set the limit by which a command's processes are known, and without the network every way to a
/// socket (pairs of connected ones apart) and the kernel's key store.
fn filter(network: bool) -> Result<BpfProgram, seccompiler::BackendError> {
    let calls = [
        libc::SYS_socket,
        libc::SYS_io_uring_setup,
        libc::SYS_add_key,
        libc::SYS_keyctl,
        libc::SYS_request_key,
    ];
    let calls = calls.iter().filter(|_| !network).map(|call| (*call, vec![]));
    let locks = |at| is(at, SeccompCmpOp::Eq, u64::from(libc::RLIMIT_LOCKS));
    // Looking at a limit gives no new one.
    let sets = is(2, SeccompCmpOp::Ne, 0)?;
    let limits = [
        (libc::SYS_setrlimit, vec![SeccompRule::new(vec![locks(0)?])?]),
        (libc::SYS_prlimit64, vec![SeccompRule::new(vec![locks(1)?, sets])?]),
    ];
    let rules = calls.chain(limits);
    let rules: BTreeMap<_, _> =
        rules.flat_map(|(call, rules)| [(call, rules.clone()), (call | X32, rules)]).collect();
    let refused = SeccompAction::Errno(libc::EACCES.unsigned_abs());
    let arch = std::env::consts::ARCH.try_into()?;
    SeccompFilter::new(rules, SeccompAction::Allow, refused, arch)?.try_into()
}

fn is(at: u8, how: SeccompCmpOp, what: u64) -> Result<SeccompCondition, seccompiler::BackendError> {
    let bits = match how {
        SeccompCmpOp::Ne => SeccompCmpArgLen::Qword,
        _ => SeccompCmpArgLen::Dword,
    };
    SeccompCondition::new(at, bits, how, what)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_kernel_lacks_is_told_from_what_fails() {
        for (code, lacks) in [(libc::ENOSYS, true), (libc::EINVAL, true), (libc::EACCES, false)] {
            assert_eq!(is_lacking(&io::Error::from_raw_os_error(code)), lacks, "{code}");
        }
    }
}
