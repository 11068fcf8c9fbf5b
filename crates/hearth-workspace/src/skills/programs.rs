//! The programs on the search path, looked through again only where one of its folders changed.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::path::Path;
use std::sync::Arc;
use std::time::SystemTime;

/// What a look at the search path found.
#[derive(Debug, Clone, Default)]
pub struct Programs {
    path: Option<OsString>,
    /// When each folder was changed last; none: it cannot be read.
    changed: Vec<Option<SystemTime>>,
    names: Arc<BTreeSet<String>>,
}

impl Programs {
    /// Looks at a search path; `before` stands where no folder changed since. Costs one `stat` a folder then.
    #[must_use]
    pub fn look(path: Option<OsString>, before: Option<&Self>) -> Self {
        let folders = || path.iter().flat_map(std::env::split_paths);
        let changed: Vec<_> = folders().map(|folder| changed_at(&folder)).collect();
        if let Some(same) = before.filter(|old| old.path == path && old.changed == changed) {
            return same.clone();
        }
        let mut names = BTreeSet::new();
        folders().for_each(|folder| add(&folder, &mut names));
        Self { path, changed, names: Arc::new(names) }
    }

    /// Their names; on Windows without endings too.
    #[must_use]
    pub fn names(&self) -> Arc<BTreeSet<String>> {
        Arc::clone(&self.names)
    }
}

fn changed_at(folder: &Path) -> Option<SystemTime> {
    std::fs::metadata(folder).ok()?.modified().ok()
}

fn add(folder: &Path, names: &mut BTreeSet<String>) {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    for name in entries.filter_map(|entry| entry.file_name().into_string().ok()) {
        if cfg!(windows)
            && let Some((stem, _)) = name.rsplit_once('.')
        {
            names.insert(stem.to_lowercase());
        }
        names.insert(name);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_new_program_is_seen_and_an_unchanged_path_not_read_again() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("spin"), "").unwrap();
        let path = || Some(folder.path().as_os_str().to_owned());
        let first = Programs::look(path(), None);
        assert!(first.names().contains("spin"));
        let same = Programs::look(path(), Some(&first));
        assert!(Arc::ptr_eq(&first.names(), &same.names()));
        // A folder that looks changed is read again, however little time has passed.
        let stale = Programs { changed: vec![None], ..first.clone() };
        std::fs::write(folder.path().join("weave"), "").unwrap();
        let next = Programs::look(path(), Some(&stale));
        assert!(next.names().contains("weave"));
        assert!(Programs::look(None, Some(&next)).names().is_empty());
    }
}
