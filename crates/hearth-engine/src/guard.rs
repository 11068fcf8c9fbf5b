//! The guard in the engine: the policy of the settings in force, and what class a tool is of.

use crate::engine::Inner;
use hearth_guard::{Class, Places, Policy};
use hearth_tools::{Access, Descriptor, Group};

/// The policy of the settings as last read.
pub(crate) fn policy(engine: &Inner) -> Policy {
    let places = Places {
        workspace: engine.workspace.folder().to_owned(),
        home: engine.home.root().to_owned(),
        person: directories::BaseDirs::new().map(|dirs| dirs.home_dir().to_owned()),
    };
    Policy::new(&engine.settings.current().guard, places)
}

/// What a tool does to the world: the most that its descriptor says.
pub(crate) fn class(descriptor: &Descriptor) -> Class {
    let may = |access| descriptor.may(access);
    match () {
        () if descriptor.group == Group::Mcp => Class::ThirdParty,
        () if may(Access::RunsCommands) => Class::Run,
        () if may(Access::Sends) => Class::Send,
        () if may(Access::Schedules) => Class::Schedule,
        () if may(Access::Spawns) => Class::Delegate,
        () if may(Access::WritesMemory) => Class::Remember,
        () if may(Access::WritesWorkspace) || may(Access::WritesOutside) => Class::Write,
        () if may(Access::ReachesNetwork) => match Class::of_tool(&descriptor.name) {
            Class::Search => Class::Search,
            _ => Class::Fetch,
        },
        () if may(Access::Notifies) => Class::Notify,
        () if may(Access::Asks) => Class::Converse,
        () => Class::Read,
    }
}
