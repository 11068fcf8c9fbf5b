//! The files of a new workspace, embedded in the binary from the repository's `workspace/`
//! (English) and `workspace/zh-CN/` (Chinese).
//!
//! Invariants: what exists is never touched; BOOTSTRAP.md only comes with a workspace that was
//! never lived in.

use crate::error::{Result, WorkspaceError};
use crate::{PersonaFile, WorkspaceRoot};
use hearth_protocol::api::files::Author;

/// Language of the templates.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Language {
    /// English, also where nothing better is there.
    English,
    /// Chinese.
    Chinese,
}

impl Language {
    /// The language of the person's system.
    #[must_use]
    pub fn of_system() -> Self {
        sys_locale::get_locale().map_or(Self::English, |locale| Self::of_locale(&locale))
    }

    /// The language of a locale such as `zh-CN` or `zh_CN.UTF-8`.
    #[must_use]
    pub fn of_locale(locale: &str) -> Self {
        let language = locale.split(['-', '_', '.', '@']).next().unwrap_or_default();
        if language.eq_ignore_ascii_case("zh") { Self::Chinese } else { Self::English }
    }
}

macro_rules! embedded {
    ($name:literal) => {
        (
            include_str!(concat!("../../../workspace/", $name)),
            include_str!(concat!("../../../workspace/zh-CN/", $name)),
        )
    };
}

/// The template of a persona file, if there is one. Also what the Persona page offers to start from.
#[must_use]
pub fn template(file: PersonaFile, language: Language) -> Option<&'static str> {
    let (english, chinese) = match file {
        PersonaFile::Agents => embedded!("AGENTS.md"),
        PersonaFile::Soul => embedded!("SOUL.md"),
        PersonaFile::Identity => embedded!("IDENTITY.md"),
        PersonaFile::User => embedded!("USER.md"),
        PersonaFile::Tools => embedded!("TOOLS.md"),
        PersonaFile::Bootstrap => embedded!("BOOTSTRAP.md"),
        PersonaFile::Memory => embedded!("MEMORY.md"),
        PersonaFile::Heartbeat => embedded!("HEARTBEAT.md"),
        PersonaFile::SessionState => return None,
    };
    Some(match language {
        Language::English => english,
        Language::Chinese => chinese,
    })
}

impl WorkspaceRoot {
    /// Puts the templates where nothing is, and returns the paths it created. For the first start
    /// in a workspace: a template that the person removed later is theirs to miss.
    ///
    /// # Errors
    /// If a file cannot be created. What was created before stays.
    pub fn seed(&self, language: Language) -> Result<Vec<String>> {
        let is_new = self.is_new()?;
        let mut created = Vec::new();
        // The ritual first: once it is there, the workspace is not new, and a start that was cut
        // short here is completed by the next one.
        let (ritual, others): (Vec<_>, Vec<_>) =
            PersonaFile::ALL.into_iter().partition(|file| *file == PersonaFile::Bootstrap);
        let files = ritual.into_iter().filter(|_| is_new).chain(others);
        for file in files {
            let Some(text) = template(file, language) else { continue };
            if self.create(file.path(), text.as_bytes(), &Author::Template.into())? {
                created.push(file.path().to_owned());
            }
        }
        let memory = self.dir()?.create_dir_all("memory");
        memory.map_err(|e| WorkspaceError::writing("memory", e))?;
        Ok(created)
    }
}
