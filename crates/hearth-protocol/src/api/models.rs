//! Models, providers and servers found on this machine.

use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// The wire format that a provider speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, TS)]
#[serde(rename_all = "kebab-case")]
pub enum ProviderKind {
    /// Chat completions, as many servers speak them.
    Openai,
    /// The Responses API.
    OpenaiResponses,
    /// Anthropic messages.
    Anthropic,
    /// Gemini.
    Gemini,
    /// Ollama's own API.
    Ollama,
    /// The model in this process.
    Local,
}

/// One model that can be picked.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct ModelRow {
    /// `PROVIDER/MODEL`.
    pub id: String,
    /// What answers: the variant of a built-in model's weights, else the provider's name of the model.
    pub name: String,
    /// The provider's id.
    pub provider: String,
    /// Its wire format.
    pub kind: ProviderKind,
    /// Window in tokens.
    pub window: u64,
    /// US dollars per million prompt tokens.
    pub input_usd: f64,
    /// US dollars per million tokens written.
    pub output_usd: f64,
    /// Is the default.
    pub default: bool,
    /// Can be used now.
    pub ready: bool,
    /// If not, why and what to do.
    pub problem: Option<String>,
}

/// Where the files of a built-in model stand.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct LocalModelRow {
    /// Id to pull, such as `local/qwen`.
    pub id: String,
    /// Display name with its variant.
    pub name: String,
    /// What it is for: `chat` or `embedding`.
    pub purpose: String,
    /// Licence.
    pub license: String,
    /// Bytes to fetch in all.
    pub bytes: u64,
    /// Bytes here already.
    pub have_bytes: u64,
    /// All files here and checked.
    pub ready: bool,
    /// Which source the files came from.
    pub source: Option<String>,
    /// Folder of its files.
    pub path: String,
    /// Why the last download failed.
    pub problem: Option<String>,
}

/// Progress of a download.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct PullProgress {
    /// The model.
    pub id: String,
    /// Where the bytes come from.
    pub source: String,
    /// File in hand.
    pub file: String,
    /// Bytes so far, of all files.
    pub done_bytes: u64,
    /// Bytes in all.
    pub total_bytes: u64,
    /// Bytes a second lately.
    pub bytes_per_s: f64,
    /// `connecting` (to this source; `problem` says why the one before failed), `fetching`, `checking`,
    /// `ready` or `failed`.
    pub state: String,
    /// Why it failed, or why the source before this one did.
    pub problem: Option<String>,
}

/// A model server found on this machine.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct DetectedServer {
    /// `ollama`, `lm-studio`, `llama.cpp` or `vllm`.
    pub name: String,
    /// How to talk to it.
    pub kind: ProviderKind,
    /// Base URL to put into a provider.
    pub base_url: String,
    /// Models it offers.
    pub models: Vec<String>,
    /// A provider in `hearth.toml` points there already.
    pub configured: bool,
}

/// A provider as the settings edit it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct ProviderEdit {
    /// Its id: letters, digits, `-`.
    pub id: String,
    /// Its wire format.
    pub kind: ProviderKind,
    /// Base URL; empty for the vendor's own.
    pub base_url: String,
    /// Models to offer.
    pub models: Vec<ModelEdit>,
}

/// A model of a [`ProviderEdit`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct ModelEdit {
    /// The provider's name of it.
    pub id: String,
    /// Window in tokens; 0: unknown, a careful default is taken.
    #[serde(default)]
    pub window: u64,
    /// US dollars per million prompt tokens.
    #[serde(default)]
    pub input_usd: f64,
    /// US dollars per million tokens written.
    #[serde(default)]
    pub output_usd: f64,
}

/// A provider with what is known of its key.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct ProviderRow {
    /// As in `hearth.toml`.
    #[serde(flatten)]
    pub provider: ProviderEdit,
    /// A key is stored or in the environment.
    pub has_key: bool,
    /// It needs one (a loopback server does not).
    pub needs_key: bool,
}

/// What a test of a provider said.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct ProviderTest {
    /// It answers and takes the key.
    pub ok: bool,
    /// What was found, or what is wrong.
    pub message: String,
    /// What to do.
    pub hint: String,
    /// Models it says it has.
    pub models: Vec<String>,
}
