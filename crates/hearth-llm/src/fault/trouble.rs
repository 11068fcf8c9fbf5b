//! Calls that got no answer at all: nothing listens, no network, no trust, no byte in time.

use super::{hint, host_of};
use hearth_protocol::{Fault, FaultKind, Retry};
use std::error::Error;
use std::io::ErrorKind;

/// Why there was no answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Trouble {
    /// Nothing listens there.
    Refused,
    /// No network, or the name is not known.
    Offline,
    /// The certificate is not trusted, or a clock is wrong.
    Tls,
    /// No byte in time.
    Timeout,
    /// The connection broke.
    Broken,
}

impl Trouble {
    /// Finds it in the chain of a transport error.
    #[must_use]
    pub fn of(error: &reqwest::Error) -> Self {
        let fallback = if error.is_timeout() { Self::Timeout } else { Self::Broken };
        Self::within(error).unwrap_or(fallback)
    }

    fn within(error: &(dyn Error + 'static)) -> Option<Self> {
        if error.is::<rustls::Error>() {
            return Some(Self::Tls);
        }
        if let Some(io) = error.downcast_ref::<std::io::Error>() {
            match io.kind() {
                ErrorKind::ConnectionRefused => return Some(Self::Refused),
                ErrorKind::NetworkUnreachable | ErrorKind::HostUnreachable => {
                    return Some(Self::Offline);
                }
                ErrorKind::TimedOut => return Some(Self::Timeout),
                _ => {}
            }
            // An IO error hides what it wraps: its source is the source of that.
            if let Some(inner) = io.get_ref() {
                return Self::within(inner);
            }
        }
        // The resolver's error has no type of its own.
        if error.to_string().starts_with("dns error") {
            return Some(Self::Offline);
        }
        Self::within(error.source()?)
    }

    /// The fault. A server on this machine that is not running will not be there in a second either.
    #[must_use]
    pub fn fault(self, url: &str) -> Fault {
        let host = host_of(url);
        let loopback = is_loopback(url);
        let (kind, retry, message) = match self {
            Self::Refused if loopback => {
                let message = format!("No server is running at {host} on this computer.");
                (FaultKind::Refused, Retry::No, message)
            }
            Self::Refused => {
                (FaultKind::Refused, Retry::Backoff, format!("{host} refuses the connection."))
            }
            Self::Offline => {
                let message = format!("{host} cannot be reached: no network, or an unknown name.");
                (FaultKind::Offline, Retry::Backoff, message)
            }
            Self::Tls => {
                let message = format!(
                    "No secure connection to {host}: its certificate is not trusted or not valid now, \
                     or it does not speak TLS."
                );
                (FaultKind::Tls, Retry::No, message)
            }
            Self::Timeout => {
                (FaultKind::Timeout, Retry::Backoff, format!("{host} did not answer in time."))
            }
            Self::Broken => {
                let message = format!("The connection to {host} broke.");
                (FaultKind::Unavailable, Retry::Backoff, message)
            }
        };
        Fault { kind, message, hint: hint(kind).to_owned(), retry, status: None }
    }
}

/// The URL points to this machine.
#[must_use]
pub(crate) fn is_loopback(url: &str) -> bool {
    let parsed = url::Url::parse(url).ok();
    match parsed.as_ref().and_then(url::Url::host) {
        Some(url::Host::Domain(name)) => name == "localhost" || name.ends_with(".localhost"),
        Some(url::Host::Ipv4(address)) => address.is_loopback() || address.is_unspecified(),
        Some(url::Host::Ipv6(address)) => address.is_loopback() || address.is_unspecified(),
        None => false,
    }
}
