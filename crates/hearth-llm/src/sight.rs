//! Which models cannot see pictures, by name.
//!
//! Invariant: only what is known to be blind is called so; of a model that nothing is known of, its provider
//! has the last word. Left out: what becomes of a picture that cannot be seen.

use crate::encode::short_name;

/// Beginnings of the names of models that read text only.
const BLIND: &[&str] = &[
    "gpt-3.5",
    "gpt-4-0613",
    "o1-mini",
    "o1-preview",
    "o3-mini",
    "gpt-oss",
    "deepseek",
    "kimi-k2-0",
    "kimi-k2-instruct",
    "kimi-k2-thinking",
    "glm-4",
    "qwen2.5",
    "qwen3",
    "qwen-max",
    "qwen-plus",
    "qwen-turbo",
    "qwq",
    "llama3.1",
    "llama3.3",
    "llama-3.1",
    "llama-3.3",
    "codestral",
];
/// Words in a name that say otherwise.
const SEEING: &[&str] = &["-vl", "vl-", "vision", "omni", "-ocr", "janus"];

/// Whether a model is known to read text only.
#[must_use]
pub fn is_blind(model: &str) -> bool {
    let name = short_name(model).to_ascii_lowercase();
    let sees = SEEING.iter().any(|word| name.contains(word))
        || name.starts_with("glm-4.5v")
        || name.starts_with("glm-4v");
    !sees && BLIND.iter().any(|start| name.starts_with(start))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_known_models_are_called_blind() {
        for name in [
            "gpt-3.5-turbo",
            "deepseek-chat",
            "qwen2.5:7b",
            "Qwen/Qwen3-8B",
            "o3-mini",
            "glm-4.5-air",
        ] {
            assert!(is_blind(name), "{name}");
        }
        for name in [
            "gpt-5-mini",
            "claude-sonnet-4-5",
            "gemini-2.5-flash",
            "qwen2.5-vl-7b",
            "qwen3-omni",
            "glm-4.5v",
            "nobody-knows",
        ] {
            assert!(!is_blind(name), "{name}");
        }
    }
}
