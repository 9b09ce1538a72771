-- Goals that an agent started for its own are looked for by the goal that they work for.
CREATE INDEX goals_of_parent ON goals (options ->> 'parent') WHERE options ->> 'parent' IS NOT NULL;
