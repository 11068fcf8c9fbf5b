//! Memory: searching, importing, measuring, the state of the index.

use crate::Engine;
use crate::remembering::encoder;
use hearth_memory::{EvalOptions, Evaluated, evaluate};
use hearth_protocol::api::memory::{MemoryAnswer, MemoryImported, MemoryQuery, MemoryStatus};
use hearth_protocol::{ErrorCode, WireError};

/// Answers a question from memory.
///
/// # Errors
/// `invalid_request` for a date that is none; `storage` where the index cannot be used.
pub async fn search(engine: &Engine, query: MemoryQuery) -> Result<MemoryAnswer, WireError> {
    engine.inner.recall(&query).await
}

/// The state of the index and of the embedding model.
///
/// # Errors
/// `storage` where the index cannot be used.
pub async fn status(engine: &Engine) -> Result<MemoryStatus, WireError> {
    Ok(engine.inner.memory().await?.status().await?)
}

/// Writes dated notes of a JSON Lines file into daily logs, and reads them into the index.
///
/// # Errors
/// `invalid_request` for a line that is no note (nothing is written then); `home_busy`; `storage`.
pub async fn import(engine: &Engine, path: String) -> Result<MemoryImported, WireError> {
    engine.inner.must_own()?;
    let text = tokio::fs::read_to_string(&path).await.map_err(|error| {
        WireError::new(ErrorCode::InvalidRequest, format!("{path} cannot be read: {error}"), "")
    })?;
    let memory = engine.inner.memory().await?;
    let done = memory.import(&text).await?;
    if let Err(error) = embed(engine).await {
        // The notes are written and found by their words.
        tracing::warn!(error = error.message, "the imported notes have no vectors yet");
    }
    Ok(done)
}

/// Builds the index anew; the old one is searched until it is done.
///
/// # Errors
/// `home_busy`; `storage` where the index or a file cannot be used.
pub async fn reindex(engine: &Engine) -> Result<MemoryStatus, WireError> {
    engine.inner.must_own()?;
    let memory = engine.inner.memory().await?;
    let closing = &engine.inner.closing;
    memory.reindex(&mut |_| !closing.is_cancelled()).await?;
    embed(engine).await?;
    Ok(memory.status().await?)
}

/// Measures recall on documents and questions with known answers, in memories of their own.
///
/// # Errors
/// `invalid_request` for a line that cannot be read.
pub async fn eval(
    engine: &Engine,
    documents: &str,
    questions: &str,
    options: &EvalOptions,
) -> Result<Evaluated, WireError> {
    let encoder = encoder(&engine.inner.home, &engine.settings());
    Ok(evaluate(documents, questions, encoder, options).await?)
}

/// Makes the vectors that are missing, and waits for them.
async fn embed(engine: &Engine) -> Result<(), WireError> {
    let closing = &engine.inner.closing;
    engine.inner.memory().await?.embed(&mut |_| !closing.is_cancelled()).await?;
    Ok(())
}
