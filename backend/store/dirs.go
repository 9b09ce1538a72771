package store

import (
	"path/filepath"

	"goalpost/backend/goal"
)

// GoalDir is the folder of what is kept of a goal besides the journal. The program
// removes it with the goal.
func (s *Store) GoalDir(id goal.ID) string { return filepath.Join(s.dir, "goals", string(id)) }

// Recording is where a goal's recording lies, see backend/recording. It exists
// once there is something to record.
func (s *Store) Recording(id goal.ID) string { return filepath.Join(s.GoalDir(id), "recording") }
