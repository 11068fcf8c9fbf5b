//! Several sources: who has a name, what is read again, bodies and references.

use hearth_protocol::api::skills::SkillSource;
use hearth_workspace::skills::{Found, SkillRoot, Skills, Warning, read_skill};
use proptest::prelude::*;
use std::fs;
use std::path::Path;
use tempfile::TempDir;

struct Sources {
    folder: TempDir,
    skills: Skills,
}

impl Sources {
    fn new() -> Self {
        Self { folder: tempfile::tempdir().expect("a folder"), skills: Skills::default() }
    }

    fn write(&self, path: &str, text: &str) {
        let file = self.folder.path().join(path);
        fs::create_dir_all(file.parent().expect("a folder")).expect("created");
        fs::write(file, text).expect("written");
    }

    fn roots(&self) -> [SkillRoot; 2] {
        let root = |source, name: &str| SkillRoot { source, folder: self.folder.path().join(name) };
        [root(SkillSource::Workspace, "own"), root(SkillSource::Bundled, "bundled")]
    }

    fn scan(&self) -> Vec<Found> {
        self.skills.scan(&self.roots())
    }
}

fn skill(name: &str, description: &str) -> String {
    format!("---\nname: {name}\ndescription: {description}\n---\nDo it well.\n")
}

#[test]
fn the_first_source_has_the_name() {
    let sources = Sources::new();
    sources.write("bundled/tea/SKILL.md", &skill("tea", "Makes tea in the usual way."));
    sources.write("own/green/SKILL.md", &skill("Tea", "Makes green tea, not too hot."));
    let found = sources.scan();
    let row = |found: &Found| (found.source, found.skill.usable(), found.shadowed_by.is_some());
    assert_eq!(
        found.iter().map(row).collect::<Vec<_>>(),
        [(SkillSource::Workspace, true, false), (SkillSource::Bundled, false, true)]
    );
    // One that cannot be used takes no name away.
    sources.write("own/green/SKILL.md", "");
    let found = sources.scan();
    assert_eq!(found.iter().map(row).collect::<Vec<_>>()[1], (SkillSource::Bundled, true, false));
}

#[test]
fn a_change_counts_at_the_next_look_and_nothing_else_is_read_again() {
    let sources = Sources::new();
    sources.write("own/tea/SKILL.md", &skill("tea", "Makes tea in the usual way."));
    sources.write("own/jam/SKILL.md", &skill("jam", "Cooks jam from any berries."));
    let before = sources.scan();
    let text = format!(
        "{}\nSee [style](references/style.md).\n",
        skill("tea", "Makes it quickly, in a cup.")
    );
    sources.write("own/tea/SKILL.md", &text);
    let after = sources.scan();
    let of = |found: &[Found], name: &str| {
        found.iter().find(|found| found.skill.name == name).expect("found").skill.clone()
    };
    assert!(std::sync::Arc::ptr_eq(&of(&before, "jam"), &of(&after, "jam")));
    assert_eq!(of(&after, "tea").description, "Makes it quickly, in a cup.");
    assert_eq!(of(&after, "tea").warnings, [Warning::ReferenceMissing]);
    // A file beside it counts, too.
    sources.write("own/tea/references/style.md", "# Style\n");
    assert_eq!(of(&sources.scan(), "tea").references, ["references/style.md"]);
    fs::remove_dir_all(sources.folder.path().join("own/tea")).expect("removed");
    let left = sources.scan();
    sources.skills.keep_only(&left);
    assert_eq!(left.len(), 1);
}

#[test]
fn what_was_read_serves_the_next_process() {
    let sources = Sources::new();
    sources.write("own/tea/SKILL.md", &skill("tea", "Makes tea in the usual way."));
    let found = sources.scan();
    let next = Skills::default();
    next.take(&sources.skills.kept().expect("news"));
    next.take(b"not what was kept");
    assert_eq!(next.scan(&sources.roots()), found);
    // Nothing had to be read, so there is nothing new to keep.
    assert_eq!(next.kept(), None);
    assert_eq!(sources.skills.kept(), None);
}

#[test]
fn bodies_and_references_stay_in_their_folder() {
    let sources = Sources::new();
    sources.write("own/tea/SKILL.md", &skill("tea", "Makes tea in the usual way."));
    sources.write("own/tea/references/style.md", "# Style\n");
    sources.write("own/secret.md", "not yours");
    let found = sources.scan().remove(0);
    assert_eq!(found.body().expect("a body").text, "Do it well.");
    assert_eq!(found.reference("references/style.md").expect("a reference"), "# Style\n");
    for path in ["", "../secret.md", "references/none.md", "references", "/etc/hosts"] {
        assert!(found.reference(path).is_err(), "{path}");
    }
}

#[test]
fn a_source_that_is_not_there_has_no_skills() {
    let root =
        SkillRoot { source: SkillSource::Extra, folder: Path::new("/nowhere/at/all").to_owned() };
    assert_eq!(Skills::default().scan(&[root]), []);
}

proptest! {
    #[test]
    fn any_bytes_are_read(bytes in proptest::collection::vec(any::<u8>(), 0..400)) {
        let _ = read_skill(&bytes, "any");
    }

    #[test]
    fn any_frontmatter_is_read(front in "(name|description|metadata|triggers|allowed-tools|uses)?: ?[ -~\n\t会议。：]{0,120}", body in "[#`\\[\\]() a-z./~-]{0,200}\n?") {
        let text = format!("---\nname: a\n{front}\n---\n{body}");
        let (skill, _) = read_skill(text.as_bytes(), "a").expect("never refused");
        prop_assert!(!skill.name.is_empty() && !skill.name.contains(['/', '\\', '.']));
    }
}
