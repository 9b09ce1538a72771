-- What a person was asked, what was answered, and which grants are over. An
-- approval without an answer is open as long as its goal lives.

CREATE TABLE approvals (
  goal_id TEXT NOT NULL REFERENCES goals (id) ON DELETE CASCADE,
  id      TEXT NOT NULL,
  n       INTEGER NOT NULL,
  run_id  TEXT NOT NULL,
  at      TEXT NOT NULL,
  body    TEXT NOT NULL CHECK (json_valid(body)),
  PRIMARY KEY (goal_id, id)
) STRICT;

CREATE TABLE answers (
  goal_id TEXT NOT NULL,
  id      TEXT NOT NULL,
  run_id  TEXT NOT NULL,
  at      TEXT NOT NULL,
  body    TEXT NOT NULL CHECK (json_valid(body)),
  PRIMARY KEY (goal_id, id),
  FOREIGN KEY (goal_id, id) REFERENCES approvals (goal_id, id) ON DELETE CASCADE
) STRICT;

CREATE TABLE grant_ends (
  goal_id TEXT NOT NULL,
  id      TEXT NOT NULL,
  run_id  TEXT NOT NULL,
  at      TEXT NOT NULL,
  why     TEXT NOT NULL,
  PRIMARY KEY (goal_id, id),
  FOREIGN KEY (goal_id, id) REFERENCES answers (goal_id, id) ON DELETE CASCADE
) STRICT;

ALTER TABLE orders ADD COLUMN request TEXT NOT NULL DEFAULT '';
ALTER TABLE orders ADD COLUMN scope TEXT NOT NULL DEFAULT '';

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
