-- A user's preferences. Collation "C" is the order of UTF-8 bytes, whatever the database's own; value is JSON text, kept
-- byte for byte, which the json types do not promise.
CREATE TABLE kith_preference (
    team_id    text COLLATE "C" NOT NULL,
    user_id    text COLLATE "C" NOT NULL,
    key        text COLLATE "C" NOT NULL,
    value      text NOT NULL,
    created_at timestamptz NOT NULL,
    updated_at timestamptz NOT NULL,
    PRIMARY KEY (team_id, user_id, key)
);
