//! Commands: adapters of a few lines from the windows to `hearth_engine::api`. Which window may call
//! which stands in `capabilities/`.

mod approvals;
mod chat;
mod entries;
mod files;
mod guard;
mod heartbeat;
mod installs;
mod mcp;
mod memory;
mod models;
mod settings;
mod skills;
mod system;
mod transfer;
mod updates;

use hearth_protocol::WireError;
use tauri::{Wry, ipc::Invoke};

/// What every command answers.
type Answer<T> = Result<T, WireError>;

/// All commands, for the builder.
#[expect(clippy::too_many_lines, reason = "a list of names")]
pub(crate) fn handler() -> impl Fn(Invoke<Wry>) -> bool + Send + Sync + 'static {
    tauri::generate_handler![
        approvals::approvals_decide,
        approvals::approvals_decide_all,
        approvals::approvals_list,
        approvals::approvals_revoke,
        approvals::questions_answer,
        approvals::questions_list,
        approvals::turns_undo,
        chat::chat_commands,
        chat::chat_rewind,
        chat::chat_stop,
        chat::chat_submit,
        chat::context_call,
        chat::sessions_change,
        chat::sessions_compactions,
        chat::sessions_create,
        chat::sessions_delete,
        chat::sessions_list,
        chat::sessions_open,
        chat::sessions_originals,
        files::files_attach,
        entries::entries_add,
        entries::entries_conflicts,
        entries::entries_correct,
        entries::entries_edit,
        entries::entries_forget,
        entries::entries_list,
        entries::entries_restore,
        entries::entries_settle,
        entries::entries_timeline,
        entries::entries_view,
        files::files_diff,
        files::files_history,
        files::files_list,
        files::files_read,
        files::files_restore,
        files::files_save,
        installs::skills_install,
        installs::skills_install_preview,
        installs::skills_remove,
        installs::skills_removed,
        installs::skills_restore,
        installs::skills_update,
        installs::skills_update_preview,
        mcp::mcp_allow,
        mcp::mcp_list,
        mcp::mcp_remove,
        mcp::mcp_save,
        mcp::mcp_test,
        memory::memory_reindex,
        memory::memory_search,
        memory::memory_status,
        heartbeat::cron_add,
        heartbeat::cron_history,
        heartbeat::cron_leave,
        heartbeat::cron_list,
        heartbeat::cron_preview,
        heartbeat::cron_remove,
        heartbeat::cron_run,
        heartbeat::heartbeat_list,
        heartbeat::heartbeat_log,
        heartbeat::heartbeat_pause,
        heartbeat::heartbeat_run,
        heartbeat::heartbeat_status,
        heartbeat::notices_change,
        heartbeat::notices_list,
        guard::audit_export,
        guard::audit_tail,
        guard::audit_verify,
        guard::guard_explain,
        models::models_cancel,
        models::models_detect,
        models::models_import,
        models::models_list,
        models::models_local,
        models::models_pull,
        files::persona_stop,
        files::persona_try,
        models::providers_remove,
        models::providers_save,
        models::providers_test,
        settings::secrets_list,
        settings::secrets_set,
        settings::settings_get,
        settings::settings_meet,
        settings::settings_set,
        settings::settings_unlock,
        skills::skills_activity,
        skills::skills_change,
        skills::skills_list,
        skills::skills_match,
        skills::skills_show,
        system::doctor_run,
        system::logs_tail,
        system::signals_subscribe,
        system::usage_rows,
        system::window_continue,
        system::window_hide_quick,
        system::window_quit,
        system::window_shortcut,
        system::window_showing,
        transfer::backups_make,
        transfer::backups_prepare,
        transfer::imports_run,
        transfer::window_restart,
        updates::updates_check,
        updates::updates_download,
        updates::updates_install,
        updates::updates_view,
    ]
}
