-- What the person was asked about tool calls, and what they said. It outlives the conversation: no reference.

CREATE TABLE approvals (
    id         TEXT PRIMARY KEY,
    session    TEXT NOT NULL,
    turn       TEXT NOT NULL,
    tool       TEXT NOT NULL,
    arguments  TEXT NOT NULL,
    form       TEXT NOT NULL,               -- hash of the tool, its arguments and what else is pinned
    pinned     TEXT NOT NULL,
    reason     TEXT NOT NULL,
    state      TEXT NOT NULL CHECK (state IN ('asked', 'allowed', 'denied', 'expired', 'revoked')),
    scope      TEXT CHECK (scope IN ('once', 'session', 'always')),
    asked_at   INTEGER NOT NULL,
    expires_at INTEGER NOT NULL,
    decided_at INTEGER
) STRICT;
CREATE INDEX approvals_open ON approvals (asked_at) WHERE state = 'asked';
CREATE INDEX approvals_standing ON approvals (form) WHERE state = 'allowed' AND scope <> 'once';
