//! Whether a skill can be used here and now, and if not, why.

use super::read::SkillFile;
use std::collections::BTreeSet;
use std::sync::Arc;

/// What skills may ask of the machine and the settings. Built once for a look at all of them.
#[derive(Debug, Clone, Default)]
pub struct Machine {
    /// `linux`, `macos`, `windows`.
    pub os: String,
    /// Programs on the search path.
    pub programs: Arc<BTreeSet<String>>,
    /// Variables that are set, and names of secrets for skills.
    pub variables: BTreeSet<String>,
    /// Keys of `hearth.toml` that are set to something.
    pub config: BTreeSet<String>,
    /// Skills that the person turned off, folded.
    pub disabled: BTreeSet<String>,
    /// Skills that alone may be used, folded; none: all.
    pub allowed: Option<BTreeSet<String>>,
}

/// Why a skill cannot be used; none: it can.
#[must_use]
pub fn gate(skill: &SkillFile, machine: &Machine) -> Option<String> {
    if let Some(refusal) = &skill.refusal {
        return Some(refusal.clone());
    }
    let name = super::name::folded(&skill.name);
    if machine.disabled.contains(&name) {
        return Some("you turned it off".to_owned());
    }
    if machine.allowed.as_ref().is_some_and(|allowed| !allowed.contains(&name)) {
        return Some("it is not among the skills that hearth.toml allows".to_owned());
    }
    let needs = &skill.requires;
    if !needs.os.is_empty() && !needs.os.iter().any(|os| is_os(os, &machine.os)) {
        return Some(format!("it is for {}", needs.os.join(", ")));
    }
    if skill.always {
        return None;
    }
    let missing = |wanted: &[String], there: &BTreeSet<String>| {
        wanted.iter().find(|name| !there.contains(*name)).cloned()
    };
    if let Some(program) = missing(&needs.bins, &machine.programs) {
        return Some(format!("the program {program} is not installed"));
    }
    let any = &needs.any_bins;
    if !any.is_empty() && !any.iter().any(|name| machine.programs.contains(name)) {
        return Some(format!("none of these programs is installed: {}", any.join(", ")));
    }
    if let Some(variable) = missing(&needs.env, &machine.variables) {
        return Some(format!("{variable} is not set; store it as the secret skills/{variable}"));
    }
    missing(&needs.config, &machine.config).map(|key| format!("{key} is not set in hearth.toml"))
}

/// Why a skill is not for messages that come by a channel from a sender (empty: the owner of this machine);
/// none: it is. Beside [`gate`], which looks at the machine alone.
#[must_use]
pub fn gate_of_message(skill: &SkillFile, channel: &str, sender: &str) -> Option<String> {
    let needs = &skill.requires;
    let is_here = |wanted: &String| wanted.eq_ignore_ascii_case(channel);
    if !needs.channels.is_empty() && !needs.channels.iter().any(is_here) {
        let wanted = needs.channels.join(", ");
        return Some(format!("it is for messages by {wanted}, and this one came by {channel}"));
    }
    let sender = if sender.is_empty() { OWNER } else { sender };
    let is_theirs = |wanted: &String| wanted.eq_ignore_ascii_case(sender);
    if needs.senders.is_empty() || needs.senders.iter().any(is_theirs) {
        return None;
    }
    Some(format!("it is for messages of {}, and this one is of {sender}", needs.senders.join(", ")))
}

/// The owner of this machine among senders.
const OWNER: &str = "owner";

fn is_os(wanted: &str, here: &str) -> bool {
    let wanted = match wanted.to_lowercase().as_str() {
        "darwin" | "mac" | "osx" => "macos".to_owned(),
        "win32" | "win" => "windows".to_owned(),
        other => other.to_owned(),
    };
    wanted == here || wanted == "all" || wanted == "any"
}
