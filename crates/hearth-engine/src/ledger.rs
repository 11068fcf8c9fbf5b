//! The workspace's journal, kept in `hearth.db`.
//!
//! The workspace calls it from threads that may wait; the database is asynchronous. So each record blocks
//! its own thread until the database has it, and no other.

use crate::borrowed::Borrowed;
use crate::clock;
use hearth_store::{Change, Store};
use hearth_workspace::{Journal, JournalError, Version};
use std::sync::Arc;
use tokio::runtime::Handle;

/// Records versions in a store.
pub(crate) struct Ledger {
    store: Store,
    borrowed: Arc<Borrowed>,
    runtime: Handle,
}

impl Ledger {
    /// Must be made within the runtime that the store lives in.
    pub(crate) fn new(store: Store, borrowed: Arc<Borrowed>) -> Self {
        Self { store, borrowed, runtime: Handle::current() }
    }
}

impl Journal for Ledger {
    fn record(&self, version: &Version) -> Result<(), JournalError> {
        let change = Change {
            path: &version.path,
            at: clock::now(),
            author: version.by.author,
            turn: version.by.turn.as_ref(),
            content: version.bytes.as_deref(),
        };
        let recorded = self.runtime.block_on(async {
            self.borrowed.written(version).await?;
            self.store.record(&change).await
        });
        recorded.map(drop).map_err(|error| JournalError(error.to_string()))
    }
}
