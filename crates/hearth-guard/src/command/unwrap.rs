//! Programs that run other programs, and what they would run.

use super::{Concern, Line, MAX_DEPTH, Run, sh};

/// Programs that start what their arguments name, or read a language of their own: never allowed by name.
#[rustfmt::skip]
const RUNNERS: &[&str] = &[
    "sh", "bash", "dash", "zsh", "ksh", "mksh", "ash", "fish", "csh", "tcsh", "nu", "elvish", "cmd",
    "powershell", "pwsh", "busybox", "toybox", "env", "sudo", "doas", "su", "runuser", "pkexec",
    "nice", "ionice", "chrt", "nohup", "setsid", "timeout", "stdbuf", "time", "command", "exec",
    "builtin", "eval", "source", ".", "trap", "xargs", "parallel", "find", "fd", "watch", "entr",
    "flock", "chroot", "unshare", "nsenter", "bwrap", "firejail", "strace", "ltrace", "gdb",
    "script", "ssh", "at", "batch", "crontab", "systemd-run", "systemctl", "docker", "podman",
    "kubectl", "python", "python2", "python3", "perl", "ruby", "node", "deno", "bun", "php", "lua",
    "tclsh", "osascript", "awk", "gawk", "mawk", "sed", "ed", "vi", "vim", "nvim", "emacs", "less",
    "more", "man", "make", "npx", "uvx", "start", "call", "forfiles", "xonsh",
];

/// Those whose words are no programs: targets, files, texts of a language.
#[rustfmt::skip]
const OTHERWISE: &[&str] = &[
    "make", "awk", "gawk", "mawk", "sed", "ed", "vi", "vim", "nvim", "emacs", "less", "more", "man",
    "crontab", "systemctl", "docker", "podman", "kubectl", "osascript", "at", "batch",
];

/// Those that run the text behind an option.
#[rustfmt::skip]
const INTERPRETERS: &[&str] = &[
    "python", "python2", "python3", "perl", "ruby", "node", "deno", "bun", "php", "lua", "tclsh",
];

/// The name without folders and `.exe`.
pub(super) fn base(program: &str) -> String {
    let name = program.rsplit(['/', '\\']).next().unwrap_or(program).to_ascii_lowercase();
    name.strip_suffix(".exe").map(str::to_owned).unwrap_or(name)
}

/// Whether a program runs others.
#[must_use]
pub fn is_runner(program: &str) -> bool {
    is_among(RUNNERS, &base(program))
}

fn is_interpreter(name: &str) -> bool {
    is_among(INTERPRETERS, name)
}

fn is_among(list: &[&str], name: &str) -> bool {
    // `python3.12` is one too.
    let stem = name.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.');
    list.contains(&name) || !stem.is_empty() && list.contains(&stem)
}

/// What a program would run itself.
pub(super) enum Inner {
    /// A program with its arguments.
    Words(Vec<String>, Vec<String>),
    /// A line of shell.
    Text(String, Vec<String>),
}

/// What a run would run itself.
pub(super) fn of(run: &Run) -> Vec<Inner> {
    let name = base(&run.program);
    let arguments = &run.arguments;
    let through = || {
        let mut through = run.through.clone();
        through.push(name.clone());
        through
    };
    let text = |text: String| vec![Inner::Text(text, through())];
    match name.as_str() {
        "sh" | "bash" | "dash" | "zsh" | "ksh" | "mksh" | "ash" | "fish" | "su" => {
            let at = arguments.iter().position(|word| {
                word.starts_with('-') && !word.starts_with("--") && word.contains('c')
            });
            at.and_then(|at| arguments.get(at + 1)).cloned().map(text).unwrap_or_default()
        }
        "eval" => text(arguments.join(" ")),
        "trap" => arguments.first().cloned().map(text).unwrap_or_default(),
        "ssh" => {
            let rest: Vec<String> = positional(arguments).into_iter().skip(1).collect();
            if rest.is_empty() { vec![] } else { text(rest.join(" ")) }
        }
        "alias" => arguments
            .iter()
            .filter_map(|word| word.split_once('='))
            .map(|(_, value)| Inner::Text(value.to_owned(), through()))
            .collect(),
        "find" | "fd" => {
            after_exec(arguments).map(|words| Inner::Words(words, through())).collect()
        }
        "git" => arguments
            .iter()
            .filter_map(|word| word.split_once("=!"))
            .map(|(_, value)| Inner::Text(value.to_owned(), through()))
            .collect(),
        _ if OTHERWISE.contains(&name.as_str()) => vec![],
        _ if is_interpreter(&name)
            && arguments.first().is_some_and(|word| word.starts_with('-')) =>
        {
            vec![]
        }
        _ if is_runner(&name) => {
            let words = positional(arguments);
            if words.is_empty() { vec![] } else { vec![Inner::Words(words, through())] }
        }
        _ => vec![],
    }
}

/// The words from the first that is neither an option, nor `A=b`, nor a number with a unit.
fn positional(arguments: &[String]) -> Vec<String> {
    let is_setting = |word: &String| {
        word.starts_with('-')
            || word.contains('=')
            || word.starts_with('/') && word.len() == 2
            || word.trim_end_matches(['s', 'm', 'h', 'd']).parse::<f64>().is_ok()
    };
    arguments.iter().skip_while(|word| is_setting(word)).cloned().collect()
}

fn after_exec(arguments: &[String]) -> impl Iterator<Item = Vec<String>> {
    let starts = ["-exec", "-execdir", "-ok", "-okdir", "-x", "-X", "--exec", "--exec-batch"];
    arguments.iter().enumerate().filter(move |(_, word)| starts.contains(&word.as_str())).map(
        |(at, _)| {
            let rest = arguments[at + 1..].iter();
            rest.take_while(|word| *word != ";" && *word != "+").cloned().collect()
        },
    )
}

/// Adds what is inside, and what is inside that.
pub(super) fn follow(inner: Vec<Inner>, line: &mut Line) {
    for inner in inner {
        match inner {
            Inner::Text(text, through) => sh::read(&text, &through, line),
            Inner::Words(_, through) if through.len() > MAX_DEPTH => line.concern(Concern::TooDeep),
            Inner::Words(words, through) => {
                let mut words = words.into_iter();
                let Some(program) = words.next() else { continue };
                let run = Run { program, arguments: words.collect(), through };
                let deeper = of(&run);
                line.runs.push(run);
                follow(deeper, line);
            }
        }
    }
}
