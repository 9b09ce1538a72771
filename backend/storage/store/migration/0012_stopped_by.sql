-- Who stopped a goal or took it out of the queue, where that was not its person and not its run: the
-- goal that started it, or 'mcp'. '' from the beginning of a run on, and when it waits for one.
ALTER TABLE goals ADD COLUMN stopped_by TEXT NOT NULL DEFAULT '';
