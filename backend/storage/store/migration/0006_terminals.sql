-- Machines that terminals are opened on. Passwords are in no column: ssh asks.
CREATE TABLE servers (
  id TEXT PRIMARY KEY,
  name TEXT NOT NULL,
  host TEXT NOT NULL,
  port INTEGER NOT NULL,
  user TEXT NOT NULL,
  key_path TEXT NOT NULL,
  jump TEXT NOT NULL,
  folder TEXT NOT NULL,
  tmux INTEGER NOT NULL
) STRICT;

-- The person's terminals as they were, for the next start.
CREATE TABLE terminals (
  id TEXT PRIMARY KEY,
  title TEXT NOT NULL,
  dir TEXT NOT NULL,
  server TEXT NOT NULL,
  session TEXT NOT NULL,
  command TEXT NOT NULL,
  output BLOB NOT NULL,
  saved_at TEXT NOT NULL
) STRICT;
