//! What servers of the same format refuse or demand, told from their address and the model's name.

use crate::fault::{host_of, is_loopback};
use hearth_protocol::Thinking;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

/// One server's habits in the chat format.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Dialect {
    /// OpenAI itself, or Azure: knows `max_completion_tokens`, refuses unknown fields.
    pub(crate) openai: bool,
    /// Refuses unknown fields, and ids that are not nine letters or digits.
    pub(crate) mistral: bool,
    pub(crate) openrouter: bool,
    pub(crate) loopback: bool,
    /// OpenAI's reasoning models refuse a temperature.
    pub(crate) reasoning_model: bool,
    /// Wants the thinking of the current turn back beside its calls.
    pub(crate) wants_thinking_back: bool,
}

impl Dialect {
    pub(crate) fn of(base_url: &str, model: &str) -> Self {
        let host = host_of(base_url);
        let at = |domain: &str| host == domain || host.ends_with(&format!(".{domain}"));
        let name = short_name(model);
        Self {
            openai: at("openai.com") || at("openai.azure.com"),
            mistral: at("mistral.ai"),
            openrouter: at("openrouter.ai"),
            loopback: is_loopback(base_url),
            reasoning_model: is_openai_reasoning(model),
            wants_thinking_back: ["deepseek", "kimi"].iter().any(|word| name.contains(word)),
        }
    }

    /// The fields that ask for this much thinking.
    pub(crate) fn thinking(
        &self,
        thinking: Thinking,
        model: &str,
    ) -> Option<(&'static str, Value)> {
        if thinking == Thinking::Default || self.mistral {
            return None;
        }
        if self.openai {
            return self
                .reasoning_model
                .then(|| ("reasoning_effort", json!(openai_effort(thinking, model))));
        }
        match (thinking, self.openrouter) {
            (Thinking::Off, true) => Some(("reasoning", json!({"enabled": false}))),
            (level, true) => Some(("reasoning", json!({"effort": effort_word(level)}))),
            // llama.cpp, vLLM and LM Studio hand it to the chat template.
            (Thinking::Off, false) if self.loopback => {
                Some(("chat_template_kwargs", json!({"enable_thinking": false})))
            }
            (Thinking::Off, false) => None,
            (level, false) => Some(("reasoning_effort", json!(effort_word(level)))),
        }
    }

    /// A call id in the form that this server takes.
    pub(crate) fn call_id(&self, id: &str) -> String {
        if !self.mistral || (id.len() == 9 && id.bytes().all(|b| b.is_ascii_alphanumeric())) {
            return id.to_owned();
        }
        const LETTERS: &[u8; 32] = b"abcdefghijkmnpqrstuvwxyz23456789";
        let digest = Sha256::digest(id.as_bytes());
        let letter = |byte: &u8| LETTERS.get(usize::from(byte % 32)).copied().map(char::from);
        digest.iter().take(9).filter_map(letter).collect()
    }
}

/// The effort word of OpenAI for this model.
pub(crate) fn openai_effort(thinking: Thinking, model: &str) -> &'static str {
    let name = short_name(model);
    match thinking {
        // gpt-5 itself stops at minimal, the o-series at low; later ones can do without.
        Thinking::Off if name.starts_with('o') => "low",
        Thinking::Off if name == "gpt-5" || name.starts_with("gpt-5-") => "minimal",
        Thinking::Off => "none",
        level => effort_word(level),
    }
}

fn effort_word(thinking: Thinking) -> &'static str {
    match thinking {
        Thinking::Low => "low",
        Thinking::High => "high",
        _ => "medium",
    }
}

/// OpenAI's models that think: the o-series and gpt-5 on.
pub(crate) fn is_openai_reasoning(model: &str) -> bool {
    let name = short_name(model);
    let o_series =
        name.strip_prefix('o').is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()));
    let chat_variant = name.contains("-chat");
    (o_series || name.starts_with("gpt-5") || name.starts_with("gpt-6")) && !chat_variant
}

/// Without a router's prefix, in small letters.
pub(crate) fn short_name(model: &str) -> String {
    model.rsplit('/').next().unwrap_or(model).to_ascii_lowercase()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mistral_ids_are_nine_letters_and_stable() {
        let mistral = Dialect::of("https://api.mistral.ai/v1", "mistral-large");
        let id = mistral.call_id("call_0192");
        assert!(id.len() == 9 && id == mistral.call_id("call_0192"));
        assert_ne!(id, mistral.call_id("call_0193"));
        assert_eq!(mistral.call_id("D681PevKs"), "D681PevKs");
        assert_eq!(Dialect::of("https://api.openai.com/v1", "x").call_id("call_1"), "call_1");
    }

    #[test]
    fn thinking_is_asked_for_as_each_server_takes_it() {
        let ask = |url, model, thinking| Dialect::of(url, model).thinking(thinking, model);
        let openai = "https://api.openai.com/v1";
        assert_eq!(ask(openai, "gpt-4o", Thinking::High), None);
        assert_eq!(ask(openai, "gpt-5-chat-latest", Thinking::High), None);
        let effort = |word: &str| Some(("reasoning_effort", json!(word)));
        assert_eq!(ask(openai, "gpt-5-mini", Thinking::Off), effort("minimal"));
        assert_eq!(ask(openai, "gpt-5.1", Thinking::Off), effort("none"));
        assert_eq!(ask(openai, "o3", Thinking::Off), effort("low"));
        assert_eq!(ask("https://api.x.ai/v1", "grok-4", Thinking::High), effort("high"));
        assert_eq!(ask("https://api.mistral.ai/v1", "magistral", Thinking::High), None);
        let local = ask("http://127.0.0.1:8080/v1", "qwen3", Thinking::Off);
        assert_eq!(local, Some(("chat_template_kwargs", json!({"enable_thinking": false}))));
        let router = ask("https://openrouter.ai/api/v1", "openai/gpt-5", Thinking::Off);
        assert_eq!(router, Some(("reasoning", json!({"enabled": false}))));
    }
}
