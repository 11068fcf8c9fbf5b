//! The built-in model as something that can be asked: loaded when first asked, freed when idle.
//!
//! Invariants: at most one model is loaded; it answers one request at a time, on a thread of its own; a
//! cancel is heard between two tokens and between two layers; reading ahead, and calls that no person waits
//! for, give way to a person's question.

use super::Counter;
use super::counter::Remembering;
use async_trait::async_trait;
use hearth_llm::{CallError, ChatModel, Sink};
use hearth_local::{
    CallParser, ChatCall, ChatMessage, ChatRole, Finish as LocalFinish, LocalModel, LocalTokenizer,
    Options, Outcome, Piece, ReplyPart, Sampling,
};
use hearth_protocol::{
    Arguments, CallId, Fault, FaultKind, Finish, Message, ModelDelta, ModelReply, ModelRequest,
    Part, Retry, Role, TokenUsage, ToolCall,
};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, TryLockError};
use std::time::{Duration, Instant};
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

/// So long a call that gave way leaves the model alone.
const GIVEN_WAY: Duration = Duration::from_millis(200);

/// The memory of the built-in model.
#[derive(Default)]
pub(crate) struct LocalSlot {
    loaded: Mutex<Option<Loaded>>,
    /// A person's questions that wait for the model: what nobody waits for stops for them.
    waiting: AtomicUsize,
    counter: Mutex<Option<(PathBuf, Arc<dyn Counter>)>>,
}

struct Loaded {
    path: PathBuf,
    model: LocalModel,
    used: Instant,
}

impl LocalSlot {
    /// The tokenizer of a file, as a counter.
    pub(crate) async fn counter(&self, path: &Path) -> Result<Arc<dyn Counter>, Fault> {
        let known = self.counter.lock().unwrap_or_else(PoisonError::into_inner).clone();
        if let Some((_, counter)) = known.filter(|(of, _)| of == path) {
            return Ok(counter);
        }
        let file = path.to_path_buf();
        let read = tokio::task::spawn_blocking(move || LocalTokenizer::from_gguf(file)).await;
        let tokenizer = match read {
            Ok(Ok(tokenizer)) => tokenizer,
            Ok(Err(error)) => return Err(damaged(&error.to_string())),
            Err(error) => return Err(damaged(&error.to_string())),
        };
        let count = move |text: &str| tokenizer.count(text) as u64;
        let counter: Arc<dyn Counter> = Arc::new(Remembering::new(count));
        let entry = (path.to_path_buf(), Arc::clone(&counter));
        *self.counter.lock().unwrap_or_else(PoisonError::into_inner) = Some(entry);
        Ok(counter)
    }

    /// Frees the memory where it was not used for so long. A model at work is left alone.
    pub(crate) fn unload_after(&self, idle: Duration) {
        if let Ok(mut loaded) = self.loaded.try_lock()
            && loaded.as_ref().is_some_and(|loaded| loaded.used.elapsed() >= idle)
        {
            *loaded = None;
            tracing::info!("the built-in model's memory was freed");
        }
    }
}

/// Loads a file unless it is loaded.
fn load<'a>(
    slot: &'a mut MutexGuard<'_, Option<Loaded>>,
    path: &Path,
    context: usize,
) -> Result<&'a mut Loaded, Fault> {
    if slot.as_ref().is_none_or(|loaded| loaded.path != path) {
        // The old one goes first: two do not fit small machines.
        **slot = None;
        let options = Options { context, ..Options::default() };
        let model = LocalModel::load(path, options).map_err(|error| damaged(&error.to_string()))?;
        **slot = Some(Loaded { path: path.to_path_buf(), model, used: Instant::now() });
    }
    slot.as_mut().ok_or_else(|| damaged("it was not loaded"))
}

/// The built-in model.
pub(crate) struct LocalChat {
    slot: Arc<LocalSlot>,
    path: PathBuf,
    window: u64,
    /// Nobody waits for the answer.
    background: bool,
}

impl LocalChat {
    pub(crate) fn new(slot: Arc<LocalSlot>, path: PathBuf, window: u64, background: bool) -> Self {
        Self { slot, path, window, background }
    }

    fn work(&self, request: &ModelRequest, max_tokens: usize, cancel: &CancellationToken) -> Work {
        Work {
            slot: Arc::clone(&self.slot),
            path: self.path.clone(),
            context: usize::try_from(self.window).unwrap_or(4096),
            messages: messages(request),
            tools: tools(request),
            max_tokens,
            temperature: request.temperature,
            background: self.background,
            cancel: cancel.clone(),
        }
    }

    /// Reads a prompt that will be the beginning of the next one, so that only its end is left to read then.
    /// A model at work is left alone. Returns the tokens that are read now.
    pub(crate) async fn read_ahead(&self, request: &ModelRequest) -> Result<usize, Fault> {
        let work = self.work(request, 0, &CancellationToken::new());
        let reading = tokio::task::spawn_blocking(move || work.read_ahead()).await;
        reading.unwrap_or_else(|error| Err(damaged(&error.to_string())))
    }
}

#[async_trait]
impl ChatModel for LocalChat {
    async fn call(
        &self,
        request: &ModelRequest,
        sink: Sink<'_>,
        cancel: &CancellationToken,
    ) -> Result<ModelReply, CallError> {
        if !self.background {
            return self.answer(request, sink, cancel).await;
        }
        loop {
            // Nothing is shown before the end, for a call that gave way begins anew.
            let mut held = Vec::new();
            let mut hold = |delta| match delta {
                ModelDelta::Reading { .. } => {}
                delta => held.push(delta),
            };
            let result = self.answer(request, &mut hold, cancel).await;
            match result {
                Err(error)
                    if error.fault.kind == FaultKind::Cancelled && !cancel.is_cancelled() =>
                {
                    // The person's question takes the model before this one asks for it again.
                    tokio::time::sleep(GIVEN_WAY).await;
                }
                other => {
                    held.into_iter().for_each(sink);
                    return other;
                }
            }
        }
    }
}

impl LocalChat {
    async fn answer(
        &self,
        request: &ModelRequest,
        sink: Sink<'_>,
        cancel: &CancellationToken,
    ) -> Result<ModelReply, CallError> {
        let (sender, mut pieces) = mpsc::unbounded_channel();
        let max_tokens = request.max_output.map_or(1024, |most| most as usize);
        let work = self.work(request, max_tokens, cancel);
        let writing = tokio::task::spawn_blocking(move || work.run(&sender));
        let mut reader = Reader::new(request);
        while let Some(piece) = pieces.recv().await {
            let shown = match piece {
                ModelDelta::Text(text) => ModelDelta::Text(reader.feed(&text)),
                other => other,
            };
            if shown != ModelDelta::Text(String::new()) {
                sink(shown);
            }
        }
        let outcome = match writing.await {
            Ok(Ok(outcome)) => outcome,
            Ok(Err(fault)) => return Err(CallError::early(fault)),
            Err(error) => return Err(CallError::early(damaged(&error.to_string()))),
        };
        let rest = reader.finish();
        if !rest.is_empty() {
            sink(ModelDelta::Text(rest));
        }
        let reply = reader.reply(&outcome);
        match outcome.finish {
            LocalFinish::Cancelled => {
                let partial = Box::new(ModelReply { complete: false, ..reply });
                Err(CallError { fault: hearth_llm::fault::cancelled(), partial })
            }
            LocalFinish::Stop | LocalFinish::Length => Ok(reply),
        }
    }
}

/// One request, for the thread that computes.
struct Work {
    slot: Arc<LocalSlot>,
    path: PathBuf,
    context: usize,
    messages: Vec<ChatMessage>,
    tools: Vec<serde_json::Value>,
    max_tokens: usize,
    temperature: Option<f32>,
    background: bool,
    cancel: CancellationToken,
}

impl Work {
    fn run(self, pieces: &mpsc::UnboundedSender<ModelDelta>) -> Result<Outcome, Fault> {
        let asks = usize::from(!self.background);
        self.slot.waiting.fetch_add(asks, Ordering::SeqCst);
        let mut slot = self.slot.loaded.lock().unwrap_or_else(PoisonError::into_inner);
        self.slot.waiting.fetch_sub(asks, Ordering::SeqCst);
        let loaded = load(&mut slot, &self.path, self.context)?;
        let prompt = loaded.model.tokenizer().chat_tokens(&self.messages, &self.tools);
        let prompt = prompt.map_err(|error| refused(&error))?;
        let plain = Sampling::default();
        let sampling = Sampling {
            temperature: self.temperature.unwrap_or(plain.temperature),
            max_tokens: self.max_tokens,
            seed: rand::random(),
            ..plain
        };
        let mut read = None;
        let outcome = loaded.model.generate(&prompt, sampling, &mut |piece| {
            let news = match piece {
                Piece::Text(text) => Some(ModelDelta::Text(text.to_owned())),
                // It is told after each layer, but goes on only with the next tokens.
                Piece::Reading { done, .. } if read == Some(done) => None,
                Piece::Reading { done, total } => {
                    read = Some(done);
                    Some(ModelDelta::Reading { done: done as u64, total: total as u64 })
                }
            };
            if news.is_some_and(|news| pieces.send(news).is_err()) {
                return ControlFlow::Break(());
            }
            if self.cancel.is_cancelled() || self.gives_way() {
                ControlFlow::Break(())
            } else {
                ControlFlow::Continue(())
            }
        });
        loaded.used = Instant::now();
        outcome.map_err(|error| refused(&error))
    }

    /// Whether a person waits for the model that this holds without one.
    fn gives_way(&self) -> bool {
        self.background && self.slot.waiting.load(Ordering::SeqCst) > 0
    }

    fn read_ahead(self) -> Result<usize, Fault> {
        let mut slot = match self.slot.loaded.try_lock() {
            Ok(slot) => slot,
            Err(TryLockError::Poisoned(poisoned)) => poisoned.into_inner(),
            Err(TryLockError::WouldBlock) => return Ok(0),
        };
        let loaded = load(&mut slot, &self.path, self.context)?;
        let prompt = loaded.model.tokenizer().chat_tokens(&self.messages, &self.tools);
        let prompt = prompt.map_err(|error| refused(&error))?;
        let mut read = 0;
        let sampling = Sampling { max_tokens: 0, ..Sampling::default() };
        let outcome = loaded.model.generate(&prompt, sampling, &mut |piece| {
            if let Piece::Reading { done, .. } = piece {
                read = done;
            }
            match self.slot.waiting.load(Ordering::SeqCst) {
                0 => ControlFlow::Continue(()),
                _ => ControlFlow::Break(()),
            }
        });
        loaded.used = Instant::now();
        let outcome = outcome.map_err(|error| refused(&error))?;
        Ok(outcome.cached_tokens + read)
    }
}

/// What the model writes, parted into text and calls.
pub(super) struct Reader {
    parser: CallParser,
    text: String,
    calls: Vec<ChatCall>,
}

impl Reader {
    pub(super) fn new(request: &ModelRequest) -> Self {
        let tools = request.tools.iter().map(|tool| tool.name.clone());
        Self { parser: CallParser::new(tools), text: String::new(), calls: Vec::new() }
    }

    /// What may be shown now.
    pub(super) fn feed(&mut self, text: &str) -> String {
        let parts = self.parser.push(text);
        self.take(parts)
    }

    /// What was held back and is text after all.
    pub(super) fn finish(&mut self) -> String {
        let parts = self.parser.finish();
        self.take(parts)
    }

    fn take(&mut self, parts: Vec<ReplyPart>) -> String {
        let mut shown = String::new();
        for part in parts {
            match part {
                ReplyPart::Text(text) => shown.push_str(&text),
                ReplyPart::Call(call) => self.calls.push(call),
            }
        }
        self.text.push_str(&shown);
        shown
    }

    /// The text and the calls, at the end.
    pub(super) fn into_text_and_calls(self) -> (String, Vec<ToolCall>) {
        (self.text, self.calls.into_iter().map(tool_call).collect())
    }

    fn reply(self, outcome: &Outcome) -> ModelReply {
        let finish = match outcome.finish {
            LocalFinish::Stop if !self.calls.is_empty() => Finish::ToolCalls,
            LocalFinish::Stop => Finish::Stop,
            LocalFinish::Length => Finish::Length,
            LocalFinish::Cancelled => Finish::Other,
        };
        ModelReply {
            complete: true,
            text: self.text,
            tool_calls: self.calls.into_iter().map(tool_call).collect(),
            finish: Some(finish),
            usage: Some(TokenUsage {
                input: outcome.prompt_tokens as u64,
                cached: outcome.cached_tokens as u64,
                output: outcome.output_tokens as u64,
            }),
            ..ModelReply::default()
        }
    }
}

fn tool_call(call: ChatCall) -> ToolCall {
    let arguments = match call.arguments {
        serde_json::Value::Object(fields) => Arguments::Object(fields),
        other => Arguments::Malformed(other.to_string()),
    };
    ToolCall { id: CallId::new(), name: call.name, arguments }
}

fn messages(request: &ModelRequest) -> Vec<ChatMessage> {
    let blocks = request.system.iter().map(|block| block.text.trim_end());
    let system = blocks.filter(|text| !text.is_empty()).collect::<Vec<_>>().join("\n\n");
    let mut messages = vec![ChatMessage::text(ChatRole::System, system)];
    for message in &request.messages {
        if message.role == Role::Tool {
            let results = message.parts.iter().filter_map(|part| match part {
                Part::ToolResult(result) => {
                    Some(ChatMessage::text(ChatRole::Tool, result.text.clone()))
                }
                _ => None,
            });
            messages.extend(results);
        } else {
            messages.push(spoken(message));
        }
    }
    messages
}

fn spoken(message: &Message) -> ChatMessage {
    let role = match message.role {
        Role::System => ChatRole::System,
        Role::User => ChatRole::User,
        Role::Assistant => ChatRole::Assistant,
        Role::Tool => ChatRole::Tool,
    };
    let calls = message.tool_calls().map(|call| ChatCall {
        name: call.name.clone(),
        arguments: match &call.arguments {
            Arguments::Object(fields) => serde_json::Value::Object(fields.clone()),
            Arguments::Malformed(_) => serde_json::json!({}),
        },
    });
    ChatMessage { role, content: message.joined_text(), tool_calls: calls.collect() }
}

fn tools(request: &ModelRequest) -> Vec<serde_json::Value> {
    let tool = |tool: &hearth_protocol::ToolSpec| {
        serde_json::json!({"type": "function", "function": {
            "name": tool.name, "description": tool.description, "parameters": tool.schema}})
    };
    request.tools.iter().map(tool).collect()
}

fn damaged(why: &str) -> Fault {
    Fault {
        kind: FaultKind::ModelFiles,
        message: format!("The built-in model cannot be loaded: {why}."),
        hint: "Remove its file and fetch it again with `hearth models pull local/qwen`.".to_owned(),
        retry: Retry::No,
        status: None,
    }
}

fn refused(error: &hearth_local::Error) -> Fault {
    let (kind, hint) = match error {
        hearth_local::Error::PromptTooLong { .. } => (
            FaultKind::ContextOverflow,
            "Shorten the message or start a new conversation with /new.",
        ),
        _ => (FaultKind::Rejected, "Try again, or choose another model."),
    };
    let message = format!("The built-in model refused: {error}.");
    Fault { kind, message, hint: hint.to_owned(), retry: Retry::No, status: None }
}
