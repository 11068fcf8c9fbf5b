//! Tokens and money.

use crate::{Engine, clock};
use hearth_protocol::WireError;
use hearth_protocol::api::system::UsageRow;

/// By local day, purpose and model; today is the first of the days.
///
/// # Errors
/// The database's.
pub async fn rows(engine: &Engine, days: u32) -> Result<Vec<UsageRow>, WireError> {
    let zone = clock::zone(&engine.settings().time_zone);
    let back = chrono::Days::new(u64::from(days.max(1)) - 1);
    let today = clock::local(clock::now(), zone).date_naive();
    let from = today.checked_sub_days(back).unwrap_or(chrono::NaiveDate::MIN);
    Ok(engine.inner.store.usage_by_day(&from.format("%Y-%m-%d").to_string()).await?)
}
