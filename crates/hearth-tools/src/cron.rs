//! `cron`: what shall happen later.
//!
//! Invariants: the tool hands on what the model asks; whoever plans ([`Planner`]) checks it, refuses what is
//! past, and says when it will run. Absent here: running anything, and whether it may be planned (policy).

use crate::call::{Invocation, Outcome};
use crate::files::object;
use crate::registry::{Access, Descriptor, Group, Schema, Tool};
use async_trait::async_trait;
use hearth_protocol::TurnId;
use serde_json::json;
use std::borrow::Cow;
use std::sync::Arc;
use std::time::Duration;

/// Something to be planned.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Planned {
    /// Cron, `every 2h`, `at 2026-12-01 09:00` or `in 20m`.
    pub schedule: String,
    /// What is shown or asked.
    pub text: String,
    /// Its name, if the model gives one.
    pub name: Option<String>,
    /// The time zone, if not the person's.
    pub zone: Option<String>,
    /// `remind`, `send_message` or `run_turn`.
    pub does: String,
}

/// Who plans. Each answers with words for the model; an error is what is wrong and what to do.
#[async_trait]
pub trait Planner: Send + Sync {
    /// Makes a job.
    async fn add(&self, turn: &TurnId, planned: Planned) -> Result<String, String>;
    /// The jobs there are.
    async fn list(&self) -> Result<String, String>;
    /// Removes one.
    async fn remove(&self, id: &str) -> Result<String, String>;
    /// When a schedule would fire.
    async fn preview(&self, schedule: &str, zone: Option<&str>) -> Result<String, String>;
}

/// Plans.
pub struct Cron(pub Arc<dyn Planner>);

static CRON: Descriptor = Descriptor {
    name: Cow::Borrowed("cron"),
    description: Cow::Borrowed(
        "Reminders and things to do later. action add: schedule is `at 2026-12-01 09:00` (local time), `in 20m`, \
         `every 2h` or cron; prompt is what to show word for word (do: remind), to write about (send_message) or \
         to work on (run_turn). preview tells the time now and when a schedule would fire. list, remove {id}. \
         Tell the user the times that come back.",
    ),
    access: &[Access::Schedules],
    group: Group::Time,
    limit: Duration::from_secs(10),
    untrusted: false,
    policy: Cow::Borrowed(
        "Plans reminders and jobs; those you have not asked for yourself need your yes.",
    ),
    schema: Schema::Built(|| {
        object(
            json!({
                "action": {"enum": ["add", "list", "remove", "preview"]},
                "schedule": {"type": "string"},
                "prompt": {"type": "string"},
                "text": {"type": "string", "description": "the same as prompt"},
                "do": {"enum": ["remind", "send_message", "run_turn"]},
                "name": {"type": "string"},
                "zone": {"type": "string", "description": "IANA name, if not the user's"},
                "id": {"type": "string"},
            }),
            &["action"],
        )
    }),
};

#[async_trait]
impl Tool for Cron {
    fn descriptor(&self) -> &Descriptor {
        &CRON
    }

    async fn run(&self, call: Invocation) -> Outcome {
        let given = |name: &str| Some(call.text(name).to_owned()).filter(|text| !text.is_empty());
        let said = match call.text("action") {
            "add" => {
                let planned = Planned {
                    schedule: call.text("schedule").to_owned(),
                    text: given("prompt").or_else(|| given("text")).unwrap_or_default(),
                    name: given("name"),
                    zone: given("zone"),
                    does: call.text("do").to_owned(),
                };
                self.0.add(&call.turn, planned).await
            }
            "list" => self.0.list().await,
            "remove" => self.0.remove(call.text("id")).await,
            "preview" => self.0.preview(call.text("schedule"), given("zone").as_deref()).await,
            other => {
                Err(format!("There is no action {other:?}: use add, list, remove or preview."))
            }
        };
        said.map_or_else(Outcome::failed, Outcome::done)
    }
}
