-- What a goal waits for in the queue, whatever its status is: it is true for as long as a process
-- holds the goal's sentinel. '' from the beginning of a run on, and when it left the queue.
ALTER TABLE goals ADD COLUMN queued TEXT NOT NULL DEFAULT '';
-- What the goals that it started have spent which were deleted since.
ALTER TABLE goals ADD COLUMN spent_by_deleted TEXT NOT NULL DEFAULT '{}' CHECK (json_valid(spent_by_deleted));
