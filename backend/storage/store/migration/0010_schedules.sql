-- Goals that are started again and again, and what was decided about each time at which one was due.

CREATE TABLE schedules (
  id         TEXT PRIMARY KEY,
  plan       TEXT NOT NULL CHECK (json_valid(plan)),
  mode       TEXT NOT NULL CHECK (mode IN ('dry_run', 'active', 'off')),
  tried      INTEGER NOT NULL DEFAULT 0, -- a dry run of this plan was done
  failures   INTEGER NOT NULL DEFAULT 0, -- runs in a row
  created_at TEXT NOT NULL,
  decided_to TEXT NOT NULL -- every due time up to this one was decided
) STRICT;

-- A due time is decided once, whichever process does it: the row of one that starts a goal is written with the goal.
CREATE TABLE schedule_runs (
  schedule   TEXT NOT NULL REFERENCES schedules (id) ON DELETE CASCADE,
  due        TEXT NOT NULL,
  decided_at TEXT NOT NULL,
  state      TEXT NOT NULL CHECK (state IN ('started', 'waiting', 'skipped', 'refused')),
  goal_id    TEXT NOT NULL DEFAULT '', -- it may have been deleted since
  dry_run    INTEGER NOT NULL DEFAULT 0,
  why        TEXT NOT NULL DEFAULT '',
  counted    INTEGER NOT NULL DEFAULT 0, -- the end of its goal is in failures
  PRIMARY KEY (schedule, due)
) STRICT;
CREATE INDEX schedule_runs_open ON schedule_runs (schedule) WHERE counted = 0 AND state = 'started';
