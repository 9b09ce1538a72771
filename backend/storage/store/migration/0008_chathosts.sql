-- The hosts that the user allowed a chat to read from, until the user takes that back: a JSON list.
ALTER TABLE chats ADD COLUMN allow_hosts TEXT NOT NULL DEFAULT '[]';
