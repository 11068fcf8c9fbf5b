//! The words that every part of Hearth shares: ids, messages, events, and the request and response of
//! each command. The TypeScript bindings in `ui/src/bindings` are generated from these types.
//!
//! Invariants: plain data only, serialised in snake_case, field names stable (scripts depend on them).
//! Absent here: behaviour, IO, and anything only one crate needs.

pub mod api;
mod arguments;
mod context;
mod error;
mod event;
mod ids;
mod message;
mod model;
mod origin;

pub use context::{ContextManifest, ManifestSection, PromptMode};
pub use error::{ErrorCode, WireError};
pub use event::{
    ApprovalState, Event, EventBody, MemoryEventKind, ProviderState, Purpose, SkillState,
    StopReason, SubagentState, Usage,
};
pub use ids::{CallId, InvalidSessionKey, MessageId, RevisionId, SessionKey, TurnId};
pub use message::{Arguments, Message, Part, Role, ToolCall, ToolResult, ToolSpec};
pub use model::{
    Fault, FaultKind, Finish, ModelDelta, ModelReply, ModelRequest, Retry, SystemBlock, Thinking,
    TokenUsage,
};
pub use origin::{Attachment, MsgContext, Origin, Provenance};
