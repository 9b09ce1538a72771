-- What the person's browser panes remember, apart from the cookies, which are Chromium's.

CREATE TABLE bookmarks (
  url      TEXT PRIMARY KEY,
  title    TEXT NOT NULL,
  added_at TEXT NOT NULL
);

CREATE TABLE visits (
  id         INTEGER PRIMARY KEY,
  profile    TEXT NOT NULL,
  url        TEXT NOT NULL,
  title      TEXT NOT NULL,
  visited_at TEXT NOT NULL
);
CREATE INDEX visits_by_url ON visits (url, id);
