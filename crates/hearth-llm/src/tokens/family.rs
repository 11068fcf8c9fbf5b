//! Which tokenizer a model has, as near as we come to it.
//!
//! Qwen's vocabulary grew out of cl100k: Latin text and code are cut alike, every digit is a token of
//! its own, and other scripts were added. So each script is counted by the tokenizer that treats it most
//! alike, scaled by what was measured (tests hold the real counts).

use super::vocabulary::{CL100K, O200K};
use crate::encode::short_name;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Family {
    /// Exact.
    O200k,
    /// Exact.
    Cl100k,
    /// Qwen, and others with a like vocabulary.
    Qwen,
    /// Anthropic's is not public; it cuts finer than the others.
    Claude,
    /// Anybody else.
    Other,
}

/// Tokens besides those of the texts.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Wrapping {
    /// Of a request: around the system prompt, and before the reply.
    pub(crate) request: u64,
    /// Of each message.
    pub(crate) message: u64,
    /// Before and after all tools.
    pub(crate) tools: u64,
    /// Of each tool.
    pub(crate) tool: u64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Script {
    Latin,
    Digit,
    HanKana,
    Hangul,
    Symbol,
    Foreign,
}

impl Family {
    pub(crate) fn of(model: &str) -> Self {
        let name = short_name(model);
        let has = |words: &[&str]| words.iter().any(|word| name.contains(word));
        let starts = |words: &[&str]| words.iter().any(|word| name.starts_with(word));
        if has(&["qwen", "qwq", "deepseek", "glm", "kimi", "minimax", "yi-"]) {
            return Self::Qwen;
        }
        if has(&["claude"]) {
            return Self::Claude;
        }
        if starts(&["gpt-4o", "chatgpt", "gpt-4.1", "gpt-4.5", "gpt-5", "gpt-6", "gpt-oss"])
            || starts(&["o1", "o3", "o4"])
        {
            return Self::O200k;
        }
        if starts(&["gpt-4", "gpt-3.5"]) { Self::Cl100k } else { Self::Other }
    }

    /// What stands around the texts of a request. Where an open model's template may write it, as Qwen's does:
    /// measured with llama.cpp.
    pub(crate) fn wrapping(self) -> Wrapping {
        match self {
            Self::Qwen | Self::Other => Wrapping { request: 8, message: 5, tools: 77, tool: 30 },
            Self::O200k | Self::Cl100k | Self::Claude => {
                Wrapping { request: 4, message: 4, tools: 0, tool: 8 }
            }
        }
    }

    /// Its counts need no correction.
    pub(crate) fn is_exact(self) -> bool {
        matches!(self, Self::O200k | Self::Cl100k)
    }

    pub(crate) fn count(self, text: &str) -> u64 {
        match self {
            Self::O200k => o200k(text),
            Self::Cl100k => cl100k(text),
            _ => {
                let runs = Runs { rest: text };
                let sum: f64 = runs.map(|(script, run)| self.run(script, run)).sum();
                #[expect(
                    clippy::cast_possible_truncation,
                    clippy::cast_sign_loss,
                    reason = "small"
                )]
                let count = sum.ceil() as u64;
                count
            }
        }
    }

    #[expect(clippy::cast_precision_loss, reason = "token counts are small")]
    fn run(self, script: Script, run: &str) -> f64 {
        let old = || cl100k(run) as f64;
        let new = || o200k(run) as f64;
        match (self, script) {
            (Self::Qwen, Script::Digit) => run.len() as f64,
            (Self::Qwen, Script::Latin) => old(),
            (Self::Qwen, Script::HanKana) => new() * 0.84,
            (Self::Qwen, Script::Hangul) => new() * 1.14,
            (Self::Qwen, Script::Symbol) => old() * 0.86,
            (Self::Qwen, Script::Foreign) => new() * 1.24,
            (Self::Claude, _) => old() * 1.1,
            (_, Script::HanKana) => new() * 1.1,
            (_, _) => new(),
        }
    }
}

fn o200k(text: &str) -> u64 {
    O200K.count_ordinary(text) as u64
}

fn cl100k(text: &str) -> u64 {
    CL100K.count_ordinary(text) as u64
}

/// Runs of one script; white space belongs to the run that follows it, as tokenizers join them.
struct Runs<'a> {
    rest: &'a str,
}

impl<'a> Iterator for Runs<'a> {
    type Item = (Script, &'a str);

    fn next(&mut self) -> Option<Self::Item> {
        let mut script = None;
        let mut end = 0;
        for (at, c) in self.rest.char_indices() {
            match (script, script_of(c)) {
                (Some(Script::Digit), None) => break,
                (_, None) => {}
                // No tokenizer joins white space with digits.
                (None, Some(Script::Digit)) if at > 0 => {
                    (script, end) = (Some(Script::Latin), at);
                    break;
                }
                (Some(old), Some(new)) if old != new => break,
                (_, new) => (script, end) = (new, at + c.len_utf8()),
            }
        }
        if script.is_none() {
            end = self.rest.len();
        }
        let (run, rest) = self.rest.split_at(end);
        self.rest = rest;
        (!run.is_empty()).then(|| (script.unwrap_or(Script::Latin), run))
    }
}

/// None for white space.
fn script_of(c: char) -> Option<Script> {
    if c.is_ascii_digit() {
        return Some(Script::Digit);
    }
    if c.is_ascii() {
        return (!c.is_ascii_whitespace()).then_some(Script::Latin);
    }
    Some(match u32::from(c) {
        0x0080..=0x02FF | 0x1E00..=0x1EFF | 0x2000..=0x206F if !matches!(c, '\u{200D}') => {
            Script::Latin
        }
        0x1100..=0x11FF | 0xAC00..=0xD7FF => Script::Hangul,
        0x2E80..=0x9FFF | 0xF900..=0xFAFF | 0xFF00..=0xFFEF | 0x20000..=0x3FFFF => Script::HanKana,
        0x200D | 0x20A0..=0x2BFF | 0xFE00..=0xFE0F | 0x1F000..=0x1FFFF => Script::Symbol,
        _ => Script::Foreign,
    })
}
