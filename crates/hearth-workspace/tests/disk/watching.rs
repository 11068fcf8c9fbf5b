//! Outside changes reach the report while the real system sends the events.

use crate::support::{Fixture, Versions, user, workspace};
use hearth_protocol::api::files::{Author, FileChanged};
use hearth_workspace::{Watch, WorkspaceRoot, hash};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

/// Two seconds are promised; a busy test machine is given more before the test gives up.
const GIVE_UP: Duration = Duration::from_secs(20);

struct Watched {
    f: Fixture,
    root: Arc<WorkspaceRoot>,
    versions: Arc<Versions>,
    reports: Receiver<FileChanged>,
    _watch: Watch,
}

fn watched(files: &[(&str, &str)]) -> Watched {
    let f = workspace();
    for (path, text) in files {
        f.outside(path, text);
    }
    let versions = f.versions.clone();
    let root = Arc::new(WorkspaceRoot::open(f.folder.path(), versions.clone()).unwrap());
    let (send, reports) = channel();
    let watch = root.watch(move |change| drop(send.send(change))).unwrap();
    Watched { f, root, versions, reports, _watch: watch }
}

impl Watched {
    fn next(&self) -> (String, String) {
        let change = self.reports.recv_timeout(GIVE_UP).expect("a report");
        assert_eq!(change.author, Author::Outside);
        (change.path, change.hash)
    }

    /// Reports until the file has this text; editors pass through others.
    fn until(&self, path: &str, text: &str) {
        let wanted = (path.to_owned(), hash(text.as_bytes()));
        while self.next() != wanted {}
    }
}

#[test]
fn an_outside_edit_is_told_and_kept_and_our_own_is_not() {
    let w = watched(&[("SOUL.md", "kind\n"), ("USER.md", "Ada\n")]);
    // Sorted before USER.md: would be told first, if at all.
    w.root.append("SOUL.md", "calm", &user()).unwrap();
    let since = Instant::now();
    w.f.outside("USER.md", "Ada, Lisbon\n");
    w.until("USER.md", "Ada, Lisbon\n");
    println!("noticed after {} ms", since.elapsed().as_millis());
    assert_eq!(
        w.versions.of("USER.md"),
        ["Ada\n", "Ada, Lisbon\n"].map(|text| (Author::Outside, Some(text.to_owned())))
    );
    let soul: Vec<_> = w.versions.of("SOUL.md").into_iter().map(|(author, _)| author).collect();
    assert_eq!(soul, [Author::Outside, Author::User]);
}

#[test]
fn editors_that_rename_and_programs_that_remove_are_told() {
    let w = watched(&[("SOUL.md", "kind\n")]);
    w.f.outside("SOUL.md.new", "kinder\n");
    std::fs::rename(w.f.path("SOUL.md"), w.f.path("SOUL.md~")).unwrap();
    std::fs::rename(w.f.path("SOUL.md.new"), w.f.path("SOUL.md")).unwrap();
    w.until("SOUL.md", "kinder\n");
    std::fs::remove_file(w.f.path("SOUL.md")).unwrap();
    assert_eq!(w.next(), ("SOUL.md".to_owned(), String::new()));
    assert_eq!(w.versions.of("SOUL.md").last(), Some(&(Author::Outside, None)));
}

#[test]
fn a_new_day_in_a_new_folder_is_told() {
    let w = watched(&[]);
    std::fs::create_dir(w.f.path("memory")).unwrap();
    w.f.outside("memory/2026-01-02.md", "- up\n");
    w.until("memory/2026-01-02.md", "- up\n");
    w.f.outside("memory/2026-01-02.md", "- up\n- out\n");
    w.until("memory/2026-01-02.md", "- up\n- out\n");
}

#[test]
fn a_folder_that_was_replaced_is_watched_again() {
    let w = watched(&[("SOUL.md", "kind\n")]);
    let old = w.f.folder.path().with_extension("old");
    std::fs::rename(w.f.folder.path(), &old).unwrap();
    std::fs::create_dir(w.f.folder.path()).unwrap();
    w.f.outside("SOUL.md", "kinder\n");
    w.until("SOUL.md", "kinder\n");
    w.f.outside("SOUL.md", "kindest\n");
    w.until("SOUL.md", "kindest\n");
    std::fs::remove_dir_all(old).unwrap();
}
