//! The one thing that deciding needs to know about tokenizers.

/// Counts tokens as one model does. Called with the same texts again and again: a caching counter
/// makes assembly fast.
pub trait TokenCounter: Send + Sync {
    /// Tokens of a text.
    fn count(&self, text: &str) -> u64;

    /// Whether this is the model's own tokenizer and no estimate.
    fn exact(&self) -> bool;
}
