//! Faults that the driver itself finds, in the words of provider faults.

use hearth_agent::prompt::PromptError;
use hearth_protocol::{Fault, FaultKind, Retry};

/// The conversation does not fit, or there is nothing to send.
pub(super) fn no_prompt(error: &PromptError) -> Fault {
    let (kind, hint) = match error {
        PromptError::Overflow { .. } => (
            FaultKind::ContextOverflow,
            "Shorten the message, start a new conversation with /new, or choose a model with a larger window.",
        ),
        PromptError::Unsendable(_) => (FaultKind::Rejected, "Send a message with some text."),
    };
    let message = sentence(&error.to_string());
    Fault { kind, message, hint: hint.to_owned(), retry: Retry::No, status: None }
}

/// No model is configured at all.
pub(super) fn nothing_to_ask() -> Fault {
    Fault {
        kind: FaultKind::ModelMissing,
        message: "No model is configured.".to_owned(),
        hint: "Set model.default in hearth.toml, for example to \"local/qwen\".".to_owned(),
        retry: Retry::No,
        status: None,
    }
}

/// Whether a fault says something of the model or its server, not of the request.
pub(super) fn is_the_models(kind: FaultKind) -> bool {
    !matches!(
        kind,
        FaultKind::ContextOverflow
            | FaultKind::Rejected
            | FaultKind::Cancelled
            | FaultKind::ModelFiles
    )
}

fn sentence(text: &str) -> String {
    let mut letters = text.chars();
    let first = letters.next().map(|c| c.to_uppercase().to_string()).unwrap_or_default();
    format!("{first}{}.", letters.as_str())
}
