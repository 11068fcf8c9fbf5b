//! The built-in model on real weights, and a llama.cpp server: they answer like every provider does.
//!
//! Looks in `HEARTH_TEST_MODELS`, else in `~/.cache/hearth/test-models`, as `scripts/models/fetch.py` fills
//! it. What is missing is skipped, visibly. The prompts are kept small: reading is what costs.

use anyhow::{Context, Result};
use hearth_engine::{Engine, api};
use hearth_llm::scripted::Reply;
use hearth_protocol::{EventBody, Origin, SessionKey, StopReason};
use hearth_tests::{FORMATS, TestHome, ask, done, message};
use serde::Serialize;
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use tokio::io::{AsyncBufReadExt, BufReader};
use tokio::process::{Child, Command};

const MODEL: &str = "qwen2.5-coder-0.5b-instruct-q4_k_m.gguf";
const QUESTIONS: [&str; 2] =
    ["Answer with one word: what colour is grass?", "只用一个词回答：草是什么颜色的？"];

/// A file of the test models, if it is there.
pub(crate) fn model_file(name: &str) -> Option<PathBuf> {
    let home = || Some(PathBuf::from(std::env::var_os("HOME")?).join(".cache/hearth/test-models"));
    let folder = std::env::var_os("HEARTH_TEST_MODELS").map(PathBuf::from).or_else(home)?;
    let path = folder.join(name);
    if !path.exists() {
        eprintln!("skipped: {} is not there", path.display());
        return None;
    }
    Some(path)
}

/// One object a line: its name and its fields with their kinds. Neighbours that are alike count once.
fn shapes<T: Serialize>(rows: &[T]) -> Result<Vec<String>> {
    let mut shapes = Vec::new();
    for row in rows {
        let row = serde_json::to_value(row)?;
        let fields = row.as_object().context("an object")?.iter();
        let fields = fields.map(|(name, value)| match (name.as_str(), value) {
            ("event" | "role" | "purpose" | "stop", Value::String(text)) => {
                format!("{name}={text}")
            }
            (_, Value::Number(_)) => format!("{name}: number"),
            (_, Value::String(_)) => format!("{name}: text"),
            (_, other) => format!("{name}: {other}"),
        });
        shapes.push(fields.collect::<Vec<_>>().join(", "));
    }
    shapes.dedup();
    Ok(shapes)
}

/// Puts both questions and returns the shapes of all that is told and stored.
async fn talk(engine: &Engine, who: &str) -> Result<Vec<Vec<String>>> {
    let mut seen = Vec::new();
    for question in QUESTIONS {
        let request =
            hearth_protocol::api::chat::Submit { origin: Origin::Cli, ..message(question) };
        let events = ask(engine, request).await?;
        let (reply, stop) = done(&events).context("it ended")?;
        eprintln!("{who}: {question} -> {reply}");
        assert_eq!(stop, StopReason::Finished, "{who}: {events:?}");
        assert!(!reply.trim().is_empty(), "{who} said nothing");
        let numbers: Vec<u64> = events.iter().map(|event| event.seq).collect();
        assert_eq!(numbers, (1..=events.len() as u64).collect::<Vec<_>>(), "{who}");
        seen.push(shapes(&events)?);
    }
    seen.push(shapes(&api::sessions::rows(engine, SessionKey::main()).await?)?);
    seen.push(shapes(&api::usage::rows(engine, 1).await?)?);
    Ok(seen)
}

/// A home with a small workspace, and both replies in the script.
async fn small_home(settings: Option<String>, at: usize) -> Result<TestHome> {
    let (format, kind) = FORMATS[at];
    let home = TestHome::new(format, kind).await?;
    if let Some(text) = settings {
        home.write_settings(&text)?;
    }
    let folder = home.path("workspace");
    std::fs::create_dir_all(&folder)?;
    for name in ["SOUL", "AGENTS", "IDENTITY", "USER", "TOOLS", "HEARTBEAT", "MEMORY"] {
        std::fs::write(folder.join(format!("{name}.md")), "Be brief.\n")?;
    }
    for _ in QUESTIONS {
        home.server.push(Reply::new().text("Gre").text("en.").usage(100, 0, 3));
    }
    Ok(home)
}

/// llama.cpp on loopback; ends with its standard input.
pub(crate) async fn llama_cpp(python: &Path, model: &Path) -> Result<(Child, String)> {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../scripts/models/serve.py");
    let mut server = Command::new(python)
        .arg(script)
        .arg(model)
        .args(["--threads", "1", "--context", "8192"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .kill_on_drop(true)
        .spawn()?;
    let mut lines = BufReader::new(server.stdout.take().context("its output")?).lines();
    while let Some(line) = lines.next_line().await? {
        if let Some(url) = line.strip_prefix("READY ") {
            return Ok((server, url.to_owned()));
        }
    }
    anyhow::bail!("the server ended before it was ready")
}

#[tokio::test]
async fn the_built_in_model_and_llama_cpp_answer_like_a_scripted_server() -> Result<()> {
    let Some(model) = model_file(MODEL) else { return Ok(()) };
    let mut seen = Vec::new();
    for (at, (_, kind)) in FORMATS.into_iter().enumerate() {
        let home = small_home(None, at).await?;
        let engine = home.open().await?;
        seen.push((kind, talk(&engine, kind).await?));
        engine.close().await;
    }

    let home = small_home(Some(String::new()), 0).await?;
    let engine = home.open().await?;
    let given = model.display().to_string();
    let row = api::models::import(&engine, "local/qwen".to_owned(), given).await?;
    assert!(row.ready && row.name.contains("0.5b"), "{row:?}");
    seen.push(("the built-in model", talk(&engine, "the built-in model").await?));
    engine.close().await;

    if let Some(python) = model_file("venv/bin/python") {
        let (server, url) = llama_cpp(&python, &model).await?;
        let settings = format!(
            "[model]\ndefault = \"work/local\"\n[[providers]]\nid = \"work\"\nkind = \"openai\"\n\
             base_url = \"{url}\"\nmodels = [{{ id = \"local\", window = 8192, input_usd = 1.0, \
             output_usd = 2.0 }}]\n"
        );
        let home = small_home(Some(settings), 0).await?;
        let engine = home.open().await?;
        seen.push(("llama.cpp", talk(&engine, "llama.cpp").await?));
        engine.close().await;
        drop(server);
    }

    let kinds: Vec<_> = seen[0].1[0].iter().map(|shape| shape.contains("event=text")).collect();
    assert_eq!(kinds, [false, true, false, false], "started, text, usage, done: {:?}", seen[0].1);
    for (who, shapes) in &seen[1..] {
        assert_eq!(shapes, &seen[0].1, "{who}");
    }
    Ok(())
}

#[tokio::test]
async fn weights_that_read_ahead_leave_only_the_question_to_read() -> Result<()> {
    let Some(model) = model_file(MODEL) else { return Ok(()) };
    let home = small_home(Some(String::new()), 0).await?;
    let engine = home.open().await?;
    assert_eq!(api::context::read_ahead(&engine, SessionKey::main()).await?, 0, "no files yet");
    api::models::import(&engine, "local/qwen".to_owned(), model.display().to_string()).await?;
    let ahead = api::context::read_ahead(&engine, SessionKey::main()).await?;
    let events = ask(&engine, message(QUESTIONS[0])).await?;
    let usage = events.iter().find_map(|event| match &event.body {
        EventBody::Usage(usage) => Some((usage.input, usage.cached)),
        _ => None,
    });
    let (input, cached) = usage.context("usage")?;
    // All but the marker after which the question stands.
    assert!(cached + 8 >= ahead as u64 && cached * 2 > input, "{ahead} {cached} of {input}");
    engine.close().await;
    Ok(())
}

#[tokio::test]
async fn the_first_request_of_a_fresh_home_is_small_for_weights_that_read_slowly() -> Result<()> {
    let Some(model) = model_file(MODEL) else { return Ok(()) };
    let home = TestHome::new(FORMATS[0].0, FORMATS[0].1).await?;
    home.write_settings("")?;
    let engine = home.open().await?;
    api::models::import(&engine, "local/qwen".to_owned(), model.display().to_string()).await?;
    let next = api::context::call(&engine, SessionKey::main(), None, None).await?;
    eprintln!("the built-in model's first request: {} tokens", next.total_tokens);
    assert!(next.total_tokens <= 800, "{} tokens", next.total_tokens);
    // It knows who it is and whom it serves all the same.
    for name in ["soul", "identity_file", "user", "memory"] {
        let section = next.sections.iter().find(|section| section.name == name).context(name)?;
        assert!(section.chars > 40, "{section:?}");
    }
    engine.close().await;
    Ok(())
}
