-- Conversations. Names of states, roles, origins and the like are those of hearth-protocol.

CREATE TABLE sessions (
    key        TEXT PRIMARY KEY,
    title      TEXT NOT NULL DEFAULT '',
    named      INTEGER NOT NULL DEFAULT 0,  -- the title was given by the person
    pinned     INTEGER NOT NULL DEFAULT 0,
    archived   INTEGER NOT NULL DEFAULT 0,
    model      TEXT,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL
) STRICT;

CREATE TABLE turns (
    id         TEXT PRIMARY KEY,
    session    TEXT NOT NULL REFERENCES sessions (key) ON DELETE CASCADE ON UPDATE CASCADE,
    position   INTEGER NOT NULL,            -- order within the session
    origin     TEXT NOT NULL,
    state      TEXT NOT NULL CHECK (state IN ('queued', 'running', 'done', 'interrupted')),
    stop       TEXT,
    model      TEXT,
    steps      INTEGER NOT NULL DEFAULT 0,
    queued_at  INTEGER NOT NULL,
    started_at INTEGER,
    ended_at   INTEGER,
    replaced   INTEGER NOT NULL DEFAULT 0   -- left behind by a rewind
) STRICT;
CREATE UNIQUE INDEX turns_by_session ON turns (session, position);
CREATE INDEX turns_open ON turns (session) WHERE state IN ('queued', 'running');

-- The path that models read is `replaced = 0 ORDER BY position`.
CREATE TABLE messages (
    id       TEXT PRIMARY KEY,
    session  TEXT NOT NULL REFERENCES sessions (key) ON DELETE CASCADE ON UPDATE CASCADE,
    turn     TEXT REFERENCES turns (id) ON DELETE CASCADE,
    position INTEGER NOT NULL,
    role     TEXT NOT NULL,
    parts    TEXT NOT NULL,
    at       INTEGER NOT NULL,
    replaced INTEGER NOT NULL DEFAULT 0
) STRICT;
-- Not unique: recovery moves later messages to make room for a result.
CREATE INDEX messages_by_session ON messages (session, position);
CREATE INDEX messages_by_turn ON messages (turn);

-- What the person wrote and no model has seen yet: the message of a queued turn, a message into a
-- running one.
CREATE TABLE held (
    number  INTEGER PRIMARY KEY,
    turn    TEXT NOT NULL REFERENCES turns (id) ON DELETE CASCADE,
    message TEXT NOT NULL
) STRICT;
CREATE INDEX held_by_turn ON held (turn);

-- The reply that is streaming, as far as it was shown.
CREATE TABLE partials (
    turn      TEXT PRIMARY KEY REFERENCES turns (id) ON DELETE CASCADE,
    step      INTEGER NOT NULL,
    text      TEXT NOT NULL,
    reasoning TEXT NOT NULL
) STRICT;

-- One row an event, except that neighbouring deltas are merged under the last one's number.
CREATE TABLE events (
    turn TEXT NOT NULL REFERENCES turns (id) ON DELETE CASCADE,
    seq  INTEGER NOT NULL,
    kind TEXT NOT NULL,
    at   REAL NOT NULL,
    body TEXT NOT NULL,
    PRIMARY KEY (turn, seq)
) STRICT;

-- What model calls were given. `pieces` holds, for each section, the hashes of its text's pieces.
CREATE TABLE manifests (
    turn     TEXT NOT NULL REFERENCES turns (id) ON DELETE CASCADE,
    step     INTEGER NOT NULL,
    manifest TEXT NOT NULL,
    pieces   TEXT NOT NULL,
    PRIMARY KEY (turn, step)
) STRICT;

CREATE TABLE texts (
    hash TEXT PRIMARY KEY,
    text TEXT NOT NULL
) STRICT;

-- Money outlives the conversation it was spent on: no reference to sessions.
CREATE TABLE usage (
    id        INTEGER PRIMARY KEY,
    at        INTEGER NOT NULL,
    day       TEXT NOT NULL,                -- the person's local day
    session   TEXT,
    turn      TEXT,
    model     TEXT NOT NULL,
    purpose   TEXT NOT NULL,
    input     INTEGER NOT NULL,
    cached    INTEGER NOT NULL,
    output    INTEGER NOT NULL,
    usd       REAL NOT NULL,
    estimated INTEGER NOT NULL DEFAULT 0    -- booked by recovery for a call that never reported
) STRICT;
CREATE INDEX usage_by_time ON usage (at, input, output, usd);
CREATE INDEX usage_by_day ON usage (day);

CREATE TABLE reservations (
    id      INTEGER PRIMARY KEY,
    at      INTEGER NOT NULL,
    day     TEXT NOT NULL,
    session TEXT,
    turn    TEXT,
    model   TEXT NOT NULL,
    purpose TEXT NOT NULL,
    tokens  INTEGER NOT NULL,
    usd     REAL NOT NULL
) STRICT;

-- Versions of workspace files. Content is kept once, whatever number of versions share it.
CREATE TABLE contents (
    hash  TEXT PRIMARY KEY,
    bytes BLOB NOT NULL
) STRICT;

CREATE TABLE revisions (
    id      INTEGER PRIMARY KEY AUTOINCREMENT,
    path    TEXT NOT NULL,
    at      INTEGER NOT NULL,
    author  TEXT NOT NULL,
    turn    TEXT,
    bytes   INTEGER NOT NULL,
    hash    TEXT REFERENCES contents (hash),
    deleted INTEGER NOT NULL CHECK (deleted = (hash IS NULL))
) STRICT;
CREATE INDEX revisions_by_path ON revisions (path, id);
CREATE INDEX revisions_by_turn ON revisions (turn, id) WHERE turn IS NOT NULL;

CREATE TABLE meta (
    key   TEXT PRIMARY KEY,
    value TEXT NOT NULL
) STRICT;
