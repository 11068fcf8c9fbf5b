//! The file on disk: read once, read again when it changed, written through a temporary file.

use super::{SettingError, Settings, edit, parse};
use hearth_protocol::api::mcp::McpEdit;
use hearth_protocol::api::models::ProviderEdit;
use serde_json::Value;
use std::io::{Error, ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::SystemTime;

/// `hearth.toml` of one home.
#[derive(Debug)]
pub struct SettingsFile {
    path: PathBuf,
    state: Mutex<State>,
}

#[derive(Debug)]
struct State {
    /// Time and length of the file as it was read; a change of either reads it again.
    stamp: Option<(SystemTime, u64)>,
    settings: Arc<Settings>,
}

impl SettingsFile {
    /// Reads the file; a missing one means the defaults.
    ///
    /// # Errors
    /// When it exists and cannot be read.
    pub fn open(path: PathBuf) -> Result<Self, SettingError> {
        let stamp = stamp(&path);
        let settings = Arc::new(parse(&read(&path)?));
        Ok(Self { path, state: Mutex::new(State { stamp, settings }) })
    }

    /// The settings as last read. A turn takes them once, at its start.
    pub fn current(&self) -> Arc<Settings> {
        Arc::clone(&self.lock().settings)
    }

    /// Reads the file again if it changed; says whether the settings did.
    pub fn refresh(&self) -> bool {
        let mut state = self.lock();
        let now = stamp(&self.path);
        if now == state.stamp {
            return false;
        }
        // A file that cannot be read just now (an editor is at it) is looked at again next time.
        let Ok(text) = read(&self.path) else { return false };
        let settings = parse(&text);
        let changed = edit::differs(&state.settings, &settings);
        *state = State { stamp: now, settings: Arc::new(settings) };
        changed
    }

    /// Sets one dotted key; null removes it.
    ///
    /// # Errors
    /// When the key is unknown, the value does not fit, the file is no TOML or cannot be written.
    pub fn set(&self, path: &str, value: &Value) -> Result<(), SettingError> {
        self.change(|text| edit::with_key(text, path, value).map(Some)).map(drop)
    }

    /// Adds or changes a provider.
    ///
    /// # Errors
    /// As for [`Self::set`].
    pub fn save_provider(&self, provider: &ProviderEdit) -> Result<(), SettingError> {
        self.change(|text| edit::with_provider(text, provider).map(Some)).map(drop)
    }

    /// Removes a provider; says whether it was there.
    ///
    /// # Errors
    /// As for [`Self::set`].
    pub fn remove_provider(&self, id: &str) -> Result<bool, SettingError> {
        self.change(|text| edit::without_provider(text, id))
    }

    /// Adds or changes an MCP server.
    ///
    /// # Errors
    /// As for [`Self::set`].
    pub fn save_server(&self, server: &McpEdit) -> Result<(), SettingError> {
        self.change(|text| edit::with_server(text, server).map(Some)).map(drop)
    }

    /// Removes an MCP server; says whether it was there.
    ///
    /// # Errors
    /// As for [`Self::set`].
    pub fn remove_server(&self, id: &str) -> Result<bool, SettingError> {
        self.change(|text| edit::without_server(text, id))
    }

    fn change(
        &self,
        edit: impl FnOnce(&str) -> Result<Option<String>, SettingError>,
    ) -> Result<bool, SettingError> {
        let mut state = self.lock();
        let Some(text) = edit(&read(&self.path)?)? else { return Ok(false) };
        write(&self.path, &text).map_err(|source| SettingError::Io {
            path: shown(&self.path),
            verb: "written",
            source,
        })?;
        *state = State { stamp: stamp(&self.path), settings: Arc::new(parse(&text)) };
        Ok(true)
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// More is no settings file, and would take long to be understood line by line.
const MAX_BYTES: u64 = 256 * 1024;

fn read(path: &Path) -> Result<String, SettingError> {
    match bytes(path) {
        // Bytes that are no UTF-8 spoil their own line only.
        Ok(bytes) => Ok(String::from_utf8_lossy(&bytes).trim_start_matches('\u{feff}').to_owned()),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(String::new()),
        Err(source) => Err(SettingError::Io { path: shown(path), verb: "read", source }),
    }
}

/// A pipe or a device must not be waited for.
fn bytes(path: &Path) -> std::io::Result<Vec<u8>> {
    let meta = std::fs::metadata(path)?;
    if !meta.is_file() {
        return Err(Error::other("it is no regular file"));
    }
    if meta.len() > MAX_BYTES {
        return Err(Error::other(format!(
            "it has {} bytes, at most {MAX_BYTES} are read",
            meta.len()
        )));
    }
    std::fs::read(path)
}

fn write(path: &Path, text: &str) -> std::io::Result<()> {
    let mut file = atomic_write_file::AtomicWriteFile::open(path)?;
    file.write_all(text.as_bytes())?;
    file.commit()
}

fn stamp(path: &Path) -> Option<(SystemTime, u64)> {
    let meta = std::fs::metadata(path).ok()?;
    Some((meta.modified().ok()?, meta.len()))
}

fn shown(path: &Path) -> String {
    path.display().to_string()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn what_is_no_settings_file_is_refused_at_once() {
        let home = tempfile::tempdir().expect("folder");
        let path = home.path().join("hearth.toml");
        std::fs::create_dir(&path).expect("makes");
        let said =
            |path: &Path| SettingsFile::open(path.to_owned()).expect_err("refused").to_string();
        assert!(said(&path).contains("no regular file"), "{}", said(&path));
        std::fs::remove_dir(&path).expect("removes");
        std::fs::write(&path, "#".repeat(300_000)).expect("writes");
        assert!(said(&path).contains("300000 bytes"), "{}", said(&path));
    }

    #[test]
    fn a_change_from_outside_counts_after_refresh() {
        let home = tempfile::tempdir().expect("folder");
        let path = home.path().join("hearth.toml");
        let file = SettingsFile::open(path.clone()).expect("opens");
        assert!(!file.refresh());
        std::fs::write(&path, "[ui]\ntheme = \"dark\"\n").expect("writes");
        assert!(file.refresh());
        assert_eq!(file.current().ui.theme, "dark");
        file.set("ui.theme", &json!("light")).expect("sets");
        assert_eq!(file.current().ui.theme, "light");
        assert!(!file.refresh());
        assert_eq!(std::fs::read_to_string(&path).expect("reads"), "[ui]\ntheme = \"light\"\n");
    }
}
