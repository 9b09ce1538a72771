-- A card shows when a goal was active: without reading the steps themselves.
CREATE INDEX steps_in_time ON steps (goal_id, at_ms);
