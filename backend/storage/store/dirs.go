package store

import (
	"cmp"
	"path/filepath"

	"goalpost/backend/domain/goal"
)

// path returns the database file.
func (c *connection) path() string { return cmp.Or(c.file, filepath.Join(c.dir, "goalpost.db")) }

// GoalDir returns the folder for a goal's data outside the journal. It is removed with the goal.
func (c *connection) GoalDir(id goal.ID) string { return filepath.Join(c.dir, "goals", string(id)) }

// Recording returns the folder of a goal's recording, see backend/panes/recording. It exists once there is something to
// record.
func (c *connection) Recording(id goal.ID) string { return filepath.Join(c.GoalDir(id), "recording") }
