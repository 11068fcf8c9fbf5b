-- What happened, each row holding the hash of the one before. It outlives the conversation: no reference.

CREATE TABLE audit (
    seq     INTEGER PRIMARY KEY,
    chain   INTEGER NOT NULL,
    at      INTEGER NOT NULL,
    kind    TEXT NOT NULL,
    session TEXT NOT NULL,
    turn    TEXT NOT NULL,
    body    TEXT NOT NULL,                  -- JSON; hashed as this text
    prev    TEXT NOT NULL,
    hash    TEXT NOT NULL
) STRICT;

-- Rows are added only. This stops mistakes; the hashes find malice.
CREATE TRIGGER audit_is_not_changed BEFORE UPDATE ON audit
BEGIN SELECT RAISE(ABORT, 'the audit log is only added to'); END;
CREATE TRIGGER audit_is_not_cut BEFORE DELETE ON audit
BEGIN SELECT RAISE(ABORT, 'the audit log is only added to'); END;

-- The last row, so that a lost end is noticed.
CREATE TABLE audit_head (
    only  INTEGER PRIMARY KEY CHECK (only = 1),
    seq   INTEGER NOT NULL,
    chain INTEGER NOT NULL,
    hash  TEXT NOT NULL
) STRICT;

-- What each session has read, as the guard writes it. It outlives the conversation: what was remembered
-- from it does, too.
CREATE TABLE taints (
    session TEXT PRIMARY KEY,
    taint   TEXT NOT NULL
) STRICT;
