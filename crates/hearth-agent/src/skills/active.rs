//! Which skills are active in a conversation, since when and until when.
//!
//! Invariants: a skill is active once, however often it is asked for; it is released when its task ends, and
//! then everything it brought leaves with it; a skill that others activate stands at most [`MAX_DEPTH`] steps
//! below the one that the message asked for. Plain data: the engine stores it as it is.

use super::self_check;
use hearth_protocol::TurnId;
use hearth_protocol::api::skills::{SkillActive, SkillBox, SkillReference};
use serde::{Deserialize, Serialize};

/// Steps from a meta skill down.
pub const MAX_DEPTH: u8 = 3;
/// A skill that waits for an answer so many turns is forgotten.
const MOST_TURNS: u32 = 6;

/// A skill to activate.
#[derive(Debug, Clone, PartialEq)]
pub struct Activated {
    /// Its name.
    pub name: String,
    /// Why.
    pub reason: String,
    /// Its score.
    pub score: f64,
    /// The turn.
    pub turn: TurnId,
    /// Now, in Unix seconds.
    pub at: f64,
    /// Tokens of its body.
    pub tokens: u64,
    /// Its self-check.
    pub self_check: Vec<String>,
    /// The active skill that uses it, if one does.
    pub by: Option<String>,
}

/// An active skill.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Active {
    /// As it is shown.
    pub shown: SkillActive,
    /// Steps below the skill that the message asked for.
    pub depth: u8,
    /// Turns that ended since.
    pub turns: u32,
}

/// The active skills of a conversation.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Ledger {
    /// In the order of their activation.
    pub active: Vec<Active>,
}

/// How a turn ended, as far as skills care.
#[derive(Debug, Clone, Copy)]
pub struct Ended<'a> {
    /// The whole reply.
    pub reply: &'a str,
    /// It came to its end by itself.
    pub finished: bool,
    /// Now, in Unix seconds.
    pub at: f64,
}

impl Ledger {
    /// The active skill of a name.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&Active> {
        self.active.iter().find(|one| one.shown.name == name)
    }

    /// Activates a skill; says whether it was not active before.
    ///
    /// # Errors
    /// It would stand too deep; the message is for the model.
    pub fn activate(&mut self, new: Activated) -> Result<bool, String> {
        if self.get(&new.name).is_some() {
            return Ok(false);
        }
        let above = new.by.as_deref().and_then(|name| self.get(name));
        let depth = above.map_or(0, |above| above.depth + 1);
        if depth > MAX_DEPTH {
            return Err(format!(
                "{} would be {depth} steps down; {MAX_DEPTH} is the most",
                new.name
            ));
        }
        let open = |text| SkillBox { text, ticked: false, evidence: String::new() };
        self.active.push(Active {
            shown: SkillActive {
                name: new.name,
                reason: new.reason,
                score: new.score,
                since: new.turn,
                at: new.at,
                tokens: new.tokens,
                by: new.by,
                references: Vec::new(),
                self_check: new.self_check.into_iter().map(open).collect(),
                released_at: None,
                released_why: String::new(),
            },
            depth,
            turns: 0,
        });
        Ok(true)
    }

    /// Notes that a reference was read; says whether it was not read before.
    pub fn refer(&mut self, name: &str, path: &str, tokens: u64, at: f64) -> bool {
        let Some(one) = self.active.iter_mut().find(|one| one.shown.name == name) else {
            return false;
        };
        if one.shown.references.iter().any(|reference| reference.path == path) {
            return false;
        }
        one.shown.references.push(SkillReference { path: path.to_owned(), tokens, at });
        one.shown.tokens += tokens;
        true
    }

    /// Ticks the boxes that a reply ticks. `scripts`: those of the skill; `ran`: commands that ran well in
    /// the turn. Says whether any box changed.
    pub fn tick(&mut self, name: &str, reply: &str, scripts: &[String], ran: &[String]) -> bool {
        let one = self.active.iter_mut().find(|one| one.shown.name == name);
        one.is_some_and(|one| self_check::apply(&mut one.shown.self_check, reply, scripts, ran))
    }

    /// A message came that asks for other skills: those that only waited for an answer go. Returns them.
    pub fn moved_on(&mut self, still: &[String], at: f64) -> Vec<SkillActive> {
        if still.is_empty() {
            return Vec::new();
        }
        let stays = |one: &Active| one.turns == 0 || still.contains(&one.shown.name);
        self.release(|one| (!stays(one)).then(|| "another task began".to_owned()), at)
    }

    /// A turn ended: those whose task is over go. Returns them.
    pub fn turn_ended(&mut self, ended: Ended<'_>) -> Vec<SkillActive> {
        self.active.iter_mut().for_each(|one| one.turns += 1);
        let asks = ended.finished && asks(ended.reply);
        self.release(
            |one| {
                let boxes = &one.shown.self_check;
                let complete = !boxes.is_empty() && boxes.iter().all(|own| own.ticked);
                let why = match () {
                    () if one.turns >= MOST_TURNS => "nothing came of it for long",
                    () if !ended.finished => return None,
                    () if complete => "its self-check is complete",
                    () if asks => return None,
                    () if boxes.is_empty() => "its task is done",
                    () => "its task ended with open boxes",
                };
                Some(why.to_owned())
            },
            ended.at,
        )
    }

    /// Takes out a skill that is gone or may not be used any more. Returns those that go.
    pub fn keep_only(&mut self, names: &[String], at: f64) -> Vec<SkillActive> {
        let gone = |one: &Active| !names.contains(&one.shown.name);
        self.release(|one| gone(one).then(|| "it is not there any more".to_owned()), at)
    }

    fn release(&mut self, why: impl Fn(&Active) -> Option<String>, at: f64) -> Vec<SkillActive> {
        let mut released = Vec::new();
        self.active.retain(|one| match why(one) {
            None => true,
            Some(why) => {
                let shown = one.shown.clone();
                released.push(SkillActive { released_at: Some(at), released_why: why, ..shown });
                false
            }
        });
        released
    }
}

/// Whether a reply waits for an answer.
fn asks(reply: &str) -> bool {
    let last = reply.trim_end_matches([' ', '\n', '*', '_', '`', ')', '）', '"', '”', '」']);
    last.ends_with(['?', '？'])
}
