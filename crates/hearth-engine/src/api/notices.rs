//! The inbox of notices.

use crate::{Engine, clock};
use hearth_protocol::api::heartbeat::{NoticeChange, NoticeRow};
use hearth_protocol::api::system::Signal;
use hearth_protocol::{ErrorCode, WireError};

const SHOWN: u32 = 500;

/// The latest notices, newest first.
///
/// # Errors
/// The database's.
pub async fn list(engine: &Engine) -> Result<Vec<NoticeRow>, WireError> {
    Ok(engine.inner.store.notices(SHOWN).await?)
}

/// What the person says to a notice.
///
/// # Errors
/// `not_found`; `invalid_request` for a snooze that is over already.
pub async fn change(
    engine: &Engine,
    id: String,
    change: NoticeChange,
) -> Result<NoticeRow, WireError> {
    let inner = &engine.inner;
    inner.must_own()?;
    if matches!(change, NoticeChange::Snooze { until } if until <= clock::now()) {
        let message = "a snooze must end later than now";
        return Err(WireError::new(ErrorCode::InvalidRequest, message, "Choose a later time."));
    }
    let row = inner.store.change_notice(&id, &change).await?;
    inner.heart.look_again();
    inner.bus.send(Signal::Notices);
    Ok(row)
}
