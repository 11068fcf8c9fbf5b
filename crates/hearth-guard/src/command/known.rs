//! Programs that only read, with the options that are known to be harmless. A name alone allows a program of
//! this list with these options; whatever is not listed could write, start another program, follow links out
//! or take its file names from a file, and a list of such options would have holes.

use super::Shell;

/// A program: letters that take nothing, letters whose value is text, letters whose value is a file, long
/// options, and how many words it takes besides.
struct Known {
    name: &'static str,
    flags: &'static str,
    texts: &'static str,
    files: &'static str,
    long: &'static [&'static str],
    words: usize,
}

const ANY: usize = usize::MAX;

const fn known(
    name: &'static str,
    flags: &'static str,
    texts: &'static str,
    long: &'static [&'static str],
    words: usize,
) -> Known {
    Known { name, flags, texts, files: "", long, words }
}

const fn searches(
    name: &'static str,
    flags: &'static str,
    texts: &'static str,
    long: &'static [&'static str],
) -> Known {
    Known { name, flags, texts, files: "f", long, words: ANY }
}

const SUMS: &[&str] = &["binary", "text", "tag", "zero"];
const LINES: &[&str] = &["lines", "bytes", "quiet", "silent", "verbose", "zero-terminated"];
const GREP_FLAGS: &str = "iIvwxcnHhlLqsoabzZTEFGPyrU";
const GREP: &[&str] = &[
    "ignore-case",
    "invert-match",
    "word-regexp",
    "line-regexp",
    "count",
    "line-number",
    "with-filename",
    "no-filename",
    "files-with-matches",
    "files-without-match",
    "quiet",
    "silent",
    "no-messages",
    "only-matching",
    "text",
    "null",
    "extended-regexp",
    "fixed-strings",
    "basic-regexp",
    "perl-regexp",
    "recursive",
    "color",
    "colour",
    "regexp",
    "max-count",
    "after-context",
    "before-context",
    "context",
    "include",
    "exclude",
    "exclude-dir",
    "binary-files",
    "initial-tab",
    "null-data",
    "byte-offset",
    "file",
];

// Left out on purpose: what follows links below a folder (`grep -R`, `ls -L`, `du -L`, `rg -L`, `tree -l`,
// `diff -r`, `find -L`; folders in a `diff` are looked for by policy), what takes names from a file (`--files0-from`, `file -f`, `md5sum -c`), what
// writes (`sort -o`) and what starts programs (`rg --pre`, `sort --compress-program`).
#[rustfmt::skip]
const KNOWN: &[Known] = &[
    known("ls", "1aAbBcCdfFgGhiklmnNopqQrRsStuUvxXZ", "ITw", &[
        "all", "almost-all", "author", "color", "classify", "directory", "full-time", "group-directories-first",
        "human-readable", "si", "inode", "no-group", "numeric-uid-gid", "recursive", "reverse", "size", "sort",
        "time", "time-style", "format", "block-size", "file-type", "indicator-style", "ignore", "hide", "width",
        "escape", "literal", "quote-name", "zero",
    ], ANY),
    known("cat", "AbeEnstTuv", "", &[
        "number", "number-nonblank", "show-all", "squeeze-blank", "show-ends", "show-tabs", "show-nonprinting",
    ], ANY),
    known("pwd", "LP", "", &["logical", "physical"], 0),
    known("date", "uRI", "d", &["utc", "universal", "iso-8601", "rfc-3339", "rfc-email", "date"], ANY),
    known("head", "qvz", "nc", LINES, ANY),
    known("tail", "qvz", "nc", LINES, ANY),
    known("wc", "clmLw", "", &["bytes", "chars", "lines", "words", "max-line-length", "total"], ANY),
    known("uname", "asnrvmpio", "", &[
        "all", "kernel-name", "nodename", "kernel-release", "kernel-version", "machine", "processor",
        "hardware-platform", "operating-system",
    ], 0),
    known("whoami", "", "", &[], 0),
    known("uptime", "ps", "", &["pretty", "since"], 0),
    known("id", "aGgnruz", "", &["group", "groups", "name", "real", "user", "zero"], 1),
    known("hostname", "sfdiIA", "", &["short", "fqdn", "long", "domain", "ip-address"], 0),
    known("true", "", "", &[], ANY),
    known("false", "", "", &[], ANY),
    known("sleep", "", "", &[], ANY),
    known("seq", "w", "fs", &["equal-width", "format", "separator"], 3),
    known("basename", "az", "s", &["multiple", "suffix", "zero"], ANY),
    known("dirname", "z", "", &["zero"], ANY),
    known("realpath", "emsPLqz", "", &["canonicalize-existing", "canonicalize-missing", "quiet", "zero"], ANY),
    known("readlink", "femnqsvz", "", &["canonicalize", "no-newline", "quiet", "zero"], ANY),
    known("which", "as", "", &["all"], ANY),
    known("stat", "ft", "c", &["file-system", "terse", "format", "printf"], ANY),
    known("file", "bikr", "", &["brief", "mime", "mime-type", "mime-encoding", "keep-going"], ANY),
    known("du", "abchkmsx0S", "dBt", &[
        "all", "summarize", "human-readable", "max-depth", "total", "apparent-size", "bytes", "one-file-system",
        "exclude", "block-size", "time", "threshold",
    ], ANY),
    known("df", "ahiklTPm", "tx", &["all", "human-readable", "inodes", "local", "total", "type"], ANY),
    known("tree", "adfiDFhpstugCnANJX", "LPI", &["dirsfirst", "noreport", "charset"], ANY),
    known("sort", "bdfghiMnRrVcCmsuz", "ktS", &[
        "numeric-sort", "reverse", "unique", "ignore-case", "human-numeric-sort", "version-sort", "key",
        "field-separator", "stable", "ignore-leading-blanks", "dictionary-order", "general-numeric-sort",
        "month-sort", "zero-terminated", "merge",
    ], ANY),
    known("uniq", "cdDiuz", "fsw", &["count", "repeated", "unique", "ignore-case", "skip-fields"], 1),
    known("cut", "nsz", "bcdf", &[
        "bytes", "characters", "delimiter", "fields", "only-delimited", "complement", "output-delimiter",
    ], ANY),
    known("tr", "cCdst", "", &["complement", "delete", "squeeze-repeats", "truncate-set1"], 2),
    known("nl", "p", "bdfhilnsvw", &["body-numbering", "number-format", "number-width"], ANY),
    known("tac", "br", "s", &["before", "regex", "separator"], ANY),
    known("rev", "", "", &[], ANY),
    known("fold", "bs", "w", &["bytes", "spaces", "width"], ANY),
    known("paste", "sz", "d", &["delimiters", "serial", "zero-terminated"], ANY),
    known("comm", "123z", "", &["total", "output-delimiter", "zero-terminated"], 2),
    known("cmp", "bls", "in", &["print-bytes", "verbose", "silent", "quiet"], 2),
    known("diff", "qsucenyibwBEZatTdp", "UCWFIL", &[
        "brief", "report-identical-files", "unified", "context", "side-by-side", "width", "ignore-case",
        "ignore-all-space", "ignore-space-change", "ignore-blank-lines", "ignore-trailing-space", "text", "minimal",
        "strip-trailing-cr", "suppress-common-lines", "no-dereference", "color", "label", "show-c-function",
    ], 2),
    known("column", "tnx", "sco", &["table", "separator", "output-separator"], ANY),
    known("cksum", "", "", &[], ANY),
    known("md5sum", "btz", "", SUMS, ANY),
    known("sha1sum", "btz", "", SUMS, ANY),
    known("sha256sum", "btz", "", SUMS, ANY),
    known("sha512sum", "btz", "", SUMS, ANY),
    known("b2sum", "btz", "", SUMS, ANY),
    searches("grep", GREP_FLAGS, "emABCdD", GREP),
    searches("egrep", GREP_FLAGS, "emABCdD", GREP),
    searches("fgrep", GREP_FLAGS, "emABCdD", GREP),
    searches("rg", "iSwvxcnNlHIoFPaUsqup0.", "egtTmABCMrjdE", &[
        "ignore-case", "smart-case", "word-regexp", "count", "line-number", "no-line-number", "files",
        "files-with-matches", "files-without-match", "hidden", "glob", "type", "type-not", "max-count",
        "context", "after-context", "before-context", "fixed-strings", "no-ignore", "multiline",
        "only-matching", "color", "heading", "no-heading", "json", "sort", "stats", "max-depth", "replace",
        "regexp", "file", "invert-match", "with-filename", "no-filename", "column", "trim", "no-config",
    ]),
    known("jq", "rcsSnajCMeR", "", &[
        "raw-output", "compact-output", "slurp", "sort-keys", "null-input", "exit-status", "raw-input",
        "join-output", "tab", "indent", "arg", "argjson", "args", "jsonargs", "color-output",
        "monochrome-output",
    ], ANY),
];

/// What `find` may be told: tests, where to stop, and to print. It follows no link unless it is told to.
#[rustfmt::skip]
const FIND: &[&str] = &[
    "name", "iname", "path", "ipath", "wholename", "regex", "iregex", "regextype", "type", "size", "empty", "mtime",
    "mmin", "atime", "amin", "ctime", "cmin", "daystart", "newer", "perm", "user", "group", "links", "readable",
    "writable", "executable", "maxdepth", "mindepth", "depth", "prune", "xdev", "mount", "not", "a", "and", "o", "or",
    "true", "false", "print", "print0", "printf", "ls", "quit", "P",
];

/// Programs of cmd that read; their switches do no more.
const CMD: &[&str] = &["dir", "type", "where", "ver"];

/// Programs of PowerShell that read, with their harmless parameters.
const POWERSHELL: &[(&str, &[&str])] = &[
    (
        "get-childitem",
        &[
            "path",
            "literalpath",
            "recurse",
            "filter",
            "include",
            "exclude",
            "name",
            "force",
            "file",
            "directory",
            "depth",
        ],
    ),
    (
        "get-content",
        &[
            "path",
            "literalpath",
            "totalcount",
            "head",
            "first",
            "tail",
            "last",
            "encoding",
            "raw",
            "delimiter",
            "readcount",
        ],
    ),
    ("get-date", &["format", "uformat", "date", "displayhint"]),
    ("get-location", &[]),
];

/// What is glued to its options and names files, or why a program is not allowed by its name with these
/// arguments.
pub(super) fn judge<'a>(
    shell: Shell,
    program: &str,
    arguments: &'a [String],
) -> Result<Vec<&'a str>, String> {
    let name = program.to_ascii_lowercase();
    let form = || {
        Err(format!("{program} is not known to be harmless: only its exact form can be allowed"))
    };
    match shell {
        Shell::Cmd if CMD.contains(&name.as_str()) => Ok(vec![]),
        Shell::Cmd => form(),
        Shell::PowerShell => match POWERSHELL.iter().find(|(known, _)| *known == name) {
            Some((_, parameters)) => parameters_of(program, parameters, arguments),
            None => form(),
        },
        Shell::Sh if program == "find" => found(arguments),
        Shell::Sh => match KNOWN.iter().find(|known| known.name == program) {
            Some(known) => options(known, arguments),
            None => form(),
        },
    }
}

fn unknown<T>(program: &str, word: &str) -> Result<T, String> {
    Err(format!("{program} {word} is not known to be harmless"))
}

fn found<'a>(arguments: &[String]) -> Result<Vec<&'a str>, String> {
    // `-5` and `+2` are what a test is told.
    let is_number = |word: &str| word.starts_with(|c: char| c.is_ascii_digit());
    let mut told = arguments.iter().filter_map(|word| Some((word, word.strip_prefix('-')?)));
    match told.find(|(_, rest)| !FIND.contains(rest) && !is_number(rest)) {
        Some((word, _)) => unknown("find", word),
        None => Ok(vec![]),
    }
}

fn parameters_of<'a>(
    program: &str,
    parameters: &[&str],
    arguments: &[String],
) -> Result<Vec<&'a str>, String> {
    for word in arguments.iter().filter(|word| word.starts_with('-')) {
        let name = word.trim_start_matches('-').split(':').next().unwrap_or_default();
        if !parameters.contains(&name.to_ascii_lowercase().as_str()) {
            return unknown(program, word);
        }
    }
    Ok(vec![])
}

fn options<'a>(known: &Known, arguments: &'a [String]) -> Result<Vec<&'a str>, String> {
    let mut files = vec![];
    let mut words = 0;
    let mut plain = false;
    for word in arguments {
        let cluster = word.strip_prefix('-').filter(|rest| !plain && !rest.is_empty());
        match cluster {
            None => words += 1,
            Some("-") => plain = true,
            Some(rest) => match rest.strip_prefix('-') {
                Some(long) => {
                    let name = long.split('=').next().unwrap_or_default();
                    if !known.long.contains(&name) {
                        return unknown(known.name, word);
                    }
                }
                None => files.extend(letters(known, word, rest)?),
            },
        }
        // What makes a program of words do more than its options say.
        let text = word.as_str();
        let bad = match known.name {
            "jq" => text.contains("import") || text.contains("include"),
            _ => false,
        };
        if bad {
            return Err(format!("these arguments make {} do more than read", known.name));
        }
    }
    if words > known.words || known.name == "date" && sets_clock(arguments) {
        return Err(format!("these arguments make {} do more than read", known.name));
    }
    Ok(files)
}

/// `date 12312359` sets the clock; a day that is asked about is told in words, or its parts are parted.
pub(super) fn sets_clock(arguments: &[String]) -> bool {
    let is_plain = |word: &str| !word.starts_with(['-', '+']);
    let is_digits = |word: &str| word.chars().all(|c| c.is_ascii_digit() || c == '.');
    arguments.iter().enumerate().any(|(at, word)| {
        let told = at.checked_sub(1).map_or("", |before| arguments[before].as_str());
        is_plain(word) && (is_digits(word) || !matches!(told, "-d" | "--date"))
    })
}

/// A cluster of short options; what is glued to the last is its value.
fn letters<'a>(known: &Known, word: &str, rest: &'a str) -> Result<Option<&'a str>, String> {
    for (at, letter) in rest.char_indices() {
        let value = &rest[at + letter.len_utf8()..];
        if known.files.contains(letter) {
            return Ok(Some(value).filter(|value| !value.is_empty()));
        }
        // `date -Iseconds` alone glues what it may take.
        if known.texts.contains(letter) || known.name == "date" && letter == 'I' {
            return Ok(None);
        }
        let is_number = letter.is_ascii_digit() && matches!(known.name, "head" | "tail" | "grep");
        if !known.flags.contains(letter) && !is_number {
            return unknown(known.name, word);
        }
    }
    Ok(None)
}

/// Programs that take files as they are: a change of such a file makes no other command.
const DATA: &[&str] = &[
    "touch",
    "mkdir",
    "rmdir",
    "cp",
    "mv",
    "rm",
    "ln",
    "chmod",
    "chown",
    "truncate",
    "tee",
    "dd",
    "zip",
    "unzip",
    "gzip",
    "gunzip",
    "xz",
    "bzip2",
    "zstd",
    "echo",
    "printf",
    "git",
    "diff",
    "patch",
    "convert",
    "magick",
    "ffmpeg",
    "pdftotext",
];

/// Whether what a program's arguments name is data to it, not something that it runs.
#[must_use]
pub fn takes_data(program: &str) -> bool {
    let name = super::unwrap::base(program);
    DATA.contains(&name.as_str()) || KNOWN.iter().any(|known| known.name == name)
}
