//! Questions of a turn to the person at the terminal: shown on standard error, answered by a line.

use crate::access::Reach;
use crate::terminal::warn;
use hearth_engine::door::Call;
use hearth_protocol::api::approvals::{ApprovalScope, Decide, Decision};
use hearth_protocol::{ApprovalState, EventBody};
use std::collections::VecDeque;

const YES_OR_NO: &str =
    "y: yes, once · s: yes, in this session · a: yes, always in this exact form · n: no";

/// The questions that are open, oldest first.
#[derive(Default)]
pub(crate) struct Prompts {
    open: VecDeque<Prompt>,
}

enum Prompt {
    Approval { id: String },
    Question { id: String, choices: Vec<String> },
}

impl Prompt {
    fn id(&self) -> &str {
        match self {
            Self::Approval { id } | Self::Question { id, .. } => id,
        }
    }
}

impl Prompts {
    /// Something waits for an answer.
    pub(crate) fn are_open(&self) -> bool {
        !self.open.is_empty()
    }

    /// Takes up what an event asks, and drops what was answered elsewhere.
    pub(crate) fn hear(&mut self, body: &EventBody) {
        match body {
            EventBody::Approval { id, tool, arguments, verdict, reason } => {
                self.open.retain(|prompt| prompt.id() != id);
                if *verdict == ApprovalState::Asked {
                    let arguments = serde_json::to_string(arguments).unwrap_or_default();
                    warn(&format!("may {tool} run? {reason}\n  {arguments}\n  {YES_OR_NO}"));
                    self.open.push_back(Prompt::Approval { id: id.clone() });
                }
            }
            EventBody::Question { id, text, choices } => {
                let rows = choices.iter().enumerate();
                let rows: String =
                    rows.map(|(n, choice)| format!("\n  {}: {choice}", n + 1)).collect();
                warn(&format!("{text}{rows}"));
                self.open.push_back(Prompt::Question { id: id.clone(), choices: choices.clone() });
            }
            EventBody::ToolEnd { .. } => {
                self.open.retain(|prompt| matches!(prompt, Prompt::Approval { .. }));
            }
            _ => {}
        }
    }

    /// Takes a line for the answer to the oldest question; false where nothing is asked.
    pub(crate) fn take(&mut self, line: &str, reach: &Reach) -> bool {
        let line = line.trim();
        let call = match self.open.front() {
            None => return false,
            Some(Prompt::Approval { id }) => match decision(line) {
                Some((decision, scope)) => Call::Decide(Decide { id: id.clone(), decision, scope }),
                None => {
                    warn(YES_OR_NO);
                    return true;
                }
            },
            Some(Prompt::Question { .. }) if line.is_empty() => return true,
            Some(Prompt::Question { id, choices }) => {
                Call::Answer { id: id.clone(), text: chosen(line, choices).to_owned() }
            }
        };
        self.open.pop_front();
        let reach = reach.clone();
        tokio::spawn(async move {
            if let Err(failure) = reach.call(call, &mut |_| {}).await {
                failure.line().iter().for_each(|why| warn(why));
            }
        });
        true
    }
}

fn decision(line: &str) -> Option<(Decision, ApprovalScope)> {
    Some(match line.to_lowercase().as_str() {
        "y" | "yes" | "是" | "好" => (Decision::Allow, ApprovalScope::Once),
        "s" | "session" | "本次" => (Decision::Allow, ApprovalScope::Session),
        "a" | "always" | "总是" => (Decision::Allow, ApprovalScope::Always),
        "n" | "no" | "否" | "不" => (Decision::Deny, ApprovalScope::Once),
        _ => return None,
    })
}

/// A number names a choice; anything else is the answer itself.
fn chosen<'a>(line: &'a str, choices: &'a [String]) -> &'a str {
    let named = line.parse::<usize>().ok().and_then(|n| choices.get(n.checked_sub(1)?));
    named.map_or(line, String::as_str)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_a_decision_in_both_languages_or_asked_again() {
        assert_eq!(decision("Y"), Some((Decision::Allow, ApprovalScope::Once)));
        assert_eq!(decision("总是"), Some((Decision::Allow, ApprovalScope::Always)));
        assert_eq!(decision("no"), Some((Decision::Deny, ApprovalScope::Once)));
        assert_eq!((decision(""), decision("perhaps")), (None, None));
    }

    #[test]
    fn a_number_names_a_choice() {
        let choices = ["red".to_owned(), "blue".to_owned()];
        let answers = ["2", "0", "3", "green"].map(|line| chosen(line, &choices));
        assert_eq!(answers, ["blue", "0", "3", "green"]);
    }
}
