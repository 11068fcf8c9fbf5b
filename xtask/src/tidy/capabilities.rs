//! Each command of the shell is allowed to some window by name, and each name that a capability allows
//! is a command: what a window may call is written down, never implied.

use std::collections::BTreeSet;

use crate::tree::TextFile;

const ATTRIBUTE: &str = "#[tauri::command";

/// All problems of commands and capabilities.
pub(crate) fn check(files: &[TextFile]) -> Vec<String> {
    let shell =
        files.iter().filter(|file| file.path.starts_with("src-tauri/src/") && file.kind() == "rs");
    let commands: BTreeSet<String> = shell.flat_map(|file| commands(&file.text)).collect();
    let rights = files.iter().filter(|file| file.path.starts_with("src-tauri/capabilities/"));
    let allowed: BTreeSet<String> = rights.flat_map(|file| allowed(&file.text)).collect();
    let unlisted = commands
        .difference(&allowed)
        .map(|name| format!("command {name}: no capability allows it"));
    let unknown = allowed
        .difference(&commands)
        .map(|name| format!("capability allow-{name}: no such command"));
    unlisted.chain(unknown).collect()
}

/// The names of commands, in the form capabilities use.
fn commands(source: &str) -> Vec<String> {
    source
        .split(ATTRIBUTE)
        .skip(1)
        .filter_map(|rest| rest.split_once("fn ")?.1.split(['(', '<']).next())
        .map(|name| name.trim().replace('_', "-"))
        .collect()
}

/// Our own commands that a capability file allows; plugins' rights have a colon.
fn allowed(capability: &str) -> Vec<String> {
    let quoted = capability.split('"').skip(1).step_by(2);
    quoted.filter_map(|text| text.strip_prefix("allow-")).map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(path: &str, text: &str) -> TextFile {
        TextFile { path: path.to_owned(), text: text.to_owned() }
    }

    #[test]
    fn commands_and_rights_must_match() {
        let source = "#[tauri::command]\npub(crate) async fn chat_submit(x: u8) {}\n#[tauri::command(async)]\nfn chat_stop() {}\n";
        let rights = r#"{ "permissions": ["core:default", "allow-chat-submit", "allow-gone"] }"#;
        let files = [
            file("src-tauri/src/commands/chat.rs", source),
            file("src-tauri/capabilities/main.json", rights),
        ];
        assert_eq!(
            check(&files),
            [
                "command chat-stop: no capability allows it",
                "capability allow-gone: no such command"
            ]
        );
    }
}
