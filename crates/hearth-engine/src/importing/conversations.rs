//! Past conversations of exports and transcripts become sessions, each under a key made of its source and id.

use super::{Run, shown, wire};
use crate::engine::joined;
use hearth_guard::{Source, Taint};
use hearth_protocol::api::transfer::{ImportKind, ImportReason};
use hearth_protocol::{SessionKey, WireError};
use hearth_store::{Brought, History};
use hearth_transfer::{Conversation, Export, Found, Step, Transcript, read_transcript};
use std::collections::HashSet;
use std::fs::File;
use std::io::BufReader;
use std::ops::ControlFlow;
use std::path::PathBuf;
use tokio::sync::mpsc;

/// So many conversations are read ahead of those that are stored.
const AHEAD: usize = 4;
const LONGEST_ID: usize = 120;
const TITLE_CHARS: usize = 60;
const DAY: i64 = 24 * 60 * 60;

/// Those of an export of ChatGPT or Claude.
pub(super) async fn export(run: &mut Run<'_>, path: PathBuf) -> Result<(), WireError> {
    let source = run.report.source;
    let opened = tokio::task::spawn_blocking(move || Export::open(source, &path)).await;
    let export = joined(opened)?.map_err(|error| wire(&error))?;
    run.progress.total_bytes = export.bytes();
    let (send, mut receive) = mpsc::channel::<Step>(AHEAD);
    let reading = tokio::task::spawn_blocking(move || {
        export.read(&mut |step| match send.blocking_send(step) {
            Ok(()) => ControlFlow::Continue(()),
            Err(_) => ControlFlow::Break(()),
        })
    });
    let mut taken = Taken::default();
    while let Some(Step { found, done }) = receive.recv().await {
        run.progress.done_bytes = done;
        let goes_on = match found {
            Found::Conversation(conversation) => taken.take(run, "", *conversation).await?,
            Found::Broken { name, why } => {
                run.item(ImportKind::Conversation, &name, ImportReason::Unreadable, &why, "");
                true
            }
            Found::Short { name } => {
                run.item(ImportKind::Export, &name, ImportReason::CutShort, "", "");
                true
            }
        };
        if !goes_on || run.is_closing() {
            break;
        }
    }
    drop(receive);
    joined(reading.await)?.map_err(|error| wire(&error))
}

/// Those of OpenClaw.
pub(super) async fn transcripts(run: &mut Run<'_>, all: &[Transcript]) -> Result<(), WireError> {
    let mut taken = Taken::default();
    for transcript in all {
        if run.is_closing() {
            break;
        }
        let name = shown(&transcript.path);
        if transcript.by_itself {
            run.item(ImportKind::Conversation, &name, ImportReason::ByItself, "", "");
            continue;
        }
        let one = transcript.clone();
        let read = tokio::task::spawn_blocking(move || {
            read_transcript(BufReader::new(File::open(&one.path)?), &one.name)
        });
        match joined(read.await)? {
            Err(why) => {
                let why = why.to_string();
                run.item(ImportKind::Conversation, &name, ImportReason::Unreadable, &why, "");
            }
            Ok(conversation) => {
                if !taken.take(run, &transcript.agent, conversation).await? {
                    break;
                }
            }
        }
    }
    Ok(())
}

/// What came in this run, so that a dry run sees what comes twice.
#[derive(Default)]
struct Taken(HashSet<SessionKey>);

impl Taken {
    /// Stores a conversation; false where going on makes no sense.
    async fn take(
        &mut self,
        run: &mut Run<'_>,
        agent: &str,
        conversation: Conversation,
    ) -> Result<bool, WireError> {
        let name = name_of(&conversation);
        let mut note = |reason, detail: &str, target: &str| {
            run.item(ImportKind::Conversation, &name, reason, detail, target);
        };
        if conversation.messages() == 0 {
            note(ImportReason::Empty, &conversation.left_out, "");
            return Ok(true);
        }
        let keeps = run.engine.settings().keep_days;
        let keeps = i64::try_from(keeps).unwrap_or(i64::MAX).saturating_mul(DAY);
        let dated = conversation.updated_at > 0;
        if dated && keeps > 0 && conversation.updated_at < run.now.saturating_sub(keeps) {
            run.item(ImportKind::Conversation, &name, ImportReason::TooOld, "", "");
            return Ok(true);
        }
        let messages = conversation.messages() as u64;
        let left_out = conversation.left_out.clone();
        let history = history(run, agent, conversation)?;
        let key = history.key.to_string();
        let twice = !self.0.insert(history.key.clone());
        let store = &run.engine.inner.store;
        let brought = match (run.dry_run, twice) {
            (true, true) => Ok(Brought::There(0)),
            (true, false) => store.would_bring_in(&history).await,
            (false, _) => store.bring_in(&history, run.now).await,
        };
        let (reason, detail) = match brought {
            Ok(Brought::Added) => {
                run.report.counts.messages += messages;
                let whole = left_out.is_empty();
                (if whole { ImportReason::New } else { ImportReason::LeftOut }, left_out)
            }
            Ok(Brought::There(0)) => (ImportReason::Same, String::new()),
            Ok(Brought::There(more)) => (ImportReason::Grew, more.to_string()),
            Err(error) => {
                let why = WireError::from(error);
                let why = format!("{} {}", why.message, why.hint);
                run.item(ImportKind::Conversation, &name, ImportReason::NotStored, why.trim(), "");
                // A full or broken disk takes no other one either.
                return Ok(false);
            }
        };
        run.item(ImportKind::Conversation, &name, reason, &detail, &key);
        Ok(true)
    }
}

fn history(run: &Run<'_>, agent: &str, conversation: Conversation) -> Result<History, WireError> {
    let known = |at: i64| if at > 0 { at } else { run.now };
    // Whatever their models read is in what they wrote.
    let mut taint = Taint::new(true);
    taint.read(Source::OutsideFile, "");
    let turns = conversation.exchanges.into_iter().map(|mut exchange| {
        for message in &mut exchange.messages {
            message.at = known(message.at);
        }
        (exchange.model, exchange.messages)
    });
    Ok(History {
        key: key(run.report.source.name(), agent, &conversation.id)?,
        title: conversation.title,
        archived: conversation.archived,
        created_at: known(conversation.created_at),
        updated_at: known(conversation.updated_at),
        turns: turns.collect(),
        taint: serde_json::to_string(&taint).unwrap_or_default(),
    })
}

/// The same for the same conversation, whenever it comes.
fn key(source: &str, agent: &str, id: &str) -> Result<SessionKey, WireError> {
    let whole = if agent.is_empty() { id.to_owned() } else { format!("{agent}:{id}") };
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.' | ':');
    let id = match whole.len() <= LONGEST_ID && whole.chars().all(plain) {
        true => whole,
        false => blake3::hash(whole.as_bytes()).to_hex()[..32].to_owned(),
    };
    SessionKey::parse(&format!("assistant:import:{source}:{id}")).map_err(|error| {
        WireError::new(hearth_protocol::ErrorCode::Internal, error.to_string(), "")
    })
}

/// Its title, else how it begins, else its id.
fn name_of(conversation: &Conversation) -> String {
    let first = || {
        let messages = conversation.exchanges.iter().flat_map(|exchange| &exchange.messages);
        let mut texts = messages.map(hearth_protocol::Message::joined_text);
        texts.find(|text| !text.trim().is_empty())
    };
    let name = match conversation.title.as_str() {
        "" => first().unwrap_or_else(|| conversation.id.clone()),
        title => title.to_owned(),
    };
    let line: String = name.split_whitespace().collect::<Vec<_>>().join(" ");
    match line.char_indices().nth(TITLE_CHARS) {
        Some((cut, _)) => format!("{}…", &line[..cut]),
        None => line,
    }
}

#[cfg(test)]
mod tests {
    use super::key;

    #[test]
    fn keys_are_stable_and_well_formed() {
        let made = |agent, id| key("chatgpt", agent, id).expect("a key").to_string();
        assert_eq!(made("", "6650-aa"), "assistant:import:chatgpt:6650-aa");
        assert_eq!(made("main", "s1"), "assistant:import:chatgpt:main:s1");
        let odd = made("", "a b\n\u{202e}");
        assert_eq!(odd, made("", "a b\n\u{202e}"));
        assert_ne!(odd, made("", "a b"));
        assert_eq!(made("", &"x".repeat(5000)).len(), "assistant:import:chatgpt:".len() + 32);
    }
}
