//! `allowed-tools`: what skills that are active leave of the tools. They only ever narrow.
//!
//! Invariant: a name that nobody knows allows nothing.

/// What a skill allows.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Allowed {
    /// Tools by Hearth's names.
    pub tools: Vec<String>,
    /// Beginnings of commands that `exec` may run; none: any.
    pub commands: Option<Vec<String>>,
}

/// Reads `allowed-tools` as skills of several programs write it.
#[must_use]
pub fn allowed(entries: &[String]) -> Allowed {
    let mut allowed = Allowed { tools: Vec::new(), commands: Some(Vec::new()) };
    for entry in entries {
        let (name, inside) = match entry.split_once('(') {
            Some((name, rest)) => (name, Some(rest.trim_end_matches(')').trim())),
            None => (entry.as_str(), None),
        };
        for tool in tools_of(name.trim()) {
            if tool == "exec" {
                match (inside, &mut allowed.commands) {
                    (Some(form), Some(commands)) if form != "*" => commands.push(form.to_owned()),
                    _ => allowed.commands = None,
                }
            }
            if !allowed.tools.contains(&tool) {
                allowed.tools.push(tool);
            }
        }
    }
    allowed
}

/// What several skills leave together: tools that all of them allow.
#[must_use]
pub fn narrowed<'a>(all: impl Iterator<Item = &'a Allowed>) -> Option<Vec<String>> {
    all.map(|one| one.tools.clone()).reduce(|mut left, next| {
        left.retain(|tool| next.contains(tool));
        left
    })
}

/// Whether a command, program and arguments, fits one of the forms: `git`, `git status`, `git:*`.
#[must_use]
pub fn fits(forms: &[String], words: &[&str]) -> bool {
    forms.iter().any(|form| {
        let open = form.ends_with(":*") || form.ends_with(" *");
        let form = form.trim_end_matches('*').trim_end_matches([':', ' ']);
        let wanted: Vec<&str> = form.split_whitespace().collect();
        let begins = words.len() >= wanted.len()
            && wanted.iter().zip(words).all(|(wanted, word)| wanted == word);
        !wanted.is_empty() && begins && (open || words.len() == wanted.len())
    })
}

fn tools_of(name: &str) -> Vec<String> {
    let tools: &[&str] = match name.to_lowercase().as_str() {
        "read" | "read_file" | "view" | "notebookread" => &["read_file"],
        "write" | "write_file" => &["write_file"],
        "edit" | "multiedit" | "edit_file" | "notebookedit" => &["edit_file"],
        "ls" | "list" | "glob" | "list_files" => &["list_files"],
        "grep" | "search_files" => &["search_files"],
        "bash" | "shell" | "exec" | "terminal" | "run" => &["exec"],
        "webfetch" | "web_fetch" | "fetch" => &["web_fetch"],
        "websearch" | "web_search" => &["web_search"],
        "web" => &["web_fetch", "web_search"],
        "memory" => &["memory_search", "memory_get", "memory_append"],
        "task" | "agent" | "spawn_agent" => &["spawn_agent"],
        _ => return vec![name.to_owned()],
    };
    tools.iter().map(|tool| (*tool).to_owned()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn list(words: &[&str]) -> Vec<String> {
        words.iter().map(|word| (*word).to_owned()).collect()
    }

    #[test]
    fn names_of_other_programs_are_understood() {
        let check = |given: &[&str], tools: &[&str], commands: Option<&[&str]>| {
            let expected = Allowed { tools: list(tools), commands: commands.map(list) };
            assert_eq!(allowed(&list(given)), expected, "{given:?}");
        };
        check(&[], &[], Some(&[]));
        check(&["read", "Write"], &["read_file", "write_file"], Some(&[]));
        check(&["Bash(git:*)", "exec(git status)"], &["exec"], Some(&["git:*", "git status"]));
        check(&["exec(git:*)", "exec"], &["exec"], None);
        check(&["mcp__mail__send"], &["mcp__mail__send"], Some(&[]));
    }

    #[test]
    fn commands_fit_by_their_first_words() {
        let forms = list(&["git:*", "npm run build", "python3 scripts/a.py *"]);
        for (command, fits_it) in [
            ("git", true),
            ("git push origin", true),
            ("gitk", false),
            ("npm run build", true),
            ("npm run build extra", false),
            ("python3 scripts/a.py --fast x", true),
            ("python3 scripts/b.py", false),
        ] {
            let words: Vec<&str> = command.split(' ').collect();
            assert_eq!(fits(&forms, &words), fits_it, "{command}");
        }
        assert!(!fits(&list(&["*"]), &["rm"]));
    }

    #[test]
    fn several_skills_leave_what_all_allow() {
        let one = allowed(&list(&["read", "exec"]));
        let other = allowed(&list(&["read", "write"]));
        assert_eq!(narrowed([&one, &other].into_iter()), Some(list(&["read_file"])));
        assert_eq!(narrowed(std::iter::empty()), None);
    }
}
