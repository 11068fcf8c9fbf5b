//! `git` by name means looking, and committing what is there. Everything else it can do (send, fetch,
//! throw work away, run programs through options and configuration) is asked about.
//!
//! Options are listed by what is known to be harmless: git takes any unambiguous beginning of an option,
//! so a list of harmful ones would have holes.

/// A subcommand: its long options, its letters, and whether it takes more than options.
struct Form {
    name: &'static str,
    long: &'static [&'static str],
    letters: &'static str,
    words: bool,
}

const HISTORY: &[&str] = &[
    "oneline",
    "graph",
    "all",
    "decorate",
    "stat",
    "shortstat",
    "numstat",
    "summary",
    "name-only",
    "name-status",
    "patch",
    "no-patch",
    "follow",
    "since",
    "until",
    "after",
    "before",
    "author",
    "grep",
    "max-count",
    "pretty",
    "format",
    "date",
    "abbrev-commit",
    "reverse",
    "merges",
    "no-merges",
    "first-parent",
    "color",
    "no-color",
    "word-diff",
    "cached",
    "staged",
    "unified",
    "ignore-all-space",
    "ignore-space-change",
    "diff-filter",
    "find-renames",
    "branches",
    "tags",
    "remotes",
    "no-ext-diff",
    "check",
    "minimal",
    "patience",
    "histogram",
    "relative-date",
];

const FORMS: [Form; 13] = [
    form(
        "status",
        &[
            "short",
            "branch",
            "porcelain",
            "long",
            "verbose",
            "ignored",
            "untracked-files",
            "show-stash",
        ],
        "sbvuz",
        true,
    ),
    form("log", HISTORY, "pnsSGuwbUMiEF", true),
    form("show", HISTORY, "pnsuwbUM", true),
    form("diff", HISTORY, "pnsuwbUMSGR", true),
    form("shortlog", HISTORY, "nse", true),
    form("blame", &["date", "show-email"], "wMLeln", true),
    form("branch", &["list", "all", "remotes", "show-current", "verbose"], "arvl", false),
    form("tag", &["list"], "ln", false),
    form("remote", &["verbose"], "v", false),
    form("add", &["all", "update", "verbose", "dry-run"], "Auvn", true),
    form("commit", &["message", "all", "verbose", "quiet", "allow-empty"], "mavq", true),
    form(
        "ls-files",
        &["cached", "others", "modified", "deleted", "exclude-standard", "stage"],
        "comds",
        true,
    ),
    form(
        "rev-parse",
        &["short", "abbrev-ref", "show-toplevel", "verify", "is-inside-work-tree"],
        "q",
        true,
    ),
];

const fn form(
    name: &'static str,
    long: &'static [&'static str],
    letters: &'static str,
    words: bool,
) -> Form {
    Form { name, long, letters, words }
}

/// Where its arguments are text (a commit's message), or the reason against them.
pub(super) fn judge(arguments: &[String]) -> Result<Vec<usize>, String> {
    let begin = arguments.iter().take_while(|word| *word == "--no-pager").count();
    let Some(name) = arguments.get(begin) else { return Ok(vec![]) };
    if name == "--version" && arguments.len() == 1 {
        return Ok(vec![]);
    }
    let Some(form) = FORMS.iter().find(|form| form.name == name) else {
        return Err(format!("git {name} does more than look or commit"));
    };
    let mut text = vec![];
    let mut at = begin + 1;
    while let Some(word) = arguments.get(at) {
        if word == "--" {
            break;
        }
        if let Some(option) = word.strip_prefix("--") {
            let (name, value) =
                option.split_once('=').map_or((option, None), |(n, v)| (n, Some(v)));
            if !form.long.contains(&name) {
                return Err(format!("git {} {word} is not known to be harmless", form.name));
            }
            match (form.name, name, value) {
                ("commit", "message", None) => {
                    at += 1;
                    text.push(at);
                }
                // Signatures are looked at by a program that the repository's settings name.
                (_, "pretty" | "format", Some(value)) if value.contains("%G") => {
                    return Err(format!("git {} {word} is not known to be harmless", form.name));
                }
                (_, "message" | "author" | "grep" | "pretty" | "format", Some(_)) => text.push(at),
                _ => {}
            }
        } else if let Some(letters) = word.strip_prefix('-') {
            if form.name == "commit"
                && let Some((flags, glued)) = letters.split_once('m')
            {
                known(form, flags)?;
                if glued.is_empty() {
                    at += 1;
                }
                text.push(at);
                at += 1;
                continue;
            }
            known(form, letters)?;
        } else if !form.words {
            return Err(format!("git {} {word} changes more than it shows", form.name));
        }
        at += 1;
    }
    Ok(text)
}

/// Letters of short options; numbers are lengths (`-5`, `-U3`). Only the first letter may take a value.
fn known(form: &Form, letters: &str) -> Result<(), String> {
    let takes_text = letters.starts_with(['S', 'G', 'L']);
    let fits = |c: char| c.is_ascii_digit() || form.letters.contains(c);
    let first = letters.chars().next().is_none_or(fits);
    if first && (takes_text || letters.chars().all(fits)) {
        Ok(())
    } else {
        Err(format!("git {} -{letters} is not known to be harmless", form.name))
    }
}
