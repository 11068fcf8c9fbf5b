//! A task of two tools with a small model, through llama.cpp and built in: find a fact in a file, write it
//! down.
//!
//! Takes minutes, so it runs when asked for (`HEARTH_RUNS` runs, or ten):
//! `cargo nextest run --workspace -E 'test(small_model)' --run-ignored only --no-capture`

use crate::weights::{llama_cpp, model_file};
use anyhow::{Context, Result};
use hearth_engine::{Quiet, api};
use hearth_protocol::{EventBody, SessionKey};
use hearth_tests::{FORMATS, TestHome, ask, done, message, open};
use std::path::Path;
use std::sync::Arc;

const MODEL: &str = "qwen2.5-coder-1.5b-instruct-q4_k_m.gguf";
/// Tokens of the first request.
const PROMPT_TOKENS: u64 = 800;

#[tokio::test]
#[ignore = "takes minutes"]
async fn a_small_model_finds_a_fact_and_writes_it_down() -> Result<()> {
    let Some(model) = model_file(MODEL) else { return Ok(()) };
    let Some(python) = model_file("venv/bin/python") else { return Ok(()) };
    let (server, url) = llama_cpp(&python, &model).await?;
    let settings = format!(
        "[model]\ndefault = \"work/local\"\n[[providers]]\nid = \"work\"\nkind = \"openai\"\n\
         base_url = \"{url}\"\nmodels = [{{ id = \"local\", window = 8192 }}]\n"
    );
    let done = all(&settings, None).await;
    drop(server);
    done
}

#[tokio::test]
#[ignore = "takes minutes"]
async fn the_built_in_small_model_finds_a_fact_and_writes_it_down() -> Result<()> {
    let Some(model) = model_file(MODEL) else { return Ok(()) };
    all("", Some(&model)).await
}

/// All runs; four of five must succeed.
async fn all(settings: &str, built_in: Option<&Path>) -> Result<()> {
    let runs = std::env::var("HEARTH_RUNS").ok().and_then(|runs| runs.parse().ok()).unwrap_or(10);
    let mut good = 0;
    for run in 0..runs {
        good += usize::from(one(run, settings, built_in).await?);
    }
    eprintln!("{good} of {runs} runs succeeded");
    assert!(good * 5 >= runs * 4, "{good} of {runs}");
    Ok(())
}

/// One run in a home of its own; whether the fact was written down.
async fn one(run: usize, settings: &str, built_in: Option<&Path>) -> Result<bool> {
    let home = TestHome::new(FORMATS[0].0, FORMATS[0].1).await?;
    home.write_settings(settings)?;
    // Nobody is there to say no to a wrong wish for it, or yes.
    let engine = open(home.folder.path(), Arc::new(Quiet)).await?;
    if let Some(model) = built_in {
        let given = model.display().to_string();
        api::models::import(&engine, "local/qwen".to_owned(), given).await?;
    }
    let order = format!("L-{}", 7_410 + run);
    let orders = format!("# Orders\n\n- chair: C-1188\n- lamp: {order}\n- table: T-2051\n");
    std::fs::write(home.path("workspace/orders.md"), orders)?;
    let next = api::context::call(&engine, SessionKey::main(), None, None).await?;
    let task = "Find the order number of the lamp in the file orders.md, then append a note with it to \
                notes.md.";
    let events = ask(&engine, message(task)).await?;
    let first = events.iter().find_map(|event| match &event.body {
        EventBody::Usage(usage) => Some(usage.input),
        _ => None,
    });
    let tools: Vec<_> = events
        .iter()
        .filter_map(|event| match &event.body {
            EventBody::ToolStart { tool, .. } => Some(tool.as_str()),
            _ => None,
        })
        .collect();
    let note = std::fs::read_to_string(home.path("workspace/notes.md")).unwrap_or_default();
    // The fact alone: the whole list is no finding.
    let others = ["C-1188", "T-2051"].into_iter().any(|other| note.contains(other));
    let good = note.contains(&order) && !others;
    let end = done(&events).context("it ended")?;
    eprintln!("run {run}: {good}, {tools:?}, prompt {first:?} tokens, note {note:?}, {end:?}");
    let first = first.unwrap_or(next.total_tokens);
    assert!(first <= PROMPT_TOKENS, "a first request of {first} tokens");
    engine.close().await;
    Ok(good)
}
