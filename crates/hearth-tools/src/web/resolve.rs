//! Names to addresses for the web tools: what is not public never becomes an address to connect to.
//!
//! Invariant: a name of which any address is private is refused whole, so that asking again (rebinding)
//! gains nothing; the connection goes to an address that passed here.

use super::address::is_public;
use futures::future::BoxFuture;
use reqwest::dns::{Addrs, Name, Resolve, Resolving};
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;

/// Looks a name up.
pub(crate) type LookUp =
    Arc<dyn Fn(String) -> BoxFuture<'static, io::Result<Vec<IpAddr>>> + Send + Sync>;

/// The system's own look-up.
pub(crate) fn of_system() -> LookUp {
    Arc::new(|name| {
        Box::pin(async move {
            let found = tokio::net::lookup_host((name, 0)).await?;
            Ok(found.map(|address| address.ip()).collect())
        })
    })
}

/// Passes on addresses that are public, or that a test lets through.
#[derive(Clone)]
pub(crate) struct PublicOnly {
    pub(crate) look_up: LookUp,
    pub(crate) passes: fn(IpAddr) -> bool,
}

impl Default for PublicOnly {
    fn default() -> Self {
        Self { look_up: of_system(), passes: is_public }
    }
}

/// A name that leads to a private address.
#[derive(Debug, thiserror::Error)]
#[error("{0} leads to a private or local address")]
pub(crate) struct Private(String);

impl Resolve for PublicOnly {
    fn resolve(&self, name: Name) -> Resolving {
        let (name, passes) = (name.as_str().to_owned(), self.passes);
        let found = (self.look_up)(name.clone());
        Box::pin(async move {
            let found = found.await?;
            if found.is_empty() || !found.iter().all(|address| passes(*address)) {
                return Err(Private(name).into());
            }
            let addresses = found.into_iter().map(|address| SocketAddr::new(address, 0));
            Ok(Box::new(addresses) as Addrs)
        })
    }
}
