//! Which tools a turn has, and which of them a request carries.

use super::asked::Asked;
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
const MEMORY: &str = "memory_append";
/// To look into a file and to write things down: what a model with a small window is offered first, and all that
/// the built-in one is, which reads too slowly for more.
/// In few words: what a tool can do besides leads a small model astray.
const FIRST: [(&str, &str); 3] = [
    ("read_file", "Read a text file of the workspace."),
    ("write_file", "Create a file or replace its whole text."),
    (
        MEMORY,
        "Remember one fact for good: one short sentence, clear by itself. Never passwords or keys.",
    ),
];

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
    // Always the same: it reads them before it is asked.
    if model.built_in {
        return (first(tools).collect(), None);
    }
    if model.is_small() {
        return (few(tools, model, history), None);
    }
    let counter = model.token_counter();
    let tokens = model.window * WINDOW_PERCENT / 100;
    let loaded = toolbox::loaded(history);
    let Shared { offered, index } =
        toolbox::share(tools, &own::loader(), &loaded, tokens, &*counter);
    let section = (!index.is_empty()).then(|| section(&index));
    (offered.into(), section)
}

/// The tools of a model with a small window: those that come first, and what the conversation asks for as far as
/// there is room.
fn few(tools: &[Boxed], model: &Model, history: &[Message]) -> Arc<[ToolSpec]> {
    let (counter, asked) = (model.token_counter(), Asked::of(history));
    let first = first(tools).filter(|spec| spec.name != MEMORY || asked.wants_memory());
    let wanted = tools.iter().filter(|tool| !is_first(tool) && asked.wants(tool));
    let mut left = SMALL_TOKENS;
    let fits = |spec: &ToolSpec| {
        let price = counter.count(&toolbox::line_of(spec));
        let fits = price <= left;
        left -= if fits { price } else { 0 };
        fits
    };
    first.chain(wanted.map(|tool| tool.spec.clone())).filter(fits).collect()
}

/// Those that come first, in short.
fn first(tools: &[Boxed]) -> impl Iterator<Item = ToolSpec> {
    let short = |tool: &Boxed| {
        let (_, description) = FIRST.iter().find(|(name, _)| *name == tool.spec.name)?;
        let description = (*description).to_owned();
        Some(ToolSpec { description, ..toolbox::concise(&tool.spec) })
    };
    tools.iter().filter_map(short)
}

fn is_first(tool: &Boxed) -> bool {
    FIRST.iter().any(|(name, _)| *name == tool.spec.name)
}

fn section(index: &[String]) -> Section {
    let text = format!(
        "More tools; load one with {} before you call it:\n{}",
        toolbox::TOOL_LOAD,
        index.join("\n")
    );
    Section {
        slot: Slot::ToolIndex,
        source: "Hearth".to_owned(),
        raw_chars: text.chars().count() as u64,
        text: Some(text.into()),
        truncated: false,
        reason: format!("{} tools that are loaded on demand", index.len()),
    }
}
