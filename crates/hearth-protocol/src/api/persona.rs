//! Trying a persona: a question answered as if a text that is not saved were the file.

use crate::Usage;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// A question for a text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct PersonaTry {
    /// A persona file, by its path within the workspace.
    pub path: String,
    /// What is laid over the file for this one answer.
    pub text: String,
    /// What is asked.
    pub question: String,
}

/// What was answered. Nothing of it is kept but what it cost.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct PersonaTried {
    /// Markdown.
    pub reply: String,
    /// The model, its tokens and what they cost.
    pub usage: Usage,
}
