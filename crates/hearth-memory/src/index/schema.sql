CREATE TABLE meta (key TEXT PRIMARY KEY, value BLOB NOT NULL) WITHOUT ROWID;
CREATE TABLE files (
    id INTEGER PRIMARY KEY,
    generation INTEGER NOT NULL,
    path TEXT NOT NULL,
    hash TEXT NOT NULL,
    chunks INTEGER NOT NULL,
    terms INTEGER NOT NULL,
    UNIQUE (generation, path)
);
CREATE TABLE chunks (
    id INTEGER PRIMARY KEY,
    file INTEGER NOT NULL,
    line_from INTEGER NOT NULL,
    line_to INTEGER NOT NULL,
    entry TEXT,
    doc TEXT,
    session TEXT,
    speaker TEXT,
    at TEXT,
    title TEXT NOT NULL,
    text TEXT NOT NULL,
    words TEXT NOT NULL,
    dialogue INTEGER NOT NULL,
    terms INTEGER NOT NULL,
    hash BLOB NOT NULL
);
CREATE INDEX chunks_by_file ON chunks (file);
CREATE INDEX chunks_by_day ON chunks (at);
CREATE INDEX chunks_by_hash ON chunks (hash);
CREATE VIRTUAL TABLE chunks_fts USING fts5(
    terms, content = '', contentless_delete = 1, tokenize = "ascii tokenchars '+#'"
);
CREATE VIRTUAL TABLE chunks_vocab USING fts5vocab(chunks_fts, 'row');
CREATE TABLE vectors (chunk INTEGER PRIMARY KEY, data BLOB NOT NULL);
CREATE TABLE embedding_cache (key BLOB PRIMARY KEY, data BLOB NOT NULL) WITHOUT ROWID;
PRAGMA user_version = 1;
