package goal

import "time"

// Race is the place of a goal in a race: several engines or models get the same objective, checks, limits and start,
// each as a goal with a folder of its own. The user takes the changes of one of them.
type Race struct {
	ID     ID     `json:"id"`     // that of the first runner; the other runners keep it if the first is deleted
	Runner int    `json:"runner"` // 1 is the first
	Folder string `json:"folder"` // of the user, into which the changes are taken
	// Copy is the copy of Folder in which the goal works, "" if it works in a git worktree.
	Copy string `json:"copy,omitempty"`
}

const (
	MinRunners = 2
	MaxRunners = 4
	// RaceKeptFor is how long the folders of a race are kept after one result was taken.
	RaceKeptFor = 7 * 24 * time.Hour
)
