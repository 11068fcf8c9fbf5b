//! A loaded model: reading a prompt and writing a reply, piece by piece.
//!
//! The tokens in the network's cache are `cached`: the next prompt is computed only from where it
//! departs from them.

use std::ops::ControlFlow;
use std::path::Path;
use std::time::Instant;

use rayon::ThreadPool;

use crate::gguf::Gguf;
use crate::network::Network;
use crate::sampling::Sampler;
use crate::utf8::Utf8Stream;
use crate::{Error, LocalTokenizer, Sampling};

/// How a model is run.
#[derive(Debug, Clone, Copy)]
pub struct Options {
    /// Threads that compute; 0 means one a processor core.
    pub threads: usize,
    /// Tokens that prompt and reply may have together, at most what the model was trained for.
    pub context: usize,
}

impl Default for Options {
    fn default() -> Self {
        Self { threads: 0, context: 4096 }
    }
}

/// What is known of a loaded model.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ModelInfo {
    /// The name the file gives itself.
    pub name: String,
    /// How many weights it has.
    pub parameters: usize,
    /// The format of most weights, such as `Q4K`.
    pub quantisation: String,
    /// The tokens the model was trained for.
    pub trained_context: usize,
    /// The tokens there is room for.
    pub context: usize,
    /// Size of the file.
    pub file_bytes: u64,
}

/// A part of the progress of a request.
#[derive(Debug, Clone, PartialEq)]
pub enum Piece<'a> {
    /// The prompt is being read.
    Reading {
        /// Tokens read so far.
        done: usize,
        /// Tokens to read (those in the prefix cache are not among them).
        total: usize,
    },
    /// What one more token adds to the reply: whole characters, so it may be empty.
    Text(&'a str),
}

/// Why a reply ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Finish {
    /// The model ended it.
    Stop,
    /// It reached `max_tokens` or the end of the context.
    Length,
    /// The caller ended it.
    Cancelled,
}

/// How a reply went.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Outcome {
    /// Why it ended.
    pub finish: Finish,
    /// Tokens of the prompt.
    pub prompt_tokens: usize,
    /// How many of them were still in the cache.
    pub cached_tokens: usize,
    /// Tokens written.
    pub output_tokens: usize,
    /// Time spent reading the prompt.
    pub prompt_ms: f64,
    /// Time spent writing.
    pub output_ms: f64,
}

/// A chat model in this process. Dropping it frees its memory.
pub struct LocalModel {
    info: ModelInfo,
    tokenizer: LocalTokenizer,
    network: Network,
    cached: Vec<u32>,
    threads: ThreadPool,
}

impl std::fmt::Debug for LocalModel {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.debug_struct("LocalModel").field("info", &self.info).finish_non_exhaustive()
    }
}

/// Tokens read at once: enough to use each weight many times while it is at hand.
const CHUNK: usize = 64;

type Sink<'a> = &'a mut (dyn FnMut(Piece<'_>) -> ControlFlow<()> + Send);

impl LocalModel {
    /// Whether a file is whole and holds a model that this crate runs, by its header and its size. The
    /// weights are not read.
    ///
    /// # Errors
    /// As [`Self::load`].
    pub fn probe(path: impl AsRef<Path>) -> Result<(), Error> {
        Gguf::open(path.as_ref())?.shape().map(drop)
    }

    /// Maps a model file; its pages are read when first used.
    ///
    /// # Errors
    /// If the file is not a sound and complete GGUF file of a supported family and format.
    pub fn load(path: impl AsRef<Path>, options: Options) -> Result<Self, Error> {
        let file = Gguf::open(path.as_ref())?;
        let network = Network::new(&file, options.context)?;
        let info = ModelInfo {
            name: file.text("general.name").unwrap_or("unnamed").to_owned(),
            parameters: network.parameters(),
            quantisation: network.quantisation(),
            trained_context: file.shape()?.context,
            context: network.context(),
            file_bytes: file.mapping.bytes().len() as u64,
        };
        let tokenizer = LocalTokenizer::from_file(&file)?;
        let threads = rayon::ThreadPoolBuilder::new()
            .num_threads(options.threads)
            .thread_name(|index| format!("local-model-{index}"))
            .build()?;
        Ok(Self { info, tokenizer, network, cached: Vec::new(), threads })
    }

    /// What is known of the model.
    pub fn info(&self) -> &ModelInfo {
        &self.info
    }

    /// The model's tokenizer.
    pub fn tokenizer(&self) -> &LocalTokenizer {
        &self.tokenizer
    }

    /// Exactly how many tokens `text` is for this model.
    pub fn count_tokens(&self, text: &str) -> usize {
        self.tokenizer.count(text)
    }

    /// Writes a reply to `prompt`. `sink` receives each piece, and ends the reply by returning
    /// `Break`: it is asked after every layer of a chunk of the prompt and after every token.
    ///
    /// # Errors
    /// If the prompt is empty, leaves no room for a reply, or has tokens the model has not. After
    /// the first piece there is no error any more.
    pub fn generate(
        &mut self,
        prompt: &[u32],
        sampling: Sampling,
        sink: Sink<'_>,
    ) -> Result<Outcome, Error> {
        self.check(prompt)?;
        let Self { tokenizer, network, cached, threads, .. } = self;
        Ok(threads.install(|| Reply { tokenizer, network, cached, sink }.write(prompt, sampling)))
    }

    fn check(&self, prompt: &[u32]) -> Result<(), Error> {
        let context = self.network.context();
        if prompt.is_empty() {
            return Err(Error::EmptyPrompt);
        }
        if prompt.len() >= context {
            return Err(Error::PromptTooLong { tokens: prompt.len(), context });
        }
        match prompt.iter().find(|token| **token as usize >= self.network.vocabulary()) {
            Some(token) => Err(Error::UnknownToken(*token)),
            None => Ok(()),
        }
    }
}

/// One reply being written.
struct Reply<'a> {
    tokenizer: &'a LocalTokenizer,
    network: &'a mut Network,
    cached: &'a mut Vec<u32>,
    sink: Sink<'a>,
}

impl Reply<'_> {
    fn write(mut self, prompt: &[u32], sampling: Sampling) -> Outcome {
        let begin = Instant::now();
        let cached_tokens = self.reuse(prompt);
        let mut outcome = Outcome {
            finish: Finish::Cancelled,
            prompt_tokens: prompt.len(),
            cached_tokens,
            output_tokens: 0,
            prompt_ms: 0.0,
            output_ms: 0.0,
        };
        let read = self.read(&prompt[cached_tokens..]);
        outcome.prompt_ms = begin.elapsed().as_secs_f64() * 1e3;
        if read.is_continue() {
            let begin = Instant::now();
            (outcome.finish, outcome.output_tokens) = self.answer(sampling);
            outcome.output_ms = begin.elapsed().as_secs_f64() * 1e3;
        }
        outcome
    }

    /// Keeps what the cache has in common with `prompt`, except its last token: the reply needs
    /// the logits after that one.
    fn reuse(&mut self, prompt: &[u32]) -> usize {
        let same = self.cached.iter().zip(prompt).take_while(|(a, b)| a == b).count();
        let keep = same.min(prompt.len() - 1);
        self.cached.truncate(keep);
        self.network.truncate(keep);
        keep
    }

    /// Reads the rest of the prompt, unless the caller ends it.
    fn read(&mut self, tokens: &[u32]) -> ControlFlow<()> {
        let total = tokens.len();
        let mut done = 0;
        for chunk in tokens.chunks(CHUNK) {
            let sink = &mut self.sink;
            self.network.pass(chunk, || sink(Piece::Reading { done, total }))?;
            self.cached.extend_from_slice(chunk);
            done += chunk.len();
        }
        (self.sink)(Piece::Reading { done, total })
    }

    /// Writes tokens until one of the ends.
    fn answer(&mut self, sampling: Sampling) -> (Finish, usize) {
        let mut sampler = Sampler::new(sampling);
        let mut text = Utf8Stream::default();
        let mut count = 0;
        let prompt = self.cached.len();
        let finish = loop {
            if count == sampling.max_tokens || self.cached.len() == self.network.context() {
                break Finish::Length;
            }
            let token = sampler.next(&mut self.network.logits(), &self.cached[prompt..]);
            count += 1;
            if self.tokenizer.is_end(token) {
                break Finish::Stop;
            }
            let piece = text.push(self.tokenizer.bytes(token));
            if (self.sink)(Piece::Text(&piece)).is_break() {
                break Finish::Cancelled;
            }
            if count < sampling.max_tokens {
                // One token takes a moment: nobody is asked in between.
                let _ = self.network.pass(&[token], || ControlFlow::Continue(()));
                self.cached.push(token);
            }
        };
        let rest = text.finish();
        if !rest.is_empty() && finish != Finish::Cancelled {
            // The reply is over; an answer to its last piece changes nothing.
            let _ = (self.sink)(Piece::Text(&rest));
        }
        (finish, count)
    }
}
