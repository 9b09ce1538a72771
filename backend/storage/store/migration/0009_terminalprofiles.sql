-- The profile that a terminal was opened with, which it has again after a restart.
ALTER TABLE terminals ADD COLUMN profile TEXT NOT NULL DEFAULT '';
