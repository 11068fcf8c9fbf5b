//! A skill of OpenClaw is installed as any from elsewhere: checked whole, refused whole, its origin kept.

use super::{Run, shown};
use crate::api::installs::{self, InstallOrder};
use hearth_protocol::WireError;
use hearth_protocol::api::skills::SkillIncoming;
use hearth_protocol::api::transfer::{ImportKind, ImportReason};
use std::path::Path;

pub(super) async fn skill(
    run: &mut Run<'_>,
    folder: &Path,
    to_workspace: bool,
) -> Result<(), WireError> {
    let name = shown(folder);
    let Some(path) = folder.to_str() else {
        run.item(
            ImportKind::Skill,
            &name,
            ImportReason::Unreadable,
            "its path is no UTF-8 text",
            "",
        );
        return Ok(());
    };
    let shown = installs::preview(run.engine, path.to_owned(), Vec::new(), to_workspace).await?;
    if let Some(why) = shown.refused {
        run.item(ImportKind::Skill, &name, ImportReason::Refused, &why, "");
        return Ok(());
    }
    let target = shown.skills.iter().map(|one| one.name.clone()).collect::<Vec<_>>().join(", ");
    if shown.skills.iter().all(|one| one.replaces.is_some() && one.changes.is_empty()) {
        run.item(ImportKind::Skill, &name, ImportReason::Same, "", &target);
        return Ok(());
    }
    let rights: Vec<String> =
        shown.skills.iter().map(rights).filter(|one| !one.is_empty()).collect();
    if !run.dry_run {
        let order =
            InstallOrder { path: shown.path, hash: shown.hash, skills: Vec::new(), to_workspace };
        if let Err(error) = installs::install(run.engine, order).await {
            run.item(ImportKind::Skill, &name, ImportReason::NotStored, &error.message, "");
            return Ok(());
        }
    }
    run.item(ImportKind::Skill, &name, ImportReason::New, &rights.join("; "), &target);
    Ok(())
}

/// What it may run and whom it names, for the person to judge before it comes.
fn rights(skill: &SkillIncoming) -> String {
    let scripts: Vec<&str> = skill.scripts.iter().map(|script| script.path.as_str()).collect();
    let parts = [("scripts", scripts.join(", ")), ("hosts", skill.hosts.join(", "))];
    let said = parts.into_iter().filter(|(_, said)| !said.is_empty());
    said.map(|(what, said)| format!("{what}: {said}")).collect::<Vec<_>>().join("; ")
}
