-- What happened to memory entries. The entries themselves stand in the workspace's files.
CREATE TABLE entry_events (
    id      INTEGER PRIMARY KEY AUTOINCREMENT,
    entry   TEXT NOT NULL,
    change  TEXT NOT NULL,
    at      INTEGER NOT NULL,
    day     TEXT NOT NULL,                  -- the person's local day
    path    TEXT NOT NULL,
    title   TEXT NOT NULL,
    text    TEXT NOT NULL,                  -- empty once it is forgotten
    other   TEXT,
    session TEXT,
    turn    TEXT,
    author  TEXT NOT NULL,
    why     TEXT NOT NULL
) STRICT;
CREATE INDEX entry_events_by_entry ON entry_events (entry, id);
CREATE INDEX entry_events_by_day ON entry_events (day, id);

-- What was forgotten and can be brought back: out of reach of every search, gone after its time.
CREATE TABLE entries_forgotten (
    entry TEXT PRIMARY KEY,
    at    INTEGER NOT NULL,
    until INTEGER NOT NULL,
    kept  TEXT NOT NULL                     -- files and rows as they were, JSON
) STRICT;

-- What speaks against an entry and is the person's to settle.
CREATE TABLE entry_conflicts (
    id    INTEGER PRIMARY KEY AUTOINCREMENT,
    entry TEXT NOT NULL,
    draft TEXT NOT NULL,                    -- JSON
    at    INTEGER NOT NULL,
    why   TEXT NOT NULL
) STRICT;

-- Up to where a conversation was written to memory.
CREATE TABLE flushed (
    session TEXT PRIMARY KEY REFERENCES sessions (key) ON DELETE CASCADE ON UPDATE CASCADE,
    message TEXT NOT NULL,
    at      INTEGER NOT NULL
) STRICT;
