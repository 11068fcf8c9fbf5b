//! One program against what was allowed: its name, its arguments, its options that do more than its name
//! says.

use super::{Allowed, Run, Shell, git, known, paths::leads_out, unwrap};

/// Their arguments are text, whatever they look like.
const TEXT_ONLY: &[&str] = &["echo", "printf", "write-output"];

/// The first reason against a program.
pub(super) fn judge(
    run: &Run,
    shell: Shell,
    allowed: &Allowed,
    stays: &dyn Fn(&str) -> bool,
) -> Result<(), String> {
    let Run { program, arguments, .. } = run;
    if !allowed.names(shell, program) {
        return Err(not_allowed(run));
    }
    let name = program.to_ascii_lowercase();
    // Nothing but its name: that is what was allowed, word for word.
    let is_bare = arguments.is_empty() && !allowed.is_everything();
    if is_bare || TEXT_ONLY.contains(&name.as_str()) {
        return Ok(());
    }
    let finds = shell == Shell::Sh && program == "find";
    if unwrap::is_runner(program) && !finds {
        return Err(format!("{program} runs other programs: only its exact form can be allowed"));
    }
    let (text, glued) = match name.as_str() {
        "git" => (git::judge(arguments)?, vec![]),
        _ if finds => (vec![], known::judge(shell, program, arguments)?),
        _ => {
            special(&name, arguments)?;
            (vec![], allowed.harmless(shell, run)?)
        }
    };
    let judged = arguments.iter().enumerate().filter(|(at, _)| !text.contains(at));
    let words = judged.map(|(_, argument)| argument.as_str()).chain(glued);
    for argument in words {
        if leads_out(shell, argument, stays) {
            return Err(format!("{argument} leads out of the workspace"));
        }
    }
    Ok(())
}

pub(super) fn not_allowed(run: &Run) -> String {
    match run.through.last() {
        None => format!("{} is not among the allowed programs", run.program),
        Some(by) => format!("{} would run through {by}", run.program),
    }
}

/// Options of ordinary programs that write, run or change more than the name says: for what is allowed
/// without its name being on a list of the harmless.
fn special(name: &str, arguments: &[String]) -> Result<(), String> {
    let short = |letters: &str| {
        arguments.iter().any(|word| {
            let cluster = word.strip_prefix('-').filter(|rest| !rest.starts_with('-'));
            cluster.is_some_and(|rest| rest.contains(|c| letters.contains(c)))
        })
    };
    let long = |prefixes: &[&str]| {
        let mut names = arguments.iter().filter_map(|word| word.strip_prefix("--"));
        names.any(|word| prefixes.iter().any(|prefix| word.starts_with(prefix)))
    };
    let positional = || arguments.iter().filter(|word| !word.starts_with('-'));
    let bad = match name {
        "date" => short("s") || long(&["s"]) || known::sets_clock(arguments),
        "sort" => short("oT") || long(&["o", "co", "te", "files", "ra"]),
        "wc" | "du" => long(&["f"]),
        "grep" | "egrep" | "fgrep" => short("R") || long(&["d"]),
        "split" | "csplit" => long(&["f"]),
        "shuf" | "iconv" => short("o") || long(&["o"]),
        "uniq" => positional().count() > 1,
        "tree" => short("oR") || long(&["output"]),
        "file" => short("Cm") || long(&["compile", "magic-file"]),
        "rg" => long(&["pre", "hostname-bin", "search-zip", "follow"]) || short("zL"),
        "diff" => short("rl") || long(&["output", "rec", "pa", "from", "to"]),
        "tail" => short("fF") || long(&["follow", "retry"]),
        "tee" | "dd" | "cp" | "mv" | "ln" | "rm" | "install" | "truncate" => true,
        "del" | "erase" | "move" | "copy" | "ren" | "rd" | "rmdir" | "format" => true,
        _ => false,
    };
    if bad { Err(format!("these arguments make {name} do more than read")) } else { Ok(()) }
}
