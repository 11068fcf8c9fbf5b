//! `hearth memory`: search, import, measure, and the state of the index.

use crate::access::Reach;
use crate::args::{Eval, Memory, Search};
use crate::terminal::{Failure, print, print_json, redraw, warn, watched};
use hearth_engine::door::Call;
use hearth_engine::{Engine, EvalOptions, api};
use hearth_protocol::api::memory::{
    MemoryAnswer, MemoryEval, MemoryImported, MemoryQuery, MemoryStatus,
};
use hearth_protocol::api::system::Signal;
use serde_json::Value;
use std::convert::Infallible;
use std::io::{BufRead as _, stdin};
use std::path::{Path, absolute};
use std::time::Duration;

const TELL_EVERY: Duration = Duration::from_millis(500);

pub(crate) async fn run(reach: &Reach, command: Memory, json: bool) -> Result<(), Failure> {
    match command {
        Memory::Add { .. }
        | Memory::List
        | Memory::Get { .. }
        | Memory::Correct { .. }
        | Memory::Forget { .. }
        | Memory::Restore { .. }
        | Memory::History { .. } => super::entries::run(reach, command, json).await,
        Memory::Search(search) => find(reach, search, json).await,
        Memory::Import { file } => {
            let path = absolute(&file)?.to_string_lossy().into_owned();
            let call = Call::ImportMemory { path };
            let done: MemoryImported = serde_json::from_value(long(reach, call).await?)?;
            match json {
                true => print_json(&done),
                false => print(&format!(
                    "{} notes imported into {} daily logs, {} were there already\n",
                    done.imported, done.files, done.skipped
                )),
            }
        }
        Memory::Eval(eval) => measure(reach, eval, json).await,
        Memory::Reindex => {
            let value = long(reach, Call::Reindex).await?;
            state(&serde_json::from_value(value)?, json)
        }
        Memory::Status => {
            let engine = reach.read().await?;
            state(&api::memory::status(&engine).await?, json)
        }
    }
}

/// A call that may make many vectors, with how far that is where a person looks.
async fn long(reach: &Reach, call: Call) -> Result<Value, Failure> {
    // Opened first, so that whoever tells and whoever does it are one process where they can be.
    let engine = reach.read().await?;
    let tell = async {
        if !watched() {
            return std::future::pending::<Infallible>().await;
        }
        loop {
            tokio::time::sleep(TELL_EVERY).await;
            if let Ok(now) = api::memory::status(&engine).await
                && now.stale > 0
            {
                let done = now.chunks.saturating_sub(now.stale);
                redraw(&format!("{done} of {} chunks have their vector", now.chunks));
            }
        }
    };
    let mut unheard = |_: Signal| {};
    let done = tokio::select! {
        done = reach.call(call, &mut unheard) => done,
        never = tell => match never {},
    };
    if watched() {
        redraw("");
    }
    done
}

async fn find(reach: &Reach, search: Search, json: bool) -> Result<(), Failure> {
    let engine = reach.read().await?;
    let asked = MemoryQuery {
        query: search.query,
        k: search.k,
        chars: search.chars,
        now: search.now,
        layer: search.layer,
        mode: search.mode,
    };
    if !json {
        // What is not searched, and why, is no part of the answer.
        let status = api::memory::status(&engine).await?;
        status.note.lines().for_each(warn);
    }
    if asked.query != "-" {
        return answer(&engine, asked, json).await;
    }
    for line in stdin().lock().lines() {
        answer(&engine, MemoryQuery { query: line?, ..asked.clone() }, json).await?;
    }
    Ok(())
}

async fn answer(engine: &Engine, asked: MemoryQuery, json: bool) -> Result<(), Failure> {
    let answer = api::memory::search(engine, asked).await?;
    match json {
        true => print_json(&answer),
        false => print(&shown(&answer)),
    }
}

fn shown(answer: &MemoryAnswer) -> String {
    if answer.nothing_found {
        return "nothing found\n".to_owned();
    }
    let hit = |hit: &hearth_protocol::api::memory::MemoryHit| {
        let why = hit.why.join(", ");
        let now = hit.superseded.as_ref().map(|now| format!("  now: {}\n", now.text));
        format!(
            "{}#L{}-L{}  {:.2}  {why}\n  {}\n{}",
            hit.path,
            hit.from,
            hit.to,
            hit.score,
            hit.text.replace('\n', "\n  "),
            now.unwrap_or_default()
        )
    };
    answer.hits.iter().map(hit).collect()
}

async fn measure(reach: &Reach, eval: Eval, json: bool) -> Result<(), Failure> {
    let engine = reach.read().await?;
    let documents = read(&eval.docs)?;
    let questions = read(&eval.queries)?;
    let options = EvalOptions { ks: eval.k, chars: eval.chars, mode: eval.mode };
    let done = api::memory::eval(&engine, &documents, &questions, &options).await?;
    if let Some(path) = eval.rankings {
        let lines: Result<Vec<String>, _> =
            done.rankings.iter().map(serde_json::to_string).collect();
        std::fs::write(path, lines?.join("\n") + "\n")?;
    }
    match json {
        true => print_json(&done.figures),
        false => print(&table(&done.figures)),
    }
}

fn read(path: &Path) -> Result<String, Failure> {
    std::fs::read_to_string(path)
        .map_err(|error| Failure::said(format!("{} cannot be read: {error}", path.display())))
}

fn table(figures: &MemoryEval) -> String {
    let row = |name: &str, figures: &MemoryEval| {
        let at = |all: &std::collections::BTreeMap<String, f64>, unit: &str| -> String {
            let mut all: Vec<(usize, f64)> =
                all.iter().map(|(at, value)| (at.parse().unwrap_or(0), *value)).collect();
            all.sort_by_key(|(at, _)| *at);
            all.iter().map(|(at, value)| format!("  R@{at}{unit} {value:.3}")).collect()
        };
        format!(
            "{name} ({}){}{}  MRR {:.3}  nDCG {:.3}  {:.0} ms\n",
            figures.queries,
            at(&figures.recall_at_k, ""),
            at(&figures.recall_at_chars, "c"),
            figures.mrr,
            figures.ndcg,
            figures.latency_ms.p50
        )
    };
    let categories = figures.categories.iter().map(|(name, figures)| row(name, figures));
    row("all", figures) + &categories.collect::<String>()
}

fn state(status: &MemoryStatus, json: bool) -> Result<(), Failure> {
    if json {
        return print_json(status);
    }
    let model = status.model.as_deref().unwrap_or("none");
    let mut text = format!(
        "{} chunks of {} files, generation {}\nembedding model: {model}, {} chunks without a vector\n",
        status.chunks, status.files, status.generation, status.stale
    );
    if !status.note.is_empty() {
        text.push_str(&format!("{}\n", status.note));
    }
    print(&text)
}
