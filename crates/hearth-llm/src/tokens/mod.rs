//! How many tokens a text or a request takes, before it is sent.
//!
//! Exact for OpenAI's models, close for Qwen's, an estimate for others that the first reported usage
//! sets right. Invariants: text in Chinese, Japanese or Korean is not counted too low (real counts in the
//! tests); an unchanged text is counted once. Left out: prices and windows (`catalogue`).

mod cache;
mod family;
mod vocabulary;

use cache::Cache;
use family::Family;
use hearth_protocol::{Arguments, Message, ModelRequest, Part};
use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// What a call or a result takes besides its texts.
const PER_CALL: u64 = 8;
/// Providers scale images down to about this much.
const PER_IMAGE: u64 = 1500;
/// A report about less than this says more about the wrapping than about the tokenizer.
const SMALLEST_LESSON: u64 = 30;
/// A report this near to the estimate teaches nothing: what a learned ratio changes is read anew.
const NEAR: f64 = 0.05;
/// No tokenizer is further away from the estimate; a report that says so is wrong.
const BOUNDS: (f64, f64) = (0.4, 3.0);

/// Counts for all models; shared by everyone, since it remembers.
#[derive(Debug, Default)]
pub struct Tokens {
    cache: Mutex<Cache>,
    ratios: Mutex<HashMap<String, f64>>,
}

impl Tokens {
    /// A counter that knows these ratios of reported to estimated tokens already.
    #[must_use]
    pub fn with_ratios(ratios: HashMap<String, f64>) -> Self {
        Self { cache: Mutex::default(), ratios: Mutex::new(ratios) }
    }

    /// The ratios learned so far, by model; worth keeping.
    #[must_use]
    pub fn ratios(&self) -> HashMap<String, f64> {
        lock(&self.ratios).clone()
    }

    /// Tokens of a text for a model.
    #[must_use]
    pub fn count(&self, model: &str, text: &str) -> u64 {
        self.corrected(model, self.raw(Family::of(model), text))
    }

    /// Tokens of a whole request: texts, wrapping, tools, images.
    #[must_use]
    pub fn count_request(&self, request: &ModelRequest) -> u64 {
        self.corrected(&request.model, self.raw_request(request))
    }

    /// Learns from the usage that a provider reported for a request. One report is enough; later ones
    /// move the ratio half-way.
    pub fn learn(&self, request: &ModelRequest, reported_input: u64) {
        let raw = self.raw_request(request);
        if Family::of(&request.model).is_exact() || raw.min(reported_input) < SMALLEST_LESSON {
            return;
        }
        #[expect(clippy::cast_precision_loss, reason = "token counts are small")]
        let seen = (reported_input as f64 / raw as f64).clamp(BOUNDS.0, BOUNDS.1);
        let mut ratios = lock(&self.ratios);
        if (seen - 1.0).abs() < NEAR && !ratios.contains_key(&request.model) {
            return;
        }
        ratios
            .entry(request.model.clone())
            .and_modify(|ratio| *ratio = f64::midpoint(*ratio, seen))
            .or_insert(seen);
    }

    fn corrected(&self, model: &str, raw: u64) -> u64 {
        let Some(&ratio) = lock(&self.ratios).get(model) else { return raw };
        #[expect(
            clippy::cast_precision_loss,
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "token counts are small and positive"
        )]
        let corrected = (raw as f64 * ratio).ceil() as u64;
        corrected
    }

    fn raw(&self, family: Family, text: &str) -> u64 {
        let known = lock(&self.cache).get(family, text);
        known.unwrap_or_else(|| {
            let count = family.count(text);
            lock(&self.cache).put(family, text, count);
            count
        })
    }

    fn raw_request(&self, request: &ModelRequest) -> u64 {
        let family = Family::of(&request.model);
        let wrapping = family.wrapping();
        let system: u64 = request.system.iter().map(|block| self.raw(family, &block.text)).sum();
        let messages: u64 =
            request.messages.iter().map(|message| self.raw_message(family, message)).sum();
        let tools: u64 = request
            .tools
            .iter()
            .map(|tool| {
                let texts = [&tool.name, &tool.description, &tool.schema.to_string()];
                wrapping.tool + texts.iter().map(|text| self.raw(family, text)).sum::<u64>()
            })
            .sum();
        let around_tools = if request.tools.is_empty() { 0 } else { wrapping.tools };
        system + messages + tools + around_tools + wrapping.request
    }

    fn raw_message(&self, family: Family, message: &Message) -> u64 {
        let part = |part: &Part| match part {
            // Thinking of earlier turns is dropped by most providers: counted, to be on the safe side.
            Part::Text { text } | Part::Reasoning { text, .. } => self.raw(family, text),
            Part::ToolCall(call) => {
                let arguments = match &call.arguments {
                    Arguments::Object(fields) => serde_json::to_string(fields).unwrap_or_default(),
                    Arguments::Malformed(raw) => raw.clone(),
                };
                PER_CALL + self.raw(family, &call.name) + self.raw(family, &arguments)
            }
            Part::ToolResult(result) => PER_CALL + self.raw(family, &result.text),
            Part::Image { .. } => PER_IMAGE,
        };
        family.wrapping().message + message.parts.iter().map(part).sum::<u64>()
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
