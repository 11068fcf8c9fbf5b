//! Imports from other assistants.

use crate::{Engine, importing};
use hearth_protocol::WireError;
use hearth_protocol::api::transfer::{ImportAsk, ImportReport};

/// Brings in what another assistant left behind, or says what that would do. How far it is comes as signals.
///
/// # Errors
/// `invalid_request` where the source is something else or cannot be read at all; `home_busy`; the database's.
/// What is wrong with one item stands in the report.
pub async fn run(engine: &Engine, ask: ImportAsk) -> Result<ImportReport, WireError> {
    importing::run(engine, ask).await
}
