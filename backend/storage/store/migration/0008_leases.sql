-- The panes that a goal has at the moment, so that each is seen to be given back. The holder is the
-- start of the program in which they are: its panes end with it.
CREATE TABLE leases (
  goal_id TEXT NOT NULL REFERENCES goals (id) ON DELETE CASCADE,
  pane    TEXT NOT NULL,
  kind    TEXT NOT NULL,
  lent    INTEGER NOT NULL,
  holder  TEXT NOT NULL,
  PRIMARY KEY (goal_id, pane)
) STRICT, WITHOUT ROWID;
