-- What agents and the user noted for later goals and chats in a folder. A note outlives the goal that wrote it.
CREATE TABLE memory (
	id         TEXT PRIMARY KEY,
	dir        TEXT NOT NULL,
	body       TEXT NOT NULL,
	goal_id    TEXT NOT NULL, -- the goal that wrote it, '' for the user
	written_at TEXT NOT NULL,
	UNIQUE (dir, body)
) STRICT;
