//! Opening, templates, listing and loading.

use crate::support::{Versions, workspace};
use hearth_protocol::PromptMode;
use hearth_protocol::api::files::Author;
use hearth_workspace::{Language, PersonaFile, Run, WorkspaceRoot, identity, problems, template};
use std::sync::Arc;

const TEMPLATES: [&str; 8] = [
    "AGENTS.md",
    "BOOTSTRAP.md",
    "HEARTBEAT.md",
    "IDENTITY.md",
    "MEMORY.md",
    "SOUL.md",
    "TOOLS.md",
    "USER.md",
];
const MAIN: Run = Run { mode: PromptMode::Full, private: true, main_session: true };

#[test]
fn a_new_workspace_gets_every_template_once() {
    let f = workspace();
    assert!(f.root.is_new().unwrap());
    let mut created = f.root.seed(Language::English).unwrap();
    created.sort();
    assert_eq!(created, TEMPLATES);
    let mut tree = TEMPLATES.map(str::to_owned).to_vec();
    tree.push("memory".to_owned());
    assert_eq!(f.tree(), tree);
    assert_eq!(f.on_disk("SOUL.md"), template(PersonaFile::Soul, Language::English).unwrap());
    assert_eq!(f.versions.of("SOUL.md")[0].0, Author::Template);

    std::fs::remove_file(f.path("BOOTSTRAP.md")).unwrap();
    f.outside("SOUL.md", "mine");
    assert_eq!(f.root.seed(Language::Chinese).unwrap(), [""; 0]);
    assert_eq!(f.on_disk("SOUL.md"), "mine");
    assert!(!f.path("BOOTSTRAP.md").exists());
}

#[test]
fn the_ritual_does_not_come_back_though_all_files_are_gone() {
    let f = workspace();
    f.root.seed(Language::English).unwrap();
    for name in TEMPLATES {
        std::fs::remove_file(f.path(name)).unwrap();
    }
    let created = f.root.seed(Language::English).unwrap();
    assert_eq!(created.len(), 7);
    assert!(!f.path("BOOTSTRAP.md").exists());
}

#[test]
fn a_first_start_that_was_cut_short_is_completed() {
    let f = workspace();
    f.outside("BOOTSTRAP.md", "half a start");
    assert_eq!(f.root.seed(Language::English).unwrap().len(), 7);
    assert_eq!(f.on_disk("BOOTSTRAP.md"), "half a start");
}

#[cfg(unix)]
#[test]
fn a_link_under_a_templates_name_counts_as_there() {
    let f = workspace();
    std::os::unix::fs::symlink("nowhere.md", f.path("SOUL.md")).unwrap();
    let created = f.root.seed(Language::English).unwrap();
    assert!(!created.contains(&"SOUL.md".to_owned()) && !f.path("nowhere.md").exists());
}

#[test]
fn templates_are_sound_in_both_languages() {
    for language in [Language::English, Language::Chinese] {
        for file in PersonaFile::ALL {
            let Some(text) = template(file, language) else { continue };
            assert_eq!(problems(file.path(), text), [], "{}", file.path());
            assert!(text.ends_with('\n') && !text.contains('\r') && text.starts_with("# "));
        }
        let card = identity(template(PersonaFile::Identity, language).unwrap());
        assert!(card.name.is_some() && card.emoji.is_some() && card.role.is_some());
        assert_eq!(card.avatar, None);
        let chinese = |c: char| ('\u{4e00}'..='\u{9fff}').contains(&c);
        let soul = template(PersonaFile::Soul, language).unwrap();
        assert_eq!(soul.contains(chinese), language == Language::Chinese);
    }
    assert_eq!(Language::of_locale("zh_CN.UTF-8"), Language::Chinese);
    assert_eq!(Language::of_locale("zh-Hans-CN"), Language::Chinese);
    assert_eq!(Language::of_locale("en-US"), Language::English);
    assert_eq!(Language::of_locale("C"), Language::English);
}

/// The first request of a fresh home is small: most of it is not these files.
#[test]
fn templates_cost_few_tokens() {
    let tokenizer = tiktoken_rs::o200k_base_singleton();
    let count = |file, language| tokenizer.count_ordinary(template(file, language).unwrap());
    let always = [
        PersonaFile::Agents,
        PersonaFile::Soul,
        PersonaFile::Identity,
        PersonaFile::User,
        PersonaFile::Tools,
    ];
    for language in [Language::English, Language::Chinese] {
        let total: usize = always.iter().map(|file| count(*file, language)).sum();
        let memory = count(PersonaFile::Memory, language);
        let ritual = count(PersonaFile::Bootstrap, language);
        println!("{language:?}: always {total}, MEMORY.md {memory}, BOOTSTRAP.md {ritual}");
        assert!(
            total <= 900 && memory <= 60 && ritual <= 300,
            "{language:?} {total} {memory} {ritual}"
        );
    }
}

/// A heartbeat must find nothing to do in the template: headings and comments only.
#[test]
fn the_heartbeat_template_is_empty() {
    for language in [Language::English, Language::Chinese] {
        let text = template(PersonaFile::Heartbeat, language).unwrap();
        let (before, comment) = text.split_once("<!--").unwrap();
        let (_, after) = comment.split_once("-->").unwrap();
        let left = format!("{before}{after}");
        assert!(left.lines().all(|l| l.trim().is_empty() || l.starts_with("# ")), "{left}");
    }
}

#[test]
fn another_assistants_workspace_opens_unchanged() {
    let f = workspace();
    let files = [
        ("AGENTS.md", "# AGENTS.md - Workspace\r\n\r\nRead SOUL.md first.\r\n"),
        (
            "IDENTITY.md",
            "# IDENTITY.md - Who Am I?\n\n- **Name:** Pip\n- **Creature:** a small ghost\n- **Vibe:** dry\n- **Emoji:** 👻\n- **Avatar:** avatars/pip.png\n",
        ),
        ("SOUL.md", "\u{feff}# SOUL.md\n\nBe kind."),
        ("MEMORY.md", "# Long-term\n\n- likes tea\n- [x] moved to Porto\n"),
        ("HEARTBEAT.md", "tasks:\n\n- name: mail\n  interval: 30m\n  prompt: \"look\"\n"),
        ("memory/2026-01-02.md", "# 2026-01-02\n- walked\n"),
        ("memory/heartbeat-state.json", "{\"lastChecks\":{}}"),
        ("skills/tea/SKILL.md", "---\nname: tea\n---\nBoil.\n"),
        (".git/HEAD", "ref: refs/heads/main\n"),
        ("canvas/index.html", "<p>"),
    ];
    for (path, text) in files {
        std::fs::create_dir_all(f.path(path).parent().unwrap()).unwrap();
        f.outside(path, text);
    }
    let root = WorkspaceRoot::open(f.folder.path(), Arc::new(Versions::default())).unwrap();
    assert!(!root.is_new().unwrap());
    let created = root.seed(Language::English).unwrap();
    assert_eq!(created, ["USER.md", "TOOLS.md"]);
    for (path, text) in files {
        assert_eq!(f.on_disk(path), text, "{path}");
    }
    let card = identity(&root.read("IDENTITY.md").unwrap().text);
    assert_eq!(card.name.as_deref(), Some("Pip"));
    assert_eq!(card.role.as_deref(), Some("a small ghost"));
    let listed: Vec<_> = root.list().unwrap().into_iter().map(|l| l.path).collect();
    assert_eq!(
        listed,
        [
            "AGENTS.md",
            "HEARTBEAT.md",
            "IDENTITY.md",
            "MEMORY.md",
            "SOUL.md",
            "TOOLS.md",
            "USER.md",
            "memory/2026-01-02.md",
            "skills/tea/SKILL.md",
        ]
    );
    assert_eq!(root.read("SOUL.md").unwrap().text, "# SOUL.md\n\nBe kind.");
}

#[test]
fn a_run_is_given_files_markers_and_nothing_else() {
    let f = workspace();
    f.outside("AGENTS.md", "Work.");
    f.outside("SOUL.md", b"caf\xe9");
    f.outside("USER.md", "Ada");
    let loaded = f.root.load(MAIN).unwrap();
    let texts: Vec<_> = loaded.iter().map(|l| (l.text.as_str(), l.problem.is_some())).collect();
    assert_eq!(
        texts,
        [
            ("Work.", false),
            ("[UNREADABLE] SOUL.md", true),
            ("[MISSING] IDENTITY.md", true),
            ("Ada", false),
            ("[MISSING] TOOLS.md", true),
        ]
    );
    assert_eq!(f.root.load(Run { mode: PromptMode::None, ..MAIN }).unwrap(), []);
}

#[test]
fn a_workspace_that_is_no_folder_is_refused() {
    let f = workspace();
    f.outside("file", "x");
    let error = WorkspaceRoot::open(&f.path("file"), f.versions.clone()).unwrap_err();
    assert!(error.to_string().contains("cannot be opened"), "{error}");
    let deep = f.path("a/b/workspace");
    WorkspaceRoot::open(&deep, f.versions.clone()).unwrap();
    assert!(deep.is_dir());
}
