//! What the gates of skills look at: this machine's programs, variables and settings.

use crate::engine::Inner;
use crate::settings::Settings;
use hearth_workspace::skills::{Machine, Programs};
use std::collections::BTreeSet;
use toml_edit::{DocumentMut, Item};

/// Secrets of skills stand under this name.
pub(crate) const SECRETS: &str = "skills/";

/// The machine as it is now; `before`: the programs as of the last look.
pub(super) async fn machine(
    engine: &Inner,
    settings: &Settings,
    before: Option<Programs>,
) -> (Machine, Programs) {
    let path = std::env::var_os("PATH");
    let looked = tokio::task::spawn_blocking(move || Programs::look(path, before.as_ref()));
    let variables = std::env::vars_os().filter_map(|(name, _)| name.into_string().ok());
    let variables: Vec<String> = variables.collect();
    // Secrets that cannot be looked up are not there for skills either.
    let names = engine.secrets.names().await.unwrap_or_default();
    let own = names.iter().filter_map(|name| name.strip_prefix(SECRETS)).map(str::to_owned);
    let folded = |names: &[String]| names.iter().map(|name| name.to_lowercase()).collect();
    let programs = looked.await.unwrap_or_default();
    let machine = Machine {
        os: std::env::consts::OS.to_owned(),
        programs: programs.names(),
        variables: variables.into_iter().chain(own).collect(),
        config: set_keys(&std::fs::read_to_string(engine.home.settings()).unwrap_or_default()),
        disabled: folded(&settings.skills_disabled),
        allowed: match settings.skills_enabled.is_empty() {
            true => None,
            false => Some(folded(&settings.skills_enabled)),
        },
    };
    (machine, programs)
}

/// Keys that are set to something, `table.key`.
fn set_keys(toml: &str) -> BTreeSet<String> {
    let mut keys = BTreeSet::new();
    if let Ok(file) = toml.parse::<DocumentMut>() {
        for (key, item) in file.iter() {
            gather(key, item, &mut keys);
        }
    }
    keys
}

fn gather(path: &str, item: &Item, keys: &mut BTreeSet<String>) {
    if let Some(table) = item.as_table_like() {
        for (key, inner) in table.iter() {
            gather(&format!("{path}.{key}"), inner, keys);
        }
    }
    let is_off = item.as_bool() == Some(false) || item.as_str() == Some("");
    if !is_off {
        keys.insert(path.to_owned());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_count_where_they_are_set_to_something() {
        let toml =
            "[notes]\nenabled = true\nsync = false\nfolder = \"\"\n[notes.web]\nurl = \"x\"\n";
        let keys: Vec<String> = set_keys(toml).into_iter().collect();
        assert_eq!(keys, ["notes", "notes.enabled", "notes.web", "notes.web.url"]);
        assert!(set_keys("not toml").is_empty());
    }
}
