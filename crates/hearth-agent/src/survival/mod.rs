//! What must outlive a window, a crash and a night: the write-ahead state and the working buffer, as texts.
//!
//! * [`state`]: SESSION-STATE.md, the facts of the six signals, written before the reply starts.
//! * [`buffer`]: memory/working-buffer.md, the exchanges from 60 % of the window on.
//! * [`recovery`]: what to read and say after a compaction, a crash or "continue".
//! * [`sections`]: files with one section a session key.
//!
//! Invariants: another session's section, and what people wrote into these files, stays byte for byte; a
//! section never grows past its bound; what leaves a section is still in the conversation itself.
//! Absent here: finding signals (`signals`), reading and writing files, the clock.

pub mod buffer;
pub mod recovery;
pub mod sections;
pub mod state;
mod words;

/// Share of the window from which on exchanges go to the working buffer.
pub const BUFFER_FROM: f64 = 0.60;
/// Where the write-ahead state stands in the workspace.
pub const STATE_PATH: &str = "SESSION-STATE.md";
/// Where the working buffer stands in the workspace.
pub const BUFFER_PATH: &str = "memory/working-buffer.md";
