//! What memory is given from outside: past conversations, and a model that makes vectors.

use std::fmt;
use std::pin::Pin;
use std::time::Duration;

use hearth_embed::{EmbedError, Embedder, Kind};
use hearth_protocol::WireError;

/// An answer that is waited for.
pub type Waiting<'a, T> = Pin<Box<dyn Future<Output = Result<T, WireError>> + Send + 'a>>;

/// Past conversations, as the ledger keeps them. What is masked there is not given out.
pub trait Conversations: fmt::Debug + Send + Sync {
    /// All parts that may be recalled.
    fn parts(&self) -> Waiting<'_, Vec<ConversationPart>>;
    /// What was said in one of them, in order.
    fn turns(&self, part: ConversationPart) -> Waiting<'_, Vec<Spoken>>;
}

/// A stretch of a conversation that is read as one.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct ConversationPart {
    /// The session's key.
    pub session: String,
    /// Which part of it; a message stays in its part for good.
    pub number: i64,
    /// Changes whenever something in the part does.
    pub mark: String,
}

impl ConversationPart {
    /// Its name where files have their path.
    pub(crate) fn path(&self) -> String {
        format!("{CONVERSATION}{}#{}", self.session, self.number)
    }
}

/// Begins the name of a part; no file of a workspace is listed under it.
pub(crate) const CONVERSATION: &str = "conversation:";

/// Something that was said.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Spoken {
    /// The message's id.
    pub id: String,
    /// Its place in the conversation.
    pub position: i64,
    /// Said by the assistant, else by the person.
    pub by_assistant: bool,
    /// Local time, `YYYY-MM-DD HH:MM`.
    pub at: String,
    /// The words.
    pub text: String,
}

/// Makes vectors of texts. Calls block.
pub trait Encoder: fmt::Debug + Send + Sync {
    /// Names the weights: vectors of different names are never compared.
    ///
    /// # Errors
    /// When they cannot be read.
    fn name(&self) -> Result<String, EmbedError>;

    /// One vector of length one a text, in order.
    ///
    /// # Errors
    /// When the model cannot be loaded, or fails.
    fn embed(&self, kind: Kind, texts: &[&str]) -> Result<Vec<Vec<f32>>, EmbedError>;

    /// Lets go of what is loaded if it was not used for so long; says whether it did.
    fn release_idle(&self, after: Duration) -> bool;
}

impl Encoder for Embedder {
    fn name(&self) -> Result<String, EmbedError> {
        Self::name(self)
    }

    fn embed(&self, kind: Kind, texts: &[&str]) -> Result<Vec<Vec<f32>>, EmbedError> {
        Self::embed(self, kind, texts)
    }

    fn release_idle(&self, after: Duration) -> bool {
        Self::release_idle(self, after)
    }
}
