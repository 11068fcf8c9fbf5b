//! Models behind providers: clients made once a provider, keys found when they are needed.

use super::{Counter, Model, UNKNOWN_WINDOW, counter};
use crate::http;
use crate::vault::Vault;
use hearth_llm::client::{Endpoint, Http, RemoteModel, Timeouts};
use hearth_llm::wire::Format;
use hearth_protocol::api::models::{ModelEdit, ProviderEdit, ProviderKind};
use hearth_protocol::{Fault, FaultKind, Retry};
use secrecy::SecretString;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

/// Token counters by model, so that what one call taught serves the next.
#[derive(Default)]
pub(crate) struct Remotes {
    counters: Mutex<HashMap<String, Arc<dyn Counter>>>,
}

impl Remotes {
    /// A provider's model.
    pub(crate) async fn model(
        &self,
        secrets: &Vault,
        provider: &ProviderEdit,
        model: &ModelEdit,
    ) -> Result<Model, Fault> {
        let id = format!("{}/{}", provider.id, model.id);
        let key = key(secrets, &provider.id).await;
        if key.is_none()
            && let Some(problem) = missing_key(secrets, provider).await
        {
            return Err(problem);
        }
        let window = Some(model.window).filter(|window| *window > 0);
        let chat = RemoteModel::new(http()?, endpoint(provider, key, window)?);
        Ok(Model {
            counter: self.counter(&id, &model.id),
            id,
            name: model.id.clone(),
            window: window.unwrap_or(UNKNOWN_WINDOW),
            input_usd: model.input_usd,
            output_usd: model.output_usd,
            built_in: false,
            chat: Arc::new(chat),
        })
    }

    pub(crate) fn counter(&self, id: &str, name: &str) -> Arc<dyn Counter> {
        let mut counters = self.counters.lock().unwrap_or_else(PoisonError::into_inner);
        Arc::clone(counters.entry(id.to_owned()).or_insert_with(|| counter::for_model(name)))
    }
}

/// A provider's list of models.
pub(crate) async fn list_models(
    secrets: &Vault,
    provider: &ProviderEdit,
) -> Result<Vec<String>, Fault> {
    let key = key(secrets, &provider.id).await;
    if key.is_none()
        && let Some(problem) = missing_key(secrets, provider).await
    {
        return Err(problem);
    }
    RemoteModel::new(http()?, endpoint(provider, key, None)?).list_models().await
}

/// The key of a provider: in the secrets, else in the environment.
pub(crate) async fn key(secrets: &Vault, id: &str) -> Option<SecretString> {
    if let Some(value) = std::env::var(variable(id)).ok().filter(|value| !value.trim().is_empty()) {
        return Some(SecretString::from(value));
    }
    secrets.get(&format!("providers/{id}")).await.ok().flatten()
}

/// A server on this machine needs no key.
pub(crate) fn needs_key(provider: &ProviderEdit) -> bool {
    let base = match (provider.base_url.is_empty(), format_of(provider.kind)) {
        (true, Some(format)) => hearth_llm::client::default_base_url(format).to_owned(),
        _ => provider.base_url.clone(),
    };
    !http::is_loopback(&base)
}

/// Why a provider cannot be asked, if its key is missing.
pub(crate) async fn key_problem(secrets: &Vault, provider: &ProviderEdit) -> Option<String> {
    if key(secrets, &provider.id).await.is_some() {
        return None;
    }
    let fault = missing_key(secrets, provider).await?;
    Some(format!("{} {}", fault.message, fault.hint))
}

async fn missing_key(secrets: &Vault, provider: &ProviderEdit) -> Option<Fault> {
    if !needs_key(provider) {
        return None;
    }
    let id = &provider.id;
    let stored =
        secrets.names().await.is_ok_and(|names| names.contains(&format!("providers/{id}")));
    let problem = if stored { secrets.status().await.problem } else { None };
    let (message, hint) = match problem {
        Some(why) => (
            format!("There is no key for {id}, and the stored keys cannot be read: {why}."),
            format!("Unlock the keys in the settings, or set {} in the environment.", variable(id)),
        ),
        None => (
            format!("There is no key for {id}."),
            format!(
                "Enter it in the settings under Models, pipe it into `hearth secrets set providers/{id}`, or \
                 set {}.",
                variable(id)
            ),
        ),
    };
    Some(Fault { kind: FaultKind::BadKey, message, hint, retry: Retry::No, status: None })
}

/// `HEARTH_KEY_<ID>`: upper case, `-` and `.` as `_`.
fn variable(id: &str) -> String {
    format!("HEARTH_KEY_{}", id.to_uppercase().replace(['-', '.'], "_"))
}

fn endpoint(
    provider: &ProviderEdit,
    key: Option<SecretString>,
    window: Option<u64>,
) -> Result<Endpoint, Fault> {
    let format = format_of(provider.kind).ok_or_else(|| Fault {
        kind: FaultKind::ModelMissing,
        message: format!(
            "The provider {} has the kind local, which only the built-in one has.",
            provider.id
        ),
        hint: "Choose another kind in hearth.toml.".to_owned(),
        retry: Retry::No,
        status: None,
    })?;
    Ok(Endpoint { format, base_url: provider.base_url.clone(), key, window })
}

pub(crate) fn format_of(kind: ProviderKind) -> Option<Format> {
    Some(match kind {
        ProviderKind::Openai => Format::OpenaiChat,
        ProviderKind::OpenaiResponses => Format::OpenaiResponses,
        ProviderKind::Anthropic => Format::Anthropic,
        ProviderKind::Gemini => Format::Gemini,
        ProviderKind::Ollama => Format::Ollama,
        ProviderKind::Local => return None,
    })
}

/// The clients, made once a process: connections are kept open between calls.
pub(crate) fn http() -> Result<Http, Fault> {
    static HTTP: OnceLock<Http> = OnceLock::new();
    if let Some(http) = HTTP.get() {
        return Ok(http.clone());
    }
    let made = Http::new(Timeouts::default()).map_err(|error| Fault {
        kind: FaultKind::Tls,
        message: format!("{error}."),
        hint: "Check the proxy variables and the system's certificates.".to_owned(),
        retry: Retry::No,
        status: None,
    })?;
    Ok(HTTP.get_or_init(|| made).clone())
}
