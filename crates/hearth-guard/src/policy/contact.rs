//! Whether a text names somewhere to go or somebody to reach: addresses, domains, mail, phone numbers, in
//! the spellings that a person or their screen still understands.

use unicode_normalization::UnicodeNormalization;

/// Digits of a phone number, at least.
const PHONE_DIGITS: usize = 7;
/// Digits of a short number behind a word that says to call it.
const SHORT_DIGITS: usize = 3;
const CALL: &[&str] = &[
    "call", "dial", "text", "sms", "phone", "ring", "tel", "whatsapp", "telegram", "fax", "拨打",
    "致电", "电话", "来电", "短信",
];
/// Top levels in other scripts, behind a full stop that browsers take for a dot.
const IDEOGRAPHIC: &[&str] = &[
    "公司",
    "中国",
    "中國",
    "网络",
    "網絡",
    "网址",
    "在线",
    "商城",
    "网站",
    "手机",
    "商店",
    "集团",
    "信息",
    "我爱你",
    "香港",
    "台灣",
    "台湾",
    "新加坡",
    "公益",
    "政务",
];

/// Whether it does.
pub(super) fn is_named_in(text: &str) -> bool {
    let text = plain(text);
    let schemes = ["://", "www.", "mailto:", "tel:", "sms:", "xn--", "javascript:", "data:text"];
    schemes.iter().any(|scheme| text.contains(scheme))
        || text.split_whitespace().any(is_place)
        || has_ideographic_domain(&text)
        || has_mail(&text)
        || has_number(&text)
}

/// Small letters, one form of each character, and one kind of dot.
fn plain(text: &str) -> String {
    let folded = text.nfkc().filter(|c| !is_unseen(*c)).collect::<String>().to_lowercase();
    let chars: Vec<char> = folded.chars().collect();
    let ascii = |at: Option<usize>| {
        at.and_then(|at| chars.get(at)).is_some_and(char::is_ascii_alphanumeric)
    };
    let mut out = String::with_capacity(folded.len());
    for (at, c) in chars.iter().enumerate() {
        let is_between = ascii(at.checked_sub(1)) && ascii(Some(at + 1));
        match c {
            '\u{2024}' | '\u{701}' | '\u{702}' | '\u{6d4}' | '\u{a4f8}' | '\u{2e31}'
            | '\u{fe52}' => {
                out.push('.');
            }
            // A full stop of Chinese, a middle dot: a dot to a browser or an eye only between such letters.
            '\u{3002}' | '\u{ff61}' | '\u{b7}' | '\u{2022}' | '\u{30fb}' if is_between => {
                out.push('.')
            }
            '\u{2044}' | '\u{2215}' | '\u{29f8}' => out.push('/'),
            c => out.push(*c),
        }
    }
    for (written, meant) in [
        ("[.]", "."),
        ("(.)", "."),
        ("{.}", "."),
        ("[dot]", "."),
        ("(dot)", "."),
        (" dot ", "."),
        ("[at]", "@"),
        ("(at)", "@"),
        (" .", "."),
        ("hxxp", "http"),
    ] {
        out = out.replace(written, meant);
    }
    out
}

fn is_unseen(c: char) -> bool {
    matches!(c, '\u{ad}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}'
        | '\u{feff}' | '\u{fe00}'..='\u{fe0f}')
}

/// `evil.example/login`, `203.0.113.7`, `[2001:db8::1]`, `evil:8080/`.
fn is_place(word: &str) -> bool {
    let around = |c: char| !c.is_alphanumeric() && c != '/' && c != '[' && c != ':';
    let word = word.trim_matches(around);
    // Behind anything that is no part of a name, as in Chinese text or `see:evil.example`.
    word.split(|c: char| !c.is_alphanumeric() && !".-_:/@[]?#=&%".contains(c)).any(|piece| {
        is_inner_address(piece) || piece.split([':', '@', '=']).any(is_host) || is_port(piece)
    })
}

fn is_host(piece: &str) -> bool {
    let host = piece.trim_start_matches('/').split(['/', '?', '#']).next().unwrap_or_default();
    let host = host.trim_matches(['.', '-']);
    let labels: Vec<&str> = host.split('.').collect();
    let is_label = |label: &&str| {
        !label.is_empty() && label.chars().all(|c| c.is_alphanumeric() || c == '-' || c == '_')
    };
    if labels.len() < 2 || !labels.iter().all(is_label) {
        return false;
    }
    let is_number = |label: &&str| label.chars().all(char::is_numeric);
    if labels.iter().all(is_number) {
        return labels.len() == 4 && labels.iter().all(|label| label.parse::<u8>().is_ok());
    }
    if labels.iter().all(|label| label.starts_with("0x")) {
        return true;
    }
    // `e.g`, `3.5`, `a.m` are none; a full stop without a space after it counts, rather than the other way.
    let last = labels[labels.len() - 1];
    last.chars().count() >= 2 && last.chars().all(|c| c.is_alphabetic()) && !is_document(last)
}

/// Endings of documents that are no top level.
fn is_document(ending: &str) -> bool {
    const ENDINGS: &[&str] = &[
        "txt", "pdf", "doc", "docx", "odt", "xls", "xlsx", "ods", "csv", "tsv", "json", "toml",
        "yaml", "yml", "png", "jpg", "jpeg", "gif", "svg", "html", "htm", "css", "ics", "epub",
        "ppt", "pptx", "log",
    ];
    ENDINGS.contains(&ending)
}

/// An address of the newer kind, in brackets or bare.
fn is_inner_address(piece: &str) -> bool {
    let bare = piece.split(']').next().unwrap_or_default().trim_start_matches('[');
    bare.matches(':').count() >= 2 && bare.parse::<std::net::Ipv6Addr>().is_ok()
}

/// `router:8080/x`.
fn is_port(piece: &str) -> bool {
    let Some((host, rest)) = piece.split_once(':') else { return false };
    let port = rest.split('/').next().unwrap_or_default();
    let is_name = host.chars().any(|c| c.is_ascii_alphabetic());
    is_name && rest.contains('/') && !port.is_empty() && port.chars().all(|c| c.is_ascii_digit())
}

fn has_ideographic_domain(text: &str) -> bool {
    let parts: Vec<&str> = text.split(['。', '｡', '.']).collect();
    parts.windows(2).any(|pair| {
        pair[0].ends_with(char::is_alphanumeric)
            && IDEOGRAPHIC.iter().any(|top| {
                pair[1]
                    .strip_prefix(top)
                    .is_some_and(|rest| !rest.starts_with(char::is_alphanumeric))
            })
    })
}

/// `x@y`, `@somebody`.
fn has_mail(text: &str) -> bool {
    text.match_indices('@').any(|(at, _)| text[at + 1..].starts_with(char::is_alphanumeric))
}

fn has_number(text: &str) -> bool {
    let words: Vec<&str> = text.split_whitespace().collect();
    let short = words.windows(2).any(|pair| {
        let says = CALL.contains(&pair[0].trim_end_matches([':', ',']));
        says && digits(pair[1]) >= SHORT_DIGITS && !is_time(pair[1])
    });
    let glued = CALL.iter().filter(|word| !word.is_ascii()).any(|word| {
        text.match_indices(word).any(|(at, _)| {
            let rest = text[at + word.len()..].trim_start_matches([':', '：', ' ']);
            rest.chars()
                .take_while(|c| c.is_numeric() || "-+ ".contains(*c))
                .filter(|c| c.is_numeric())
                .count()
                >= SHORT_DIGITS
        })
    });
    short || glued || has_long_number(&words) || words.iter().any(|word| is_vanity(word))
}

/// Digits in a row, with what is written between those of a phone number; times and dates left out.
fn has_long_number(words: &[&str]) -> bool {
    let mut run = 0;
    for word in words {
        let word = word.trim_end_matches([',', ';', '!', '?']);
        let is_number =
            word.chars().all(|c| c.is_numeric() || "+-()./–—‐‑".contains(c)) && !is_time(word);
        run = if is_number { run + digits(word) } else { 0 };
        // Within a word too: `tel5550199`, `是5550199。`.
        let within = word
            .split(|c: char| !c.is_numeric() && !"+-()./–—‐‑".contains(c))
            .any(|piece| !is_time(piece) && digits(piece) >= PHONE_DIGITS);
        if run >= PHONE_DIGITS || within {
            return true;
        }
    }
    false
}

fn digits(word: &str) -> usize {
    word.chars().filter(|c| c.is_numeric()).count()
}

/// `1-800-sign-in`.
fn is_vanity(word: &str) -> bool {
    let letters = word.chars().filter(char::is_ascii_alphabetic).count();
    let dashes = word.matches('-').count();
    dashes >= 2
        && letters >= 4
        && digits(word) >= 4
        && word.starts_with(|c: char| c.is_numeric() || c == '+')
        && !is_time(&word[..word.find(|c: char| c.is_ascii_alphabetic()).unwrap_or(0)])
}

/// `09:00`, `2026-12-01`, `1.12.2026`, `12/1/2026`, `2026-12-01t09:00`.
fn is_time(word: &str) -> bool {
    let word = word.trim_matches(|c: char| !c.is_numeric());
    if let Some((day, time)) = word.split_once('t') {
        return is_time(day) && is_time(time);
    }
    let parts: Vec<Option<u32>> =
        word.split(['-', '.', '/', ':', '–', '—']).map(|part| part.parse().ok()).collect();
    let Some(parts) = parts.into_iter().collect::<Option<Vec<u32>>>() else { return false };
    let (year, month, day) = (
        |n: u32| (1900..2100).contains(&n),
        |n: u32| (1..=12).contains(&n),
        |n: u32| (1..=31).contains(&n),
    );
    match (parts.as_slice(), word.contains(':')) {
        ([h, m], true) => *h < 25 && *m < 60,
        ([h, m, s], true) => *h < 25 && *m < 60 && *s < 61,
        ([a, b, c], false) => {
            year(*a) && month(*b) && day(*c)
                || year(*c) && (month(*a) && day(*b) || day(*a) && month(*b))
        }
        // Two years, or a year alone.
        ([a, b], false) => year(*a) && year(*b),
        ([a], false) => year(*a),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::is_named_in;

    #[test]
    fn ways_to_lead_a_person_somewhere_are_seen() {
        for text in [
            "Sign in at evil.example/login or call 555-0199",
            "Sign in at evil.example",
            "see https://evil.example",
            "go to EVIL.EXAMPLE.",
            "evil\u{3002}example is where",
            "evil\u{ff0e}example",
            "evil\u{2024}example",
            "ｅｖｉｌ．ｅｘａｍｐｌｅ",
            "evil[.]example",
            "evil dot example",
            "evil\u{200b}.example",
            "请登录evil.example确认",
            "请登录 恶意。公司 确认",
            "пример.рф",
            "(evil.example)",
            "mail help@evil.example",
            "mail help(at)evil",
            "write to @helper",
            "call 555-0199",
            "call +1 (555) 010 0199",
            "拨打 12345",
            "请致电955881",
            "dial 911",
            "1-800-SIGN-IN",
            "open 203.0.113.7",
            "open 203.0.113.7:8080/x",
            "open [2001:db8::1]/x",
            "open 0x7f.0x0.0x0.0x1",
            "router:8080/login",
            "xn--80ak6aa92e",
            "tel:110",
            "5 5 5 0 1 9 9",
        ] {
            assert!(is_named_in(text), "{text}");
        }
    }

    #[test]
    fn plain_reminders_name_nothing() {
        for text in [
            "The note is written.",
            "Take the pills at 09:00.",
            "Meeting on 2026-12-01 09:00, room 12",
            "Am 1.12.2026 um 9.30 Uhr zum Arzt",
            "The list has 3 items, 2.5 kg in all.",
            "notes/berlin.md is written",
            "report.pdf is ready",
            "Pay 1,250.00 EUR by Friday.",
            "完成。明天九点开会。",
            "笔记写好了。OK",
            "e.g. milk, i.e. a drink at 7 a.m.",
            "It took 2024-2026.",
            "2026-12-01T09:00: dentist",
            "call Anna at 10:30",
            "Version 1.2.3 is out",
        ] {
            assert!(!is_named_in(text), "{text}");
        }
    }
}
