-- Which skills are active in a conversation, and what happened to skills in each turn. Both as their part
-- of the program writes them; the words of messages are not repeated here.

CREATE TABLE skill_ledgers (
    session TEXT PRIMARY KEY REFERENCES sessions (key) ON DELETE CASCADE ON UPDATE CASCADE,
    ledger  TEXT NOT NULL
) STRICT;

CREATE TABLE skill_activity (
    turn     TEXT PRIMARY KEY REFERENCES turns (id) ON DELETE CASCADE,
    activity TEXT NOT NULL
) STRICT;
