//! What a command line would really run, and whether that is within what was allowed.
//!
//! Invariants: a line is within what was allowed only if every program in it is, and every construct of
//! it is understood; whatever is not understood is a [`Concern`], and a concern is never allowed. Programs
//! inside substitutions and behind runners (`env`, `xargs`, `sh -c`, `find -exec`) are named too, so that
//! a person who is asked sees them.
//! Absent here: running anything, and the file system (the caller says whether a path stays inside).

mod allowed;
mod cmd;
mod git;
mod known;
mod paths;
mod powershell;
mod program;
mod sh;
mod unwrap;

pub use allowed::Allowed;
pub use known::takes_data;
pub use unwrap::is_runner;

use serde::{Deserialize, Serialize};
use std::fmt;

/// Longer lines are not read: nobody writes them, and nobody can judge them.
const MAX_BYTES: usize = 64 * 1024;
/// Substitutions inside each other.
const MAX_DEPTH: usize = 12;

/// Which language a command line is written in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Shell {
    /// POSIX sh, bash and zsh alike.
    Sh,
    /// Windows' cmd.exe.
    Cmd,
    /// PowerShell.
    PowerShell,
}

impl Shell {
    /// The one that `exec` uses on this system.
    #[must_use]
    pub const fn here() -> Self {
        if cfg!(windows) { Self::Cmd } else { Self::Sh }
    }

    /// Programs are found whatever the case on Windows.
    fn same_name(self, a: &str, b: &str) -> bool {
        match self {
            Self::Sh => a == b,
            Self::Cmd | Self::PowerShell => a.eq_ignore_ascii_case(b),
        }
    }
}

/// One program that a line would start.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Run {
    /// As the shell would look it up.
    pub program: String,
    /// Its arguments, quotes taken off.
    pub arguments: Vec<String>,
    /// What starts it, outermost first: empty for a command of the line itself.
    pub through: Vec<String>,
}

/// Something in a line that is more than plain programs with plain arguments.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
#[expect(missing_docs, reason = "Display says what each one is")]
pub enum Concern {
    Empty,
    TooLong,
    TooDeep,
    Unfinished,
    Invisible(char),
    LookAlike(char),
    Substitution,
    Expansion,
    Redirection(String),
    HereDocument,
    Assignment(String),
    Compound(String),
    Pattern,
    Home,
    Disguised(String),
    Background,
    Comment,
    Misplaced(String),
}

impl fmt::Display for Concern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Empty => f.write_str("there is no command"),
            Self::TooLong => f.write_str("the line is too long to be judged"),
            Self::TooDeep => f.write_str("commands are nested too deeply to be judged"),
            Self::Unfinished => f.write_str("a quote, bracket or escape is not finished"),
            Self::Invisible(c) => write!(f, "it holds the invisible character U+{:04X}", *c as u32),
            Self::LookAlike(c) => {
                write!(f, "it holds {c} (U+{:04X}), which looks like an operator", *c as u32)
            }
            Self::Substitution => f.write_str("it runs a command inside another"),
            Self::Expansion => f.write_str("a variable or expression decides what it says"),
            Self::Redirection(what) => write!(f, "it redirects ({what})"),
            Self::HereDocument => f.write_str("it feeds text to a command (<<)"),
            Self::Assignment(name) => write!(f, "it sets {name} for the command"),
            Self::Compound(word) => write!(f, "it holds a compound command ({word})"),
            Self::Pattern => f.write_str("a pattern decides which files it touches"),
            Self::Home => f.write_str("~ leads out of the workspace"),
            Self::Disguised(word) => write!(f, "the program's name is written in parts ({word})"),
            Self::Background => f.write_str("it goes on in the background"),
            Self::Comment => f.write_str("part of it is a comment"),
            Self::Misplaced(what) => write!(f, "{what} stands where a command should"),
        }
    }
}

/// A command line as it was understood.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Line {
    /// Programs in the order in which they are written; those inside others follow them.
    pub runs: Vec<Run>,
    /// What is more than plain; sorted, each once.
    pub concerns: Vec<Concern>,
}

impl Line {
    /// The programs' names, each once, in order.
    #[must_use]
    pub fn programs(&self) -> Vec<&str> {
        let mut names: Vec<&str> = Vec::new();
        for run in &self.runs {
            if !names.contains(&run.program.as_str()) {
                names.push(&run.program);
            }
        }
        names
    }

    /// The folder that the line enters first, taken off it: `cd docs && ls`. What follows may run there or, where
    /// that fails, where it began.
    #[must_use]
    pub fn entered(&mut self) -> Option<String> {
        let first = self.runs.first()?;
        let is_cd = first.program == "cd" && first.through.is_empty();
        let [folder] = first.arguments.as_slice() else { return None };
        let folder =
            (is_cd && !folder.is_empty() && !folder.starts_with('-')).then(|| folder.clone())?;
        self.runs.remove(0);
        Some(folder)
    }

    fn concern(&mut self, concern: Concern) {
        if let Err(at) = self.concerns.binary_search(&concern) {
            self.concerns.insert(at, concern);
        }
    }
}

/// Reads a line. Never fails: what cannot be read is a concern.
#[must_use]
pub fn read(shell: Shell, text: &str) -> Line {
    let mut line = Line::default();
    if text.len() > MAX_BYTES {
        line.concern(Concern::TooLong);
        return line;
    }
    for c in text.chars().filter(|c| is_invisible(*c)) {
        line.concern(Concern::Invisible(c));
    }
    match shell {
        Shell::Sh => sh::read(text, &[], &mut line),
        Shell::Cmd => cmd::read(text, &mut line),
        Shell::PowerShell => powershell::read(text, &mut line),
    }
    if line.runs.is_empty() {
        line.concern(Concern::Empty);
    }
    line
}

/// Whether a line is within what was allowed; if not, why. `stays` says of a path, as it is written,
/// whether it stays where the command may read, links followed.
///
/// # Errors
/// The first reason against it, as a sentence without a full stop.
pub fn within(
    line: &Line,
    shell: Shell,
    allowed: &Allowed,
    stays: &dyn Fn(&str) -> bool,
) -> Result<(), String> {
    // A program that was not allowed says more to a person than how its line is written.
    let is_plain = |run: &&Run| {
        run.through.is_empty()
            && !run.program.is_empty()
            && run.program.chars().all(|c| c.is_ascii_alphanumeric() || "-_.+".contains(c))
    };
    let foreign = line
        .runs
        .iter()
        .filter(is_plain)
        .find(|run| !allowed.is_form(run) && !allowed.names(shell, &run.program));
    if let Some(run) = foreign {
        return Err(program::not_allowed(run));
    }
    if let Some(concern) = line.concerns.first() {
        return Err(concern.to_string());
    }
    // What an exact form starts was allowed with it.
    let mut covered = None;
    for run in &line.runs {
        if covered.is_some_and(|depth| run.through.len() > depth) {
            continue;
        }
        covered = allowed.is_form(run).then_some(run.through.len());
        if covered.is_none() {
            program::judge(run, shell, allowed, stays)?;
        }
    }
    Ok(())
}

/// Control characters except tab and line ends; what is not drawn or turns the direction of what follows.
fn is_invisible(c: char) -> bool {
    match c {
        '\n' | '\t' => false,
        '\u{ad}'
        | '\u{34f}'
        | '\u{61c}'
        | '\u{115f}'
        | '\u{1160}'
        | '\u{17b4}'
        | '\u{17b5}'
        | '\u{180b}'..='\u{180f}'
        | '\u{200b}'..='\u{200f}'
        | '\u{2028}'..='\u{202e}'
        | '\u{2060}'..='\u{206f}'
        | '\u{3164}'
        | '\u{feff}'
        | '\u{ffa0}'
        | '\u{fff0}'..='\u{fffb}'
        | '\u{e0000}'..='\u{e0fff}' => true,
        c => c.is_control(),
    }
}

/// Characters that a person takes for an operator, a quote, a dash or a space.
fn is_look_alike(c: char) -> bool {
    matches!(c,
        '\u{a0}' | '\u{1680}' | '\u{2000}'..='\u{200a}' | '\u{202f}' | '\u{205f}' | '\u{3000}'
        | '\u{37e}' | '\u{1c0}' | '\u{2010}'..='\u{2015}' | '\u{2018}'..='\u{201f}'
        | '\u{2024}' | '\u{2039}' | '\u{203a}' | '\u{2044}' | '\u{2212}' | '\u{2215}' | '\u{2216}'
        | '\u{2223}' | '\u{2236}' | '\u{223c}' | '\u{23d0}' | '\u{29f8}' | '\u{29f9}'
        | '\u{fe54}' | '\u{fe58}' | '\u{fe5b}'..='\u{fe6b}'
        | '\u{ff02}' | '\u{ff04}' | '\u{ff06}'..='\u{ff0a}' | '\u{ff0d}'..='\u{ff0f}'
        | '\u{ff1b}'..='\u{ff1e}' | '\u{ff3b}'..='\u{ff3d}' | '\u{ff40}' | '\u{ff5b}'..='\u{ff5e}')
}
