-- When things happen by themselves: jobs, the ledger of their slots, what beats did, the inbox of notices.

CREATE TABLE jobs (
    id         TEXT PRIMARY KEY,
    source     TEXT NOT NULL CHECK (source IN ('file', 'chat', 'window', 'cli')),
    kind       TEXT NOT NULL CHECK (kind IN ('checklist', 'block', 'task', 'job')),
    name       TEXT NOT NULL,
    schedule   TEXT NOT NULL,
    zone       TEXT NOT NULL,
    action     TEXT NOT NULL CHECK (action IN ('remind', 'send_message', 'run_turn', 'run_skill', 'consolidate_memory')),
    text       TEXT NOT NULL,
    missed     TEXT NOT NULL CHECK (missed IN ('run_once', 'skip', 'ask')),
    state      TEXT NOT NULL CHECK (state IN ('active', 'paused', 'done')),
    why        TEXT NOT NULL,
    failures   INTEGER NOT NULL,
    retry_at   INTEGER,
    anchor     INTEGER NOT NULL,            -- where `every` counts from; a restart never moves it
    cursor     INTEGER NOT NULL,            -- slots up to here are dealt with
    session    TEXT,                        -- the conversation it was made in; it may be gone
    created_at INTEGER NOT NULL
) STRICT;

-- Written before a run starts. It outlives its job: no reference.
CREATE TABLE slots (
    job        TEXT NOT NULL,
    slot       INTEGER NOT NULL,
    until      INTEGER,                     -- the last of a stretch of missed slots
    count      INTEGER NOT NULL,
    name       TEXT NOT NULL,
    state      TEXT NOT NULL CHECK (state IN ('queued', 'running', 'ok', 'failed', 'interrupted', 'missed')),
    why        TEXT NOT NULL,
    asks       INTEGER NOT NULL CHECK (asks IN (0, 1)),
    started_at INTEGER,
    ended_at   INTEGER,
    UNIQUE (job, slot)
) STRICT;
CREATE INDEX slots_open ON slots (state) WHERE state IN ('queued', 'running');
CREATE INDEX slots_time ON slots (slot);

CREATE TABLE beats (
    id          INTEGER PRIMARY KEY,
    at          INTEGER NOT NULL,
    slot        INTEGER,
    item        TEXT NOT NULL,
    name        TEXT NOT NULL,
    kind        TEXT NOT NULL,
    decision    TEXT NOT NULL CHECK (decision IN ('silent', 'notify', 'held', 'skipped', 'failed')),
    why         TEXT NOT NULL,
    title       TEXT NOT NULL,
    body        TEXT NOT NULL,
    model_calls INTEGER NOT NULL,
    tokens      INTEGER NOT NULL,
    usd         REAL NOT NULL,
    session     TEXT
) STRICT;
CREATE INDEX beats_item ON beats (item, at);

CREATE TABLE notices (
    id            TEXT PRIMARY KEY,
    title         TEXT NOT NULL,
    body          TEXT NOT NULL,
    reason        TEXT NOT NULL,
    item          TEXT NOT NULL,
    session       TEXT NOT NULL,
    message       TEXT,
    at            INTEGER NOT NULL,
    state         TEXT NOT NULL CHECK (state IN ('new', 'snoozed', 'done', 'muted')),
    snoozed_until INTEGER,
    show_at       INTEGER,                  -- when it is shown; none: it was, or never is
    shown_at      INTEGER,
    counts        INTEGER NOT NULL CHECK (counts IN (0, 1)),   -- it counts towards the day's limit
    held          TEXT NOT NULL
) STRICT;
CREATE INDEX notices_time ON notices (at);
CREATE INDEX notices_to_show ON notices (show_at) WHERE show_at IS NOT NULL;
