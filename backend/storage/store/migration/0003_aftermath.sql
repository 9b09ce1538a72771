-- What became of a goal after it stopped: which of its changes the user undid, and what its checks say since.
ALTER TABLE goals ADD COLUMN aftermath TEXT NOT NULL DEFAULT '{}';
