//! Checks of what Hearth needs.

use crate::Engine;
use crate::api::missing;
use hearth_protocol::WireError;
use hearth_protocol::api::system::DoctorRow;

/// All checks.
///
/// # Errors
/// See [`WireError`]'s code.
pub async fn run(engine: &Engine) -> Result<Vec<DoctorRow>, WireError> {
    let _ = (engine,);
    Err(missing("doctor_run"))
}
