//! Tests of the ledger through its public calls, in one binary.

mod conversation;
mod support;
