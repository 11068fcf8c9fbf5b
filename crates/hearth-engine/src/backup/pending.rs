//! The swap of a prepared restore: a plan on disk, and moves that can be taken up wherever they stopped.
//!
//! Order: everything new lies in `.restore-ID/new`; then the plan `restore.pending` is written, which is the
//! point of no return; then each name of the home moves to `.restore-ID/old` and its successor into its place;
//! then `old` becomes `before-restore-DATE` and the plan goes. A crash before the plan leaves the old home, one
//! after it is completed by the next start. Invariant: a name is either in its place or in `new` or `old`.

use serde::{Deserialize, Serialize};
use std::fs;
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

const PLAN: &str = "restore.pending";
/// Begins the folders of restores, of copies for backups, and of what was there before a restore.
pub(super) const STAGING: &str = ".restore-";
pub(super) const COPY: &str = ".backup-";
const ASIDE: &str = "before-restore-";
/// A copy for a backup is made in less, by whatever process.
const OLD: Duration = Duration::from_secs(24 * 60 * 60);
/// Derived from the rest: made anew, so not kept.
const DERIVED: [&str; 3] = ["index.db", "index.db-wal", "index.db-shm"];

/// A restore that is to be carried out.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Plan {
    /// Name of the folder with `new` and `old`.
    pub(super) staging: String,
    /// Names that come in the place of what is there.
    pub(super) replaced: Vec<String>,
    /// Names that go and have no successor.
    pub(super) removed: Vec<String>,
    /// Name of the folder for what was there.
    pub(super) aside: String,
}

/// What a restore replaces, besides what it brings.
const OWN: [&str; 7] = [
    "hearth.toml",
    "hearth.db",
    "hearth.db-wal",
    "hearth.db-shm",
    "secrets.enc",
    "workspace",
    "skills",
];

impl Plan {
    /// For what lies in `new` of a staging folder.
    pub(super) fn of(home: &Path, staging: &str, stamp: &str) -> io::Result<Self> {
        let mut replaced = Vec::new();
        for entry in fs::read_dir(home.join(staging).join("new"))? {
            replaced.extend(entry?.file_name().into_string());
        }
        replaced.sort();
        let gone = OWN.iter().chain(&DERIVED).map(|name| (*name).to_owned());
        let removed = gone.filter(|name| !replaced.contains(name)).collect();
        let free = |aside: &String| !home.join(aside).exists();
        let names = std::iter::once(format!("{ASIDE}{stamp}"))
            .chain((2..).map(|number| format!("{ASIDE}{stamp}-{number}")));
        let aside = names.into_iter().find(free).unwrap_or_default();
        Ok(Self { staging: staging.to_owned(), replaced, removed, aside })
    }

    /// Makes it binding.
    pub(super) fn write(&self, home: &Path) -> io::Result<()> {
        let bytes = serde_json::to_vec(self).map_err(io::Error::other)?;
        let mut file = atomic_write_file::AtomicWriteFile::open(home.join(PLAN))?;
        file.write_all(&bytes)?;
        file.commit()?;
        sync_folder(Some(home));
        Ok(())
    }

    /// The one that waits in a home. One that cannot be read is an error: nothing may be guessed here.
    pub(super) fn waiting(home: &Path) -> io::Result<Option<Self>> {
        let bytes = match fs::read(home.join(PLAN)) {
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
            other => other?,
        };
        let plan: Self = serde_json::from_slice(&bytes)
            .map_err(|error| io::Error::new(ErrorKind::InvalidData, error))?;
        let names = plan.replaced.iter().chain(&plan.removed).chain([&plan.staging, &plan.aside]);
        let plain = |name: &String| !name.is_empty() && !name.contains(['/', '\\']) && name != "..";
        if names.into_iter().all(plain) {
            Ok(Some(plan))
        } else {
            Err(io::Error::new(ErrorKind::InvalidData, "it names other folders"))
        }
    }

    /// Takes a prepared restore back, before it was carried out.
    pub(super) fn cancel(home: &Path) -> io::Result<()> {
        if let Some(plan) = Self::waiting(home)? {
            fs::remove_file(home.join(PLAN))?;
            let _ = fs::remove_dir_all(home.join(plan.staging));
        }
        Ok(())
    }

    fn carry_out(&self, home: &Path) -> io::Result<Option<PathBuf>> {
        let staging = home.join(&self.staging);
        let (new, old) = (staging.join("new"), staging.join("old"));
        let aside = home.join(&self.aside);
        if staging.exists() {
            fs::create_dir_all(&old)?;
            for name in &self.removed {
                step()?;
                move_if_there(&home.join(name), &old.join(name))?;
            }
            for name in &self.replaced {
                // Once it is in its place there is nothing left to do for it.
                if exists(&new.join(name)) {
                    step()?;
                    move_if_there(&home.join(name), &old.join(name))?;
                    step()?;
                    fs::rename(new.join(name), home.join(name))?;
                }
            }
            for name in DERIVED {
                let _ = fs::remove_file(old.join(name));
            }
            sync_folder(Some(home));
            step()?;
            if fs::remove_dir(&old).is_err() {
                fs::rename(&old, &aside)?;
            }
            step()?;
            fs::remove_dir_all(&staging)?;
        }
        step()?;
        fs::remove_file(home.join(PLAN))?;
        sync_folder(Some(home));
        Ok(aside.exists().then_some(aside))
    }
}

/// Completes a restore that waits; says where what was there before lies now. Only for who owns the home.
pub(crate) fn finish(home: &Path) -> io::Result<Option<PathBuf>> {
    match Plan::waiting(home)? {
        None => Ok(None),
        Some(plan) => plan.carry_out(home),
    }
}

/// Removes what broken-off restores, backups and imports left. Only for who owns the home, without a plan.
pub(crate) fn sweep(home: &Path) {
    for entry in fs::read_dir(home).into_iter().flatten().flatten() {
        let name = entry.file_name();
        let name = name.to_string_lossy();
        let is_old = || {
            let changed = entry.metadata().and_then(|meta| meta.modified());
            let age = changed.map(|at| SystemTime::now().duration_since(at).unwrap_or_default());
            age.is_ok_and(|age| age > OLD)
        };
        let left = name.starts_with(STAGING)
            || name.starts_with(crate::importing::SCRATCH)
            || (name.starts_with(COPY) && is_old());
        if left {
            let _ = fs::remove_dir_all(entry.path());
        }
    }
}

fn exists(path: &Path) -> bool {
    fs::symlink_metadata(path).is_ok()
}

fn move_if_there(from: &Path, to: &Path) -> io::Result<()> {
    match fs::rename(from, to) {
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(()),
        other => other,
    }
}

/// Renames are on the disk when this returns, where the system can say so.
pub(super) fn sync_folder(folder: Option<&Path>) {
    #[cfg(unix)]
    if let Some(folder) = folder.and_then(|folder| fs::File::open(folder).ok()) {
        let _ = folder.sync_all();
    }
    #[cfg(not(unix))]
    let _ = folder;
}

/// In tests a crash happens here.
#[cfg(not(test))]
fn step() -> io::Result<()> {
    Ok(())
}

#[cfg(test)]
use tests::step;

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::Cell;
    use std::collections::BTreeMap;

    thread_local! {
        static LEFT: Cell<usize> = const { Cell::new(usize::MAX) };
    }

    /// A crash, once so many steps are done.
    pub(super) fn step() -> io::Result<()> {
        let left = LEFT.get();
        LEFT.set(left.saturating_sub(1));
        if left == 0 { Err(io::Error::other("crashed")) } else { Ok(()) }
    }

    fn put(home: &Path, files: &[(&str, &str)]) {
        for (path, text) in files {
            let path = home.join(path);
            fs::create_dir_all(path.parent().expect("a folder")).expect("made");
            fs::write(path, text).expect("written");
        }
    }

    fn all(home: &Path) -> BTreeMap<String, String> {
        let mut found = BTreeMap::new();
        let mut open = vec![home.to_owned()];
        while let Some(folder) = open.pop() {
            for entry in fs::read_dir(folder).expect("reads").flatten() {
                let path = entry.path();
                if path.is_dir() {
                    open.push(path);
                    continue;
                }
                let name = path.strip_prefix(home).expect("inside").display().to_string();
                found.insert(name, fs::read_to_string(path).expect("text"));
            }
        }
        found
    }

    const BEFORE: [(&str, &str); 6] = [
        ("hearth.toml", "old"),
        ("hearth.db", "old"),
        ("hearth.db-wal", "old"),
        ("index.db", "derived"),
        ("workspace/SOUL.md", "old soul"),
        ("models/qwen.gguf", "large"),
    ];

    fn prepared() -> tempfile::TempDir {
        let folder = tempfile::tempdir().expect("a folder");
        put(folder.path(), &BEFORE);
        let new = [
            (".restore-1/new/hearth.db", "new"),
            (".restore-1/new/secrets.enc", "new"),
            (".restore-1/new/workspace/SOUL.md", "new soul"),
        ];
        put(folder.path(), &new);
        folder
    }

    fn check_restored(home: &Path) {
        let rows = [
            ("before-restore-x/hearth.db", "old"),
            ("before-restore-x/hearth.db-wal", "old"),
            ("before-restore-x/hearth.toml", "old"),
            ("before-restore-x/workspace/SOUL.md", "old soul"),
            ("hearth.db", "new"),
            ("models/qwen.gguf", "large"),
            ("secrets.enc", "new"),
            ("workspace/SOUL.md", "new soul"),
        ];
        let wanted: BTreeMap<String, String> =
            rows.iter().map(|(path, text)| ((*path).to_owned(), (*text).to_owned())).collect();
        assert_eq!(all(home), wanted);
    }

    #[test]
    fn a_crash_at_any_step_is_completed() {
        let mut crashed = 0;
        for steps in 0.. {
            let folder = prepared();
            let home = folder.path();
            Plan::of(home, ".restore-1", "x").expect("a plan").write(home).expect("written");
            LEFT.set(steps);
            let first = finish(home);
            LEFT.set(usize::MAX);
            let done = first.is_ok();
            crashed += usize::from(!done);
            finish(home).expect("completes");
            check_restored(home);
            assert!(finish(home).expect("nothing waits").is_none());
            if done {
                break;
            }
        }
        assert!(crashed > 10, "{crashed}");
    }

    #[test]
    fn before_the_plan_the_old_home_stands() {
        let folder = prepared();
        assert!(finish(folder.path()).expect("nothing waits").is_none());
        sweep(folder.path());
        let before: BTreeMap<String, String> =
            BEFORE.iter().map(|(path, text)| ((*path).to_owned(), (*text).to_owned())).collect();
        assert_eq!(all(folder.path()), before);
    }

    #[test]
    fn a_plan_can_be_taken_back_and_a_strange_one_is_refused() {
        let folder = prepared();
        let home = folder.path();
        Plan::of(home, ".restore-1", "x").expect("a plan").write(home).expect("written");
        Plan::cancel(home).expect("taken back");
        assert!(
            finish(home).expect("nothing waits").is_none() && !home.join(".restore-1").exists()
        );
        for strange in ["{", r#"{"staging":"../x","replaced":[],"removed":[],"aside":"a"}"#] {
            put(home, &[(PLAN, strange)]);
            assert!(finish(home).is_err(), "{strange}");
        }
    }

    #[test]
    fn an_empty_home_leaves_nothing_aside() {
        let folder = tempfile::tempdir().expect("a folder");
        let home = folder.path();
        put(home, &[(".restore-1/new/hearth.db", "new")]);
        Plan::of(home, ".restore-1", "x").expect("a plan").write(home).expect("written");
        assert_eq!(finish(home).expect("done"), None);
        assert_eq!(all(home).len(), 1);
    }
}
