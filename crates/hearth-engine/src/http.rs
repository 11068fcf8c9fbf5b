//! The HTTP clients for model files and for finding servers: one TLS stack, loopback never proxied.

use reqwest::{Client, ClientBuilder, Url};
use std::sync::OnceLock;
use std::time::Duration;

/// The client for a URL, made once.
pub(crate) fn client_for(url: &str) -> Client {
    static OUTSIDE: OnceLock<Client> = OnceLock::new();
    static LOOPBACK: OnceLock<Client> = OnceLock::new();
    match is_loopback(url) {
        true => LOOPBACK.get_or_init(|| build(Client::builder().no_proxy())).clone(),
        false => OUTSIDE.get_or_init(|| build(Client::builder())).clone(),
    }
}

/// Whether a URL names this machine.
pub(crate) fn is_loopback(url: &str) -> bool {
    let Ok(url) = Url::parse(url) else { return false };
    let host = url.host_str().unwrap_or_default().trim_matches(['[', ']']);
    host == "localhost"
        || host.ends_with(".localhost")
        || host.parse::<std::net::IpAddr>().is_ok_and(|address| address.is_loopback())
}

fn build(builder: ClientBuilder) -> Client {
    // A second provider in one process would be refused; the first one is as good.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let builder = builder
        .user_agent(concat!("hearth/", env!("CARGO_PKG_VERSION")))
        .connect_timeout(Duration::from_secs(8))
        .read_timeout(Duration::from_secs(30));
    builder.build().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn loopback_is_known_in_every_form() {
        for url in [
            "http://127.0.0.1:1/v1",
            "http://localhost/",
            "http://[::1]:8080",
            "http://a.localhost",
        ] {
            assert!(is_loopback(url), "{url}");
        }
        for url in
            ["http://127.0.0.1.example.com", "https://example.com", "localhost", "http://10.0.0.1"]
        {
            assert!(!is_loopback(url), "{url}");
        }
    }
}
