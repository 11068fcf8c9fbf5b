//! What a command may touch, held by the operating system and not by the command's good will.
//!
//! Invariants: the parent is never confined, only the child and all that it starts; what this machine
//! cannot hold is said by [`holds`] and never pretended; where the system has the means and they fail,
//! nothing is started. Absent here: output, time and the process group (`exec`).

#[cfg(target_os = "linux")]
mod linux;
#[cfg(target_os = "linux")]
use linux as system;

#[cfg(target_os = "macos")]
mod macos;
#[cfg(target_os = "macos")]
use macos as system;

#[cfg(not(any(target_os = "linux", target_os = "macos")))]
mod open;
#[cfg(not(any(target_os = "linux", target_os = "macos")))]
use open as system;

use std::io;
use std::path::PathBuf;
use std::process::{Child, Command};

/// What a command may touch. System folders (programs, libraries, configuration) can be read besides.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Confinement {
    /// Folders that it may read.
    pub read: Vec<PathBuf>,
    /// Folders that it may read and change.
    pub write: Vec<PathBuf>,
    /// Whether it may reach the network.
    pub network: bool,
}

/// What this machine can hold a command to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Holds {
    /// Files outside the allowed folders are out of reach.
    pub files: bool,
    /// The network is out of reach.
    pub network: bool,
    /// Other processes are out of reach.
    pub processes: bool,
    /// With which means, or why not; for `hearth doctor`.
    pub how: String,
}

impl Holds {
    /// Whether a command can be confined at all: files and network.
    #[must_use]
    pub fn confines(&self) -> bool {
        self.files && self.network
    }
}

/// What this machine can hold a command to. Tried, not looked up.
#[must_use]
pub fn holds() -> Holds {
    system::holds()
}

/// A command that runs a program within its confinement once it is started with [`spawn`].
#[must_use]
pub fn command(program: &str, arguments: &[&str], confinement: &Confinement) -> Command {
    system::command(program, arguments, confinement)
}

/// Starts a command made by [`command`] within its confinement, as far as this machine [`holds`] it.
///
/// # Errors
/// If it cannot be started, or the confinement cannot be put up although this machine has the means.
pub fn spawn(command: Command, confinement: &Confinement) -> io::Result<Child> {
    system::spawn(command, confinement)
}
