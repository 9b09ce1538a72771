-- How a goal is looked after, what it waits for and what it left open.

ALTER TABLE goals ADD COLUMN options TEXT NOT NULL DEFAULT '{}' CHECK (json_valid(options));
ALTER TABLE goals ADD COLUMN account TEXT NOT NULL DEFAULT '';
ALTER TABLE goals ADD COLUMN parked_until TEXT NOT NULL DEFAULT '';
ALTER TABLE results ADD COLUMN whole_sha256 TEXT NOT NULL DEFAULT '';

ALTER TABLE claims ADD COLUMN claimant TEXT NOT NULL DEFAULT ''; -- critic, person; '' is the agent

CREATE TRIGGER options_frozen BEFORE UPDATE OF options ON goals
BEGIN SELECT RAISE(ABORT, 'the options of a goal are frozen'); END;

-- What changes rarely and is looked for by its kind: the plan, the critic's word, the review, why a run stopped.
CREATE INDEX events_of_kind ON events (goal_id, type, seq) WHERE type IN ('todos','critic','review','paused','ended','usage','warning','limits_changed');

-- Orders learn new kinds; which ones exist is said by the program alone.
CREATE TABLE orders_2 (
  id       INTEGER PRIMARY KEY AUTOINCREMENT,
  goal_id  TEXT NOT NULL REFERENCES goals (id) ON DELETE CASCADE,
  at       TEXT NOT NULL,
  kind     TEXT NOT NULL,
  text     TEXT NOT NULL,
  taken_at TEXT NOT NULL DEFAULT ''
) STRICT;
INSERT INTO orders_2 SELECT id, goal_id, at, kind, text, taken_at FROM orders;
DROP TABLE orders;
ALTER TABLE orders_2 RENAME TO orders;
CREATE INDEX orders_waiting ON orders (goal_id, id) WHERE taken_at = '';

-- Following other processes asks for what was touched lately.
CREATE INDEX goals_touched ON goals (updated_at);
