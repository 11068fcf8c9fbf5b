//! An export of ChatGPT or Claude: a zip file, the folder it was unpacked to, or its `conversations.json`.
//!
//! Invariant: one conversation is in memory at a time. Newer exports come in several files; each is read.

use crate::conversation::{Conversation, one_line};
use crate::elements::{Ended, each};
use crate::error::{Result, TransferError};
use crate::{chatgpt, claude, place};
use hearth_protocol::api::transfer::ImportSource;
use serde_json::Value;
use std::cell::Cell;
use std::fs::File;
use std::io::{self, Read};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::rc::Rc;

/// What was met in a source.
#[derive(Debug, Clone, PartialEq)]
pub enum Found {
    /// A conversation.
    Conversation(Box<Conversation>),
    /// An item that is none, and why.
    Broken {
        /// What it is, for people.
        name: String,
        /// Why it cannot be read.
        why: String,
    },
    /// A file that ends before it should; what came before was handed on.
    Short {
        /// Which.
        name: String,
    },
}

/// Something found, and how far the reading is.
#[derive(Debug, Clone, PartialEq)]
pub struct Step {
    /// What.
    pub found: Found,
    /// Bytes read of [`Export::bytes`].
    pub done: u64,
}

/// An opened export.
#[derive(Debug)]
pub struct Export {
    source: ImportSource,
    path: PathBuf,
    documents: Documents,
    bytes: u64,
}

#[derive(Debug)]
enum Documents {
    Files(Vec<PathBuf>),
    Zip(Vec<(usize, String)>),
}

type Tell<'a> = &'a mut dyn FnMut(Step) -> ControlFlow<()>;

impl Export {
    /// Looks for the conversations of an export.
    ///
    /// # Errors
    /// Why the source is refused as a whole.
    pub fn open(source: ImportSource, path: &Path) -> Result<Self> {
        let failed = |error| TransferError::io(path, error);
        let meta = std::fs::metadata(path).map_err(failed)?;
        let none = || TransferError::NoConversations { path: path.display().to_string() };
        let documents = if meta.is_dir() {
            Documents::Files(files_in(path).map_err(failed)?)
        } else if place::is_zip(path)? {
            Documents::Zip(entries_in(path)?)
        } else {
            Documents::Files(vec![path.to_owned()])
        };
        let bytes = match &documents {
            Documents::Zip(entries) if entries.is_empty() => return Err(none()),
            Documents::Files(files) if files.is_empty() => return Err(none()),
            Documents::Zip(_) => meta.len(),
            Documents::Files(files) => {
                let sizes = files.iter().map(|file| std::fs::metadata(file).map_or(0, |m| m.len()));
                sizes.sum()
            }
        };
        Ok(Self { source, path: path.to_owned(), documents, bytes })
    }

    /// Bytes to read, about: of a zip its own size.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Reads all of it, and hands on what is met until the caller has enough. Blocks.
    ///
    /// # Errors
    /// Where it turns out to be something else, or nothing of it can be read.
    pub fn read(&self, tell: Tell<'_>) -> Result<()> {
        let done = Rc::new(Cell::new(0));
        let mut reading = Reading { export: self, met: false, done: Rc::clone(&done), tell };
        match &self.documents {
            Documents::Files(files) => {
                for file in files {
                    let name = short_name(file);
                    let content =
                        File::open(file).map_err(|error| TransferError::io(file, error))?;
                    if reading.document(&name, Counted { content, done: Rc::clone(&done) })? {
                        break;
                    }
                }
            }
            Documents::Zip(entries) => {
                let mut archive = place::open(&self.path)?;
                for (index, name) in entries {
                    let packed =
                        archive.by_index_raw(*index).map_or(0, |raw| raw.compressed_size());
                    let before = done.get();
                    let content = place::entry(&mut archive, &self.path, *index)?;
                    let stopped = reading.document(name, content)?;
                    done.set(before + packed);
                    if stopped {
                        break;
                    }
                }
            }
        }
        Ok(())
    }
}

/// A reading under way.
struct Reading<'a> {
    export: &'a Export,
    /// Something of the source was met.
    met: bool,
    done: Rc<Cell<u64>>,
    tell: Tell<'a>,
}

impl Reading<'_> {
    /// Reads a file of conversations; true where the caller had enough.
    fn document(&mut self, name: &str, content: impl Read) -> Result<bool> {
        let mut number = 0;
        let mut other = None;
        let ended = each(content, &mut |element| {
            number += 1;
            if !self.met
                && let Some(found) = self.other_source(&element)
            {
                other = Some(found);
                return ControlFlow::Break(());
            }
            let found = self.found(&element, number, name);
            self.tell(found)
        });
        if let Some(found) = other {
            return Err(found);
        }
        match ended {
            Ended::Whole => Ok(false),
            Ended::Stopped => Ok(true),
            Ended::Short if number > 0 => {
                let name = name.to_owned();
                Ok(self.tell(Found::Short { name }).is_break())
            }
            Ended::Broken(why) if number > 0 || self.met => {
                let name = name.to_owned();
                Ok(self.tell(Found::Broken { name, why }).is_break())
            }
            Ended::Short => Err(self.no_export(name, "it ends before the first conversation")),
            Ended::Broken(why) => Err(self.no_export(name, &why)),
        }
    }

    fn found(&mut self, element: &Value, number: u64, name: &str) -> Found {
        let read = match self.export.source {
            ImportSource::Claude => claude::conversation(element),
            ImportSource::Chatgpt | ImportSource::Openclaw => chatgpt::conversation(element),
        };
        match read {
            Ok(conversation) => {
                self.met = true;
                Found::Conversation(Box::new(conversation))
            }
            Err(why) => {
                let title = ["title", "name"].iter().find_map(|key| element.get(key)?.as_str());
                let title = title.map(one_line).filter(|title| !title.is_empty());
                let name = title.unwrap_or_else(|| format!("{name} #{number}"));
                Found::Broken { name, why }
            }
        }
    }

    fn tell(&mut self, found: Found) -> ControlFlow<()> {
        (self.tell)(Step { found, done: self.done.get() })
    }

    fn other_source(&self, element: &Value) -> Option<TransferError> {
        let has = |mark: &str| element.get(mark).is_some();
        let (found, command) = match self.export.source {
            ImportSource::Claude if has(chatgpt::MARK) && !has(claude::MARK) => {
                ("ChatGPT", "hearth import chatgpt PATH")
            }
            ImportSource::Chatgpt if has(claude::MARK) && !has(chatgpt::MARK) => {
                ("Claude", "hearth import claude PATH")
            }
            _ => return None,
        };
        let path = self.export.path.display().to_string();
        Some(TransferError::OtherSource { path, wanted: self.wanted(), found, command })
    }

    fn no_export(&self, name: &str, why: &str) -> TransferError {
        let (path, wanted) = (self.export.path.display().to_string(), self.wanted());
        let why = match path.ends_with(name) {
            true => why.to_owned(),
            false => format!("{name}: {why}"),
        };
        TransferError::NotAnExport { path, wanted, why }
    }

    fn wanted(&self) -> &'static str {
        match self.export.source {
            ImportSource::Claude => "Claude",
            ImportSource::Chatgpt => "ChatGPT",
            ImportSource::Openclaw => "OpenClaw",
        }
    }
}

/// Counts what is read of a file.
struct Counted {
    content: File,
    done: Rc<Cell<u64>>,
}

impl Read for Counted {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.content.read(buffer)?;
        self.done.set(self.done.get() + read as u64);
        Ok(read)
    }
}

/// `conversations.json`, and `conversations-000.json` and on where an export is in several files.
fn holds_conversations(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    let Some(rest) = name.strip_prefix("conversations").and_then(|rest| rest.strip_suffix(".json"))
    else {
        return false;
    };
    let number = rest.strip_prefix(['-', '_']).unwrap_or("x");
    rest.is_empty() || (!number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit()))
}

/// Those of a folder, or else of the folders in it.
fn files_in(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let mut own = Vec::new();
    let mut below = Vec::new();
    for entry in std::fs::read_dir(folder)? {
        let entry = entry?;
        let path = entry.path();
        if path.is_dir() {
            // A folder that may not be read hides only what is in it.
            let inner = std::fs::read_dir(&path).into_iter().flatten().flatten();
            below.extend(inner.map(|entry| entry.path()).filter(|path| is_document(path)));
        } else if is_document(&path) {
            own.push(path);
        }
    }
    let mut found = if own.is_empty() { below } else { own };
    found.sort();
    Ok(found)
}

fn is_document(path: &Path) -> bool {
    path.is_file() && holds_conversations(&short_name(path))
}

fn entries_in(path: &Path) -> Result<Vec<(usize, String)>> {
    let mut archive = place::open(path)?;
    let mut found = Vec::new();
    for index in 0..archive.len() {
        let entry = archive
            .by_index_raw(index)
            .map_err(|error| place::damaged(path, &error.to_string()))?;
        let Ok(name) = std::str::from_utf8(entry.name_raw()) else { continue };
        let last = name.rsplit(['/', '\\']).next().unwrap_or(name);
        if holds_conversations(last) && !name.contains("__MACOSX") {
            found.push((index, name.to_owned()));
        }
    }
    found.sort_by(|a, b| a.1.cmp(&b.1));
    Ok(found)
}

fn short_name(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

#[cfg(test)]
mod tests {
    use super::holds_conversations;

    #[test]
    fn which_files_hold_conversations() {
        for name in [
            "conversations.json",
            "Conversations.JSON",
            "conversations-012.json",
            "conversations_1.json",
        ] {
            assert!(holds_conversations(name), "{name}");
        }
        for name in [
            "conversations.jsonl",
            "shared_conversations.json",
            "conversations-.json",
            "conversations-a.json",
            "._conversations.json",
            "user.json",
        ] {
            assert!(!holds_conversations(name), "{name}");
        }
    }
}
