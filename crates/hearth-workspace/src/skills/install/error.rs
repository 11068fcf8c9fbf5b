//! Why nothing was installed: one sentence of what and why, one of what to do.
//!
//! Invariant: names from a source are shown with what is invisible or misleading in them written out.

use crate::PathFault;
use std::io;
use std::path::Path;

/// Result of an installation.
pub(crate) type Result<T> = std::result::Result<T, InstallError>;

/// A refused or failed installation, update or removal. What was there is as it was.
#[derive(Debug, thiserror::Error)]
#[expect(missing_docs, reason = "the message of each says what it is and what its fields are")]
pub enum InstallError {
    #[error(
        "`{from}` is neither a folder, nor a .zip file, nor a git address (https://, ssh://, git@host:path). Check the spelling."
    )]
    NotASource { from: String },
    #[error("`{path}` is not a plain folder. Move it away, or choose another place.")]
    NotAFolder { path: String },
    #[error(
        "`{path}` is not a usable name: {fault}. Nothing was installed; ask its author for a clean copy."
    )]
    BadName { path: String, fault: PathFault },
    #[error(
        "`{path}` has a name that is no UTF-8 text. Nothing was installed; pack it again with a current program."
    )]
    NameEncoding { path: String },
    #[error("`{path}` lies more than {limit} folders deep. Nothing was installed.")]
    TooDeep { path: String, limit: usize },
    #[error(
        "`{path}` is a link. Nothing was installed: a link could lead anywhere. Replace it by the file itself."
    )]
    Link { path: String },
    #[error("`{path}` is neither a file nor a folder. Nothing was installed.")]
    Special { path: String },
    #[error(
        "`{first}` and `{second}` would be one file on some systems. Nothing was installed; rename one of them."
    )]
    Clash { first: String, second: String },
    #[error(
        "It holds more than {limit} files. Nothing was installed; choose the skill's own folder."
    )]
    TooMany { limit: usize },
    #[error("It is larger than {limit} MB. Nothing was installed; choose the skill's own folder.")]
    TooLarge { limit: u64 },
    #[error("`{path}` is larger than {limit} MB. Nothing was installed.")]
    FileTooLarge { path: String, limit: u64 },
    #[error(
        "It unpacks to more than {ratio} times its size, as archives do that are made to fill a disk. Nothing was installed."
    )]
    Bomb { ratio: u64 },
    #[error("`{path}` is encrypted. Unpack it yourself and install the folder.")]
    Encrypted { path: String },
    #[error(
        "`{path}` is packed by a method that is not read here. Unpack it yourself and install the folder."
    )]
    Method { path: String },
    #[error("The archive is damaged: {why}. Get it again.")]
    Damaged { why: String },
    #[error("There is no SKILL.md in it. Choose the folder that holds one.")]
    NoSkill,
    #[error("The skill `{name}` cannot be used: {why}. Nothing was installed.")]
    Unusable { name: String, why: String },
    #[error(
        "Neither `{name}` nor its folder's name is usable as a skill's name (letters, digits and hyphens). Nothing was installed."
    )]
    OddName { name: String },
    #[error("It holds two skills named `{name}`. Choose the folder of one of them.")]
    Twice { name: String },
    #[error("There is no skill `{name}` in it.")]
    NotOffered { name: String },
    #[error("It is no longer what was shown. Look at it again before it is installed.")]
    NotAsShown,
    #[error(
        "There is a skill `{name}` that was not installed from elsewhere: it is yours and stays. Rename one of the two."
    )]
    Yours { name: String },
    #[error(
        "There is a skill `{name}` again, at `{path}`. Remove it or move it away, then bring the other one back."
    )]
    Taken { name: String, path: String },
    #[error(
        "There is no installed skill `{name}`. `hearth skills list` shows those that are there."
    )]
    NotInstalled { name: String },
    #[error(
        "git is not installed, so nothing can be fetched. Install git, or download the folder yourself."
    )]
    NoGit,
    #[error("`{from}` is no address that is fetched here: use https:// or ssh://.")]
    Address { from: String },
    #[error("git could not fetch it: {why}. Check the address and your connection.")]
    Git { why: String },
    #[error(
        "Fetching took longer than {seconds} s and was stopped. Try again, or download the folder yourself."
    )]
    Slow { seconds: u64 },
    #[error("`{path}`: {source}")]
    Io { path: String, source: io::Error },
}

/// A failure of the system at a path.
pub(crate) fn trouble(path: &Path, source: io::Error) -> InstallError {
    InstallError::Io { path: path.display().to_string(), source }
}
