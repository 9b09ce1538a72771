package api

// WorktreeOffer describes the git worktree that a goal would get.
type WorktreeOffer struct {
	Unavailable string `json:"unavailable"` // why not, "" if it can
	Repository  string `json:"repository"`  // the top of the user's work tree
	From        string `json:"from"`        // the branch that is checked out, "" if there is none
	Commit      string `json:"commit"`      // at which the new branch would start
	Branch      string `json:"branch"`      // the new branch
	Uncommitted int    `json:"uncommitted"` // files with changes that would not be in the worktree
}

// WorktreeView is a worktree of a goal. The goal may be deleted.
type WorktreeView struct {
	Path        string `json:"path"`
	Repository  string `json:"repository"`
	Branch      string `json:"branch"`  // "" if none is checked out
	GoalID      string `json:"goal_id"` // "" if the goal was deleted
	Objective   string `json:"objective"`
	Uncommitted int    `json:"uncommitted"` // files
	IsMerged    bool   `json:"merged"`      // another branch has its commits
	Problem     string `json:"problem"`     // why its state is unknown, "" if it is known
	// MergeCommand merges the branch into the one that is checked out in the repository; "" without a branch.
	MergeCommand string `json:"merge_command"`
}
