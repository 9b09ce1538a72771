-- The first schema, of version 0.1.0. The journal is append-only, and the state columns of goals follow from it. Times
-- are texts in UTC, '' if something has not happened.

-- The goals: what was frozen when each was created, then its state.
CREATE TABLE goals (
  id               TEXT PRIMARY KEY CHECK (length(id) = 26),
  created_at       TEXT NOT NULL,
  objective        TEXT NOT NULL,
  criterion        TEXT NOT NULL CHECK (json_valid(criterion)),
  criterion_sha256 TEXT NOT NULL,
  policy           TEXT NOT NULL CHECK (json_valid(policy)),
  policy_sha256    TEXT NOT NULL,
  options          TEXT NOT NULL DEFAULT '{}' CHECK (json_valid(options)),
  checks           INTEGER NOT NULL, -- their number
  limits           TEXT NOT NULL CHECK (json_valid(limits)),
  provider         TEXT NOT NULL,
  model            TEXT NOT NULL,
  scripted         INTEGER NOT NULL,
  status           TEXT NOT NULL DEFAULT 'pending'
                   CHECK (status IN ('pending','running','paused','completed','failed','aborted')),
  exit             TEXT NOT NULL DEFAULT '',
  verified         INTEGER NOT NULL DEFAULT 0,
  judged           INTEGER NOT NULL DEFAULT 0, -- a model decided, and no program
  run_id           TEXT NOT NULL DEFAULT '',
  seq              INTEGER NOT NULL DEFAULT 0, -- of the newest event
  queued           TEXT NOT NULL DEFAULT '', -- what it waits for in the queue, while a process holds its lock file
  stopped_by       TEXT NOT NULL DEFAULT '', -- 'mcp' or the goal that started it; '' if the user or the run did
  parked_until     TEXT NOT NULL DEFAULT '',
  spent_ms         INTEGER NOT NULL DEFAULT 0,
  iterations       INTEGER NOT NULL DEFAULT 0,
  steps            INTEGER NOT NULL DEFAULT 0,
  claims           INTEGER NOT NULL DEFAULT 0,
  checks_passed    INTEGER NOT NULL DEFAULT 0, -- of the last claim
  tokens_in        INTEGER NOT NULL DEFAULT 0,
  tokens_out       INTEGER NOT NULL DEFAULT 0,
  usd              REAL NOT NULL DEFAULT 0,
  spent_by_deleted TEXT NOT NULL DEFAULT '{}' CHECK (json_valid(spent_by_deleted)), -- by goals that it started
  report           TEXT NOT NULL DEFAULT '[]',
  account          TEXT NOT NULL DEFAULT '', -- the agent's last word
  started_at       TEXT NOT NULL DEFAULT '',
  ended_at         TEXT NOT NULL DEFAULT '',
  updated_at       TEXT NOT NULL
) STRICT;
CREATE INDEX goals_by_status ON goals (status, created_at);
CREATE INDEX goals_by_age ON goals (created_at);
-- Following other processes asks for what changed lately.
CREATE INDEX goals_touched ON goals (updated_at);
-- Goals that an agent started are found by the goal that they work for.
CREATE INDEX goals_of_parent ON goals (options ->> 'parent') WHERE options ->> 'parent' IS NOT NULL;

-- A row here lets the goal of that id be deleted, for one transaction.
CREATE TABLE pruning (goal_id TEXT PRIMARY KEY) STRICT;

-- The runs of goals, with the process that executes them.
CREATE TABLE runs (
  id           TEXT PRIMARY KEY,
  goal_id      TEXT NOT NULL REFERENCES goals (id) ON DELETE CASCADE,
  pid          INTEGER NOT NULL,
  boot_id      TEXT NOT NULL,
  started_at   TEXT NOT NULL,
  heartbeat_at TEXT NOT NULL
) STRICT;
CREATE INDEX runs_of_goal ON runs (goal_id, started_at);

-- The events of the journal. The tables from steps to grant_ends repeat some of them in columns.
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
-- What changes rarely and is searched by its type: the plan, the critic's verdict, the review, why a run stopped.
CREATE INDEX events_of_kind ON events (goal_id, type, seq)
  WHERE type IN ('todos','critic','review','paused','ended','usage','warning','limits_changed');

-- The calls of tools, written before each call.
CREATE TABLE steps (
  goal_id   TEXT NOT NULL REFERENCES goals (id) ON DELETE CASCADE,
  n         INTEGER NOT NULL,
  run_id    TEXT NOT NULL,
  at        TEXT NOT NULL,
  at_ms     INTEGER NOT NULL, -- since the goal's start
  tool      TEXT NOT NULL,
  arguments TEXT NOT NULL,
  risk      TEXT NOT NULL,
  PRIMARY KEY (goal_id, n)
) STRICT;
-- A card shows when a goal was active, without reading the steps.
CREATE INDEX steps_in_time ON steps (goal_id, at_ms);

-- The results of the steps. Pictures and whole outputs are files, named after their hash.
CREATE TABLE results (
  goal_id      TEXT NOT NULL REFERENCES goals (id) ON DELETE CASCADE,
  n            INTEGER NOT NULL,
  run_id       TEXT NOT NULL,
  at           TEXT NOT NULL,
  outcome      TEXT NOT NULL CHECK (outcome IN ('ok','failed','denied','in_doubt')),
  ms           INTEGER NOT NULL,
  preview      TEXT NOT NULL,
  result       TEXT NOT NULL,
  whole_sha256 TEXT NOT NULL DEFAULT '',
  image_sha256 TEXT NOT NULL,
  PRIMARY KEY (goal_id, n)
) STRICT;

-- The statements that a goal is reached.
CREATE TABLE claims (
  goal_id   TEXT NOT NULL REFERENCES goals (id) ON DELETE CASCADE,
  n         INTEGER NOT NULL,
  run_id    TEXT NOT NULL,
  at        TEXT NOT NULL,
  at_ms     INTEGER NOT NULL, -- since the goal's start
  claimant  TEXT NOT NULL DEFAULT '', -- 'user'; '' is the agent
  rationale TEXT NOT NULL,
  result    TEXT NOT NULL,
  PRIMARY KEY (goal_id, n)
) STRICT;

-- The results of the checks of each claim.
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

-- What the user was asked to approve. A request without an answer is open while its goal lives.
CREATE TABLE approvals (
  goal_id TEXT NOT NULL REFERENCES goals (id) ON DELETE CASCADE,
  id      TEXT NOT NULL,
  n       INTEGER NOT NULL,
  run_id  TEXT NOT NULL,
  at      TEXT NOT NULL,
  body    TEXT NOT NULL CHECK (json_valid(body)),
  PRIMARY KEY (goal_id, id)
) STRICT;

-- The answers to the approvals, with what they grant.
CREATE TABLE answers (
  goal_id TEXT NOT NULL,
  id      TEXT NOT NULL,
  run_id  TEXT NOT NULL,
  at      TEXT NOT NULL,
  body    TEXT NOT NULL CHECK (json_valid(body)),
  PRIMARY KEY (goal_id, id),
  FOREIGN KEY (goal_id, id) REFERENCES approvals (goal_id, id) ON DELETE CASCADE
) STRICT;

-- The grants that are over.
CREATE TABLE grant_ends (
  goal_id TEXT NOT NULL,
  id      TEXT NOT NULL,
  run_id  TEXT NOT NULL,
  at      TEXT NOT NULL,
  why     TEXT NOT NULL,
  PRIMARY KEY (goal_id, id),
  FOREIGN KEY (goal_id, id) REFERENCES answers (goal_id, id) ON DELETE CASCADE
) STRICT;

-- What the user asks of a goal. The process that runs the goal takes the orders in turn; it knows their kinds.
CREATE TABLE orders (
  id       INTEGER PRIMARY KEY AUTOINCREMENT,
  goal_id  TEXT NOT NULL REFERENCES goals (id) ON DELETE CASCADE,
  at       TEXT NOT NULL,
  kind     TEXT NOT NULL,
  text     TEXT NOT NULL,
  request  TEXT NOT NULL DEFAULT '', -- the approval that it answers
  scope    TEXT NOT NULL DEFAULT '', -- of the grant
  taken_at TEXT NOT NULL DEFAULT ''
) STRICT;
CREATE INDEX orders_waiting ON orders (goal_id, id) WHERE taken_at = '';

-- The panes that a goal has now, so that each is released. The holder is the start of the program that has the panes:
-- they end with it.
CREATE TABLE leases (
  goal_id TEXT NOT NULL REFERENCES goals (id) ON DELETE CASCADE,
  pane    TEXT NOT NULL,
  kind    TEXT NOT NULL,
  shared  INTEGER NOT NULL,
  holder  TEXT NOT NULL,
  PRIMARY KEY (goal_id, pane)
) STRICT, WITHOUT ROWID;

-- The state of a goal's loop guard and circuit breaker at seq of the journal, so that a pause does not reset them.
CREATE TABLE memories (
  goal_id TEXT PRIMARY KEY REFERENCES goals (id) ON DELETE CASCADE,
  seq     INTEGER NOT NULL,
  body    TEXT NOT NULL CHECK (json_valid(body))
) STRICT, WITHOUT ROWID;

-- What each turn of a model cost, for reports and the daily limit. A row outlives its goal: deleting a goal gives no
-- money back.
CREATE TABLE spend (
  id         INTEGER PRIMARY KEY,
  at         TEXT NOT NULL,
  goal_id    TEXT NOT NULL, -- '' if no goal asked, as for suggested checks
  role       TEXT NOT NULL, -- agent, critic, judge, suggest
  provider   TEXT NOT NULL,
  model      TEXT NOT NULL, -- '' if unknown
  tokens_in  INTEGER NOT NULL,
  tokens_out INTEGER NOT NULL,
  usd        REAL NOT NULL  -- 0 if the price is unknown
) STRICT;
CREATE INDEX spend_in_time ON spend (at, usd);

-- The arrangements of the panes in the window.
CREATE TABLE layouts (
  name TEXT PRIMARY KEY,
  body TEXT NOT NULL CHECK (json_valid(body))
) STRICT;

-- The pages that the user marked.
CREATE TABLE bookmarks (
  url      TEXT PRIMARY KEY,
  title    TEXT NOT NULL,
  added_at TEXT NOT NULL
);

-- The pages that the user opened. Chromium itself stores the cookies.
CREATE TABLE visits (
  id         INTEGER PRIMARY KEY,
  profile    TEXT NOT NULL,
  url        TEXT NOT NULL,
  title      TEXT NOT NULL,
  visited_at TEXT NOT NULL
);
CREATE INDEX visits_by_url ON visits (url, id);

-- The machines on which the user opens terminals. No column holds a password: ssh asks for it.
CREATE TABLE servers (
  id       TEXT PRIMARY KEY,
  name     TEXT NOT NULL,
  host     TEXT NOT NULL,
  port     INTEGER NOT NULL,
  user     TEXT NOT NULL,
  key_path TEXT NOT NULL,
  jump     TEXT NOT NULL,
  folder   TEXT NOT NULL,
  tmux     INTEGER NOT NULL
) STRICT;

-- The user's terminals at the end of the program, for its next start.
CREATE TABLE terminals (
  id       TEXT PRIMARY KEY,
  title    TEXT NOT NULL,
  dir      TEXT NOT NULL,
  server   TEXT NOT NULL,
  session  TEXT NOT NULL,
  command  TEXT NOT NULL,
  output   BLOB NOT NULL,
  saved_at TEXT NOT NULL
) STRICT;

-- No statement changes what is frozen: not UPDATE, not DELETE and INSERT, not INSERT OR REPLACE.
CREATE TRIGGER goals_frozen BEFORE UPDATE OF
  id, created_at, objective, criterion, criterion_sha256, policy, policy_sha256, checks ON goals
BEGIN SELECT RAISE(ABORT, 'objective, criterion and policy of a goal are frozen'); END;
CREATE TRIGGER options_frozen BEFORE UPDATE OF options ON goals
BEGIN SELECT RAISE(ABORT, 'the options of a goal are frozen'); END;
CREATE TRIGGER goals_not_replaced BEFORE INSERT ON goals
WHEN EXISTS (SELECT 1 FROM goals WHERE id = NEW.id)
BEGIN SELECT RAISE(ABORT, 'a goal with this id exists; objective, criterion and policy are frozen'); END;
CREATE TRIGGER goals_kept BEFORE DELETE ON goals
WHEN NOT EXISTS (SELECT 1 FROM pruning WHERE goal_id = OLD.id)
BEGIN SELECT RAISE(ABORT, 'a goal is deleted only by the user'); END;

-- A row of the journal belongs to the goal's current run, and does not change.
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

CREATE TRIGGER approvals_current BEFORE INSERT ON approvals
WHEN NEW.run_id <> (SELECT run_id FROM goals WHERE id = NEW.goal_id)
  OR EXISTS (SELECT 1 FROM approvals WHERE goal_id = NEW.goal_id AND id = NEW.id)
BEGIN SELECT RAISE(ABORT, 'not the goal''s current run'); END;
CREATE TRIGGER approvals_kept BEFORE UPDATE ON approvals BEGIN SELECT RAISE(ABORT, 'the journal is append-only'); END;
CREATE TRIGGER approvals_stay BEFORE DELETE ON approvals
WHEN NOT EXISTS (SELECT 1 FROM pruning WHERE goal_id = OLD.goal_id)
BEGIN SELECT RAISE(ABORT, 'the journal is append-only'); END;

CREATE TRIGGER answers_current BEFORE INSERT ON answers
WHEN NEW.run_id <> (SELECT run_id FROM goals WHERE id = NEW.goal_id)
  OR EXISTS (SELECT 1 FROM answers WHERE goal_id = NEW.goal_id AND id = NEW.id)
BEGIN SELECT RAISE(ABORT, 'not the goal''s current run'); END;
CREATE TRIGGER answers_kept BEFORE UPDATE ON answers BEGIN SELECT RAISE(ABORT, 'the journal is append-only'); END;
CREATE TRIGGER answers_stay BEFORE DELETE ON answers
WHEN NOT EXISTS (SELECT 1 FROM pruning WHERE goal_id = OLD.goal_id)
BEGIN SELECT RAISE(ABORT, 'the journal is append-only'); END;

CREATE TRIGGER grant_ends_current BEFORE INSERT ON grant_ends
WHEN NEW.run_id <> (SELECT run_id FROM goals WHERE id = NEW.goal_id)
  OR EXISTS (SELECT 1 FROM grant_ends WHERE goal_id = NEW.goal_id AND id = NEW.id)
BEGIN SELECT RAISE(ABORT, 'not the goal''s current run'); END;
CREATE TRIGGER grant_ends_kept BEFORE UPDATE ON grant_ends BEGIN SELECT RAISE(ABORT, 'the journal is append-only'); END;
CREATE TRIGGER grant_ends_stay BEFORE DELETE ON grant_ends
WHEN NOT EXISTS (SELECT 1 FROM pruning WHERE goal_id = OLD.goal_id)
BEGIN SELECT RAISE(ABORT, 'the journal is append-only'); END;
