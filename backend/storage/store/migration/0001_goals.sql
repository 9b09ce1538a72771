-- The journal. Everything here is only ever appended, except the state columns of goals.

CREATE TABLE goals (
  id               TEXT PRIMARY KEY CHECK (length(id) = 26),
  created_at       TEXT NOT NULL,
  objective        TEXT NOT NULL,
  criterion        TEXT NOT NULL CHECK (json_valid(criterion)),
  criterion_sha256 TEXT NOT NULL,
  policy           TEXT NOT NULL CHECK (json_valid(policy)),
  policy_sha256    TEXT NOT NULL,
  limits           TEXT NOT NULL CHECK (json_valid(limits)),
  provider         TEXT NOT NULL,
  model            TEXT NOT NULL,
  scripted         INTEGER NOT NULL,
  checks           INTEGER NOT NULL,
  status           TEXT NOT NULL DEFAULT 'pending'
                   CHECK (status IN ('pending','running','paused','completed','failed','aborted')),
  exit             TEXT NOT NULL DEFAULT '',
  verified         INTEGER NOT NULL DEFAULT 0,
  run_id           TEXT NOT NULL DEFAULT '',
  seq              INTEGER NOT NULL DEFAULT 0,
  spent_ms         INTEGER NOT NULL DEFAULT 0,
  iterations       INTEGER NOT NULL DEFAULT 0,
  steps            INTEGER NOT NULL DEFAULT 0,
  claims           INTEGER NOT NULL DEFAULT 0,
  checks_passed    INTEGER NOT NULL DEFAULT 0,
  tokens_in        INTEGER NOT NULL DEFAULT 0,
  tokens_out       INTEGER NOT NULL DEFAULT 0,
  usd              REAL NOT NULL DEFAULT 0,
  report           TEXT NOT NULL DEFAULT '[]',
  started_at       TEXT NOT NULL DEFAULT '',
  ended_at         TEXT NOT NULL DEFAULT '',
  updated_at       TEXT NOT NULL
) STRICT;
CREATE INDEX goals_by_status ON goals (status, created_at);
CREATE INDEX goals_by_age ON goals (created_at);

-- A row here lets the goal of that id be deleted, for one transaction.
CREATE TABLE pruning (goal_id TEXT PRIMARY KEY) STRICT;

CREATE TABLE runs (
  id           TEXT PRIMARY KEY,
  goal_id      TEXT NOT NULL REFERENCES goals (id) ON DELETE CASCADE,
  pid          INTEGER NOT NULL,
  boot_id      TEXT NOT NULL,
  started_at   TEXT NOT NULL,
  heartbeat_at TEXT NOT NULL
) STRICT;
CREATE INDEX runs_of_goal ON runs (goal_id, started_at);

CREATE TABLE events (
  goal_id TEXT NOT NULL REFERENCES goals (id) ON DELETE CASCADE,
  seq     INTEGER NOT NULL,
  run_id  TEXT NOT NULL,
  at      TEXT NOT NULL,
  type    TEXT NOT NULL,
  body    TEXT NOT NULL CHECK (json_valid(body)),
  PRIMARY KEY (goal_id, seq)
) STRICT;
CREATE INDEX messages_of_goal ON events (goal_id, seq) WHERE type = 'message';

CREATE TABLE steps (
  goal_id   TEXT NOT NULL REFERENCES goals (id) ON DELETE CASCADE,
  n         INTEGER NOT NULL,
  run_id    TEXT NOT NULL,
  at        TEXT NOT NULL,
  at_ms     INTEGER NOT NULL,
  tool      TEXT NOT NULL,
  arguments TEXT NOT NULL,
  risk      TEXT NOT NULL,
  PRIMARY KEY (goal_id, n)
) STRICT;

CREATE TABLE results (
  goal_id      TEXT NOT NULL REFERENCES goals (id) ON DELETE CASCADE,
  n            INTEGER NOT NULL,
  run_id       TEXT NOT NULL,
  at           TEXT NOT NULL,
  outcome      TEXT NOT NULL CHECK (outcome IN ('ok','failed','denied','in_doubt')),
  ms           INTEGER NOT NULL,
  preview      TEXT NOT NULL,
  result       TEXT NOT NULL,
  image_sha256 TEXT NOT NULL,
  PRIMARY KEY (goal_id, n)
) STRICT;

CREATE TABLE claims (
  goal_id   TEXT NOT NULL REFERENCES goals (id) ON DELETE CASCADE,
  n         INTEGER NOT NULL,
  run_id    TEXT NOT NULL,
  at        TEXT NOT NULL,
  at_ms     INTEGER NOT NULL,
  rationale TEXT NOT NULL,
  result    TEXT NOT NULL,
  PRIMARY KEY (goal_id, n)
) STRICT;

CREATE TABLE verdicts (
  goal_id TEXT NOT NULL REFERENCES goals (id) ON DELETE CASCADE,
  claim   INTEGER NOT NULL,
  check_n INTEGER NOT NULL,
  run_id  TEXT NOT NULL,
  at      TEXT NOT NULL,
  outcome TEXT NOT NULL CHECK (outcome IN ('pass','fail','error','tampered')),
  verdict TEXT NOT NULL CHECK (json_valid(verdict)),
  PRIMARY KEY (goal_id, claim, check_n)
) STRICT;

-- What a person asks of a goal. The process that owns the goal takes them in order.
CREATE TABLE orders (
  id       INTEGER PRIMARY KEY AUTOINCREMENT,
  goal_id  TEXT NOT NULL REFERENCES goals (id) ON DELETE CASCADE,
  at       TEXT NOT NULL,
  kind     TEXT NOT NULL CHECK (kind IN ('abort','pause','steer')),
  text     TEXT NOT NULL,
  taken_at TEXT NOT NULL DEFAULT ''
) STRICT;
CREATE INDEX orders_waiting ON orders (goal_id, id) WHERE taken_at = '';

CREATE TABLE layouts (
  name TEXT PRIMARY KEY,
  body TEXT NOT NULL CHECK (json_valid(body))
) STRICT;

-- The posts do not move: not by UPDATE, not by DELETE and INSERT, not by INSERT OR REPLACE.
CREATE TRIGGER goals_frozen BEFORE UPDATE OF
  id, created_at, objective, criterion, criterion_sha256, policy, policy_sha256, checks ON goals
BEGIN SELECT RAISE(ABORT, 'objective, criterion and policy of a goal are frozen'); END;

CREATE TRIGGER goals_not_replaced BEFORE INSERT ON goals
WHEN EXISTS (SELECT 1 FROM goals WHERE id = NEW.id)
BEGIN SELECT RAISE(ABORT, 'a goal with this id exists; objective, criterion and policy are frozen'); END;

CREATE TRIGGER goals_kept BEFORE DELETE ON goals
WHEN NOT EXISTS (SELECT 1 FROM pruning WHERE goal_id = OLD.id)
BEGIN SELECT RAISE(ABORT, 'a goal is deleted only by the person'); END;

-- A row belongs to the run that is current, and stays as it was written.
CREATE TRIGGER events_current BEFORE INSERT ON events
WHEN NEW.run_id <> (SELECT run_id FROM goals WHERE id = NEW.goal_id)
  OR EXISTS (SELECT 1 FROM events WHERE goal_id = NEW.goal_id AND seq = NEW.seq)
BEGIN SELECT RAISE(ABORT, 'not the goal''s current run'); END;
CREATE TRIGGER events_kept BEFORE UPDATE ON events BEGIN SELECT RAISE(ABORT, 'the journal is append-only'); END;
CREATE TRIGGER events_stay BEFORE DELETE ON events
WHEN NOT EXISTS (SELECT 1 FROM pruning WHERE goal_id = OLD.goal_id)
BEGIN SELECT RAISE(ABORT, 'the journal is append-only'); END;

CREATE TRIGGER steps_current BEFORE INSERT ON steps
WHEN NEW.run_id <> (SELECT run_id FROM goals WHERE id = NEW.goal_id)
  OR EXISTS (SELECT 1 FROM steps WHERE goal_id = NEW.goal_id AND n = NEW.n)
BEGIN SELECT RAISE(ABORT, 'not the goal''s current run'); END;
CREATE TRIGGER steps_kept BEFORE UPDATE ON steps BEGIN SELECT RAISE(ABORT, 'the journal is append-only'); END;
CREATE TRIGGER steps_stay BEFORE DELETE ON steps
WHEN NOT EXISTS (SELECT 1 FROM pruning WHERE goal_id = OLD.goal_id)
BEGIN SELECT RAISE(ABORT, 'the journal is append-only'); END;

CREATE TRIGGER results_current BEFORE INSERT ON results
WHEN NEW.run_id <> (SELECT run_id FROM goals WHERE id = NEW.goal_id)
  OR EXISTS (SELECT 1 FROM results WHERE goal_id = NEW.goal_id AND n = NEW.n)
BEGIN SELECT RAISE(ABORT, 'not the goal''s current run'); END;
CREATE TRIGGER results_kept BEFORE UPDATE ON results BEGIN SELECT RAISE(ABORT, 'the journal is append-only'); END;
CREATE TRIGGER results_stay BEFORE DELETE ON results
WHEN NOT EXISTS (SELECT 1 FROM pruning WHERE goal_id = OLD.goal_id)
BEGIN SELECT RAISE(ABORT, 'the journal is append-only'); END;

CREATE TRIGGER claims_current BEFORE INSERT ON claims
WHEN NEW.run_id <> (SELECT run_id FROM goals WHERE id = NEW.goal_id)
  OR EXISTS (SELECT 1 FROM claims WHERE goal_id = NEW.goal_id AND n = NEW.n)
BEGIN SELECT RAISE(ABORT, 'not the goal''s current run'); END;
CREATE TRIGGER claims_kept BEFORE UPDATE ON claims BEGIN SELECT RAISE(ABORT, 'the journal is append-only'); END;
CREATE TRIGGER claims_stay BEFORE DELETE ON claims
WHEN NOT EXISTS (SELECT 1 FROM pruning WHERE goal_id = OLD.goal_id)
BEGIN SELECT RAISE(ABORT, 'the journal is append-only'); END;

CREATE TRIGGER verdicts_current BEFORE INSERT ON verdicts
WHEN NEW.run_id <> (SELECT run_id FROM goals WHERE id = NEW.goal_id)
  OR EXISTS (SELECT 1 FROM verdicts WHERE goal_id = NEW.goal_id AND claim = NEW.claim AND check_n = NEW.check_n)
BEGIN SELECT RAISE(ABORT, 'not the goal''s current run'); END;
CREATE TRIGGER verdicts_kept BEFORE UPDATE ON verdicts BEGIN SELECT RAISE(ABORT, 'the journal is append-only'); END;
CREATE TRIGGER verdicts_stay BEFORE DELETE ON verdicts
WHEN NOT EXISTS (SELECT 1 FROM pruning WHERE goal_id = OLD.goal_id)
BEGIN SELECT RAISE(ABORT, 'the journal is append-only'); END;
