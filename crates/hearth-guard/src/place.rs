//! Hosts: which an address names, whether settings allow it, and literal addresses that never are.
//!
//! The address that is really connected to is checked where the connection is made (hearth-tools); this
//! is the part that can be said before.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use url::{Host, Url};

/// The host of an address, in lower case and ASCII; none where it is no web address.
#[must_use]
pub fn host_of(url: &str) -> Option<String> {
    let url = Url::parse(url.trim()).ok()?;
    matches!(url.scheme(), "http" | "https").then(|| url.host().map(|host| plain(&host)))?
}

fn plain(host: &Host<&str>) -> String {
    host.to_string().trim_end_matches('.').to_ascii_lowercase()
}

/// Why an address is never fetched, if so.
#[must_use]
pub fn never(url: &str) -> Option<&'static str> {
    let Ok(url) = Url::parse(url.trim()) else { return Some("it is no web address") };
    if !matches!(url.scheme(), "http" | "https") {
        return Some("only http and https addresses are read");
    }
    if !url.username().is_empty() || url.password().is_some() {
        return Some("it carries a user name or password");
    }
    match url.host() {
        None => Some("it names no host"),
        Some(Host::Ipv4(ip)) if is_inner(IpAddr::V4(ip)) => {
            Some("it leads to this machine or network")
        }
        Some(Host::Ipv6(ip)) if is_inner(IpAddr::V6(ip)) => {
            Some("it leads to this machine or network")
        }
        Some(Host::Domain(name)) if is_inner_name(name) => {
            Some("it leads to this machine or network")
        }
        Some(_) => None,
    }
}

fn is_inner_name(name: &str) -> bool {
    let name = name.trim_end_matches('.').to_ascii_lowercase();
    let ends = |end: &str| name == end || name.ends_with(&format!(".{end}"));
    ["localhost", "local", "internal", "home.arpa", "lan"].iter().any(|end| ends(end))
        || !name.contains('.')
        // An address behind dots is a name to some and an address to others.
        || name.contains("..")
        || name.parse::<IpAddr>().is_ok()
}

/// Private, loopback, link-local, metadata, shared, documentation, multicast and reserved addresses,
/// those inside IPv6 included.
#[must_use]
pub fn is_inner(ip: IpAddr) -> bool {
    match ip {
        IpAddr::V4(ip) => is_inner_v4(ip),
        IpAddr::V6(ip) => {
            let [a, b, c, d, e, f, g, h] = ip.segments();
            let embedded = |high: u16, low: u16| {
                let ([a, b], [c, d]) = (high.to_be_bytes(), low.to_be_bytes());
                is_inner_v4(Ipv4Addr::new(a, b, c, d))
            };
            ip == Ipv6Addr::UNSPECIFIED
                || ip == Ipv6Addr::LOCALHOST
                || ip.is_multicast()
                || (a & 0xfe00) == 0xfc00
                || (a & 0xffc0) == 0xfe80
                || (a & 0xffc0) == 0xfec0
                || (a == 0x2001 && b == 0xdb8)
                || (a == 0x2001 && b < 0x200)
                // Mapped, translated (NAT64, local too) and 6to4 addresses carry an IPv4 one.
                || ([a, b, c, d, e] == [0; 5] && (f == 0xffff || f == 0) && embedded(g, h))
                || ([a, b, c, d] == [0; 4] && e == 0xffff && f == 0 && embedded(g, h))
                || (a == 0x64 && b == 0xff9b && embedded(g, h))
                || (a == 0x2002 && embedded(b, c))
        }
    }
}

fn is_inner_v4(ip: Ipv4Addr) -> bool {
    let [a, b, c, _] = ip.octets();
    ip.is_private()
        || ip.is_loopback()
        || ip.is_link_local()
        || ip.is_documentation()
        || ip.is_multicast()
        || a == 0
        || a >= 240
        || (a == 100 && (64..128).contains(&b))
        || (a == 192 && b == 0 && c == 0)
        || (a == 192 && b == 88 && c == 99)
        || (a == 198 && (18..20).contains(&b))
        || (a, b, c) == (168, 63, 129)
}

/// Whether an entry of `allowed_domains` covers a host: `example.org` itself and what is below it;
/// `*.example.org` only what is below.
#[must_use]
pub fn covers(entry: &str, host: &str) -> bool {
    let (entry, host) = (entry.to_ascii_lowercase(), host.to_ascii_lowercase());
    match entry.strip_prefix("*.") {
        Some(below) => host.ends_with(&format!(".{below}")),
        None => host == entry || host.ends_with(&format!(".{entry}")),
    }
}

/// An entry of `allowed_domains` in the form in which hosts are compared; none where it is no domain.
pub(crate) fn domain(entry: &str) -> Option<String> {
    let (star, name) = match entry.strip_prefix("*.") {
        Some(name) => ("*.", name),
        None => ("", entry),
    };
    let Ok(Host::Domain(name)) = Host::parse(name) else { return None };
    name.contains('.').then(|| format!("{star}{}", name.trim_end_matches('.')))
}
