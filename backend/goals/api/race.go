package api

import "goalpost/backend/domain/goal"

// RaceInput is a goal for several runners. Each gets the same objective, checks, limits and start.
type RaceInput struct {
	goal.Request
	Runners []RunnerChoice `json:"runners"` // two to four
}

// RunnerChoice says what drives one runner of a race. "" is what the request says.
type RunnerChoice struct {
	Engine string `json:"engine"` // AGENT:login uses the agent's own sign-in
	Model  string `json:"model"`
}

// RaceOutput names a race that was started.
type RaceOutput struct {
	RaceID string   `json:"race_id"` // also the id of its first goal
	Goals  []string `json:"goals"`   // of the runners, in their order
}

// TakeInput describes how the changes of a runner are put into the folder of its race.
type TakeInput struct {
	Force   []string `json:"force"`   // paths that are overwritten although they are different in the folder
	Keep    []string `json:"keep"`    // paths that are left as they are in the folder
	Commit  bool     `json:"commit"`  // also commit them, to the branch that is checked out in the folder
	Message string   `json:"message"` // of the commit; "" = the objective
	DryRun  bool     `json:"dry_run"` // change nothing
}

// TakeOutput lists what was put into the folder. If something is in Conflicts, nothing was changed.
type TakeOutput struct {
	Folder    string        `json:"folder"`
	Done      []ChangedPath `json:"done"`
	Conflicts []SkippedPath `json:"conflicts"`
	Skipped   []SkippedPath `json:"skipped"` // cannot be taken
	Commit    string        `json:"commit"`  // "" if nothing was committed
	Branch    string        `json:"branch"`
	LeftOut   []LeftOutPath `json:"left_out"` // of the commit
}

// TakenView is what was taken from a race.
type TakenView struct {
	Runner int    `json:"runner"`
	At     string `json:"at"`
	Commit string `json:"commit"` // "" if it was not committed
	Branch string `json:"branch"`
	Until  string `json:"until"` // when the folders of the race are removed
}
