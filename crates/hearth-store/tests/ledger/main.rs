//! Tests of the ledger through its public calls, in one binary.

mod conversation;
mod ledgers;
mod opening;
mod recovery;
mod support;
mod transfer;
