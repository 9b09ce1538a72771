-- Chats of the user with a model. A chat is a tree of messages: an edited message and an answer that is written again
-- stand beside what they replace. shown is the newest message of the branch that the user sees.
CREATE TABLE chats (
	id            TEXT PRIMARY KEY,
	title         TEXT NOT NULL,
	workspace     TEXT NOT NULL,
	dir           TEXT NOT NULL,
	provider      TEXT NOT NULL,
	model         TEXT NOT NULL,
	effort        TEXT NOT NULL,
	goal_id       TEXT NOT NULL, -- the goal that it asks about; the chat stays if the goal is deleted
	branched_from TEXT NOT NULL,
	shown         INTEGER NOT NULL DEFAULT 0,
	created_at    TEXT NOT NULL,
	updated_at    TEXT NOT NULL
) STRICT;

CREATE INDEX chats_by_update ON chats (updated_at);

CREATE TABLE chat_messages (
	chat_id     TEXT NOT NULL REFERENCES chats (id) ON DELETE CASCADE,
	id          INTEGER NOT NULL, -- from 1 within the chat
	parent      INTEGER NOT NULL, -- the message before it, 0 for the first one
	role        TEXT NOT NULL,
	body        TEXT NOT NULL, -- what the user wrote, or the text of an answer, for the search
	attachments TEXT NOT NULL, -- JSON
	state       TEXT NOT NULL,
	problem     TEXT NOT NULL,
	hint        TEXT NOT NULL,
	model       TEXT NOT NULL,
	goal_id     TEXT NOT NULL,
	tokens_in   INTEGER NOT NULL,
	tokens_out  INTEGER NOT NULL,
	usd         REAL NOT NULL,
	guessed     INTEGER NOT NULL, -- 1 if the tokens were estimated
	at          TEXT NOT NULL,
	PRIMARY KEY (chat_id, id)
) STRICT;

-- What the model said and read within one message: its turns, the results of its calls, and compactions.
CREATE TABLE chat_entries (
	chat_id    TEXT NOT NULL,
	message_id INTEGER NOT NULL,
	n          INTEGER NOT NULL,
	body       TEXT NOT NULL, -- JSON
	PRIMARY KEY (chat_id, message_id, n),
	FOREIGN KEY (chat_id, message_id) REFERENCES chat_messages (chat_id, id) ON DELETE CASCADE
) STRICT;

-- Pictures that the user attached.
CREATE TABLE chat_pictures (
	chat_id    TEXT NOT NULL,
	message_id INTEGER NOT NULL,
	n          INTEGER NOT NULL, -- index of the attachment
	picture    BLOB NOT NULL,
	PRIMARY KEY (chat_id, message_id, n),
	FOREIGN KEY (chat_id, message_id) REFERENCES chat_messages (chat_id, id) ON DELETE CASCADE
) STRICT;
