//! Models behind providers: clients made once a provider, keys found when they are needed.

use super::counter::Estimating;
use super::{Counter, Model, priced};
use crate::http;
use crate::vault::Vault;
use hearth_llm::client::{Endpoint, Http, RemoteModel, Timeouts};
use hearth_llm::tokens::Tokens;
use hearth_llm::wire::Format;
use hearth_protocol::api::models::{ModelEdit, ProviderEdit, ProviderKind, ProviderTest};
use hearth_protocol::{Fault, FaultKind, Retry};
use secrecy::SecretString;
use std::sync::{Arc, OnceLock};

/// What all remote models share.
#[derive(Default)]
pub(crate) struct Remotes {
    tokens: Arc<Tokens>,
}

impl Remotes {
    /// A provider's model.
    pub(crate) async fn model(
        &self,
        secrets: &Vault,
        provider: &ProviderEdit,
        model: &ModelEdit,
    ) -> Result<Model, Fault> {
        let key = key(secrets, &provider.id).await;
        if key.is_none()
            && let Some(problem) = missing_key(secrets, provider).await
        {
            return Err(problem);
        }
        // Ollama cuts prompts silently without a window; one that nobody knows is better than none.
        let known = priced(provider, model);
        let chat = RemoteModel::new(http()?, endpoint(provider, key, Some(known.window))?);
        Ok(Model {
            id: format!("{}/{}", provider.id, model.id),
            counter: self.counter(&model.id),
            name: model.id.clone(),
            window: known.window,
            price: known,
            built_in: false,
            chat: Arc::new(chat),
        })
    }

    /// The counter of a model's name.
    pub(crate) fn counter(&self, name: &str) -> Arc<dyn Counter> {
        Arc::new(Estimating::new(Arc::clone(&self.tokens), name))
    }
}

/// Whether a provider answers and takes the key.
pub(crate) async fn test(secrets: &Vault, provider: &ProviderEdit) -> ProviderTest {
    let model = provider.models.first().map(|model| model.id.as_str());
    match asked(secrets, provider).await {
        Ok(server) => server.test(model).await,
        Err(fault) => {
            ProviderTest { ok: false, message: fault.message, hint: fault.hint, models: Vec::new() }
        }
    }
}

async fn asked(secrets: &Vault, provider: &ProviderEdit) -> Result<RemoteModel, Fault> {
    let key = key(secrets, &provider.id).await;
    if key.is_none()
        && let Some(problem) = missing_key(secrets, provider).await
    {
        return Err(problem);
    }
    Ok(RemoteModel::new(http()?, endpoint(provider, key, None)?))
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

fn format_of(kind: ProviderKind) -> Option<Format> {
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
