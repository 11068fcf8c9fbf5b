//! From a name such as `work/gpt-5-mini` to something that can be asked.
//!
//! Owns the clients, the built-in model, token counters and cooldowns. Leaves out when to ask which: that is
//! the driver's.

mod counter;
mod local;
mod remote;
mod written;

pub(crate) use local::LocalSlot;

use crate::masking::Masked;
use crate::models::{Shelf, manifest};
use crate::settings::Settings;
use crate::vault::Vault;
use hearth_agent::TokenCounter;
use hearth_agent::prompt::SMALL_PROMPT_TOKENS;
use hearth_llm::ChatModel;
use hearth_llm::catalogue::{Known, UNKNOWN_WINDOW, of_model};
use hearth_llm::retry::Cooldowns;
use hearth_protocol::api::models::{
    DetectedServer, ModelEdit, ModelRow, ProviderEdit, ProviderKind, ProviderTest,
};
use hearth_protocol::{Fault, FaultKind, ModelRequest, Retry, TokenUsage};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Tokens kept free for a reply, at most a quarter of the window.
const REPLY_TOKENS: u64 = 4_096;

/// A window up to this is small.
const SMALL_WINDOW: u64 = 8_192;

/// A model that can be asked.
#[derive(Clone)]
pub(crate) struct Model {
    /// `PROVIDER/MODEL`.
    pub(crate) id: String,
    /// The provider's name of it.
    pub(crate) name: String,
    /// Window in tokens.
    pub(crate) window: u64,
    /// What it costs.
    pub(crate) price: Known,
    /// Runs in this process: free, and slow to read.
    pub(crate) built_in: bool,
    /// Asks it.
    pub(crate) chat: Arc<dyn ChatModel>,
    /// Counts its tokens.
    pub(crate) counter: Arc<dyn Counter>,
}

/// Stands where nothing can be asked.
struct Absent;

#[async_trait::async_trait]
impl ChatModel for Absent {
    async fn call(
        &self,
        request: &hearth_protocol::ModelRequest,
        _sink: hearth_llm::Sink<'_>,
        _cancel: &tokio_util::sync::CancellationToken,
    ) -> Result<hearth_protocol::ModelReply, hearth_llm::CallError> {
        Err(hearth_llm::CallError::early(no_such(&request.model)))
    }
}

/// A counter that learns from what providers report.
pub(crate) trait Counter: TokenCounter {
    /// The provider reported so many prompt tokens for a request.
    fn learn(&self, request: &ModelRequest, reported: u64);
}

impl Model {
    /// Tokens kept free for the reply.
    pub(crate) fn output_reserve(&self) -> u64 {
        REPLY_TOKENS.min(self.window / 4)
    }

    /// Its window is so small that the prompt must be, too.
    pub(crate) fn is_small(&self) -> bool {
        self.built_in || self.window <= SMALL_WINDOW
    }

    /// What everything but the history may take in its prompt, where it is small.
    pub(crate) fn prompt_tokens(&self) -> Option<u64> {
        self.is_small().then_some(SMALL_PROMPT_TOKENS)
    }

    /// Whether pictures are sent to it.
    pub(crate) fn sees(&self) -> bool {
        !self.built_in && !hearth_llm::is_blind(&self.name)
    }

    /// Its counter, for those who only count.
    pub(crate) fn token_counter(&self) -> Arc<dyn TokenCounter> {
        Arc::clone(&self.counter) as Arc<dyn TokenCounter>
    }

    /// US dollars of a call.
    pub(crate) fn usd(&self, usage: &TokenUsage) -> f64 {
        self.price.cost(usage)
    }
}

/// All models of a home.
pub(crate) struct Catalogue {
    secrets: Arc<Vault>,
    shelf: Shelf,
    local: Arc<LocalSlot>,
    remotes: remote::Remotes,
    cooldowns: Mutex<Cooldowns>,
    born: Instant,
}

impl Catalogue {
    pub(crate) fn new(secrets: Arc<Vault>, shelf: Shelf) -> Self {
        Self {
            secrets,
            shelf,
            local: Arc::default(),
            remotes: remote::Remotes::default(),
            cooldowns: Mutex::default(),
            born: Instant::now(),
        }
    }

    /// Why a built-in model cannot be used, by what lies in its folder.
    fn not_here(&self, row: &manifest::LocalModel) -> Fault {
        not_here(row.id, self.shelf.spoiled(row).as_deref())
    }

    /// The model failed a call for good: it is asked last for a while.
    pub(crate) fn failed(&self, id: &str) {
        self.cooldowns().failed(id, self.born.elapsed());
    }

    /// The model answered.
    pub(crate) fn answered(&self, id: &str) {
        self.cooldowns().answered(id);
    }

    /// Whether the model failed lately.
    pub(crate) fn rests(&self, id: &str) -> bool {
        self.cooldowns().rest(id, self.born.elapsed()).is_some()
    }

    fn cooldowns(&self) -> std::sync::MutexGuard<'_, Cooldowns> {
        self.cooldowns.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The model of a name, or a stand-in of the same size that only counts: for looking, not for asking.
    pub(crate) async fn find_or_rough(&self, settings: &Settings, id: &str) -> Model {
        let id = settings.model_of(id);
        if let Ok(model) = self.find(settings, id).await {
            return model;
        }
        let name = id.split_once('/').map_or(id, |(_, name)| name);
        let listed =
            settings.providers.iter().filter(|row| id.starts_with(&format!("{}/", row.id)));
        let known = listed.flat_map(|row| &row.models).find(|model| model.id == name);
        let built_in = manifest::chat(id);
        let window =
            known.map(|model| model.window).or(built_in.map(|row| row.window)).filter(|w| *w > 0);
        Model {
            id: id.to_owned(),
            name: name.to_owned(),
            window: window.unwrap_or(UNKNOWN_WINDOW),
            price: free(UNKNOWN_WINDOW),
            built_in: built_in.is_some(),
            chat: Arc::new(Absent),
            counter: self.remotes.counter(name),
        }
    }

    /// The window of a model; 0 where it cannot be asked.
    pub(crate) async fn window(&self, settings: &Settings, id: &str) -> u64 {
        self.find(settings, id).await.map_or(0, |model| model.window)
    }

    /// The settings of a provider changed: what its models did before says nothing any more.
    pub(crate) fn forget(&self, provider: &ProviderEdit) {
        for model in &provider.models {
            self.answered(&format!("{}/{}", provider.id, model.id));
        }
    }

    /// The model of a name.
    ///
    /// # Errors
    /// A fault that says what is missing: the provider, its key, the built-in model's files.
    pub(crate) async fn find(&self, settings: &Settings, id: &str) -> Result<Model, Fault> {
        let model = self.bare(settings, id).await?;
        Ok(Model { chat: Arc::new(Masked(model.chat)), ..model })
    }

    async fn bare(&self, settings: &Settings, id: &str) -> Result<Model, Fault> {
        let id = settings.model_of(id);
        let Some((provider, name)) = id.split_once('/') else { return Err(no_such(id)) };
        if provider == "local" {
            return self.built_in(id).await;
        }
        let provider =
            settings.providers.iter().find(|row| row.id == provider).ok_or_else(|| no_such(id))?;
        let known = provider.models.iter().find(|model| model.id == name).cloned();
        let edit = match known {
            Some(edit) => edit,
            None if provider.models.is_empty() => unlisted(name),
            None => return Err(not_listed(provider, name)),
        };
        let model = self.remotes.model(&self.secrets, provider, &edit).await?;
        // Servers of people's own machines run models whose way of calling they may not know.
        if !model.is_small() && remote::needs_key(provider) {
            return Ok(model);
        }
        Ok(Model { chat: Arc::new(written::Written(Arc::clone(&model.chat))), ..model })
    }

    /// Has the built-in model read what its next prompt begins with. Returns the tokens read.
    pub(crate) async fn read_ahead(
        &self,
        id: &str,
        request: &ModelRequest,
    ) -> Result<usize, Fault> {
        let row = manifest::chat(id).ok_or_else(|| no_such(id))?;
        let Some(ready) = self.shelf.ready(row) else { return Err(self.not_here(row)) };
        self.local_chat(ready.path, row.window, false).read_ahead(request).await
    }

    fn local_chat(&self, path: PathBuf, window: u64, background: bool) -> local::LocalChat {
        local::LocalChat::new(Arc::clone(&self.local), path, window, background)
    }

    async fn built_in(&self, id: &str) -> Result<Model, Fault> {
        let row = manifest::chat(id).ok_or_else(|| no_such(id))?;
        let Some(ready) = self.shelf.ready(row) else { return Err(self.not_here(row)) };
        let counter = self.local.counter(&ready.path).await?;
        Ok(Model {
            id: id.to_owned(),
            name: ready.name,
            window: row.window,
            price: free(row.window),
            built_in: true,
            chat: Arc::new(self.local_chat(ready.path, row.window, false)),
            counter,
        })
    }

    /// The model for a call that no person waits for: the built-in one gives way to a person's question.
    pub(crate) fn in_background(&self, model: Model) -> Model {
        let ready = manifest::find(&model.id).and_then(|row| self.shelf.ready(row));
        match ready.filter(|_| model.built_in) {
            Some(ready) => {
                let chat = Arc::new(self.local_chat(ready.path, model.window, true));
                Model { chat: Arc::new(Masked(chat)), ..model }
            }
            None => model,
        }
    }

    /// Whether a model of this name could answer without the network.
    pub(crate) fn is_here(&self, id: &str) -> bool {
        manifest::chat(id).is_some_and(|row| self.shelf.ready(row).is_some())
    }

    /// Frees the built-in model's memory where it was not used for so long.
    pub(crate) fn rest(&self, idle_minutes: u64) {
        self.local.unload_after(Duration::from_secs(idle_minutes * 60));
    }

    /// The rows for lists.
    pub(crate) async fn rows(&self, settings: &Settings) -> Vec<ModelRow> {
        let mut rows: Vec<ModelRow> = Vec::new();
        for row in
            manifest::LOCAL_MODELS.iter().filter(|row| row.purpose == manifest::Purpose::Chat)
        {
            let files = self.shelf.row(row, None);
            let problem = (!files.ready).then(|| self.not_here(row));
            rows.push(ModelRow {
                id: row.id.to_owned(),
                name: files.name,
                provider: "local".to_owned(),
                kind: ProviderKind::Local,
                window: row.window,
                input_usd: 0.0,
                output_usd: 0.0,
                default: settings.model_default == row.id,
                ready: problem.is_none(),
                problem: problem.map(|fault| format!("{} {}", fault.message, fault.hint)),
            });
        }
        for provider in &settings.providers {
            let key_missing = remote::key_problem(&self.secrets, provider).await;
            for model in &provider.models {
                let id = format!("{}/{}", provider.id, model.id);
                let known = priced(provider, model);
                rows.push(ModelRow {
                    default: settings.model_default == id,
                    id,
                    name: model.id.clone(),
                    provider: provider.id.clone(),
                    kind: provider.kind,
                    window: known.window,
                    input_usd: known.input_usd,
                    output_usd: known.output_usd,
                    ready: key_missing.is_none(),
                    problem: key_missing.clone(),
                });
            }
        }
        rows
    }

    /// Whether a key is stored or in the environment, and whether one is needed.
    pub(crate) async fn key_state(&self, provider: &ProviderEdit) -> (bool, bool) {
        (remote::key(&self.secrets, &provider.id).await.is_some(), remote::needs_key(provider))
    }

    /// Model servers on this machine.
    pub(crate) async fn detect(&self, settings: &Settings) -> Vec<DetectedServer> {
        let configured: Vec<String> =
            settings.providers.iter().map(|row| row.base_url.clone()).collect();
        match remote::http() {
            Ok(http) => hearth_llm::detect::detect(&http, &configured).await,
            Err(_) => Vec::new(),
        }
    }

    /// Asks a provider whether it answers and takes the key.
    pub(crate) async fn test(&self, provider: &ProviderEdit) -> ProviderTest {
        remote::test(&self.secrets, provider).await
    }
}

/// Counts where no model is known.
pub(crate) fn rough_counter() -> Arc<dyn TokenCounter> {
    Arc::new(counter::Estimating::new(Arc::default(), ""))
}

/// Window and price: what the person wrote, else what is known of a model of that name.
fn priced(provider: &ProviderEdit, model: &ModelEdit) -> Known {
    let known = of_model(provider.kind, &provider.base_url, &model.id);
    let window = if model.window == 0 { known.window } else { model.window };
    if model.input_usd == 0.0 && model.output_usd == 0.0 {
        return Known { window, ..known };
    }
    let (input_usd, output_usd) = (model.input_usd, model.output_usd);
    Known { window, input_usd, cached_usd: input_usd, output_usd, priced: true }
}

/// The built-in model.
fn free(window: u64) -> Known {
    Known { window, input_usd: 0.0, cached_usd: 0.0, output_usd: 0.0, priced: true }
}

/// A model of a provider that lists none in `hearth.toml`: the server knows.
fn unlisted(name: &str) -> ModelEdit {
    ModelEdit { id: name.to_owned(), window: 0, input_usd: 0.0, output_usd: 0.0 }
}

fn no_such(id: &str) -> Fault {
    Fault {
        kind: FaultKind::ModelMissing,
        message: format!("There is no model {id}: its provider is not in hearth.toml."),
        hint: "`hearth models list` shows what can be picked.".to_owned(),
        retry: Retry::No,
        status: None,
    }
}

/// The person said which models there are: another name is a slip, and the server is not asked.
fn not_listed(provider: &ProviderEdit, name: &str) -> Fault {
    let listed: Vec<String> =
        provider.models.iter().map(|model| format!("{}/{}", provider.id, model.id)).collect();
    Fault {
        kind: FaultKind::ModelMissing,
        message: format!("There is no model {}/{name} in hearth.toml.", provider.id),
        hint: format!("Pick {}, or add it to the models of this provider.", listed.join(", ")),
        retry: Retry::No,
        status: None,
    }
}

fn not_here(id: &str, spoiled: Option<&Path>) -> Fault {
    let (message, hint) = match spoiled {
        None => (
            format!("The built-in model {id} is not on this machine yet."),
            format!("Fetch it with `hearth models pull {id}`, or add a provider in hearth.toml."),
        ),
        Some(file) => (
            format!("The model file {} was not checked, or is not whole any more.", file.display()),
            format!("`hearth models pull {id}` checks it, and fetches it again where it is wrong."),
        ),
    };
    Fault { kind: FaultKind::ModelFiles, message, hint, retry: Retry::No, status: None }
}
