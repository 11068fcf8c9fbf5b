-- What a turn changed in the workspace beside the texts of files: permissions, links, folders. JSON, as the engine has it.

CREATE TABLE reshaped (
    turn        TEXT NOT NULL,
    path        TEXT NOT NULL,
    before      TEXT NOT NULL,
    after       TEXT NOT NULL,
    PRIMARY KEY (turn, path)
) STRICT, WITHOUT ROWID;
