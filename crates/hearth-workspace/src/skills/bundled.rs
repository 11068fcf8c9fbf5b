//! The skills that come with Hearth, embedded in the binary from the repository's `skills/`, and laid
//! out in the home so that they are read like any others and their scripts can run.
//!
//! Invariants: the folder holds exactly what this binary carries: changed files, missing ones and strange
//! ones bring it back whole, and a workspace's copy is the place for changes; it is replaced in one step,
//! never file by file; nothing is written through a link. Left out: everything else about skills.

use super::install::trouble;
use super::install::{InstallError, Result};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// The folder's name in the home.
const FOLDER: &str = "bundled-skills";

macro_rules! embedded {
    ($($path:literal),* $(,)?) => {
        &[$(($path, include_bytes!(concat!("../../../../skills/", $path)).as_slice())),*]
    };
}

/// Every file by its path, sorted.
static FILES: &[(&str, &[u8])] = embedded![
    "code-review/SKILL.md",
    "code-review/references/what-breaks.md",
    "daily-brief/SKILL.md",
    "feishu-documents/SKILL.md",
    "feishu-documents/scripts/feishu.py",
    "file-tidy/SKILL.md",
    "file-tidy/scripts/tidy.py",
    "flash-cards/SKILL.md",
    "flash-cards/scripts/make_deck.py",
    "mail-triage/SKILL.md",
    "mail-triage/scripts/fetch_mail.py",
    "meeting-notes/SKILL.md",
    "research/SKILL.md",
    "skill-author/SKILL.md",
    "skill-author/references/form.md",
    "weekly-review/SKILL.md",
];

/// Lays the bundled skills out below a home and returns their folder. Nothing is written where it holds
/// them already. Blocks.
///
/// # Errors
/// If the folder is a link or no folder, or cannot be written. What was there stays.
pub fn unpack_bundled(home: &Path) -> Result<PathBuf> {
    let folder = home.join(FOLDER);
    match fs::symlink_metadata(&folder) {
        Ok(meta) if !meta.is_dir() => {
            return Err(InstallError::NotAFolder { path: folder.display().to_string() });
        }
        Ok(_) if holds_all(&folder) => return Ok(folder),
        _ => {}
    }
    let beside = |what: &str| home.join(format!(".{FOLDER}-{}-{what}", std::process::id()));
    let (fresh, old) = (beside("new"), beside("old"));
    let done = lay_out(&fresh).and_then(|()| swap(&folder, &fresh, &old));
    for left in [&fresh, &old] {
        // What a crash left behind goes with the next change.
        let _ = fs::remove_dir_all(left);
    }
    done.map(|()| folder)
}

fn lay_out(folder: &Path) -> Result<()> {
    let _ = fs::remove_dir_all(folder);
    for (path, bytes) in FILES {
        let file = folder.join(path);
        if let Some(parent) = file.parent() {
            fs::create_dir_all(parent).map_err(|error| trouble(parent, error))?;
        }
        fs::write(&file, bytes).map_err(|error| trouble(&file, error))?;
        if path.contains("/scripts/") {
            super::install::make_runnable(&file)?;
        }
    }
    Ok(())
}

fn swap(folder: &Path, fresh: &Path, old: &Path) -> Result<()> {
    let _ = fs::remove_dir_all(old);
    let had = fs::rename(folder, old).is_ok();
    fs::rename(fresh, folder).map_err(|error| {
        if had {
            let _ = fs::rename(old, folder);
        }
        trouble(folder, error)
    })
}

/// Whether a folder holds these files, byte for byte, and nothing else.
fn holds_all(folder: &Path) -> bool {
    let mut found = BTreeMap::new();
    list(folder, "", &mut found).is_some()
        && found.len() == FILES.len()
        && FILES.iter().all(|(path, bytes)| {
            found.get(*path).is_some_and(|size| *size == bytes.len() as u64)
                && fs::read(folder.join(path)).is_ok_and(|there| there == *bytes)
        })
}

/// Files and their sizes. None: there is a link or something else strange, or it cannot be read.
fn list(folder: &Path, path: &str, found: &mut BTreeMap<String, u64>) -> Option<()> {
    for entry in fs::read_dir(folder).ok()? {
        let entry = entry.ok()?;
        let meta = fs::symlink_metadata(entry.path()).ok()?;
        let path = format!("{path}{}", entry.file_name().to_str()?);
        if meta.is_dir() {
            list(&entry.path(), &format!("{path}/"), found)?;
        } else if meta.is_file() && found.len() <= FILES.len() {
            found.insert(path, meta.len());
        } else {
            return None;
        }
    }
    Some(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn home() -> tempfile::TempDir {
        tempfile::tempdir().unwrap()
    }

    fn times(folder: &Path) -> Vec<std::time::SystemTime> {
        FILES.iter().map(|(p, _)| folder.join(p).metadata().unwrap().modified().unwrap()).collect()
    }

    #[test]
    fn every_file_of_the_repository_is_embedded() {
        let mut found = BTreeMap::new();
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../skills");
        let mut limit = FILES.len() * 2;
        list_all(&folder, "", &mut found, &mut limit);
        let embedded: Vec<&str> = FILES.iter().map(|(path, _)| *path).collect();
        assert_eq!(found.keys().collect::<Vec<_>>(), embedded);
    }

    fn list_all(folder: &Path, path: &str, found: &mut BTreeMap<String, ()>, limit: &mut usize) {
        for entry in fs::read_dir(folder).unwrap() {
            let entry = entry.unwrap();
            let name = entry.file_name().into_string().unwrap();
            *limit -= 1;
            match entry.file_type().unwrap().is_dir() {
                true if name == "__pycache__" => {}
                true => list_all(&entry.path(), &format!("{path}{name}/"), found, limit),
                false => drop(found.insert(format!("{path}{name}"), ())),
            }
        }
    }

    #[test]
    fn they_are_laid_out_once() {
        let home = home();
        let folder = unpack_bundled(home.path()).unwrap();
        assert!(holds_all(&folder));
        let before = times(&folder);
        assert_eq!(unpack_bundled(home.path()).unwrap(), folder);
        assert_eq!(times(&folder), before);
        assert_eq!(fs::read_dir(home.path()).unwrap().count(), 1);
    }

    #[test]
    fn whatever_differs_is_brought_back() {
        let home = home();
        let folder = unpack_bundled(home.path()).unwrap();
        let file = folder.join("research/SKILL.md");
        let spoil: [&dyn Fn(); 5] = [
            &|| fs::write(&file, "edited").unwrap(),
            &|| fs::remove_file(&file).unwrap(),
            &|| fs::write(folder.join("research/more.md"), "x").unwrap(),
            &|| {
                fs::create_dir(folder.join("mine"))
                    .and_then(|()| fs::write(folder.join("mine/SKILL.md"), "x"))
                    .unwrap()
            },
            &|| {
                let mut bytes = fs::read(&file).unwrap();
                bytes[40] ^= 1;
                fs::write(&file, bytes).unwrap();
            },
        ];
        for spoil in spoil {
            spoil();
            assert!(!holds_all(&folder));
            unpack_bundled(home.path()).unwrap();
            assert!(holds_all(&folder));
        }
        assert_eq!(fs::read_dir(home.path()).unwrap().count(), 1);
    }

    #[cfg(unix)]
    #[test]
    fn scripts_can_run_and_texts_cannot() {
        use std::os::unix::fs::PermissionsExt as _;
        let home = home();
        let folder = unpack_bundled(home.path()).unwrap();
        for (path, _) in FILES {
            let mode = folder.join(path).metadata().unwrap().permissions().mode();
            assert_eq!(mode & 0o100 != 0, path.contains("/scripts/"), "{path}");
        }
    }

    #[cfg(unix)]
    #[test]
    fn nothing_is_written_through_a_link() {
        use std::os::unix::fs::symlink;
        let (home, other) = (home(), home());
        symlink(other.path(), home.path().join(FOLDER)).unwrap();
        let refused = unpack_bundled(home.path()).unwrap_err().to_string();
        assert!(refused.contains("not a plain folder"), "{refused}");
        assert_eq!(fs::read_dir(other.path()).unwrap().count(), 0);

        fs::remove_file(home.path().join(FOLDER)).unwrap();
        let folder = unpack_bundled(home.path()).unwrap();
        fs::write(other.path().join("SKILL.md"), "theirs").unwrap();
        fs::remove_file(folder.join("research/SKILL.md")).unwrap();
        symlink(other.path().join("SKILL.md"), folder.join("research/SKILL.md")).unwrap();
        fs::remove_dir_all(folder.join("mail-triage")).unwrap();
        symlink(other.path(), folder.join("mail-triage")).unwrap();
        unpack_bundled(home.path()).unwrap();
        assert!(holds_all(&folder));
        assert_eq!(fs::read_to_string(other.path().join("SKILL.md")).unwrap(), "theirs");
        assert_eq!(fs::read_dir(other.path()).unwrap().count(), 1);
    }

    #[test]
    fn a_home_that_cannot_hold_them_says_so() {
        let home = home();
        fs::write(home.path().join(FOLDER), "a file").unwrap();
        assert!(unpack_bundled(home.path()).is_err());
        assert_eq!(fs::read_to_string(home.path().join(FOLDER)).unwrap(), "a file");
        assert!(unpack_bundled(&home.path().join("nowhere/deep/\0")).is_err());
    }
}
