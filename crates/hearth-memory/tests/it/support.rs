//! A workspace and its memory in a folder of their own.

use std::fs;
use std::path::PathBuf;
use std::sync::Arc;

use hearth_memory::Memory;
use hearth_protocol::api::memory::{MemoryAnswer, MemoryQuery};
use hearth_workspace::{Journal, JournalError, Version, WorkspaceRoot};

struct NoJournal;

impl Journal for NoJournal {
    fn record(&self, _version: &Version) -> Result<(), JournalError> {
        Ok(())
    }
}

pub(crate) struct Place {
    pub(crate) folder: tempfile::TempDir,
}

impl Place {
    pub(crate) fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir_all(folder.path().join("workspace/memory")).unwrap();
        Self { folder }
    }

    pub(crate) fn write(&self, path: &str, text: &str) {
        let path = self.folder.path().join("workspace").join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    pub(crate) fn read(&self, path: &str) -> String {
        fs::read_to_string(self.folder.path().join("workspace").join(path)).unwrap()
    }

    pub(crate) fn index(&self) -> PathBuf {
        self.folder.path().join("index.db")
    }

    /// Opened and read up to the files; by words alone.
    pub(crate) async fn memory(&self) -> Memory {
        let folder = self.folder.path().join("workspace");
        let workspace = Arc::new(WorkspaceRoot::open(&folder, Arc::new(NoJournal)).unwrap());
        let memory = Memory::open(&self.index(), workspace, None).await.unwrap();
        memory.sync().await.unwrap();
        memory
    }
}

pub(crate) async fn ask(memory: &Memory, query: &str) -> MemoryAnswer {
    let query = MemoryQuery { query: query.to_owned(), ..MemoryQuery::default() };
    memory.search(&query).await.unwrap()
}

/// The texts of the hits.
pub(crate) async fn texts(memory: &Memory, query: &str) -> Vec<String> {
    ask(memory, query).await.hits.into_iter().map(|hit| hit.text).collect()
}
