//! Tests a provider for the settings page: does it answer, does it take the key, what does it have?

use super::RemoteModel;
use crate::call::ChatModel;
use crate::encode::short_name;
use crate::fault::host_of;
use hearth_protocol::api::models::ProviderTest;
use hearth_protocol::{Fault, FaultKind, Message, ModelRequest, Role, Thinking};
use tokio_util::sync::CancellationToken;

/// Providers whose list is open to anybody: it says nothing about the key.
const OPEN_LISTS: [&str; 1] = ["openrouter.ai"];

impl RemoteModel {
    /// Lists the models, and where that proves nothing asks `model` for a word.
    pub async fn test(&self, model: Option<&str>) -> ProviderTest {
        let host = host_of(self.endpoint.base());
        match (self.list_models().await, model) {
            (Ok(models), Some(model)) if OPEN_LISTS.contains(&host.as_str()) => {
                self.ask_for_a_word(model, models).await
            }
            (Ok(models), _) => passed(&host, model, models),
            // Some servers have no list.
            (Err(fault), Some(model)) if no_list(&fault) => {
                self.ask_for_a_word(model, Vec::new()).await
            }
            (Err(fault), _) => failed(fault, Vec::new()),
        }
    }

    async fn ask_for_a_word(&self, model: &str, models: Vec<String>) -> ProviderTest {
        let request = ModelRequest {
            model: model.to_owned(),
            system: Vec::new(),
            messages: vec![Message::text(Role::User, "Say: ok", 0)],
            tools: Vec::new(),
            max_output: Some(16),
            temperature: None,
            thinking: Thinking::Default,
        };
        match self.call(&request, &mut |_| {}, &CancellationToken::new()).await {
            Ok(_) => passed(&host_of(self.endpoint.base()), Some(model), models),
            Err(error) => failed(error.fault, models),
        }
    }
}

fn no_list(fault: &Fault) -> bool {
    matches!(fault.kind, FaultKind::WrongUrl | FaultKind::ModelMissing | FaultKind::Rejected)
}

fn passed(host: &str, model: Option<&str>, models: Vec<String>) -> ProviderTest {
    let known = |name: &str| models.iter().any(|listed| short_name(listed) == short_name(name));
    let missing = model.filter(|name| !models.is_empty() && !known(name));
    let (message, hint) = match missing {
        Some(name) => (
            format!("{host} answers, but does not list the model {name}."),
            "Choose one of the models that it lists.".to_owned(),
        ),
        None if models.is_empty() => (format!("{host} answers."), String::new()),
        None => (format!("{host} answers and lists {} models.", models.len()), String::new()),
    };
    ProviderTest { ok: missing.is_none(), message, hint, models }
}

fn failed(fault: Fault, models: Vec<String>) -> ProviderTest {
    ProviderTest { ok: false, message: fault.message, hint: fault.hint, models }
}
