//! What is known of common models by name: window and price.
//!
//! A convenience only: what the person writes into `hearth.toml` always wins, prices change, and a model
//! that is not here gets a careful window and no price. Left out: which models a provider offers
//! (`RemoteModel::list_models`).

use crate::encode::short_name;
use crate::fault::is_loopback;
use hearth_protocol::TokenUsage;
use hearth_protocol::api::models::ProviderKind;

/// When the vendors' lists were last written down here.
pub const AS_OF: &str = "2025-12";

/// Window of a model that nothing is known of.
pub const UNKNOWN_WINDOW: u64 = 32_768;

/// One model's limits and prices.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Known {
    /// Window in tokens.
    pub window: u64,
    /// US dollars per million prompt tokens.
    pub input_usd: f64,
    /// US dollars per million prompt tokens read from the provider's cache.
    pub cached_usd: f64,
    /// US dollars per million tokens written.
    pub output_usd: f64,
    /// The price is known; else it is given as zero.
    pub priced: bool,
}

impl Known {
    /// US dollars of a call.
    #[must_use]
    #[expect(clippy::cast_precision_loss, reason = "token counts are small")]
    pub fn cost(&self, usage: &TokenUsage) -> f64 {
        let fresh = usage.input.saturating_sub(usage.cached) as f64;
        let cached = usage.cached.min(usage.input) as f64;
        let written = usage.output as f64;
        (fresh * self.input_usd + cached * self.cached_usd + written * self.output_usd) / 1e6
    }
}

/// What is known of a model behind a provider. On this machine it costs nothing.
#[must_use]
pub fn of_model(kind: ProviderKind, base_url: &str, model: &str) -> Known {
    let known = lookup(model);
    let free = matches!(kind, ProviderKind::Local | ProviderKind::Ollama) || is_loopback(base_url);
    match known {
        Some(known) if free => {
            Known { input_usd: 0.0, cached_usd: 0.0, output_usd: 0.0, priced: true, ..known }
        }
        Some(known) => known,
        None => Known {
            window: UNKNOWN_WINDOW,
            input_usd: 0.0,
            cached_usd: 0.0,
            output_usd: 0.0,
            priced: free,
        },
    }
}

/// By the longest beginning of the name that the table holds.
fn lookup(model: &str) -> Option<Known> {
    let name = short_name(model);
    let rows = TABLE.iter().filter(|row| name.starts_with(row.0));
    let &(_, window, input_usd, output_usd, cached_share) = rows.max_by_key(|row| row.0.len())?;
    Some(Known {
        window,
        input_usd,
        cached_usd: input_usd * cached_share,
        output_usd,
        // Open weights cost what their host asks.
        priced: output_usd > 0.0,
    })
}

/// Beginning of the name, window, dollars in, dollars out, share of the price for cached tokens.
type Row = (&'static str, u64, f64, f64, f64);

const TABLE: &[Row] = &[
    ("gpt-5", 400_000, 1.25, 10.0, 0.1),
    ("gpt-5-mini", 400_000, 0.25, 2.0, 0.1),
    ("gpt-5-nano", 400_000, 0.05, 0.4, 0.1),
    ("gpt-5-pro", 400_000, 15.0, 120.0, 1.0),
    ("gpt-5-chat", 128_000, 1.25, 10.0, 0.1),
    ("gpt-4.1", 1_047_576, 2.0, 8.0, 0.25),
    ("gpt-4.1-mini", 1_047_576, 0.4, 1.6, 0.25),
    ("gpt-4.1-nano", 1_047_576, 0.1, 0.4, 0.25),
    ("gpt-4o", 128_000, 2.5, 10.0, 0.5),
    ("gpt-4o-mini", 128_000, 0.15, 0.6, 0.5),
    ("gpt-4-turbo", 128_000, 10.0, 30.0, 1.0),
    ("gpt-4", 8192, 30.0, 60.0, 1.0),
    ("gpt-3.5-turbo", 16_385, 0.5, 1.5, 1.0),
    ("gpt-oss", 131_072, 0.0, 0.0, 1.0),
    ("o1", 200_000, 15.0, 60.0, 0.5),
    ("o1-mini", 128_000, 1.1, 4.4, 0.5),
    ("o3", 200_000, 2.0, 8.0, 0.25),
    ("o3-mini", 200_000, 1.1, 4.4, 0.5),
    ("o3-pro", 200_000, 20.0, 80.0, 1.0),
    ("o4-mini", 200_000, 1.1, 4.4, 0.25),
    ("claude-opus-4", 200_000, 15.0, 75.0, 0.1),
    ("claude-opus-4-5", 200_000, 5.0, 25.0, 0.1),
    ("claude-opus-4-6", 200_000, 5.0, 25.0, 0.1),
    ("claude-sonnet-4", 200_000, 3.0, 15.0, 0.1),
    ("claude-haiku-4", 200_000, 1.0, 5.0, 0.1),
    ("claude-3-7-sonnet", 200_000, 3.0, 15.0, 0.1),
    ("claude-3-5-sonnet", 200_000, 3.0, 15.0, 0.1),
    ("claude-3-5-haiku", 200_000, 0.8, 4.0, 0.1),
    ("claude-3-opus", 200_000, 15.0, 75.0, 0.1),
    ("claude-3-haiku", 200_000, 0.25, 1.25, 0.1),
    ("gemini-3-pro", 1_048_576, 2.0, 12.0, 0.1),
    ("gemini-3-flash", 1_048_576, 0.5, 3.0, 0.1),
    ("gemini-2.5-pro", 1_048_576, 1.25, 10.0, 0.1),
    ("gemini-2.5-flash", 1_048_576, 0.3, 2.5, 0.1),
    ("gemini-2.5-flash-lite", 1_048_576, 0.1, 0.4, 0.1),
    ("gemini-2.0-flash", 1_048_576, 0.1, 0.4, 0.25),
    ("deepseek-chat", 128_000, 0.28, 0.42, 0.1),
    ("deepseek-reasoner", 128_000, 0.28, 0.42, 0.1),
    ("deepseek", 128_000, 0.0, 0.0, 1.0),
    ("qwen3-max", 262_144, 1.2, 6.0, 0.2),
    ("qwen-max", 32_768, 1.6, 6.4, 1.0),
    ("qwen-plus", 131_072, 0.4, 1.2, 0.2),
    ("qwen-turbo", 131_072, 0.05, 0.2, 1.0),
    ("qwen3", 40_960, 0.0, 0.0, 1.0),
    ("qwen2.5", 32_768, 0.0, 0.0, 1.0),
    ("mistral-large", 131_072, 2.0, 6.0, 1.0),
    ("mistral-medium", 131_072, 0.4, 2.0, 1.0),
    ("mistral-small", 131_072, 0.1, 0.3, 1.0),
    ("codestral", 262_144, 0.3, 0.9, 1.0),
    ("ministral", 131_072, 0.1, 0.1, 1.0),
    ("grok-4", 256_000, 3.0, 15.0, 0.25),
    ("grok-4-fast", 2_000_000, 0.2, 0.5, 0.25),
    ("grok-3", 131_072, 3.0, 15.0, 0.25),
    ("grok-3-mini", 131_072, 0.3, 0.5, 0.25),
    ("kimi-k2", 262_144, 0.6, 2.5, 0.25),
    ("glm-4.6", 200_000, 0.6, 2.2, 0.2),
    ("glm-4.5", 131_072, 0.6, 2.2, 0.2),
    ("minimax-m2", 204_800, 0.3, 1.2, 0.1),
    ("llama-3", 131_072, 0.0, 0.0, 1.0),
    ("llama3", 131_072, 0.0, 0.0, 1.0),
    ("gemma-3", 131_072, 0.0, 0.0, 1.0),
    ("gemma3", 131_072, 0.0, 0.0, 1.0),
    ("phi-4", 16_384, 0.0, 0.0, 1.0),
    ("phi4", 16_384, 0.0, 0.0, 1.0),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_found_by_their_longest_beginning() {
        let window = |model| lookup(model).map(|known| (known.window, known.output_usd));
        assert_eq!(window("gpt-4o-mini-2024-07-18"), Some((128_000, 0.6)));
        assert_eq!(window("anthropic/claude-opus-4-5-20251101"), Some((200_000, 25.0)));
        assert_eq!(window("claude-opus-4-20250514"), Some((200_000, 75.0)));
        assert_eq!(window("models/gemini-2.5-flash-lite"), Some((1_048_576, 0.4)));
        assert_eq!(window("Qwen/Qwen2.5-7B-Instruct"), Some((32_768, 0.0)));
        assert_eq!(window("somebody-else"), None);
    }

    #[test]
    fn costs_count_the_cache_and_this_machine_is_free() {
        let url = "https://api.openai.com/v1";
        let usage = TokenUsage { input: 1_000_000, cached: 400_000, output: 100_000 };
        let paid = of_model(ProviderKind::Openai, url, "gpt-4o");
        assert!((paid.cost(&usage) - (1.5 + 0.5 + 1.0)).abs() < 1e-9);
        let local = of_model(ProviderKind::Openai, "http://localhost:8080/v1", "gpt-4o");
        assert_eq!((local.cost(&usage), local.window, local.priced), (0.0, 128_000, true));
        let unknown = of_model(ProviderKind::Openai, url, "mystery");
        assert_eq!((unknown.window, unknown.priced), (UNKNOWN_WINDOW, false));
        let open = of_model(ProviderKind::Openai, url, "llama-3.3-70b");
        assert_eq!((open.window, open.priced), (131_072, false));
    }
}
