//! Which tools a turn has, and which of them a request carries.

use super::{Begin, own};
use crate::catalogue::Model;
use crate::engine::Inner;
use crate::guard;
use hearth_agent::prompt::{Section, Slot};
use hearth_agent::toolbox::{self, Boxed, Shared, WINDOW_PERCENT};
use hearth_protocol::{Message, ToolSpec};
use hearth_tools::Group;
use std::sync::Arc;

/// Tokens of tools for a model with a small window.
const SMALL_TOKENS: u64 = 300;
/// The tools of the built-in model, which reads too slowly for more: to look into a file and to write things
/// down.
const BUILT_IN: [&str; 3] = ["read_file", "write_file", "memory_append"];

/// All tools of a turn; none begun: of the person's next one.
pub(crate) fn all_tools(engine: &Inner, begin: Option<&Begin>) -> Arc<[Boxed]> {
    let parent = begin.and_then(|begin| begin.parent.as_ref());
    let policy = guard::policy(engine);
    let given = engine.tools.all();
    let given = given
        .iter()
        .map(|tool| tool.descriptor())
        .filter(|descriptor| policy.offers(&descriptor.name, guard::class(descriptor)));
    let given = given.map(|descriptor| Boxed {
        spec: descriptor.spec(),
        outside: descriptor.group == Group::Mcp,
    });
    let skills = engine.skillset.latest().is_some_and(|known| known.has_loadable());
    let own =
        own::specs(parent.is_some(), skills).into_iter().map(|spec| Boxed { spec, outside: false });
    let allowed = |tool: &Boxed| parent.is_none_or(|parent| parent.tools.contains(&tool.spec.name));
    given.chain(own).filter(allowed).collect()
}

/// What the machine checks calls against: all tools, so that one that is only named can be called too.
pub(super) fn specs(tools: &[Boxed]) -> Arc<[ToolSpec]> {
    tools.iter().map(|tool| tool.spec.clone()).chain([own::loader()]).collect()
}

/// The tools that a model is offered, and a section that names the rest.
pub(crate) fn for_model(
    tools: &[Boxed],
    model: &Model,
    history: &[Message],
) -> (Arc<[ToolSpec]>, Option<Section>) {
    if model.built_in {
        let few = tools.iter().filter(|tool| BUILT_IN.contains(&tool.spec.name.as_str()));
        return (few.map(|tool| tool.spec.clone()).collect(), None);
    }
    let counter = model.token_counter();
    let share = model.window * WINDOW_PERCENT / 100;
    let tokens = if model.is_small() { share.min(SMALL_TOKENS) } else { share };
    let loaded = toolbox::loaded(history);
    let Shared { offered, index } =
        toolbox::share(tools, &own::loader(), &loaded, tokens, &*counter);
    let section = (!index.is_empty()).then(|| section(&index, model.is_small()));
    (offered.into(), section)
}

fn section(index: &[String], small: bool) -> Section {
    let name = |line: &String| line.split(':').next().unwrap_or_default().to_owned();
    let text = match small {
        true => format!(
            "More tools, to be loaded with {}: {}.",
            toolbox::TOOL_LOAD,
            index.iter().map(name).collect::<Vec<_>>().join(", ")
        ),
        false => format!(
            "More tools; load one with {} before you call it:\n{}",
            toolbox::TOOL_LOAD,
            index.join("\n")
        ),
    };
    Section {
        slot: Slot::ToolIndex,
        source: "Hearth".to_owned(),
        raw_chars: text.chars().count() as u64,
        text: Some(text.into()),
        truncated: false,
        reason: format!("{} tools that are loaded on demand", index.len()),
    }
}
