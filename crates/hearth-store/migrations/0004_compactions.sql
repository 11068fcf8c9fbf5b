-- Where early messages of a conversation left the window, and what stands for them. The messages stay: a model
-- reads the latest summary whose last message is on the active path, then what follows it.

CREATE TABLE compactions (
    id          INTEGER PRIMARY KEY AUTOINCREMENT,
    session     TEXT NOT NULL REFERENCES sessions (key) ON DELETE CASCADE ON UPDATE CASCADE,
    turn        TEXT REFERENCES turns (id) ON DELETE SET NULL,   -- during which it was made
    through     TEXT NOT NULL REFERENCES messages (id) ON DELETE CASCADE,
    strategy    TEXT NOT NULL,
    writer      TEXT NOT NULL CHECK (writer IN ('model', 'host')),
    summary     TEXT NOT NULL,
    from_tokens INTEGER NOT NULL,
    to_tokens   INTEGER NOT NULL,
    at          INTEGER NOT NULL
) STRICT;
CREATE INDEX compactions_by_session ON compactions (session, id);
CREATE INDEX compactions_by_through ON compactions (through);
