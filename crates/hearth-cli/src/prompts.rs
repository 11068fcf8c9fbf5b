//! Questions of a turn to the person at the terminal: shown on standard error, answered by a line.

use crate::access::Reach;
use crate::terminal::warn;
use hearth_engine::door::Call;
use hearth_protocol::api::approvals::{ApprovalScope, Decide, DecideAll, Decision};
use hearth_protocol::{ApprovalState, EventBody};
use std::collections::VecDeque;

const YES_OR_NO: &str =
    "y: yes, once · s: yes, in this session · a: yes, always in this exact form · n: no";
/// Where several were asked together.
const ALL: &str = " · yy: yes to all of these, once · nn: no to all of these";

/// The questions that are open, oldest first.
#[derive(Default)]
pub(crate) struct Prompts {
    open: VecDeque<Prompt>,
}

enum Prompt {
    Approval { id: String, asks: String, batch: Option<String> },
    Question { id: String, choices: Vec<String> },
}

impl Prompt {
    fn id(&self) -> &str {
        match self {
            Self::Approval { id, .. } | Self::Question { id, .. } => id,
        }
    }

    fn is_of(&self, wanted: &str) -> bool {
        matches!(self, Self::Approval { batch: Some(batch), .. } if batch == wanted)
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
            EventBody::Approval { id, tool, arguments, verdict, reason, batch } => {
                self.open.retain(|prompt| prompt.id() != id);
                if *verdict == ApprovalState::Asked {
                    let arguments = serde_json::to_string(arguments).unwrap_or_default();
                    let asks = format!("may {tool} run? {reason}\n  {arguments}");
                    let (id, batch) = (id.clone(), batch.clone());
                    let prompt = Prompt::Approval { id, asks, batch };
                    show(&prompt);
                    self.open.push_back(prompt);
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
        let Some(first) = self.open.pop_front() else { return false };
        let Some(call) = self.answer(line.trim(), &first) else {
            self.open.push_front(first);
            return true;
        };
        // Those that were shown before are out of sight: the next one is shown again.
        if let Some(next @ Prompt::Approval { .. }) = self.open.front() {
            show(next);
        }
        let reach = reach.clone();
        tokio::spawn(async move {
            if let Err(failure) = reach.call(call, &mut |_| {}).await {
                failure.line().iter().for_each(|why| warn(why));
            }
        });
        true
    }

    /// The call that a line makes of a question; none where it is no answer, which is said.
    fn answer(&mut self, line: &str, prompt: &Prompt) -> Option<Call> {
        match prompt {
            Prompt::Question { .. } if line.is_empty() => None,
            Prompt::Question { id, choices } => {
                Some(Call::Answer { id: id.clone(), text: chosen(line, choices).to_owned() })
            }
            Prompt::Approval { id, batch, .. } => {
                let id = id.clone();
                if let Some((batch, decision)) = batch.as_ref().zip(for_all(line)) {
                    self.open.retain(|prompt| !prompt.is_of(batch));
                    return Some(Call::DecideAll(DecideAll { id, decision }));
                }
                let Some((decision, scope)) = decision(line) else {
                    warn(&choices(prompt));
                    return None;
                };
                Some(Call::Decide(Decide { id, decision, scope }))
            }
        }
    }
}

fn show(prompt: &Prompt) {
    if let Prompt::Approval { asks, .. } = prompt {
        warn(&format!("{asks}\n  {}", choices(prompt)));
    }
}

fn choices(prompt: &Prompt) -> String {
    let all = if matches!(prompt, Prompt::Approval { batch: Some(_), .. }) { ALL } else { "" };
    format!("{YES_OR_NO}{all}")
}

fn for_all(line: &str) -> Option<Decision> {
    Some(match line.to_lowercase().as_str() {
        "yy" | "all" | "全部" | "都可以" => Decision::Allow,
        "nn" | "none" | "都不" => Decision::Deny,
        _ => return None,
    })
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
        assert_eq!((for_all("YY"), for_all("都不")), (Some(Decision::Allow), Some(Decision::Deny)));
        assert_eq!((for_all("y"), decision("yy")), (None, None));
    }

    fn asked(id: &str, batch: Option<&str>) -> EventBody {
        EventBody::Approval {
            id: id.to_owned(),
            tool: "exec".to_owned(),
            arguments: serde_json::from_str("{}").expect("reads"),
            verdict: ApprovalState::Asked,
            reason: String::new(),
            batch: batch.map(str::to_owned),
        }
    }

    #[test]
    fn all_answers_a_batch_and_nothing_beside_it() {
        let mut prompts = Prompts::default();
        for (id, batch) in [("a", Some("b1")), ("b", Some("b1")), ("c", None), ("d", Some("b2"))] {
            prompts.hear(&asked(id, batch));
        }
        let first = prompts.open.pop_front().expect("asked");
        let all = DecideAll { id: "a".to_owned(), decision: Decision::Allow };
        assert_eq!(prompts.answer("yy", &first), Some(Call::DecideAll(all)));
        let left: Vec<_> = prompts.open.iter().map(Prompt::id).collect();
        assert_eq!(left, ["c", "d"]);
        let alone = prompts.open.pop_front().expect("asked");
        assert_eq!(prompts.answer("yy", &alone), None, "it has no batch");
    }

    #[test]
    fn a_number_names_a_choice() {
        let choices = ["red".to_owned(), "blue".to_owned()];
        let answers = ["2", "0", "3", "green"].map(|line| chosen(line, &choices));
        assert_eq!(answers, ["blue", "0", "3", "green"]);
    }
}
