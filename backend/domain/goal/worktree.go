package goal

import (
	"fmt"
	"strings"
)

// Worktree is a git worktree that the host created for one goal, so that the goal does not work in the user's own
// files.
type Worktree struct {
	Folder     string `json:"folder"`         // the folder that the user named, in the user's work tree
	Repository string `json:"repository"`     // the top of the user's work tree
	CommonDir  string `json:"common_dir"`     // git's own folder, which both work trees share
	Dir        string `json:"dir"`            // the top of the goal's work tree
	Branch     string `json:"branch"`         // the branch that was created for the goal
	From       string `json:"from,omitempty"` // the user's branch at that time, "" if none was checked out
	Base       string `json:"base"`           // the commit at which the branch starts
}

// MergeCommand returns the command with which the user merges the goal's commits.
func (w Worktree) MergeCommand() string {
	dir := w.Repository
	if strings.ContainsFunc(dir, func(r rune) bool {
		return !strings.ContainsRune("/._-+@%", r) && (r < '0' || r > '9') && (r < 'a' || r > 'z') && (r < 'A' || r > 'Z')
	}) {
		dir = "'" + strings.ReplaceAll(dir, "'", `'\''`) + "'"
	}
	return fmt.Sprintf("git -C %s merge %s", dir, w.Branch)
}
