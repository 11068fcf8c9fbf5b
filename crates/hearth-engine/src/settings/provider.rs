//! `[[providers]]`: one table each, checked field by field; a wrong field loses itself, not the table.

use super::keys::Kind;
use super::parse::{Source, json};
use hearth_protocol::api::models::{ModelEdit, ProviderEdit, ProviderKind};
use serde_json::Value;
use toml_edit::{Item, TableLike};

/// What a model may say of itself in numbers.
const MODEL_NUMBERS: [(&str, Kind); 3] =
    [("window", Kind::Count), ("input_usd", Kind::Amount), ("output_usd", Kind::Amount)];

/// Whether an id may name a provider: it becomes part of a model's name, a secret's and a variable's.
pub(crate) fn is_provider_id(id: &str) -> bool {
    !id.is_empty()
        && id.len() <= 64
        && id.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.'))
}

pub(super) fn read(
    table: &dyn TableLike,
    index: usize,
    source: &mut Source<'_>,
) -> Option<ProviderEdit> {
    let at = format!("providers[{index}]");
    for (name, item) in table.iter() {
        if !["id", "kind", "base_url", "models"].contains(&name) {
            source.problem(
                span(table, name, item),
                format!("{at}.{name}"),
                "is not a key of a provider",
            );
        }
    }
    let id = word(table, "id");
    let kind = word(table, "kind");
    // What is built in is always there: naming it is no mistake, and changes nothing.
    if (id.as_deref(), kind.as_deref()) == (Some("local"), Some("local")) {
        return None;
    }
    let Some(id) = id.filter(|id| is_provider_id(id) && id != "local") else {
        let place = table.get("id").and_then(Item::span);
        let place =
            place.or_else(|| table.iter().next().and_then(|(name, item)| span(table, name, item)));
        let why = "must be letters, digits, \"-\", \"_\" or \".\", and not \"local\" (that is the built-in \
                   one's); this provider is left out";
        source.problem(place, format!("{at}.id"), why);
        return None;
    };
    let kind = match kind.map(|text| serde_json::from_value(Value::String(text))) {
        None => ProviderKind::Openai,
        Some(Ok(ProviderKind::Local)) => {
            let why =
                "is the built-in models', whose id is \"local\" too; this provider is left out";
            source.problem(table.get("kind").and_then(Item::span), format!("{at}.kind"), why);
            return None;
        }
        Some(Ok(kind)) => kind,
        Some(Err(_)) => {
            let why = "must be \"openai\", \"openai-responses\", \"anthropic\", \"gemini\", \"ollama\" or \
                       \"local\"; this provider is left out";
            source.problem(table.get("kind").and_then(Item::span), format!("{at}.kind"), why);
            return None;
        }
    };
    let base_url = word(table, "base_url").unwrap_or_default();
    if !base_url.is_empty() && !base_url.starts_with("http://") && !base_url.starts_with("https://")
    {
        let why = "must begin with http:// or https://; this provider is left out";
        source.problem(table.get("base_url").and_then(Item::span), format!("{at}.base_url"), why);
        return None;
    }
    let models = table.get("models").map(|item| models(item, &at, source)).unwrap_or_default();
    Some(ProviderEdit { id, kind, base_url, models })
}

fn models(item: &Item, at: &str, source: &mut Source<'_>) -> Vec<ModelEdit> {
    let Value::Array(list) = json(item) else {
        source.problem(item.span(), format!("{at}.models"), "must be a list of tables with an id");
        return Vec::new();
    };
    let places = places(item);
    let mut models = Vec::new();
    for (index, value) in list.into_iter().enumerate() {
        let place = || places.get(index).cloned().flatten().or_else(|| item.span());
        // A bare name is what a person writes first; it is as good as a table with an id.
        let mut value = match value {
            Value::String(id) => serde_json::json!({ "id": id }),
            other => other,
        };
        for (name, kind) in MODEL_NUMBERS {
            let why = value.get(name).and_then(|number| kind.refuses(number));
            if let (Some(why), Some(table)) = (why, value.as_object_mut()) {
                let why = format!("{why}; it is taken as unknown");
                source.problem(place(), format!("{at}.models[{index}].{name}"), &why);
                table.remove(name);
            }
        }
        let names =
            value.as_object().map(|table| table.keys().cloned().collect()).unwrap_or_default();
        let names: Vec<String> = names;
        for name in names
            .iter()
            .filter(|n| !["id", "window", "input_usd", "output_usd"].contains(&n.as_str()))
        {
            source.problem(
                place(),
                format!("{at}.models[{index}].{name}"),
                "is not a key of a model",
            );
        }
        match serde_json::from_value::<ModelEdit>(value) {
            Ok(model) if !model.id.is_empty() => models.push(model),
            Ok(_) => {
                source.problem(place(), format!("{at}.models[{index}].id"), "must not be empty")
            }
            Err(_) => source.problem(
                place(),
                format!("{at}.models[{index}]"),
                "must be a table with an id; it is left out",
            ),
        }
    }
    models
}

/// Where the models of a list stand.
fn places(item: &Item) -> Vec<Option<std::ops::Range<usize>>> {
    match item {
        Item::Value(toml_edit::Value::Array(list)) => {
            list.iter().map(toml_edit::Value::span).collect()
        }
        Item::ArrayOfTables(list) => list.iter().map(toml_edit::Table::span).collect(),
        _ => Vec::new(),
    }
}

fn word(table: &dyn TableLike, name: &str) -> Option<String> {
    table.get(name).and_then(Item::as_str).map(str::to_owned)
}

fn span(table: &dyn TableLike, name: &str, item: &Item) -> Option<std::ops::Range<usize>> {
    table.key(name).and_then(toml_edit::Key::span).or_else(|| item.span())
}
