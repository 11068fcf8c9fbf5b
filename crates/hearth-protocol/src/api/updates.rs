//! New versions of the app itself: which there is, where it is looked for, how far it has come.

use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// What this app was installed from, which says who may replace it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum UpdateKind {
    /// One file that the person keeps where they like (Linux).
    Appimage,
    /// A Debian package: the system asks for a password.
    Deb,
    /// An RPM package: the system asks for a password.
    Rpm,
    /// An app bundle of macOS.
    App,
    /// The installer of Windows, for one person.
    Nsis,
    /// The installer of Windows, for all.
    Msi,
    /// No package: built on this machine.
    Unpacked,
}

/// How far a new version has come.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, TS)]
#[serde(tag = "step", rename_all = "snake_case")]
pub enum UpdateStep {
    /// Nobody has asked since the start.
    #[default]
    Idle,
    /// The server is being asked.
    Checking,
    /// There is nothing newer.
    Current,
    /// There is one, and nothing of it was fetched.
    Available {
        /// Its version.
        version: String,
        /// What is new, as plain text of the server.
        notes: Option<String>,
    },
    /// It is being fetched.
    Downloading {
        /// Its version.
        version: String,
        /// So much is here.
        done_bytes: u64,
        /// Of so much, where the server says.
        total_bytes: Option<u64>,
    },
    /// It is here, its signature is this build's, and it can take the place of the app.
    Ready {
        /// Its version.
        version: String,
    },
    /// It takes the place of the app, which starts again then.
    Installing {
        /// Its version.
        version: String,
    },
}

/// Why a step did not succeed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum UpdateFault {
    /// The server does not answer.
    Away,
    /// It answers, but not with a version or its file.
    Answer,
    /// It has a version, but none for this system or package.
    Missing,
    /// The file is not signed with this build's key, or not for that version.
    Signature,
    /// The system did not let it be installed.
    Refused,
    /// It could not be written where the app is.
    Place,
    /// Something else.
    Other,
}

/// What did not succeed last, and the words of what reported it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct UpdateProblem {
    /// Why.
    pub fault: UpdateFault,
    /// As it was said, in English.
    pub detail: String,
}

/// Everything the window shows of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct UpdateView {
    /// The version that runs.
    pub version: String,
    /// What it was installed from.
    pub kind: UpdateKind,
    /// The host that is asked; none where this build asks nobody.
    pub server: Option<String>,
    /// How far it is.
    pub step: UpdateStep,
    /// What did not succeed last.
    pub problem: Option<UpdateProblem>,
}
