//! Lists the commands for Tauri's permission files, and makes sure there is a page to embed.

use std::{fs, path::Path};

/// Every command of the shell. The capability files say which window may call which.
const COMMANDS: &[&str] = &[
    "approvals_decide",
    "approvals_decide_all",
    "approvals_list",
    "approvals_revoke",
    "audit_export",
    "audit_tail",
    "audit_verify",
    "backups_make",
    "backups_prepare",
    "chat_commands",
    "chat_rewind",
    "chat_stop",
    "chat_submit",
    "context_call",
    "cron_add",
    "cron_history",
    "cron_leave",
    "cron_list",
    "cron_preview",
    "cron_remove",
    "cron_run",
    "doctor_run",
    "files_attach",
    "entries_add",
    "entries_conflicts",
    "entries_correct",
    "entries_edit",
    "entries_forget",
    "entries_list",
    "entries_restore",
    "entries_settle",
    "entries_timeline",
    "entries_view",
    "files_diff",
    "files_history",
    "files_list",
    "files_read",
    "files_restore",
    "files_save",
    "guard_explain",
    "imports_run",
    "logs_tail",
    "heartbeat_list",
    "heartbeat_log",
    "heartbeat_pause",
    "heartbeat_run",
    "heartbeat_status",
    "mcp_allow",
    "mcp_list",
    "mcp_remove",
    "mcp_save",
    "mcp_test",
    "memory_reindex",
    "memory_search",
    "memory_status",
    "models_cancel",
    "models_detect",
    "models_import",
    "models_list",
    "models_local",
    "models_pull",
    "notices_change",
    "notices_list",
    "persona_stop",
    "persona_try",
    "providers_remove",
    "providers_save",
    "providers_test",
    "questions_answer",
    "questions_list",
    "secrets_list",
    "secrets_set",
    "sessions_change",
    "sessions_compactions",
    "sessions_create",
    "sessions_delete",
    "sessions_list",
    "sessions_open",
    "sessions_originals",
    "settings_get",
    "settings_meet",
    "settings_set",
    "settings_unlock",
    "signals_subscribe",
    "skills_activity",
    "skills_change",
    "skills_install",
    "skills_install_preview",
    "skills_list",
    "skills_match",
    "skills_remove",
    "skills_removed",
    "skills_restore",
    "skills_show",
    "skills_update",
    "skills_update_preview",
    "turns_undo",
    "updates_check",
    "updates_download",
    "updates_install",
    "updates_view",
    "usage_rows",
    "window_continue",
    "window_hide_quick",
    "window_quit",
    "window_restart",
    "window_shortcut",
    "window_showing",
];

fn main() {
    // `generate_context!` needs a page. Where the interface was not built yet (a plain `cargo build`
    // in a new clone), a page that says so stands in; `npm start` always builds the real one.
    let dist = Path::new("../ui/dist");
    if !dist.join("index.html").exists() {
        let page = "<!doctype html><meta charset=utf-8><title>Hearth</title><p>The interface is not \
                    built yet. Run <code>npm start</code> in the repository.";
        let written = fs::create_dir_all(dist)
            .and_then(|()| fs::write(dist.join("index.html"), page))
            .and_then(|()| fs::write(dist.join("quick.html"), page));
        if let Err(error) = written {
            println!("cargo:warning=cannot write {}: {error}", dist.display());
        }
    }
    println!("cargo:rerun-if-changed=../ui/dist");
    let manifest = tauri_build::AppManifest::new().commands(COMMANDS);
    if let Err(error) =
        tauri_build::try_build(tauri_build::Attributes::new().app_manifest(manifest))
    {
        println!("cargo:error={error:#}");
        std::process::exit(1);
    }
}
