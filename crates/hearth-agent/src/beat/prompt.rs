//! What a beat is asked. Short: it is paid for with every beat.

use std::fmt::Write as _;

/// What the beat is about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Ask {
    /// The free lines of HEARTBEAT.md, and what else of it is to be done now.
    Check {
        /// Prompts of blocks and tasks that are done in the same beat.
        also: Vec<String>,
    },
    /// One block, task or job.
    One {
        /// Its name.
        name: String,
        /// Its prompt.
        prompt: String,
    },
    /// A skill.
    Skill {
        /// Its name.
        name: String,
        /// What it is asked; may be empty.
        asked: String,
    },
}

const FORM: &str = "Answer with JSON alone: {\"notify\": true or false, \"title\": \"at most 60 characters\", \
\"body\": \"one to three sentences\", \"why\": \"why it is worth interrupting, or why not\"}. Title, body and why \
in the user's language.";

const CHECK: &str = "This is a heartbeat: nobody wrote to you. Go through HEARTBEAT.md and do what it asks, \
with tools where they help. Do not repeat old matters, do not invent any. notify is true only for what the \
user must know now; if nothing is, notify is false.";

const ONE: &str = "This is planned, nobody wrote to you. It is time for the task below. If it asks you to \
say something, notify is true and body is what to say; if it only asks you to watch something, notify is true \
only if there is something to tell.";

/// The words of a beat. `local` is the local time and zone; `unwanted` are notices like which the person wants
/// less.
#[must_use]
pub fn words(ask: &Ask, local: &str, late: Option<&str>, unwanted: &[String]) -> String {
    let mut text = match ask {
        Ask::Check { .. } => CHECK.to_owned(),
        Ask::One { .. } => ONE.to_owned(),
        // Named as the person would: that activates it.
        Ask::Skill { name, .. } => format!("/skill {name}\n{ONE}"),
    };
    let _ = write!(text, " It is {local}.");
    if let Some(due) = late {
        let _ = write!(
            text,
            " It was due at {due}, when Hearth was not running: say so if that matters."
        );
    }
    if !unwanted.is_empty() {
        text.push_str(" The user asked for less like: ");
        let shown: Vec<String> = unwanted.iter().take(8).map(|text| short(text)).collect();
        text.push_str(&shown.join("; "));
        text.push('.');
    }
    let _ = write!(text, "\n{FORM}");
    match ask {
        Ask::Check { also } => {
            for prompt in also {
                let _ = write!(text, "\n\nDo this too:\n{prompt}");
            }
        }
        Ask::One { name, prompt } => {
            let _ = write!(text, "\n\nThe task ({}):\n{prompt}", short(name));
        }
        Ask::Skill { name, asked } => {
            let _ = write!(text, "\n\nThe task: do what the skill {name} says.\n{asked}");
            text.truncate(text.trim_end().len());
        }
    }
    text
}

fn short(text: &str) -> String {
    let words = text.split_whitespace().collect::<Vec<_>>().join(" ");
    words.chars().take(80).collect()
}
