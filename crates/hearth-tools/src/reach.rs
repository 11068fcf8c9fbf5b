//! How far tools may reach, as the settings say at this moment.

use crate::outputs::{Outputs, PREFIX};
use hearth_workspace::WorkspaceRoot;
use std::fmt;
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

/// What the person allowed besides the workspace.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reach {
    /// Folders outside the workspace that may be read and changed.
    pub roots: Vec<PathBuf>,
    /// Domains that may be fetched from; empty: any public one.
    pub domains: Vec<String>,
    /// Bytes of a file or page at most.
    pub max_bytes: u64,
    /// Whether commands may reach the network.
    pub command_network: bool,
}

impl Default for Reach {
    fn default() -> Self {
        Self {
            roots: Vec::new(),
            domains: Vec::new(),
            max_bytes: 10_000_000,
            command_network: false,
        }
    }
}

/// Where tools work. Cheap to clone.
#[derive(Clone)]
pub struct Surroundings {
    /// The workspace.
    pub workspace: Arc<WorkspaceRoot>,
    /// Where whole outputs are kept.
    pub outputs: Outputs,
    reach: Arc<dyn Fn() -> Reach + Send + Sync>,
}

impl fmt::Debug for Surroundings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Surroundings").field("workspace", &self.workspace).finish_non_exhaustive()
    }
}

impl Surroundings {
    /// A workspace, a folder for outputs, and the settings, asked at each call.
    pub fn new(
        workspace: Arc<WorkspaceRoot>,
        outputs: Outputs,
        reach: impl Fn() -> Reach + Send + Sync + 'static,
    ) -> Self {
        Self { workspace, outputs, reach: Arc::new(reach) }
    }

    /// How far tools may reach now.
    #[must_use]
    pub fn reach(&self) -> Reach {
        (self.reach)()
    }

    /// Where a path leads.
    pub(crate) fn place(&self, path: &str) -> Result<Place, String> {
        if let Some(name) = path.strip_prefix(PREFIX) {
            let found = self.outputs.find(name);
            return found
                .map(|(path, untrusted)| Place::Output { path, untrusted })
                .ok_or_else(|| format!("There is no output {name}."));
        }
        let asked = at_home(Path::new(path));
        if !asked.is_absolute() {
            return Ok(Place::Workspace(path.to_owned()));
        }
        if asked.components().any(|part| part == Component::ParentDir) {
            return Err(format!("{path} is not a usable path: it climbs with \"..\"."));
        }
        let real = real(&asked).ok_or_else(|| outside(path))?;
        if let Ok(rest) = real.strip_prefix(self.workspace.folder()) {
            let parts: Option<Vec<_>> = rest.components().map(|c| c.as_os_str().to_str()).collect();
            let inside = parts.ok_or_else(|| outside(path))?.join("/");
            return Ok(Place::Workspace(if inside.is_empty() { ".".to_owned() } else { inside }));
        }
        let roots = self.roots();
        let found = roots.into_iter().find_map(|root| {
            let rest = real.strip_prefix(&root).ok()?.to_path_buf();
            Some(Place::Outside { root, rest })
        });
        found.ok_or_else(|| outside(path))
    }

    /// The allowed folders that exist, links resolved.
    pub(crate) fn roots(&self) -> Vec<PathBuf> {
        let roots = self.reach().roots;
        roots
            .iter()
            .filter_map(|root| at_home(root).canonicalize().ok())
            .filter(|r| r.is_dir())
            .collect()
    }

    /// A folder to work in: of the workspace, or an absolute one that is allowed.
    pub(crate) fn folder(&self, path: &str) -> Result<PathBuf, String> {
        let workspace = self.workspace.folder();
        let asked = workspace.join(at_home(Path::new(path)));
        let real =
            asked.canonicalize().map_err(|error| format!("{path} is no folder here: {error}"))?;
        if !real.is_dir() {
            return Err(format!("{path} is no folder."));
        }
        let roots = self.roots();
        let mut allowed = std::iter::once(workspace).chain(roots.iter().map(PathBuf::as_path));
        if allowed.any(|root| real.starts_with(root)) { Ok(real) } else { Err(outside(path)) }
    }
}

/// Where a path leads.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Place {
    /// Into the workspace, which checks the path itself.
    Workspace(String),
    /// Into an allowed folder; `rest` is empty for the folder itself.
    Outside { root: PathBuf, rest: PathBuf },
    /// To a kept output; others may have written it.
    Output { path: PathBuf, untrusted: bool },
}

impl Place {
    /// Whether what is read there was written by others.
    pub(crate) fn is_untrusted(&self) -> bool {
        match self {
            Self::Workspace(_) => false,
            Self::Outside { .. } => true,
            Self::Output { untrusted, .. } => *untrusted,
        }
    }
}

/// The path with the links of what exists of it resolved.
fn real(path: &Path) -> Option<PathBuf> {
    let mut at = path;
    let mut rest = PathBuf::new();
    loop {
        if let Ok(real) = at.canonicalize() {
            return Some(if rest.as_os_str().is_empty() { real } else { real.join(rest) });
        }
        // A link to nothing leads where nobody looked.
        if at.is_symlink() {
            return None;
        }
        let name = Path::new(at.file_name()?);
        rest = if rest.as_os_str().is_empty() { name.to_path_buf() } else { name.join(rest) };
        at = at.parent()?;
    }
}

/// Why a path is refused.
pub(crate) fn outside(path: &str) -> String {
    format!(
        "{path} lies outside the workspace and the allowed folders. Your person can allow a folder in the \
         settings (guard.allowed_roots)."
    )
}

/// A path with `~` for the home folder, as people write it in settings.
fn at_home(path: &Path) -> PathBuf {
    let home = std::env::var_os(if cfg!(windows) { "USERPROFILE" } else { "HOME" });
    match (path.strip_prefix("~"), home) {
        (Ok(rest), Some(home)) => Path::new(&home).join(rest),
        _ => path.to_path_buf(),
    }
}
