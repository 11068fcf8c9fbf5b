//! Masking secrets in text: known values however they are written, and what looks like a key.
//!
//! Invariants: a known secret never survives, whole or as base64, hexadecimal or percent-encoded text;
//! text without secrets is returned as it was. One place for logs, events, prompts, errors and crash
//! files.

use std::borrow::Cow;
use std::fmt;
use std::sync::{Arc, PoisonError, RwLock};

/// What stands where a secret stood.
pub const MASK: &str = "***";
/// Shorter values occur in ordinary text; masking them would spoil it and tell where they occur.
const SHORTEST: usize = 6;
/// Shorter runs of letters and digits are words; a key of a known form may be shorter.
const LONG_TOKEN: usize = 32;
/// Characters, a digit among them, that make a key beyond doubt after a beginning of [`PREFIXES`].
const SURE_KEY: usize = 16;

/// How keys of well-known services begin, and how many characters follow at least.
const PREFIXES: &[(&str, usize)] = &[
    ("sk-", 8),
    ("sk_", 8),
    ("pk_live_", 8),
    ("rk_live_", 8),
    ("AIza", 8),
    ("ya29.", 8),
    ("xox", 8),
    ("xapp-", 8),
    ("ghp_", 8),
    ("gho_", 8),
    ("ghu_", 8),
    ("ghs_", 8),
    ("github_pat_", 8),
    ("glpat-", 8),
    ("gsk_", 8),
    ("hf_", 8),
    ("npm_", 16),
    ("pypi-", 16),
    ("AKIA", 12),
    ("ASIA", 12),
    ("SG.", 16),
    ("dop_v1_", 16),
    ("shpat_", 16),
    ("Bearer ", 8),
    ("Basic ", 12),
    ("eyJ", 24),
];
/// So many characters in one are a line of a key.
const LINE: usize = 32;
/// So far from its first line a key has begun.
const NEAR: usize = 512;
/// The first line of a block is not longer.
const FIRST_LINE: usize = 64;
/// Around text that must go whole.
const BLOCKS: &[(&str, &str)] =
    &[("-----BEGIN", "KEY-----"), ("-----BEGIN PGP PRIVATE", "BLOCK-----")];

/// The secrets that are known, shared by all who write text. Cheap to clone.
#[derive(Clone, Default)]
pub struct Redactor {
    known: Arc<RwLock<Vec<String>>>,
}

impl fmt::Debug for Redactor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Redactor").finish_non_exhaustive()
    }
}

impl Redactor {
    /// From now on this value is masked, in every form in which programs write it.
    pub fn learn(&self, secret: &str) {
        let secret = secret.trim();
        if secret.len() < SHORTEST {
            return;
        }
        let mut known = self.known.write().unwrap_or_else(PoisonError::into_inner);
        for form in forms(secret) {
            if form.len() >= SHORTEST && !known.contains(&form) {
                known.push(form);
            }
        }
        // The longest first: a secret may be part of another.
        known.sort_by_key(|form| std::cmp::Reverse(form.len()));
    }

    /// Whether a text holds a known secret.
    #[must_use]
    pub fn finds(&self, text: &str) -> bool {
        let known = self.known.read().unwrap_or_else(PoisonError::into_inner);
        known.iter().any(|secret| text.contains(secret.as_str()))
    }

    /// The text with known secrets and what looks like a key masked.
    #[must_use]
    pub fn redact<'a>(&self, text: &'a str) -> Cow<'a, str> {
        match shapes(&self.values(text)) {
            Cow::Borrowed(_) => self.values(text),
            Cow::Owned(masked) => Cow::Owned(masked),
        }
    }

    /// The text with known secrets and keys of well-known services masked, and nothing that only looks
    /// random: for what a model reads and what people are shown, where a checksum must stay one.
    #[must_use]
    pub fn secrets<'a>(&self, text: &'a str) -> Cow<'a, str> {
        match self.values(text) {
            Cow::Borrowed(text) => keys(text),
            Cow::Owned(text) => Cow::Owned(keys(&text).into_owned()),
        }
    }

    /// The same for a text that comes in pieces.
    #[must_use]
    pub fn stream(&self) -> Pieces {
        Pieces { redactor: self.clone(), held: String::new() }
    }

    /// The text with known secrets masked, and nothing else: for what a person wrote themselves.
    #[must_use]
    pub fn values<'a>(&self, text: &'a str) -> Cow<'a, str> {
        let known = self.known.read().unwrap_or_else(PoisonError::into_inner);
        let mut text = Cow::Borrowed(text);
        for secret in known.iter() {
            if text.contains(secret.as_str()) {
                text = Cow::Owned(text.replace(secret.as_str(), MASK));
            }
        }
        text
    }
}

/// Masks a text that comes in pieces. What may be the beginning of a secret is held back until more is known.
#[derive(Debug)]
pub struct Pieces {
    redactor: Redactor,
    held: String,
}

impl Pieces {
    /// What can be shown with the next piece; may be empty.
    pub fn feed(&mut self, piece: &str) -> String {
        self.held.push_str(piece);
        let held = self.held.split_off(self.redactor.open_end(&self.held));
        let shown = std::mem::replace(&mut self.held, held);
        self.redactor.secrets(&shown).into_owned()
    }

    /// The rest.
    pub fn finish(&mut self) -> String {
        let rest = std::mem::take(&mut self.held);
        self.redactor.secrets(&rest).into_owned()
    }
}

impl Redactor {
    /// Where a text ends in what may be the beginning of a secret; its length where it does not.
    fn open_end(&self, text: &str) -> usize {
        let known = self.known.read().unwrap_or_else(PoisonError::into_inner);
        let mut from = open_key(text);
        let longest = known.first().map_or(0, String::len);
        let starts = text.len().saturating_sub(longest)..text.len();
        let begins = |at: &usize| {
            let tail = text.get(*at..).unwrap_or_default();
            !tail.is_empty()
                && known.iter().any(|form| form.len() > tail.len() && form.starts_with(tail))
        };
        if let Some(at) = starts.into_iter().find(begins) {
            from = from.min(at);
        }
        // What is whole is not cut in two.
        while let Some(at) = known.iter().find_map(|form| {
            let mut whole = text.match_indices(form.as_str()).map(|(at, _)| at);
            whole.find(|at| *at < from && at + form.len() > from)
        }) {
            from = at;
        }
        let mut blocks = text.match_indices("-----BEGIN").map(|(at, _)| at);
        let cut = |at: &usize| {
            *at < from && block(&text[*at..]).is_some_and(|(_, taken)| at + taken > from)
        };
        blocks.find(cut).unwrap_or(from)
    }
}

/// Where a key of a known form may be open at the end of a text.
fn open_key(text: &str) -> usize {
    let is_inside = |c: char| is_token(c) || "./+=".contains(c);
    let token = text
        .rfind(|c| !is_inside(c))
        .map_or(0, |at| at + text[at..].chars().next().map_or(1, char::len_utf8));
    let may_begin = |at: usize| {
        let tail = &text[at..];
        sure_prefixes().any(|(prefix, _)| tail.starts_with(prefix) || prefix.starts_with(tail))
    };
    let key = text[token..]
        .char_indices()
        .map(|(at, _)| token + at)
        .find(|at| !text[..*at].ends_with(char::is_alphanumeric) && may_begin(*at));
    let block = BLOCKS.iter().filter_map(|(begin, end)| {
        let at = text.rfind(begin)?;
        let rest = &text[at..];
        let Some(head) = rest.find(end).map(|found| found + end.len()) else {
            return (rest.len() < FIRST_LINE).then_some(at);
        };
        let is_open = !rest[head..].contains(end) && follows(&rest[head..]) != Some(false);
        (rest[..head].contains("PRIVATE") && is_open).then_some(at)
    });
    // Its first line in two pieces.
    let dashes = (0..BLOCKS[0].0.len()).rev().find(|n| text.ends_with(&BLOCKS[0].0[..*n]));
    let dashes = text.len() - dashes.unwrap_or(0);
    key.into_iter().chain(block).chain([dashes]).min().unwrap_or(text.len())
}

/// How a value may be written: itself, JSON, percent-encoded, hexadecimal, base64 at each of three places.
fn forms(secret: &str) -> Vec<String> {
    let json = serde_json::to_string(secret).unwrap_or_default();
    let percent: String = url::form_urlencoded::byte_serialize(secret.as_bytes()).collect();
    let hex: String = secret.bytes().map(|byte| format!("{byte:02x}")).collect();
    let mut forms = vec![secret.to_owned(), json.trim_matches('"').to_owned(), percent];
    forms.push(hex.to_uppercase());
    forms.push(hex);
    for shift in 0..3 {
        let plain = base64_inside(secret.as_bytes(), shift);
        forms.push(plain.replace('+', "-").replace('/', "_"));
        forms.push(plain);
    }
    forms
}

/// The part of a base64 text that depends on these bytes alone, where `shift` bytes stand before them.
fn base64_inside(bytes: &[u8], shift: usize) -> String {
    const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let padded: Vec<u8> = std::iter::repeat_n(0, shift).chain(bytes.iter().copied()).collect();
    // Only whole groups of three bytes, and no group that holds what stands before.
    let from = if shift == 0 { 0 } else { 3 };
    let mut text = String::new();
    for group in padded.get(from..).unwrap_or_default().chunks_exact(3) {
        let bits = u32::from(group[0]) << 16 | u32::from(group[1]) << 8 | u32::from(group[2]);
        for place in [18, 12, 6, 0] {
            text.push(char::from(LETTERS[(bits >> place & 63) as usize]));
        }
    }
    text
}

/// The text with keys of well-known services and private keys masked: what is one beyond doubt.
#[must_use]
pub fn keys(text: &str) -> Cow<'_, str> {
    let mut found: Vec<(usize, usize)> = Vec::new();
    for (prefix, least) in sure_prefixes() {
        for (at, _) in text.match_indices(prefix) {
            let begin = at + prefix.len();
            let body = &text[begin..];
            let body = &body[..body.find(|c| !is_token(c) && c != '.').unwrap_or(body.len())];
            let is_key = !text[..at].ends_with(char::is_alphanumeric)
                && body.len() >= SURE_KEY.max(*least)
                && body.split(['-', '_', '.']).any(is_random);
            if is_key {
                found.push((begin, begin + body.len()));
            }
        }
    }
    for (at, _) in text.match_indices("-----BEGIN") {
        if let Some((kept, taken)) = block(&text[at..]) {
            found.push((at + kept, at + taken));
        }
    }
    if found.is_empty() {
        return Cow::Borrowed(text);
    }
    found.sort_unstable();
    let (mut out, mut from) = (String::with_capacity(text.len()), 0);
    for (begin, end) in found {
        if begin >= from {
            out.push_str(&text[from..begin]);
            out.push_str(MASK);
        }
        from = from.max(end);
    }
    out.push_str(&text[from..]);
    Cow::Owned(out)
}

/// Whether a piece is no word of a file's name.
fn is_random(piece: &str) -> bool {
    piece.len() >= SURE_KEY && piece.contains(|c: char| c.is_ascii_digit())
}

/// Those after which no ordinary word comes.
fn sure_prefixes() -> impl Iterator<Item = &'static (&'static str, usize)> {
    PREFIXES.iter().filter(|(prefix, _)| !prefix.ends_with(' ') && *prefix != "eyJ")
}

/// The text with everything that looks like a key masked.
#[must_use]
pub fn shapes(text: &str) -> Cow<'_, str> {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    let mut after_letter = false;
    let mut changed = false;
    while let Some(first) = rest.chars().next() {
        let masked = if first == '-' { block(rest) } else { None };
        let masked = masked.or_else(|| if after_letter { None } else { prefixed(rest) });
        let masked =
            masked.or_else(|| password(rest, after_letter)).or_else(|| random(rest, after_letter));
        if let Some((kept, taken)) = masked {
            out.push_str(&rest[..kept]);
            out.push_str(MASK);
            rest = &rest[taken..];
            after_letter = false;
            changed = true;
            continue;
        }
        // A whole run at once: what begins inside a word is no key.
        let run = rest.find(|c| !is_token(c)).unwrap_or(rest.len());
        let step = if is_separator(first) || run == 0 { first.len_utf8() } else { word(rest, run) };
        out.push_str(&rest[..step]);
        after_letter = rest[..step].chars().next_back().is_some_and(char::is_alphanumeric);
        rest = &rest[step..];
    }
    if changed { Cow::Owned(out) } else { Cow::Borrowed(text) }
}

/// Up to the next `-` or `_`, after which a key may begin.
fn word(rest: &str, run: usize) -> usize {
    rest[..run].find(is_separator).unwrap_or(run)
}

fn is_separator(c: char) -> bool {
    matches!(c, '-' | '_')
}

/// What is masked at the start of a text: bytes kept, bytes taken.
type Masked = Option<(usize, usize)>;

fn prefixed(rest: &str) -> Masked {
    let (prefix, least) = PREFIXES.iter().find(|(prefix, _)| rest.starts_with(prefix))?;
    let body = &rest[prefix.len()..];
    let length = body.find(|c| !is_token(c) && !"./+=".contains(c)).unwrap_or(body.len());
    (length >= *least).then_some((prefix.len(), prefix.len() + length))
}

fn block(rest: &str) -> Masked {
    let (begin, end) = BLOCKS.iter().find(|(begin, _)| rest.starts_with(begin))?;
    let head = rest.find(end)? + end.len();
    if !rest[..head].contains("PRIVATE") || follows(&rest[head..]) == Some(false) {
        return None;
    }
    // Cut off in the middle, the rest is part of it.
    let tail = rest[head..].find(end).map_or(rest.len(), |at| head + at + end.len());
    Some((begin.len(), tail))
}

/// Whether a key comes after the first line of a block, whatever stands before its lines, or only talk about such
/// lines; none: it is not seen yet.
fn follows(rest: &str) -> Option<bool> {
    let end = rest.find("-----END");
    let near = rest.char_indices().nth(NEAR).map_or(rest.len(), |(at, _)| at);
    let body = rest[..end.unwrap_or(near)].replace("\\r", " ").replace("\\n", " ");
    let is_line = |c: char| c.is_ascii_alphanumeric() || "+/=".contains(c);
    if body.split(|c| !is_line(c)).any(|run| run.len() >= LINE) {
        return Some(true);
    }
    let words: Vec<&str> = body.split_whitespace().collect();
    let is_short = words.len() < 2 && words.iter().all(|word| word.chars().all(is_line));
    let partly =
        || words.len() == 2 && "-----END".starts_with(words[1]) && words[0].chars().all(is_line);
    let has_header = || ["Proc-Type", "DEK-Info"].iter().any(|name| body.contains(name));
    match end {
        Some(_) => Some(is_short),
        None if is_short || partly() || has_header() => None,
        None => Some(false),
    }
}

/// `password=…`, `"api_key": "…"`, `https://user:…@host`.
fn password(rest: &str, after_letter: bool) -> Masked {
    if let Some(after) = rest.strip_prefix("://") {
        let end = after
            .find(|c: char| c.is_whitespace() || "/?#\"'<>".contains(c))
            .unwrap_or(after.len());
        let (user, _) = after[..end].rsplit_once('@')?;
        let (name, secret) = user.split_once(':')?;
        let kept = 3 + name.len() + 1;
        return (!secret.is_empty() && secret != MASK).then_some((kept, kept + secret.len()));
    }
    if after_letter {
        return None;
    }
    const NAMES: &[&str] = &[
        "password",
        "passwd",
        "passphrase",
        "secret",
        "api_key",
        "apikey",
        "api-key",
        "access_token",
        "refresh_token",
        "client_secret",
        "private_key",
        "auth_token",
        "x-api-key",
    ];
    let name = NAMES.iter().find(|name| {
        rest.get(..name.len()).is_some_and(|start| start.eq_ignore_ascii_case(name))
    })?;
    let after = &rest[name.len()..];
    let between = after.find(|c: char| !" \"'\\=:".contains(c))?;
    if !after[..between].contains(['=', ':']) {
        return None;
    }
    let value = &after[between..];
    let length = value
        .find(|c: char| c.is_whitespace() || "\"'\\,;&<>{}()[]".contains(c))
        .unwrap_or(value.len());
    let kept = name.len() + between;
    (length >= SHORTEST && !value.starts_with(MASK)).then_some((kept, kept + length))
}

fn random(rest: &str, after_letter: bool) -> Masked {
    let length = rest.find(|c| !is_token(c)).unwrap_or(rest.len());
    let token = &rest[..length];
    (!after_letter && length >= LONG_TOKEN && looks_random(token)).then_some((0, length))
}

fn is_token(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '-' | '_')
}

/// Letters of both cases and digits mixed. Ids of ours are lower-case hexadecimal and stay readable.
fn looks_random(token: &str) -> bool {
    let has = |class: fn(&char) -> bool| token.chars().any(|c| class(&c));
    has(char::is_ascii_uppercase) && has(char::is_ascii_lowercase) && has(char::is_ascii_digit)
}
