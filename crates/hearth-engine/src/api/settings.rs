//! `hearth.toml`, the first start, and unlocking secrets.

use crate::settings::SettingError;
use crate::{Engine, api, meeting};
use hearth_protocol::api::settings::{GuardView, Meet, SettingSet, SettingsView};
use hearth_protocol::api::system::Signal;
use hearth_protocol::{ErrorCode, WireError};

/// The settings as the window shows them.
///
/// # Errors
/// None today.
pub async fn get(engine: &Engine) -> Result<SettingsView, WireError> {
    engine.inner.settings.refresh();
    let settings = engine.settings();
    let mut providers = Vec::new();
    for provider in settings.providers.iter().cloned() {
        providers.push(api::providers::row(engine, provider).await);
    }
    Ok(SettingsView {
        home: engine.home().root().display().to_string(),
        workspace: engine.inner.workspace.folder().display().to_string(),
        model_default: settings.model_default.clone(),
        model_fallback: settings.model_fallback.clone(),
        providers,
        problems: settings.problems.clone(),
        language: settings.ui.language.clone(),
        theme: settings.ui.theme.clone(),
        shortcut: settings.ui.shortcut.clone(),
        start_at_login: settings.ui.start_at_login,
        busy: settings.busy.as_str().to_owned(),
        daily_usd: settings.budget.daily_usd,
        daily_tokens: settings.budget.daily_tokens,
        monthly_usd: settings.budget.monthly_usd,
        monthly_tokens: settings.budget.monthly_tokens,
        first_start_done: settings.ui.first_start_done,
        secrets: api::secrets::state(engine).await,
        guard: guard(&settings.guard),
    })
}

fn guard(rules: &hearth_guard::Rules) -> GuardView {
    GuardView {
        profile: rules.profile.as_str().to_owned(),
        allowed_roots: rules.allowed_roots.clone(),
        allowed_domains: rules.allowed_domains.clone(),
        blocked_paths: rules.blocked_paths.clone(),
        allow_commands: rules.allow_commands.clone(),
        allow_tools: rules.allow_tools.clone(),
        deny_tools: rules.deny_tools.clone(),
        closed: !rules.mistakes.is_empty(),
    }
}

/// Sets one key, comments kept.
///
/// # Errors
/// `invalid_request` with what the value must be; `home_busy`; `storage`.
pub async fn set(engine: &Engine, request: SettingSet) -> Result<SettingsView, WireError> {
    engine.inner.must_own()?;
    engine.inner.settings.set(&request.key, &request.value).map_err(|error| wire(&error))?;
    engine.inner.bus.send(Signal::Settings);
    get(engine).await
}

/// Writes IDENTITY.md and USER.md from what the person said at the first start.
///
/// # Errors
/// `home_busy`, or `storage`.
pub async fn meet(engine: &Engine, request: Meet) -> Result<(), WireError> {
    engine.inner.must_own()?;
    meeting::write(engine, request).await
}

/// Opens, or founds, the secrets with a passphrase where there is no keyring.
///
/// # Errors
/// `secrets_locked` for a wrong passphrase; `home_busy`; `storage`.
pub async fn unlock(engine: &Engine, passphrase: String) -> Result<SettingsView, WireError> {
    engine.inner.must_own()?;
    api::secrets::unlock(engine, passphrase).await?;
    engine.inner.bus.send(Signal::Settings);
    get(engine).await
}

/// A refused change as shells read it.
pub(crate) fn wire(error: &SettingError) -> WireError {
    let (code, hint) = match error {
        SettingError::Unknown(_) | SettingError::Value { .. } => (ErrorCode::InvalidRequest, ""),
        SettingError::Broken { .. } => {
            (ErrorCode::InvalidRequest, "Mend that line in hearth.toml first; nothing was changed.")
        }
        SettingError::Io { .. } => {
            (ErrorCode::Storage, "Check that the file may be written and the disk has room.")
        }
    };
    WireError::new(code, error.to_string(), hint)
}
