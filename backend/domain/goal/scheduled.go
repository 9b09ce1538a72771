package goal

import "time"

// Scheduled is the place of a goal in a schedule, which started it.
type Scheduled struct {
	ID     string    `json:"id"`  // of the schedule
	Due    time.Time `json:"due"` // when it was to start
	DryRun bool      `json:"dry_run"`
	Folder string    `json:"folder"` // of the user, from which a dry run has its copy
	// Copy is the copy of Folder in which a dry run works, "" in other runs.
	Copy string `json:"copy,omitempty"`
}
