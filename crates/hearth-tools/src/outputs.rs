//! Whole outputs of tools on disk, where the model saw only a part.
//!
//! Invariants: one file a call, in a folder of Hearth's own, never in the workspace; a name can lead
//! nowhere else; nothing is held in memory whole; old ones go. Absent here: who may read them (any tool
//! that reads files may, under `output:NAME`).

use crate::call::Outcome;
use hearth_protocol::{CallId, Provenance, TurnId};
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

/// How an output is named where a path of a file is expected.
pub(crate) const PREFIX: &str = "output:";
/// Characters of a result that the model is shown at most, both ends together.
const SHOWN_HEAD: usize = 24_000;
const SHOWN_TAIL: usize = 8_000;
/// Outputs are kept for so long.
const KEPT: Duration = Duration::from_secs(30 * 24 * 60 * 60);

/// The folder of outputs.
#[derive(Debug, Clone)]
pub struct Outputs {
    folder: PathBuf,
}

impl Outputs {
    /// Outputs in this folder, made when the first one is written.
    #[must_use]
    pub fn new(folder: PathBuf) -> Self {
        Self { folder }
    }

    /// The name of a call's output.
    pub(crate) fn name(turn: &TurnId, call: &CallId) -> String {
        let both = format!("{turn}\n{call}");
        blake3::hash(both.as_bytes()).to_hex()[..16].to_owned()
    }

    /// Where the output of a name lies, and whether others wrote it; none where there is none.
    pub(crate) fn find(&self, name: &str) -> Option<(PathBuf, bool)> {
        let ours = name.len() == 16 && name.bytes().all(|b| b.is_ascii_hexdigit());
        let places = [true, false].map(|untrusted| (self.place(name, untrusted), untrusted));
        places.into_iter().find(|(path, _)| ours && path.is_file())
    }

    /// An empty file for a call's output.
    pub(crate) fn create(&self, name: &str, untrusted: bool) -> io::Result<(File, PathBuf)> {
        make_private(&self.folder)?;
        let path = self.place(name, untrusted);
        Ok((File::create(&path)?, path))
    }

    /// Where a text came from must outlive the call, so it is part of the file's name.
    fn place(&self, name: &str, untrusted: bool) -> PathBuf {
        self.folder.join(format!("{name}.{}", if untrusted { "untrusted" } else { "txt" }))
    }

    /// A folder of a call's own for temporary files; the caller removes it.
    pub(crate) fn scratch(&self, name: &str) -> io::Result<PathBuf> {
        let folder = self.folder.join(format!("{name}.tmp"));
        make_private(&folder)?;
        folder.canonicalize()
    }

    /// An outcome that fits: a text too long to be shown is kept on disk and shown in part.
    #[must_use]
    pub fn fit(&self, turn: &TurnId, call: &CallId, outcome: Outcome) -> Outcome {
        if outcome.full.is_some() || outcome.text.len() <= SHOWN_HEAD + SHOWN_TAIL {
            return outcome;
        }
        let name = Self::name(turn, call);
        let untrusted = outcome.provenance != Provenance::Own;
        let kept = self.create(&name, untrusted).and_then(|(mut file, path)| {
            io::Write::write_all(&mut file, outcome.text.as_bytes())?;
            Ok(path)
        });
        // Without a file the whole text goes on; the turn cuts it as it must.
        let Ok(path) = kept else { return outcome };
        let (head, tail) = ends(&outcome.text);
        let bytes = outcome.text.len() as u64;
        let text = joined(head, tail, bytes, &name);
        Outcome { text, full: Some(path), ..outcome }
    }

    /// Removes what is older than thirty days, and the scratch folders that a crash left.
    pub fn sweep(&self, now: SystemTime) {
        let Ok(entries) = fs::read_dir(&self.folder) else { return };
        for entry in entries.flatten() {
            let Ok(meta) = entry.metadata() else { continue };
            let age = meta.modified().ok().and_then(|at| now.duration_since(at).ok());
            let path = entry.path();
            let _ = match meta.is_dir() {
                true => fs::remove_dir_all(path),
                false if age.is_some_and(|age| age > KEPT) => fs::remove_file(path),
                false => Ok(()),
            };
        }
    }
}

fn make_private(folder: &Path) -> io::Result<()> {
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder)
}

/// The parts of a text that are shown.
fn ends(text: &str) -> (&str, &str) {
    (
        &text[..text.floor_char_boundary(SHOWN_HEAD)],
        &text[text.ceil_char_boundary(text.len() - SHOWN_TAIL)..],
    )
}

/// Both ends of an output, with a word on what is missing between.
pub(crate) fn joined(head: &str, tail: &str, bytes: u64, name: &str) -> String {
    let missing = bytes.saturating_sub((head.len() + tail.len()) as u64);
    format!(
        "{head}\n[{missing} bytes are left out here; read_file with the path {PREFIX}{name} shows all {bytes} \
         page by page]\n{tail}"
    )
}

/// The first and last bytes of a stream that may be huge.
pub(crate) struct Ends {
    head: Vec<u8>,
    tail: Vec<u8>,
    bytes: u64,
}

impl Ends {
    pub(crate) fn new() -> Self {
        Self { head: Vec::new(), tail: Vec::new(), bytes: 0 }
    }

    pub(crate) fn push(&mut self, mut piece: &[u8]) {
        self.bytes += piece.len() as u64;
        let room = (SHOWN_HEAD - self.head.len()).min(piece.len());
        self.head.extend_from_slice(&piece[..room]);
        piece = &piece[room..];
        let last = &piece[piece.len().saturating_sub(SHOWN_TAIL)..];
        self.tail.extend_from_slice(last);
        // Moved down only now and then.
        if self.tail.len() > 4 * SHOWN_TAIL {
            self.tail.drain(..self.tail.len() - SHOWN_TAIL);
        }
    }

    /// Bytes seen.
    pub(crate) fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Whether it is no text that a model could read.
    pub(crate) fn is_binary(&self) -> bool {
        let text = String::from_utf8_lossy(&self.head);
        let bad = text.chars().filter(|c| *c == '\u{fffd}' || *c == '\0').count();
        bad * 10 > text.chars().count()
    }

    /// The text to show, and whether it is all there is.
    pub(crate) fn text(&self, name: &str) -> (String, bool) {
        let tail = &self.tail[self.tail.len().saturating_sub(SHOWN_TAIL)..];
        if self.bytes <= (self.head.len() + tail.len()) as u64 {
            let all = [self.head.as_slice(), tail].concat();
            return (plain(&String::from_utf8_lossy(&all)), true);
        }
        let head = plain(&String::from_utf8_lossy(&self.head));
        let tail = plain(&String::from_utf8_lossy(tail));
        (joined(&head, &tail, self.bytes, name), false)
    }
}

/// Text without the sequences that drive a terminal.
pub(crate) fn plain(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut rest = text.chars().peekable();
    while let Some(c) = rest.next() {
        match c {
            '\u{1b}' => skip_sequence(&mut rest),
            '\r' if rest.peek() == Some(&'\n') => {}
            '\r' => plain.push('\n'),
            '\n' | '\t' => plain.push(c),
            c if c.is_control() => {}
            c => plain.push(c),
        }
    }
    plain
}

fn skip_sequence(rest: &mut std::iter::Peekable<std::str::Chars<'_>>) {
    match rest.next() {
        Some('[') => while rest.next().is_some_and(|c| !('\u{40}'..='\u{7e}').contains(&c)) {},
        Some(']') => while rest.next().is_some_and(|c| c != '\u{7}' && c != '\u{1b}') {},
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_text_is_kept_and_shown_at_both_ends() {
        let folder = tempfile::tempdir().expect("temp");
        let outputs = Outputs::new(folder.path().join("outputs"));
        let (turn, call) = ("t".into(), "../../c".into());
        let short = Outcome::done("short");
        assert_eq!(outputs.fit(&turn, &call, short.clone()), short);
        let long = format!("first{}last", "中".repeat(40_000));
        let shown = outputs.fit(&turn, &call, Outcome::done(long.clone()));
        assert!(shown.text.starts_with("first") && shown.text.ends_with("last"));
        assert!(shown.text.chars().count() < 12_000, "{}", shown.text.chars().count());
        let kept = shown.full.expect("kept");
        assert!(kept.starts_with(folder.path()));
        assert_eq!(fs::read_to_string(&kept).expect("there"), long);
        outputs.sweep(SystemTime::now());
        assert!(kept.exists());
        outputs.sweep(SystemTime::now() + KEPT + Duration::from_secs(60));
        assert!(!kept.exists());
    }

    #[test]
    fn names_lead_nowhere_else() {
        let outputs = Outputs::new("/".into());
        for name in ["", "../../../etc/p", "0123456789abcde/", "0123456789abcdef0"] {
            assert_eq!(outputs.find(name), None, "{name}");
        }
    }

    #[test]
    fn what_drives_a_terminal_is_left_out() {
        assert_eq!(plain("\u{1b}[31mred\u{1b}[0m\u{7}\r\na\rb\u{1b}]0;title\u{7}c"), "red\na\nbc");
        assert_eq!(plain("\u{1b}"), "");
    }
}
