-- A checksum of each event, so that bits that flipped on the disk are noticed. NULL for events of before this file.
ALTER TABLE events ADD COLUMN checksum INTEGER;
