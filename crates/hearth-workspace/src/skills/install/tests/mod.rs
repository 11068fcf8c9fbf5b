//! Installing, from honest and from hostile sources.

mod zips;

use super::offer::Offer;
use super::{InstallError, archive, folder, origin, parcel, remove, restore};
use hearth_protocol::api::skills::SkillFileFate;
use proptest::prelude::*;
use std::fs;
use std::io::Cursor;
use std::path::{Path, PathBuf};
use tempfile::TempDir;
use zips::{Entry, file, zip};

const SKILL: &str = "---\nname: note-sum\ndescription: Sums up a note in three lines.\nversion: 1.0.0\nallowed-tools: read_file exec\nmetadata: {\"openclaw\": {\"requires\": {\"bins\": [\"python3\"], \"env\": [\"NOTE_KEY\"]}}}\n---\n\nRead it.\n";
const SCRIPT: &str = "#!/usr/bin/env python3\nURL = 'https://api.example.org/v1'\n";

struct World {
    top: TempDir,
}

impl World {
    fn new() -> Self {
        Self { top: tempfile::tempdir().unwrap() }
    }

    fn at(&self, path: &str) -> PathBuf {
        self.top.path().canonicalize().unwrap().join(path)
    }

    fn write(&self, path: &str, text: &str) -> PathBuf {
        let path = self.at(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, text).unwrap();
        path
    }

    fn skill(&self, folder: &str) -> String {
        self.write(&format!("{folder}/SKILL.md"), SKILL);
        self.write(&format!("{folder}/scripts/sum.py"), SCRIPT);
        self.at(folder).to_str().unwrap().to_owned()
    }

    fn place(&self) -> PathBuf {
        self.at("home/skills")
    }

    fn read(&self, source: &str) -> Result<Offer, InstallError> {
        Offer::read(source, &self.at("scratch"))
    }

    fn install(&self, source: &str, now: u64) -> Result<Vec<String>, InstallError> {
        let offer = self.read(source)?;
        offer.install(&offer.hash(), &self.place(), now)
    }

    /// Everything below a folder that is a file.
    fn files(&self, folder: &str) -> Vec<String> {
        let mut found = Vec::new();
        let mut open = vec![self.at(folder)];
        while let Some(folder) = open.pop() {
            for entry in fs::read_dir(&folder).into_iter().flatten().flatten() {
                match entry.file_type().unwrap().is_dir() {
                    true => open.push(entry.path()),
                    false => found.push(
                        entry
                            .path()
                            .strip_prefix(self.at(""))
                            .unwrap()
                            .to_str()
                            .unwrap()
                            .to_owned(),
                    ),
                }
            }
        }
        found.sort();
        found
    }
}

fn of_zip(entries: &[Entry]) -> Result<Offer, InstallError> {
    let bytes = zip(entries);
    let parcel = archive::unpack(Cursor::new(&bytes), bytes.len() as u64)?;
    Offer::of("x.zip".to_owned(), "x", parcel)
}

fn refusal(entries: &[Entry]) -> String {
    let kind = format!("{:?}", of_zip(entries).unwrap_err());
    kind.split([' ', '{', '(']).next().unwrap().to_owned()
}

#[test]
fn the_rights_are_shown_first() {
    let world = World::new();
    let source = world.skill("note-sum");
    let shown = world.read(&source).unwrap().preview(&world.place());
    assert_eq!(shown.refused, None);
    let [skill] = shown.skills.as_slice() else { panic!("one skill") };
    assert_eq!(skill.name, "note-sum");
    assert_eq!(skill.description, "Sums up a note in three lines.");
    assert_eq!((skill.files, skill.bytes), (2, (SKILL.len() + SCRIPT.len()) as u64));
    assert_eq!(skill.scripts[0].runs_with, "python3");
    assert_eq!(skill.hosts, ["api.example.org"]);
    assert_eq!(skill.requires.env, ["NOTE_KEY"]);
    assert_eq!(skill.allowed_tools, Some(vec!["read_file".to_owned(), "exec".to_owned()]));
    assert_eq!((&skill.replaces, skill.changes.len()), (&None, 0));
    assert_eq!(world.files("home"), Vec::<String>::new());
}

#[test]
fn installed_whole_with_its_origin() {
    let world = World::new();
    let source = world.skill("note-sum");
    assert_eq!(world.install(&source, 100).unwrap(), ["note-sum"]);
    assert_eq!(
        world.files("home"),
        [
            "home/skills/note-sum/.hearth-skill.json",
            "home/skills/note-sum/SKILL.md",
            "home/skills/note-sum/scripts/sum.py"
        ]
    );
    let found = origin(&world.place().join("note-sum")).unwrap();
    assert_eq!((found.from.as_str(), found.at, found.changed), (source.as_str(), 100, false));
    assert_eq!(found.hash, world.read(&source).unwrap().hash());
    world.write("home/skills/note-sum/scripts/__pycache__/sum.pyc", "derived");
    assert!(!origin(&world.place().join("note-sum")).unwrap().changed);
    world.write("home/skills/note-sum/SKILL.md", "edited");
    assert!(origin(&world.place().join("note-sum")).unwrap().changed);
    assert!(origin(Path::new(&source)).is_none());
}

#[cfg(unix)]
#[test]
fn only_programs_may_run() {
    use std::os::unix::fs::PermissionsExt as _;
    let world = World::new();
    world.install(&world.skill("note-sum"), 1).unwrap();
    let mode = |path: &str| world.place().join(path).metadata().unwrap().permissions().mode();
    assert_eq!(mode("note-sum/scripts/sum.py") & 0o7777, 0o755);
    assert_eq!(mode("note-sum/SKILL.md") & 0o111, 0);
}

#[test]
fn a_folder_and_a_zip_of_the_same_files_have_one_hash() {
    let world = World::new();
    let folder = world.read(&world.skill("note-sum")).unwrap();
    let mut sealed = [file("top/SKILL.md", SKILL), file("top/scripts/sum.py", SCRIPT)];
    sealed[1].method = 0;
    assert_eq!(of_zip(&sealed).unwrap().hash(), folder.hash());
    fs::write(world.at("a.ZIP"), zip(&sealed)).unwrap();
    let offer = world.read(world.at("a.ZIP").to_str().unwrap()).unwrap();
    assert_eq!((offer.hash(), offer.names()), (folder.hash(), vec!["note-sum".to_owned()]));
}

#[test]
fn what_was_shown_is_what_comes() {
    let world = World::new();
    let source = world.skill("note-sum");
    let shown = world.read(&source).unwrap().hash();
    world.write("note-sum/scripts/sum.py", "import os");
    let refused = world.read(&source).unwrap().install(&shown, &world.place(), 1).unwrap_err();
    assert!(matches!(refused, InstallError::NotAsShown));
    assert_eq!(world.files("home"), Vec::<String>::new());
}

#[test]
fn an_update_shows_its_changes_and_sets_the_old_one_aside() {
    let world = World::new();
    let source = world.skill("note-sum");
    world.write("note-sum/references/a.md", "a");
    world.install(&source, 100).unwrap();
    world.write("note-sum/SKILL.md", &SKILL.replace("1.0.0", "1.1.0"));
    world.write("note-sum/references/b.md", "b");
    fs::remove_file(world.at("note-sum/references/a.md")).unwrap();

    let offer = world.read(&source).unwrap();
    let shown = offer.preview(&world.place());
    assert_eq!(shown.skills[0].replaces.as_deref(), Some("1.0.0"));
    let changes: Vec<_> =
        shown.skills[0].changes.iter().map(|c| (c.path.as_str(), c.change)).collect();
    assert_eq!(
        changes,
        [
            ("SKILL.md", SkillFileFate::Changed),
            ("references/a.md", SkillFileFate::Removed),
            ("references/b.md", SkillFileFate::Added)
        ]
    );
    offer.install(&shown.hash, &world.place(), 200).unwrap();
    assert!(
        world.files("home").contains(&"home/skills/.trash/note-sum@200/references/a.md".to_owned())
    );
    assert!(world.files("home").contains(&"home/skills/note-sum/references/b.md".to_owned()));
    assert!(world.read(&source).unwrap().preview(&world.place()).skills[0].changes.is_empty());
}

#[test]
fn ones_own_skill_is_never_replaced() {
    let world = World::new();
    let source = world.skill("note-sum");
    world.write("home/skills/note-sum/SKILL.md", "my own");
    let shown = world.read(&source).unwrap().preview(&world.place());
    assert!(shown.refused.unwrap().contains("it is yours and stays"));
    assert!(matches!(world.install(&source, 1), Err(InstallError::Yours { .. })));
    assert!(matches!(remove(&world.place(), "note-sum", 1), Err(InstallError::Yours { .. })));
    assert_eq!(world.files("home"), ["home/skills/note-sum/SKILL.md"]);
}

#[test]
fn removed_restored_and_forgotten_after_a_month() {
    let world = World::new();
    let source = world.skill("note-sum");
    world.install(&source, 100).unwrap();
    let before = world.files("home/skills/note-sum");
    let aside = remove(&world.place(), "note-sum", 200).unwrap();
    assert!(aside.ends_with(".trash/note-sum@200"));
    assert!(!world.place().join("note-sum").exists());
    assert!(matches!(
        remove(&world.place(), "note-sum", 200),
        Err(InstallError::NotInstalled { .. })
    ));
    restore(&world.place(), "note-sum").unwrap();
    assert_eq!(world.files("home/skills/note-sum"), before);
    assert!(restore(&world.place(), "note-sum").is_err());

    remove(&world.place(), "note-sum", 300).unwrap();
    world.install(&source, 300).unwrap();
    remove(&world.place(), "note-sum", 300).unwrap();
    assert!(world.at("home/skills/.trash/note-sum@301").exists());
    world.install(&source, 301 + 31 * 24 * 3600).unwrap();
    assert_eq!(fs::read_dir(world.at("home/skills/.trash")).unwrap().count(), 0);
}

#[test]
fn names_that_lead_elsewhere_remove_nothing() {
    let world = World::new();
    world.install(&world.skill("note-sum"), 1).unwrap();
    for name in
        ["", ".", "..", "../skills/note-sum", "note-sum/scripts", "/etc", "note-sum/.", ".trash"]
    {
        assert!(remove(&world.place(), name, 2).is_err(), "{name}");
        assert!(restore(&world.place(), name).is_err(), "{name}");
    }
    assert!(world.place().join("note-sum/SKILL.md").exists());
}

#[test]
fn several_skills_are_offered_and_one_is_chosen() {
    let world = World::new();
    let named = |name: &str| SKILL.replace("note-sum", name);
    world.write("repo/README.md", "about");
    world.write("repo/skills/a/SKILL.md", &named("aa"));
    world.write("repo/skills/a/inner/SKILL.md", &named("inside"));
    world.write("repo/skills/b/skill.md", &named("bb"));
    let source = world.at("repo").to_str().unwrap().to_owned();
    let offer = world.read(&source).unwrap();
    assert_eq!(offer.names(), ["aa", "bb"]);
    assert!(matches!(
        world.read(&source).unwrap().choose(&["cc".to_owned()]),
        Err(InstallError::NotOffered { .. })
    ));
    let chosen = offer.choose(&["bb".to_owned()]).unwrap();
    assert_eq!(chosen.install(&chosen.hash(), &world.place(), 1).unwrap(), ["bb"]);
    world.install(&source, 2).unwrap();
    assert!(world.files("home").contains(&"home/skills/aa/inner/SKILL.md".to_owned()));
    world.write("repo/other/SKILL.md", &named("aa"));
    assert!(matches!(world.read(&source), Err(InstallError::Twice { .. })));
}

#[test]
fn sources_that_are_none() {
    let world = World::new();
    world.write("a.txt", SKILL);
    world.write("empty/readme.md", "x");
    world.write("blank/SKILL.md", " \n");
    world.write("broken.zip", "PK\x03\x04 and then nothing");
    for (source, why) in [
        ("a.txt", "neither a folder"),
        ("nowhere", "neither a folder"),
        ("empty", "no SKILL.md"),
        ("blank", "cannot be used"),
        ("broken.zip", "damaged"),
    ] {
        let refused = world.read(world.at(source).to_str().unwrap()).unwrap_err().to_string();
        assert!(refused.contains(why), "{source}: {refused}");
    }
}

#[test]
fn zips_that_are_refused_whole() {
    let skill = || file("SKILL.md", SKILL);
    let with = |change: &dyn Fn(&mut Entry)| {
        let mut entry = file("scripts/x.sh", "echo");
        change(&mut entry);
        refusal(&[skill(), entry])
    };
    for name in [
        "../x",
        "/etc/x",
        "a/../../x",
        "C:/x",
        "..\\x",
        "\\\\host\\x",
        "~/x",
        "a//b",
        "./a",
        "a\0b",
        "a\nb",
        "a\u{202e}b",
        "a\u{200b}",
        "con",
        "a/NUL.txt",
        "lpt1.md",
        "a.",
        "a /b",
        "a:stream",
        "a?",
        ".hearth-1",
    ] {
        assert_eq!(with(&|entry| entry.name = name.into()), "BadName", "{name:?}");
    }
    assert_eq!(with(&|entry| entry.name = "x/".repeat(20).into_bytes()), "TooDeep");
    assert_eq!(with(&|entry| entry.name = b"\xb2\xe2.md".to_vec()), "NameEncoding");
    assert_eq!(with(&|entry| entry.name = b"skill.MD".to_vec()), "Clash");
    assert_eq!(with(&|entry| entry.name = b"SKILL.md/x".to_vec()), "Clash");
    assert_eq!(with(&|entry| entry.mode = 0o120_777), "Link");
    assert_eq!(with(&|entry| entry.mode = 0o020_644), "Special");
    assert_eq!(with(&|entry| entry.mode = 0o010_644), "Special");
    assert_eq!(with(&|entry| entry.flags |= 1), "Encrypted");
    assert_eq!(with(&|entry| entry.method = 12), "Method");
    assert_eq!(with(&|entry| entry.claims = Some(1)), "Damaged");
    assert_eq!(with(&|entry| entry.claims = Some(u32::MAX - 1)), "Damaged");
    assert_eq!(with(&|entry| entry.lies = true), "Damaged");
}

#[test]
fn a_zip_that_would_fill_the_disk() {
    let blanks = "\0".repeat(15 << 20);
    assert_eq!(refusal(&[file("SKILL.md", SKILL), file("a", &blanks)]), "Bomb");
    assert_eq!(
        refusal(&[file("SKILL.md", SKILL), file("a", &"\0".repeat(17 << 20))]),
        "FileTooLarge"
    );
    let many: Vec<Entry> = (0..2_001).map(|n| file(&format!("f{n}"), "")).collect();
    assert_eq!(refusal(&many), "TooMany");
    let noise: String = (0..15 << 20)
        .map(|n: u64| (b'a' + (n.wrapping_mul(n ^ 77) >> 7) as u8 % 26) as char)
        .collect();
    let mut stored = ["a", "b", "c"].map(|name| file(name, &noise));
    stored.iter_mut().for_each(|entry| entry.method = 0);
    assert_eq!(refusal(&stored), "TooLarge");
}

#[test]
fn an_archive_inside_stays_a_file() {
    let inner = zip(&[file("../../evil", "x")]);
    let mut nested = file("assets/more.zip", "");
    nested.content = inner.clone();
    let world = World::new();
    let offer = of_zip(&[file("SKILL.md", SKILL), nested]).unwrap();
    offer.install(&offer.hash(), &world.place(), 1).unwrap();
    assert_eq!(fs::read(world.place().join("note-sum/assets/more.zip")).unwrap(), inner);
    assert_eq!(world.files("home").len(), 3);
}

#[test]
fn what_programs_leave_behind_is_left_out() {
    let entries = [
        file("s/SKILL.md", SKILL),
        file("__MACOSX/s/._SKILL.md", "x"),
        file("s/.DS_Store", "x"),
        file("s/.git/hooks/post-checkout", "x"),
        file("s/.hearth-skill.json", "{\"from\": \"a lie\"}"),
    ];
    // Names of ours are refused where they are not exactly the one that is dropped.
    let world = World::new();
    let refused = of_zip(&entries).unwrap_err();
    assert!(matches!(refused, InstallError::BadName { .. }));
    let offer = of_zip(&entries[..4]).unwrap();
    offer.install(&offer.hash(), &world.place(), 1).unwrap();
    assert_eq!(
        world.files("home"),
        ["home/skills/note-sum/.hearth-skill.json", "home/skills/note-sum/SKILL.md"]
    );
}

#[cfg(unix)]
#[test]
fn folders_with_links_or_devices_are_refused() {
    use std::os::unix::fs::symlink;
    let world = World::new();
    let source = world.skill("note-sum");
    let link = world.at("note-sum/references");
    for target in ["/etc", "SKILL.md", "nowhere"] {
        symlink(target, &link).unwrap();
        assert!(matches!(world.read(&source), Err(InstallError::Link { .. })), "{target}");
        fs::remove_file(&link).unwrap();
    }
    let _socket = std::os::unix::net::UnixListener::bind(&link).unwrap();
    assert!(matches!(world.read(&source), Err(InstallError::Special { .. })));
}

#[cfg(unix)]
#[test]
fn nothing_is_installed_through_a_link() {
    use std::os::unix::fs::symlink;
    let world = World::new();
    let source = world.skill("note-sum");
    fs::create_dir_all(world.at("elsewhere")).unwrap();
    fs::create_dir_all(world.at("home")).unwrap();
    symlink(world.at("elsewhere"), world.place()).unwrap();
    assert!(matches!(world.install(&source, 1), Err(InstallError::NotAFolder { .. })));
    fs::remove_file(world.place()).unwrap();
    fs::create_dir_all(world.place()).unwrap();
    symlink(world.at("elsewhere"), world.place().join("note-sum")).unwrap();
    assert!(matches!(world.install(&source, 1), Err(InstallError::NotAFolder { .. })));
    fs::remove_file(world.place().join("note-sum")).unwrap();
    world.install(&source, 1).unwrap();
    symlink(world.at("elsewhere"), world.place().join(".trash")).unwrap();
    assert!(matches!(remove(&world.place(), "note-sum", 2), Err(InstallError::NotAFolder { .. })));
    assert!(world.place().join("note-sum/SKILL.md").exists());
    assert_eq!(world.files("elsewhere"), Vec::<String>::new());
}

fn git(folder: &Path, args: &[&str]) {
    let mut git = std::process::Command::new("git");
    let who = ["-c", "user.name=t", "-c", "user.email=t@example.org", "-c", "commit.gpgsign=false"];
    let done = git.args(who).args(args).current_dir(folder).output().unwrap();
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
}

#[cfg(unix)]
#[test]
fn from_a_repository_without_its_hooks() {
    if std::process::Command::new("git").arg("--version").output().is_err() {
        return;
    }
    let world = World::new();
    world.skill("repo/skills/note-sum");
    world.write("repo/.gitattributes", "* filter=evil\n");
    let repo = world.at("repo");
    git(&repo, &["init", "-q"]);
    git(&repo, &["add", "."]);
    git(&repo, &["commit", "-qm", "one"]);
    let url = format!("file://{}", repo.display());
    assert_eq!(world.install(&url, 1).unwrap(), ["note-sum"]);
    assert!(!world.at("scratch").exists());
    assert_eq!(origin(&world.place().join("note-sum")).unwrap().from, url);
    let inside = world.read(&format!("{url}#skills/note-sum")).unwrap();
    assert_eq!(inside.hash(), world.read(&url).unwrap().hash());
    for wrong in [format!("{url}#none"), format!("{url}-none")] {
        assert!(matches!(world.read(&wrong), Err(InstallError::Git { .. })), "{wrong}");
    }
    std::os::unix::fs::symlink("/etc", repo.join("skills/note-sum/references")).unwrap();
    git(&repo, &["add", "."]);
    git(&repo, &["commit", "-qm", "two"]);
    assert!(matches!(world.read(&url), Err(InstallError::Link { .. })));
    assert!(matches!(
        world.read(&format!("{url}#skills/note-sum/references")),
        Err(InstallError::Git { .. })
    ));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    /// Whatever the names and modes in a zip are, nothing is ever written outside the skill's own folder.
    #[test]
    fn nothing_leaves_its_folder(
        names in proptest::collection::vec("[a-cA-C./\\\\:~ \u{202e}\u{0}é]{1,12}|\\PC{1,8}|(\\.\\./){1,3}x", 1..6),
        mode in prop_oneof![Just(0), Just(0o100_644_u32), Just(0o120_777), Just(0o104_755), 0..=0o177_777_u32],
    ) {
        let mut entries = vec![file("SKILL.md", SKILL)];
        entries.extend(names.iter().map(|name| Entry { mode, ..file(name, "content") }));
        let world = World::new();
        world.write("home/mine.txt", "mine");
        if let Ok(offer) = of_zip(&entries) {
            offer.install(&offer.hash(), &world.place(), 1).unwrap();
            let installed = folder::read(&world.place().join("note-sum")).unwrap();
            prop_assert_eq!(parcel::hash(&installed.into_files()), offer.hash());
        }
        for path in world.files("") {
            prop_assert!(path == "home/mine.txt" || path.starts_with("home/skills/note-sum/"), "{}", path);
        }
    }

    /// Any bytes at all are read without failing otherwise than by a refusal.
    #[test]
    fn damaged_archives_are_refused(at in 0_usize..2_000, byte: u8, cut in 0_usize..2_000) {
        let mut bytes = zip(&[file("SKILL.md", SKILL), file("scripts/sum.py", SCRIPT)]);
        let length = bytes.len();
        bytes[at % length] = byte;
        bytes.truncate(length - cut % length);
        let packed = bytes.len() as u64;
        let _ = archive::unpack(Cursor::new(bytes), packed).map(|parcel| Offer::of(String::new(), "x", parcel));
    }
}
