package shellline

import (
	"path"

	"goalpost/backend/goal"
)

// RunsCommand says whether a check runs a command.
func RunsCommand(k goal.Check) bool {
	return k.Type == goal.Shell || k.Type == goal.JSONPredicate && k.From == goal.FromCommand
}

// LocationOf is where a check's command is in a goal's folder.
func LocationOf(k goal.Check, dir string) Location {
	_, remote := k.Server() // what lies there cannot be seen from here
	decides := k.Type == goal.Shell && k.ExitCode == 0 && !remote
	return Location{Dir: path.Clean(k.Dir), Root: dir, Decides: decides, own: decides}
}

// CheckCall is a call that a check's line leads to; Check is its place in the criterion.
type CheckCall struct {
	Check int
	Call  Call
}
