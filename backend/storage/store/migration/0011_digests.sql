-- The days whose digest was sent to webhooks. A day is claimed before it is sent, so that of several processes one
-- sends it.

CREATE TABLE digests (
  day     TEXT PRIMARY KEY, -- in the user's time zone
  sent_at TEXT NOT NULL
) STRICT;
