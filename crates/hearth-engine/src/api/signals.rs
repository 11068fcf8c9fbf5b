//! What a message holds that must not be lost.

use hearth_agent::signals::{Signal, classes};
use hearth_protocol::api::system::SignalsRow;

/// The six signals of one message. Reads nothing but the text: it needs no home.
#[must_use]
pub fn scan(text: &str) -> SignalsRow {
    let signals = classes(text).into_iter().map(Signal::name).map(str::to_owned).collect();
    SignalsRow { text: text.to_owned(), signals }
}
