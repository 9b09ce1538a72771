-- How goals ended, for figures over all of them. Rows outlive their goals, as those of the spending do.

CREATE TABLE outcomes (
  goal_id  TEXT NOT NULL,
  seq      INTEGER NOT NULL, -- of the event that ended the goal
  at       TEXT NOT NULL,
  exit     TEXT NOT NULL,
  model    TEXT NOT NULL,
  asks     INTEGER NOT NULL, -- requests for approval since the goal's start
  warned   INTEGER NOT NULL CHECK (warned IN (0, 1)), -- by the critic, since the goal's start or former end
  not_done TEXT NOT NULL DEFAULT '', -- when the user said so, although the goal ended done
  PRIMARY KEY (goal_id, seq)
) STRICT;

INSERT INTO outcomes (goal_id, seq, at, exit, model, asks, warned)
SELECT e.goal_id, e.seq, e.at, e.body ->> 'exit', g.model,
  (SELECT count(*) FROM approvals a WHERE a.goal_id = e.goal_id AND a.at <= e.at),
  EXISTS (SELECT 1 FROM events c WHERE c.goal_id = e.goal_id
    AND c.type IN ('todos','critic','review','paused','ended','usage','warning','limits_changed')
    AND c.type = 'critic' AND c.body ->> 'verdict' IN ('STUCK', 'MISLED') AND c.seq < e.seq
    AND c.seq > coalesce((SELECT max(p.seq) FROM events p WHERE p.goal_id = e.goal_id
      AND p.type IN ('todos','critic','review','paused','ended','usage','warning','limits_changed')
      AND p.type = 'ended' AND p.seq < e.seq), 0))
FROM goals g JOIN events e ON e.goal_id = g.id
  AND e.type IN ('todos','critic','review','paused','ended','usage','warning','limits_changed') AND e.type = 'ended';
