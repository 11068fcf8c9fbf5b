//! The driver: performs the effects of the turn machine, one turn a driver.
//!
//! Invariants: the effects of one input are performed in order before the next input is given; everything
//! that is shown is stored; what was shown of a stream is saved at least once a second; a cancel is acted on
//! at once. Absent here: what to do next (`hearth_agent::machine`).

mod aside;
mod asked;
mod audited;
mod batch;
mod call;
mod compacting;
mod consent;
mod faults;
mod money;
mod observing;
mod own;
mod policy;
mod prompt;
mod recovering;
mod shrinking;
mod spawn;
mod summing;
mod tool;
mod toolset;
pub(crate) mod trial;
mod turn;

pub(crate) use aside::Aside;
pub(crate) use money::over as over_budget;
pub(crate) use own::is as is_own;
pub(crate) use prompt::{Occasioned, next_call, request};
pub(crate) use toolset::{all_tools, for_model};
pub(crate) use turn::{Asker, Begin, Drive, Parent, Word};

use hearth_agent::machine::Input;
use hearth_protocol::{EventBody, ModelDelta};

/// What a model call or a tool tells the driver while it works.
#[derive(Debug)]
pub(crate) enum Told {
    /// A piece of the reply.
    Delta(ModelDelta),
    /// An event that is not the machine's: usage, provider, notice.
    Event(EventBody),
    /// The model in charge now.
    Model(String),
    /// Early messages left the window.
    Compacted(Box<hearth_store::Compaction>),
    /// How full the window is with this call, from 0 to 1.
    Fill(f64),
    /// The person answered whether a call may run.
    Answered(Box<consent::Answered>),
    /// The work is done, or failed.
    Input(Box<Input>),
}
