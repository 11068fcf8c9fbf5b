//! Changing one key of the text, everything else byte for byte as it was.

use super::{Settings, keys, mcp, parse};
use hearth_protocol::api::mcp::McpEdit;
use hearth_protocol::api::models::ProviderEdit;
use serde_json::Value;
use thiserror::Error;
use toml_edit::{Array, ArrayOfTables, DocumentMut, InlineTable, Item, Table};

/// Why a key was not changed.
#[derive(Debug, Error)]
pub enum SettingError {
    /// No such key.
    #[error("{0} is not a key of hearth.toml")]
    Unknown(String),
    /// The value does not fit.
    #[error("{key} {why}")]
    Value {
        /// The key.
        key: String,
        /// What it must be.
        why: String,
    },
    /// The file is no TOML: an edit would lose what the person wrote.
    #[error("hearth.toml has a line that is no valid TOML (line {line}): {message}")]
    Broken {
        /// The line, from 1.
        line: u32,
        /// What is wrong with it.
        message: String,
    },
    /// Reading or writing failed.
    #[error("{path} cannot be {verb}: {source}")]
    Io {
        /// The file.
        path: String,
        /// `read` or `written`.
        verb: &'static str,
        /// Why.
        source: std::io::Error,
    },
}

/// The text with one key set; null removes the key.
pub(super) fn with_key(text: &str, path: &str, value: &Value) -> Result<String, SettingError> {
    let key = keys::find(path).ok_or_else(|| SettingError::Unknown(path.to_owned()))?;
    if !value.is_null()
        && let Some(why) = key.kind.refuses(value)
    {
        return Err(SettingError::Value { key: path.to_owned(), why });
    }
    let mut document = document(text)?;
    let (section, name) = path.split_once('.').unwrap_or(("", path));
    let table = section_table(&mut document, section, path)?;
    if value.is_null() {
        table.remove(name);
        return Ok(document.to_string());
    }
    put(table, name, item_of(value));
    Ok(document.to_string())
}

/// The text with a provider added or changed.
pub(super) fn with_provider(text: &str, provider: &ProviderEdit) -> Result<String, SettingError> {
    let mut document = document(text)?;
    let list = list_of_tables(&mut document, "providers")?;
    let place =
        list.iter().position(|table| table.get("id").and_then(Item::as_str) == Some(&provider.id));
    if place.is_none() {
        list.push(Table::new());
    }
    let index = place.unwrap_or(list.len() - 1);
    let Some(table) = list.get_mut(index) else { return Ok(document.to_string()) };
    put(table, "id", toml_edit::value(provider.id.clone()));
    let kind = serde_json::to_value(provider.kind).unwrap_or_default();
    put(table, "kind", item_of(&kind));
    put(table, "base_url", toml_edit::value(provider.base_url.clone()));
    let mut models = Array::new();
    for model in &provider.models {
        let mut row = InlineTable::new();
        row.insert("id", model.id.clone().into());
        if model.window > 0 {
            row.insert("window", i64::try_from(model.window).unwrap_or(i64::MAX).into());
        }
        if model.input_usd > 0.0 {
            row.insert("input_usd", model.input_usd.into());
        }
        if model.output_usd > 0.0 {
            row.insert("output_usd", model.output_usd.into());
        }
        models.push(row);
    }
    put(table, "models", toml_edit::value(models));
    Ok(document.to_string())
}

/// The text without a provider; none where it is not there.
pub(super) fn without_provider(text: &str, id: &str) -> Result<Option<String>, SettingError> {
    without(text, "providers", id)
}

fn without(text: &str, name: &str, id: &str) -> Result<Option<String>, SettingError> {
    let mut document = document(text)?;
    let list = list_of_tables(&mut document, name)?;
    let Some(place) =
        list.iter().position(|table| table.get("id").and_then(Item::as_str) == Some(id))
    else {
        return Ok(None);
    };
    list.remove(place);
    Ok(Some(document.to_string()))
}

/// The text with an MCP server added or changed.
pub(super) fn with_server(text: &str, server: &McpEdit) -> Result<String, SettingError> {
    let mut document = document(text)?;
    let list = list_of_tables(&mut document, "mcp")?;
    let place =
        list.iter().position(|table| table.get("id").and_then(Item::as_str) == Some(&server.id));
    if place.is_none() {
        list.push(Table::new());
    }
    let index = place.unwrap_or(list.len() - 1);
    if let Some(table) = list.get_mut(index) {
        mcp::fill(table, server);
    }
    Ok(document.to_string())
}

/// The text without an MCP server; none where it is not there.
pub(super) fn without_server(text: &str, id: &str) -> Result<Option<String>, SettingError> {
    without(text, "mcp", id)
}

fn document(text: &str) -> Result<DocumentMut, SettingError> {
    text.parse::<DocumentMut>().map_err(|error| {
        let first = parse(text).problems.into_iter().next();
        let (line, message) =
            first.map_or_else(|| (1, error.message().to_owned()), |p| (p.line, p.message));
        SettingError::Broken { line, message }
    })
}

fn section_table<'a>(
    document: &'a mut DocumentMut,
    section: &str,
    path: &str,
) -> Result<&'a mut dyn toml_edit::TableLike, SettingError> {
    let item = document.entry(section).or_insert_with(toml_edit::table);
    let wrong = || SettingError::Value {
        key: path.to_owned(),
        why: format!("needs [{section}] to be a table"),
    };
    item.as_table_like_mut().ok_or_else(wrong)
}

fn list_of_tables<'a>(
    document: &'a mut DocumentMut,
    name: &str,
) -> Result<&'a mut ArrayOfTables, SettingError> {
    let item = document.entry(name).or_insert_with(|| Item::ArrayOfTables(ArrayOfTables::new()));
    if let Item::Value(toml_edit::Value::Array(list)) = item {
        let tables = list.iter().filter_map(|value| value.as_inline_table().cloned());
        *item = Item::ArrayOfTables(tables.map(InlineTable::into_table).collect());
    }
    let why = format!("must be [[{name}]] tables");
    item.as_array_of_tables_mut().ok_or(SettingError::Value { key: name.to_owned(), why })
}

/// Sets a value and keeps the blanks and comments that stood around the old one.
pub(super) fn put(table: &mut dyn toml_edit::TableLike, name: &str, mut item: Item) {
    if let (Some(new), Some(old)) = (item.as_value_mut(), table.get(name).and_then(Item::as_value))
    {
        *new.decor_mut() = old.decor().clone();
    }
    match table.get_mut(name) {
        Some(place) => *place = item,
        None => drop(table.insert(name, item)),
    }
}

fn item_of(value: &Value) -> Item {
    match value {
        Value::Bool(flag) => toml_edit::value(*flag),
        Value::Number(number) => match number.as_i64() {
            Some(whole) => toml_edit::value(whole),
            None => toml_edit::value(number.as_f64().unwrap_or_default()),
        },
        Value::Array(list) => {
            let texts = list.iter().filter_map(Value::as_str);
            toml_edit::value(texts.collect::<Array>())
        }
        other => toml_edit::value(other.as_str().unwrap_or_default()),
    }
}

/// Whether two readings would make a listener do anything.
pub(super) fn differs(before: &Settings, after: &Settings) -> bool {
    before != after
}

#[cfg(test)]
mod tests {
    use super::*;
    use hearth_protocol::api::models::{ModelEdit, ProviderKind};
    use serde_json::json;

    const TEXT: &str = "# mine\n[budget]\ndaily_usd = 2.0   # enough\n\n# look\n[ui]\ntheme = \"light\" # bright\n";

    #[test]
    fn comments_and_order_stay() {
        let after = with_key(TEXT, "budget.daily_usd", &json!(3.5)).expect("sets");
        assert_eq!(after, TEXT.replace("2.0", "3.5"));
        let after = with_key(TEXT, "ui.theme", &json!("dark")).expect("sets");
        assert_eq!(after, TEXT.replace("\"light\"", "\"dark\""));
    }

    #[test]
    fn a_new_key_makes_its_section_and_null_removes() {
        let after = with_key("", "model.default", &json!("work/m")).expect("sets");
        assert_eq!(parse(&after).model_default, "work/m");
        let gone = with_key(&after, "model.default", &Value::Null).expect("removes");
        assert_eq!(parse(&gone), Settings::default());
    }

    #[test]
    fn a_wrong_value_or_key_changes_nothing() {
        let error = with_key(TEXT, "ui.theme", &json!("pink")).expect_err("refuses");
        assert_eq!(error.to_string(), "ui.theme must be one of \"system\", \"light\", \"dark\"");
        assert!(matches!(with_key(TEXT, "ui.colour", &json!(1)), Err(SettingError::Unknown(_))));
        let broken = with_key("[ui]\ntheme = \n", "ui.theme", &json!("dark"));
        assert!(matches!(broken, Err(SettingError::Broken { line: 2, .. })));
    }

    #[test]
    fn a_provider_is_added_changed_and_removed() {
        let mut provider = ProviderEdit {
            id: "work".into(),
            kind: ProviderKind::Anthropic,
            base_url: String::new(),
            models: vec![ModelEdit {
                id: "m".into(),
                window: 1000,
                input_usd: 1.5,
                output_usd: 0.0,
            }],
        };
        let added = with_provider(TEXT, &provider).expect("adds");
        assert!(added.starts_with(TEXT.trim_end()));
        assert_eq!(parse(&added).providers, [provider.clone()]);
        provider.base_url = "https://example.test".into();
        let changed = with_provider(&added, &provider).expect("changes");
        assert_eq!(parse(&changed).providers, [provider]);
        let removed = without_provider(&changed, "work").expect("removes").expect("was there");
        assert_eq!(parse(&removed).providers, []);
        assert!(without_provider(&removed, "work").expect("reads").is_none());
    }
}
