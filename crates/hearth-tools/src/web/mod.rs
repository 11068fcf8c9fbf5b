//! The web: fetching public pages and asking a search service.

pub(crate) mod address;
pub(crate) mod fetch;
mod page;
mod resolve;
pub(crate) mod search;
