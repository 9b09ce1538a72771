-- What the loop guard and the breaker of a goal know, so that a pause is no way around them: as it was
-- when the journal stood at seq.
CREATE TABLE memories (
  goal_id TEXT PRIMARY KEY REFERENCES goals (id) ON DELETE CASCADE,
  seq     INTEGER NOT NULL,
  body    TEXT NOT NULL CHECK (json_valid(body))
) STRICT, WITHOUT ROWID;
