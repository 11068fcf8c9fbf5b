//! The shared HTTP clients and their time limits.

use reqwest::redirect::Policy;
use std::time::Duration;

/// How long to wait for what.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Timeouts {
    /// To open a connection.
    pub connect: Duration,
    /// From the request to the first byte of the reply.
    pub first_byte: Duration,
    /// The same for a server on this machine, which reads long prompts slowly and may load a model.
    pub first_byte_loopback: Duration,
    /// Between two pieces of a reply; models that think long keep quiet meanwhile.
    pub idle: Duration,
    /// For a list of models.
    pub listing: Duration,
}

impl Default for Timeouts {
    fn default() -> Self {
        Self {
            connect: Duration::from_secs(10),
            first_byte: Duration::from_secs(120),
            first_byte_loopback: Duration::from_secs(600),
            idle: Duration::from_secs(300),
            listing: Duration::from_secs(15),
        }
    }
}

impl Timeouts {
    pub(crate) fn first_byte(&self, loopback: bool) -> Duration {
        if loopback { self.first_byte_loopback } else { self.first_byte }
    }
}

/// Why no client could be made.
#[derive(Debug, thiserror::Error)]
#[error("the HTTP client cannot be set up: {0}")]
pub struct HttpError(#[from] reqwest::Error);

/// Clients shared by all providers: one for the network, one for this machine, which uses no proxy.
#[derive(Debug, Clone)]
pub struct Http {
    network: reqwest::Client,
    loopback: reqwest::Client,
    timeouts: Timeouts,
}

impl Http {
    /// Clients with these limits.
    ///
    /// # Errors
    /// [`HttpError`] if the system's certificates or proxy settings cannot be read.
    pub fn new(timeouts: Timeouts) -> Result<Self, HttpError> {
        // Without a provider the first request would panic. The binary's own choice wins.
        if rustls::crypto::CryptoProvider::get_default().is_none() {
            // An error only says that another thread was faster.
            drop(rustls::crypto::ring::default_provider().install_default());
        }
        let builder = || {
            reqwest::Client::builder()
                .user_agent(concat!("Hearth/", env!("CARGO_PKG_VERSION")))
                .connect_timeout(timeouts.connect)
                .redirect(Policy::none())
                .referer(false)
        };
        Ok(Self { network: builder().build()?, loopback: builder().no_proxy().build()?, timeouts })
    }

    pub(crate) fn client(&self, loopback: bool) -> &reqwest::Client {
        if loopback { &self.loopback } else { &self.network }
    }

    pub(crate) fn timeouts(&self) -> &Timeouts {
        &self.timeouts
    }
}
