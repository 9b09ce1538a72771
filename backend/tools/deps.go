package tools

import (
	"net/http"

	"goalpost/backend/policy"
	"goalpost/backend/process"
	"goalpost/backend/tools/commandline"
)

// Deps are the dependencies of a goal's tools.
type Deps struct {
	Dir           string   // the goal's folder, absolute
	GitControlled []string // below it, absolute: paths that control git, which are not written
	Launcher      process.Launcher
	Env           []string
	Terminals     Terminals // nil if there are none
	Browsers      Browsers
	Panes         Panes
	Logins        Logins      // nil if none are stored
	Goals         Goals       // nil if none may be started
	Vision        VisionModel // nil if there is no vision model
	Recipes       Recipes
	Access        Access // nil if no access can be requested
	// Web makes requests as a program of the goal does; nil if there is no network. If Network is set, it judges the
	// host of each request.
	Web http.RoundTripper
	// Search is the user's search engine; nil if none is set up, and then there is no tool for it.
	Search Search
	// Protected are the files of Dir that decide about the goal and must not change, relative to it, each with the
	// reason.
	Protected map[string]string
	// Work describes what may be changed in Dir; "" is all of it.
	Work string
	// Hidden are folders whose content is not shown, absolute: only checks read it.
	Hidden []string
	// AllowWrite are other folders that programs may change, absolute.
	AllowWrite []string
	// SandboxRisk is the risk level that the sandbox enforces; "" is no sandbox.
	SandboxRisk policy.Risk
	// Network has the requests that the sandbox refused; nil is no sandbox.
	Network RefusalLog
	// Kills has the programs that were ended; nil is no sandbox.
	Kills KillLog
	// PendingInput is the unfinished input of panes outside the sandbox, also from earlier runs; nil begins empty.
	PendingInput *commandline.PendingInput

	folder folder // Dir, opened by New
}

// RefusalLog remembers what was refused to a goal's programs and pages.
type RefusalLog interface {
	LogMark() int64
	RefusedSince(since int64) []string // a line each: method, host and why
}

// KillLog remembers which of a goal's programs were ended because together they used more than the goal may.
type KillLog interface {
	KillMark() int64
	KilledSince(since int64) []string // a line each: which program, and why
}
