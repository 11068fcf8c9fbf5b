//! What is known of skills within a turn: those that are active, with their text, and the record of what became of
//! them, which the activation view shows.

use super::Known;
use crate::clock;
use hearth_agent::skills::{Allowed, Ledger, allowed};
use hearth_protocol::api::skills::{SkillActive, SkillActivity, SkillMoment};
use hearth_protocol::{CallId, EventBody, SkillState};
use hearth_workspace::skills::{Body, Found};
use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

/// Considered skills that are told as events.
const TOLD: usize = 3;
/// Below this share of the threshold a skill was not near.
const NEAR: f64 = 0.8;

#[derive(Debug)]
pub(super) struct State {
    pub(super) known: Option<Arc<Known>>,
    /// Why skills, by their folded names, are not for this message.
    pub(super) barred: BTreeMap<String, String>,
    pub(super) ledger: Ledger,
    /// What is active, with its text.
    pub(super) loaded: BTreeMap<String, Loaded>,
    pub(super) activity: SkillActivity,
    /// Commands that run, and those that ran well.
    pub(super) running: HashMap<CallId, String>,
    pub(super) ran: Vec<String>,
}

/// An active skill's text.
#[derive(Debug, Clone)]
pub(super) struct Loaded {
    pub(super) found: Found,
    pub(super) body: String,
    pub(super) references: Vec<(String, String)>,
    pub(super) allowed: Option<Allowed>,
}

impl Loaded {
    pub(super) fn new(found: Found, body: Body) -> Self {
        let allowed = body.skill.allowed_tools.as_deref().map(allowed);
        Self { found, body: body.text, references: Vec::new(), allowed }
    }
}

impl State {
    /// What those skills allow that were called for certain: by name, by a trigger, by the model or by another
    /// skill. One that only seemed near brings its knowledge, but takes nothing from a task that it may not fit.
    pub(super) fn narrowing(&self) -> impl Iterator<Item = &Allowed> {
        let certain = self.ledger.active.iter().filter(|one| one.shown.score >= 1.0);
        certain.filter_map(|one| self.loaded.get(&one.shown.name)?.allowed.as_ref())
    }

    pub(super) fn moment(
        &mut self,
        at: f64,
        name: &str,
        state: SkillState,
        reason: String,
        score: f64,
        tokens: u64,
    ) -> EventBody {
        let name = name.to_owned();
        let (told, why) = (name.clone(), reason.clone());
        self.activity.timeline.push(SkillMoment { at, name, state, reason, score, tokens });
        EventBody::Skill { name: told, state, reason: why, score, tokens }
    }

    /// The nearest skills, as events.
    pub(super) fn considered(&mut self, at: f64) -> Vec<EventBody> {
        let least = self.activity.decision.threshold * NEAR;
        let near: Vec<_> = self.activity.decision.ranked.iter().take(TOLD).cloned().collect();
        near.into_iter()
            .filter(|one| one.score >= least)
            .map(|one| self.moment(at, &one.name, SkillState::Considered, one.why, one.score, 0))
            .collect()
    }

    pub(super) fn released(&mut self, gone: &[SkillActive]) -> Vec<EventBody> {
        let mut events = Vec::new();
        for one in gone {
            self.loaded.remove(&one.name);
            self.activity.freed += one.tokens;
            self.activity.active.retain(|shown| shown.name != one.name);
            self.activity.active.push(one.clone());
            let (at, why) = (one.released_at.unwrap_or_default(), one.released_why.clone());
            events.push(self.moment(
                at,
                &one.name,
                SkillState::Released,
                why,
                one.score,
                one.tokens,
            ));
        }
        events
    }

    /// Ticks what the reply ticks, tells each box, and names the open ones to the person.
    pub(super) fn checked(&mut self, reply: &str, finished: bool) -> Vec<EventBody> {
        let mut events = Vec::new();
        let names: Vec<String> =
            self.ledger.active.iter().map(|one| one.shown.name.clone()).collect();
        for name in names {
            let scripts = self.loaded.get(&name).map(|one| one.found.skill.scripts.clone());
            let changed = self.ledger.tick(&name, reply, &scripts.unwrap_or_default(), &self.ran);
            let Some(one) = self.ledger.get(&name).map(|one| one.shown.clone()) else { continue };
            if one.self_check.is_empty() || !(finished || changed) {
                continue;
            }
            let open = one.self_check.iter().filter(|own| !own.ticked).count();
            let at = clock::now_exact();
            for own in &one.self_check {
                let (mark, score) = if own.ticked { ("[x]", 1.0) } else { ("[ ]", 0.0) };
                let evidence = match own.evidence.as_str() {
                    "" => String::new(),
                    evidence => format!(" — {evidence}"),
                };
                let reason = format!("{mark} {}{evidence}", own.text);
                events.push(self.moment(at, &name, SkillState::SelfCheck, reason, score, 0));
            }
            if open > 0 && finished {
                let title = format!("{name}: {open} of {} checks are open", one.self_check.len());
                let boxes = one.self_check.iter().filter(|own| !own.ticked);
                let body =
                    boxes.map(|own| format!("- {}", own.text)).collect::<Vec<_>>().join("\n");
                events.push(EventBody::Notice { title, body });
            }
        }
        events
    }

    /// Brings the record in step with what is active.
    pub(super) fn show_active(&mut self) {
        for one in &self.ledger.active {
            self.activity.active.retain(|shown| shown.name != one.shown.name);
            self.activity.active.push(one.shown.clone());
        }
    }
}
