//! What can go wrong with a model file or a request to the model.

use std::path::PathBuf;

/// Why a model file was not loaded, or a reply not begun.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The file could not be opened or mapped.
    #[error("cannot open the model file {path}: {source}")]
    Open {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// The file does not begin with the letters `GGUF`.
    #[error("{path} is not a GGUF model file")]
    NotGguf {
        /// The file.
        path: PathBuf,
    },
    /// The header cannot be read, or contradicts itself.
    #[error("the model file is damaged: {0}")]
    Damaged(String),
    /// The file ends before its last tensor.
    #[error("the model file is incomplete: {has} of at least {needs} bytes")]
    Incomplete {
        /// Bytes there are.
        has: u64,
        /// Bytes the header promises.
        needs: u64,
    },
    /// A sound file of a model family this crate does not run.
    #[error("the model architecture `{0}` is not supported: only `qwen2` (Qwen2.5) is")]
    Architecture(String),
    /// A sound file with weights in a format this crate does not run.
    #[error("the tensor {tensor} has the weight format {format}, which is not supported")]
    Format {
        /// Name of the tensor.
        tensor: String,
        /// Its format.
        format: String,
    },
    /// The prompt leaves no room for a reply.
    #[error("the prompt has {tokens} tokens, but the context holds {context}")]
    PromptTooLong {
        /// Tokens of the prompt.
        tokens: usize,
        /// Tokens the context holds, one of which the reply needs.
        context: usize,
    },
    /// There is nothing to answer.
    #[error("the prompt is empty")]
    EmptyPrompt,
    /// A token that the model does not have.
    #[error("the prompt contains token {0}, which this model does not have")]
    UnknownToken(u32),
    /// The tokenizer in the file cannot be used.
    #[error("the tokenizer of the model file cannot be used: {0}")]
    Tokenizer(String),
    /// The threads could not be started.
    #[error("cannot start the model's threads: {0}")]
    Threads(#[from] rayon::ThreadPoolBuildError),
}
