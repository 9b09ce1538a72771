-- What each turn of a model cost, for reports and for the limit of a day. It outlives the goal: deleting a goal gives
-- no money back. goal_id is '' for what no goal asked for, such as suggested checks.
CREATE TABLE spend (
  id         INTEGER PRIMARY KEY,
  at         TEXT NOT NULL,
  goal_id    TEXT NOT NULL,
  role       TEXT NOT NULL, -- agent, critic, judge, suggest
  provider   TEXT NOT NULL,
  model      TEXT NOT NULL, -- '' if it is not known
  tokens_in  INTEGER NOT NULL,
  tokens_out INTEGER NOT NULL,
  usd        REAL NOT NULL  -- 0 if the price is not known
) STRICT;
CREATE INDEX spend_in_time ON spend (at, usd);

-- The journal knows which goal spent it and for whom; the model of another provider than the goal's is not in it.
INSERT INTO spend (at, goal_id, role, provider, model, tokens_in, tokens_out, usd)
SELECT at, goal_id, role, CASE other WHEN '' THEN provider ELSE other END,
  CASE WHEN other IN ('', provider) THEN model ELSE '' END, tokens_in, tokens_out, usd
FROM (
  SELECT e.at, e.goal_id, coalesce(nullif(e.body ->> 'by', ''), 'agent') AS role, g.provider, g.model,
    CASE coalesce(e.body ->> 'by', '')
      WHEN '' THEN ''
      WHEN 'critic' THEN coalesce(g.options ->> 'critic_provider', '')
      ELSE coalesce(g.options ->> 'judge_provider', '')
    END AS other,
    coalesce(e.body ->> 'tokens_in', 0) AS tokens_in, coalesce(e.body ->> 'tokens_out', 0) AS tokens_out,
    cast(coalesce(e.body ->> 'usd', 0) AS REAL) AS usd
  FROM events e JOIN goals g ON g.id = e.goal_id
  WHERE e.type = 'usage' AND g.scripted = 0
);
