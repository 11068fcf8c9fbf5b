//! Going on after a compaction, a crash or "continue": how it is noticed and what the model is told.

use crate::compaction::clipped;
use std::fmt::Write;

/// Characters of a quoted request or reply.
const QUOTE_CHARS: usize = 600;

/// After what work is taken up again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum After {
    /// The process ended in the middle of a turn.
    Crash,
    /// Early messages were summarised.
    Compaction,
    /// The person says to go on.
    Continue,
}

impl After {
    /// Its name in events.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Crash => "crash",
            Self::Compaction => "compaction",
            Self::Continue => "continue",
        }
    }
}

/// What stands in a message that asks to go on, and nothing else but politeness.
const GO_ON: [&str; 27] = [
    "continue",
    "go on",
    "carry on",
    "keep going",
    "resume",
    "proceed",
    "where were we",
    "where did we stop",
    "continue where we left off",
    "continue where you left off",
    "pick up where we left off",
    "go on where we left off",
    "继续",
    "接着",
    "接着来",
    "接着做",
    "接着说",
    "继续吧",
    "请继续",
    "继续做",
    "继续说",
    "接着刚才的",
    "继续刚才的",
    "接着上次的",
    "继续上次的",
    "我们说到哪了",
    "刚才说到哪了",
];

/// Whether a message only asks to go on.
#[must_use]
pub fn asks_to_continue(message: &str) -> bool {
    let plain: String = message
        .chars()
        .map(|c| if c.is_alphanumeric() { c } else { ' ' })
        .flat_map(char::to_lowercase)
        .collect();
    let words: Vec<&str> = plain
        .split_whitespace()
        .filter(|word| !["please", "ok", "okay", "yes", "好", "好的", "嗯", "请"].contains(word))
        .collect();
    GO_ON.contains(&words.join(" ").as_str())
}

/// What is at hand when work is taken up again.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct AtHand {
    /// The person's last request.
    pub request: Option<String>,
    /// The assistant's last words.
    pub reply: Option<String>,
    /// Calls that were cut off, by tool.
    pub unfinished: Vec<String>,
    /// What was read: `memory/working-buffer.md`, `SESSION-STATE.md`, logs.
    pub read: Vec<String>,
}

/// What the model is told, in the prompt's words.
#[must_use]
pub fn briefing(after: After, hand: &AtHand) -> String {
    let why = match after {
        After::Crash => "Hearth was ended in the middle of the last turn.",
        After::Compaction => "Early messages of this conversation were just replaced by a summary.",
        After::Continue => "The user asks you to go on with what was begun.",
    };
    let mut text = format!("Recovery. {why}");
    if !hand.read.is_empty() {
        let _ = write!(text, " Read for you, in this order: {}.", hand.read.join(", "));
    }
    if let Some(request) = &hand.request {
        let _ =
            write!(text, "\nThe user's last request: «{}»", clipped(request.trim(), QUOTE_CHARS));
    }
    if let Some(reply) = &hand.reply {
        let _ = write!(text, "\nYour last words: «{}»", clipped(reply.trim(), QUOTE_CHARS));
    }
    if !hand.unfinished.is_empty() {
        let calls = hand.unfinished.join(", ");
        let _ = write!(text, "\nCut off, check what they did before you repeat them: {calls}");
    }
    text.push_str(match after {
        After::Compaction => {
            "\nGo on as before. If something you need is missing, search for it; never ask what the \
             conversation was about."
        }
        After::Crash | After::Continue => {
            "\nSay in one sentence what you recovered, then go on. If something is missing, search for it; \
             never ask what the conversation was about."
        }
    });
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_bare_wish_to_go_on_is_one() {
        for yes in [
            "continue",
            "Continue!",
            "please go on",
            "继续",
            "请继续。",
            "好的，继续",
            "Where were we?",
        ] {
            assert!(asks_to_continue(yes), "{yes}");
        }
        for no in
            ["", "continue the list with five more", "继续写第三段", "go", "don't continue", "ok"]
        {
            assert!(!asks_to_continue(no), "{no}");
        }
    }

    #[test]
    fn a_briefing_names_what_is_at_hand_and_forbids_the_question() {
        let hand = AtHand {
            request: Some("Book the train to Köln".into()),
            reply: Some("I found two trains".into()),
            unfinished: vec!["exec".into()],
            read: vec!["memory/working-buffer.md".into(), "SESSION-STATE.md".into()],
        };
        let text = briefing(After::Crash, &hand);
        for part in
            ["Book the train", "two trains", "exec", "working-buffer.md, SESSION", "never ask"]
        {
            assert!(text.contains(part), "{part} in {text}");
        }
    }
}
