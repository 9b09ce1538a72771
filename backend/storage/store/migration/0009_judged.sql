-- Whether a model decided, and no program: with "one is enough" the criterion alone does not say it.
ALTER TABLE goals ADD COLUMN judged INTEGER NOT NULL DEFAULT 0;
UPDATE goals SET judged = 1 WHERE status = 'completed' AND coalesce((SELECT body ->> 'judged' FROM events
	WHERE goal_id = goals.id AND type = 'ended' ORDER BY seq DESC LIMIT 1), 0);
