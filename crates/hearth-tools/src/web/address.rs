//! Which addresses and URLs the web tools may reach.
//!
//! Invariants: an address is public only if nothing else is known about it; one that carries another inside
//! (mapped, translated) is judged by the inner one; a URL is judged as the parser that connects reads it.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use url::{Host, Url};

/// Longer URLs are no addresses of pages but carry something out.
const LONGEST: usize = 4_096;

/// Whether an address is somebody's on the public internet: not this machine, not its network, not a
/// machine's metadata service, not reserved.
#[must_use]
pub fn is_public(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(address) => is_public_v4(address),
        IpAddr::V6(address) => is_public_v6(address),
    }
}

fn is_public_v4(address: Ipv4Addr) -> bool {
    let [a, b, c, d] = address.octets();
    let reserved = a == 0
        || a == 10
        || a == 127
        || a >= 224
        || (a == 100 && (64..128).contains(&b))
        || (a == 169 && b == 254)
        || (a == 172 && (16..32).contains(&b))
        || (a == 192 && b == 168)
        || (a == 192 && b == 0 && (c == 0 || c == 2))
        || (a == 192 && b == 88 && c == 99)
        || (a == 198 && (b == 18 || b == 19))
        || (a == 198 && b == 51 && c == 100)
        || (a == 203 && b == 0 && c == 113);
    // A cloud's metadata service that has a public address.
    let metadata = [a, b, c, d] == [168, 63, 129, 16];
    !reserved && !metadata
}

fn is_public_v6(address: Ipv6Addr) -> bool {
    let parts = address.segments();
    let inner = |high: u16, low: u16| {
        let ([a, b], [c, d]) = (high.to_be_bytes(), low.to_be_bytes());
        is_public_v4(Ipv4Addr::new(a, b, c, d))
    };
    match parts {
        [0, 0, 0, 0, 0, 0xffff, high, low] | [0x64, 0xff9b, 0, 0, 0, 0, high, low] => {
            inner(high, low)
        }
        [0x2001, second, ..] if second < 0x200 || second == 0xdb8 => false,
        [0x2002, ..] => false,
        [0x3fff, second, ..] if second < 0x1000 => false,
        [first, ..] => first & 0xe000 == 0x2000,
    }
}

/// A URL that may be asked for, as far as its text tells. Names are judged again when they are resolved.
///
/// # Errors
/// Why not, for the model.
pub fn check_url(text: &str, domains: &[String]) -> Result<Url, String> {
    if text.len() > LONGEST {
        return Err(refused(&format!("it is longer than {LONGEST} characters")));
    }
    let url = Url::parse(text.trim()).map_err(|error| refused(&error.to_string()))?;
    check_parsed(&url, domains)?;
    Ok(url)
}

/// As [`check_url`], for a URL that a redirect named.
pub(crate) fn check_parsed(url: &Url, domains: &[String]) -> Result<(), String> {
    if !matches!(url.scheme(), "http" | "https") {
        return Err(refused("only http and https are allowed"));
    }
    if !url.username().is_empty() || url.password().is_some() {
        return Err(refused("names and passwords in URLs are not allowed"));
    }
    if url.as_str().len() > LONGEST {
        return Err(refused(&format!("it is longer than {LONGEST} characters")));
    }
    let name = match url.host() {
        None => return Err(refused("it names no host")),
        Some(Host::Ipv4(address)) if is_public_v4(address) => address.to_string(),
        Some(Host::Ipv6(address)) if is_public_v6(address) => address.to_string(),
        Some(Host::Domain(name)) if !is_local_name(name) => name.trim_end_matches('.').to_owned(),
        Some(_) => return Err(private(url.host_str().unwrap_or_default())),
    };
    let within = |domain: &String| {
        let domain = domain.trim_start_matches("*.").trim_matches('.').to_ascii_lowercase();
        name == domain || name.strip_suffix(&domain).is_some_and(|rest| rest.ends_with('.'))
    };
    if domains.is_empty() || domains.iter().any(within) {
        return Ok(());
    }
    Err(refused(&format!("{name} is not among the allowed domains (guard.allowed_domains)")))
}

fn is_local_name(name: &str) -> bool {
    let name = name.trim_end_matches('.');
    let last = name.rsplit('.').next().unwrap_or_default();
    let local =
        ["localhost", "local", "internal", "lan", "home", "corp", "intranet", "localdomain"];
    !name.contains('.') || local.contains(&last) || name.ends_with(".home.arpa")
}

/// Why a private address is refused.
pub(crate) fn private(host: &str) -> String {
    refused(&format!("{host} is a private or local address, which pages must not lead to"))
}

fn refused(why: &str) -> String {
    format!("The URL is refused: {why}.")
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const FUZZED: u32 = 100_000;

    #[test]
    fn private_addresses_are_refused_in_every_spelling() {
        for url in [
            "http://127.0.0.1:1/",
            "http://169.254.169.254/",
            "http://[::ffff:127.0.0.1]/",
            "http://2130706433/",
            "http://0x7f.1/",
            "http://017700000001/",
            "http://127.1/",
            "http://0/",
            "http://[::]/",
            "http://[::1]:80/",
            "http://[::127.0.0.1]/",
            "http://[64:ff9b::7f00:1]/",
            "http://[64:ff9b::a9fe:a9fe]/",
            "http://[2002:7f00:1::]/",
            "http://[fe80::1]/",
            "http://[fd00:ec2::254]/",
            "http://[fec0::1]/",
            "http://10.0.0.1/",
            "http://172.31.255.255/",
            "http://192.168.1.1/",
            "http://100.64.0.1/",
            "http://100.100.100.200/",
            "http://168.63.129.16/",
            "http://192.0.0.192/",
            "http://224.0.0.1/",
            "http://255.255.255.255/",
            "http://１２７.０.０.１/",
            "http://127。0。0。1/",
            "http://①②⑦.⓪.⓪.①/",
            "http://localhost/",
            "http://LOCALHOST./",
            "http://a.localhost/",
            "http://metadata.google.internal/",
            "http://printer.local/",
            "http://router/",
            "http://x.home.arpa/",
        ] {
            let why = check_url(url, &[]).expect_err(url);
            assert!(why.contains("private"), "{url}: {why}");
        }
    }

    #[test]
    fn other_schemes_and_passwords_are_refused() {
        for url in [
            "file:///etc/passwd",
            "ftp://example.com/",
            "gopher://example.com/",
            "javascript:alert(1)",
            "data:text/html,x",
            "http://user:pass@example.com/",
            "http://example.com@evil.example/",
            "//example.com",
            "example.com",
            "",
            "http://",
            "http:///",
        ] {
            assert!(check_url(url, &[]).is_err(), "{url}");
        }
        assert!(check_url(&format!("http://example.com/{}", "a".repeat(LONGEST)), &[]).is_err());
    }

    #[test]
    fn public_pages_and_allowed_domains_are_let_through() {
        for url in [
            "https://example.com/a?b#c",
            "http://8.8.8.8/",
            "http://[2606:4700::1111]/",
            "https://例え.テスト/",
        ] {
            assert!(check_url(url, &[]).is_ok(), "{url}");
        }
        let domains = ["example.com".to_owned(), "*.Rust-Lang.org".to_owned()];
        for (url, ok) in [
            ("https://example.com/", true),
            ("https://EXAMPLE.com./", true),
            ("https://docs.example.com/", true),
            ("https://doc.rust-lang.org/std", true),
            ("https://notexample.com/", false),
            ("https://example.com.evil.test/", false),
            ("https://8.8.8.8/", false),
        ] {
            assert_eq!(check_url(url, &domains).is_ok(), ok, "{url}");
        }
    }

    /// Another way to say the same: by the ranges of the registries, as prefixes.
    fn is_private_by_prefix(address: IpAddr) -> bool {
        let ranges = [
            "0.0.0.0/8",
            "10.0.0.0/8",
            "100.64.0.0/10",
            "127.0.0.0/8",
            "169.254.0.0/16",
            "172.16.0.0/12",
            "192.0.0.0/24",
            "192.0.2.0/24",
            "192.88.99.0/24",
            "192.168.0.0/16",
            "198.18.0.0/15",
            "198.51.100.0/24",
            "203.0.113.0/24",
            "224.0.0.0/3",
            "168.63.129.16/32",
            "::/96",
            "::ffff:0:0/96",
            "64:ff9b:1::/48",
            "100::/64",
            "2001::/23",
            "2001:db8::/32",
            "2002::/16",
            "3fff::/20",
            "4000::/2",
            "8000::/1",
            "fc00::/7",
            "fe80::/10",
            "ff00::/8",
        ];
        ranges.iter().any(|range| {
            let (base, bits) = range.split_once('/').expect("a range");
            let bits: u32 = bits.parse().expect("a number");
            match (base.parse().expect("an address"), address) {
                (IpAddr::V4(base), IpAddr::V4(address)) => {
                    (base.to_bits() ^ address.to_bits()).leading_zeros() >= bits
                }
                (IpAddr::V6(base), IpAddr::V6(address)) => {
                    (base.to_bits() ^ address.to_bits()).leading_zeros() >= bits
                }
                _ => false,
            }
        })
    }

    fn cases() -> u32 {
        std::env::var("HEARTH_FUZZ").ok().and_then(|count| count.parse().ok()).unwrap_or(FUZZED)
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(cases()) })]

        #[test]
        fn no_private_address_is_public(bits in any::<u128>(), v4 in any::<u32>(), kind in 0..6_u8) {
            let address = match kind {
                0 => IpAddr::V4(v4.into()),
                1 => IpAddr::V6(Ipv6Addr::from_bits(bits)),
                // Near the edges of special ranges.
                2 => IpAddr::V6(Ipv6Addr::from_bits(0x2001 << 112 | bits >> 20)),
                3 => Ipv4Addr::from(v4).to_ipv6_mapped().into(),
                4 => IpAddr::V6(Ipv6Addr::from_bits(0x0064_ff9b << 96 | u128::from(v4))),
                _ => IpAddr::V6(Ipv6Addr::from_bits(0x2000 << 112 | bits >> 3)),
            };
            let judged = match kind {
                3 | 4 => IpAddr::V4(v4.into()),
                _ => address,
            };
            if is_private_by_prefix(judged) {
                prop_assert!(!is_public(address), "{address}");
            }
            if judged.is_ipv4() {
                prop_assert_eq!(is_public(address), !is_private_by_prefix(judged), "{}", address);
            }
        }

        #[test]
        fn any_text_is_judged_and_what_passes_is_a_public_page(
            scheme in "(https?|HTTP|file|ftp|ws)?:?/{0,3}",
            user in "([a-z:]{0,4}@)?",
            host in prop_oneof![
                "[0-9a-fx.]{1,20}", "\\[[0-9a-f:.]{0,40}\\]", "[a-z0-9.-]{1,20}", "\\PC{0,12}",
                any::<u32>().prop_map(|n| n.to_string()),
                any::<u32>().prop_map(|n| format!("0x{n:x}")),
                any::<u32>().prop_map(|n| format!("0{n:o}")),
                any::<u32>().prop_map(|n| Ipv4Addr::from(n).to_string()),
            ],
            rest in "(:[0-9]{0,6})?(/\\PC{0,10})?",
        ) {
            let text = format!("{scheme}{user}{host}{rest}");
            if let Ok(url) = check_url(&text, &[]) {
                prop_assert!(matches!(url.scheme(), "http" | "https"));
                prop_assert!(url.username().is_empty() && url.password().is_none());
                match url.host().expect("has one") {
                    Host::Ipv4(address) => prop_assert!(!is_private_by_prefix(address.into()), "{text}"),
                    Host::Ipv6(address) => prop_assert!(is_public(address.into()), "{text}"),
                    Host::Domain(name) => {
                        // Nothing that a resolver could still read as a number.
                        prop_assert!(name.contains('.') && name.parse::<IpAddr>().is_err(), "{text}");
                    }
                }
            }
        }
    }
}
