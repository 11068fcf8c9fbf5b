//! What shells call: one module a domain, one function a command.

pub mod chat;
pub mod context;
pub mod doctor;
pub mod files;
pub mod models;
pub mod providers;
pub mod sessions;
pub mod settings;
pub mod usage;

use hearth_protocol::{ErrorCode, WireError};

/// The command's body has not landed yet.
fn missing(command: &str) -> WireError {
    WireError::new(ErrorCode::Internal, format!("{command} is not part of this build yet"), "")
}
