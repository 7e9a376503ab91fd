-- Values that were replaced or deleted, until when they held. updated_at is when the value was set.
CREATE TABLE kith_preference_history (
    team_id    text COLLATE "C" NOT NULL,
    user_id    text COLLATE "C" NOT NULL,
    key        text COLLATE "C" NOT NULL,
    value      text NOT NULL,
    created_at timestamptz NOT NULL,
    updated_at timestamptz NOT NULL,
    written    text,
    until      timestamptz NOT NULL,
    deleted    boolean NOT NULL
);
CREATE INDEX kith_preference_history_key ON kith_preference_history (team_id, user_id, key, until);
CREATE INDEX kith_preference_history_team ON kith_preference_history (team_id, until);

-- Who set the value: the key and the operation of the API.
ALTER TABLE kith_preference ADD COLUMN written text;

-- Changes that the feed of changes does not have yet, in the order in which they were made.
CREATE TABLE kith_preference_change (
    id      bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    team_id text COLLATE "C" NOT NULL,
    user_id text COLLATE "C" NOT NULL,
    key     text COLLATE "C" NOT NULL,
    op      text NOT NULL,
    at      timestamptz NOT NULL
);
CREATE INDEX kith_preference_change_team ON kith_preference_change (team_id, at);
CREATE INDEX kith_preference_change_at ON kith_preference_change (at);
