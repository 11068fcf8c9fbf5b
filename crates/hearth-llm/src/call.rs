//! One model call as the engine makes it, whatever answers: a server, the built-in model, a double.
//!
//! Left out: retries and fallbacks; they are the caller's, with the rules of `retry`.

use async_trait::async_trait;
use hearth_protocol::{Fault, ModelDelta, ModelReply, ModelRequest};
use tokio_util::sync::CancellationToken;

/// Takes the deltas of a reply, in order, as they arrive.
pub type Sink<'a> = &'a mut (dyn FnMut(ModelDelta) + Send);

/// A failed call, with what had come before.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[error("{fault}")]
pub struct CallError {
    /// What went wrong.
    pub fault: Fault,
    /// The reply so far; never complete, its calls never run.
    pub partial: Box<ModelReply>,
}

impl CallError {
    /// A failure before anything came.
    #[must_use]
    pub fn early(fault: Fault) -> Self {
        Self { fault, partial: Box::default() }
    }
}

/// Something that answers requests.
#[async_trait]
pub trait ChatModel: Send + Sync {
    /// Asks once and streams the reply into `sink`.
    ///
    /// Text that came before a failure has gone to the sink and stands in the error's `partial`.
    ///
    /// # Errors
    /// [`CallError`] with the fault: the request was refused, failed, cut or cancelled.
    async fn call(
        &self,
        request: &ModelRequest,
        sink: Sink<'_>,
        cancel: &CancellationToken,
    ) -> Result<ModelReply, CallError>;
}
