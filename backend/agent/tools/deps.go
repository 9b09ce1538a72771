package tools

import (
	"net/http"

	"goalpost/backend/agent/tools/commandline"
	"goalpost/backend/domain/policy"
	"goalpost/backend/domain/process"
)

// Deps are the dependencies of a goal's tools.
type Deps struct {
	Dir           string   // the goal's folder, absolute
	GitControlled []string // paths below Dir that control git, absolute; tools do not write them
	MissingGit    string   // why git does not work in Dir, and what to ask for; "" if it can
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
	// Web makes requests like a program of the goal; nil if there is no network. If Network is set, Web checks the host
	// of each request.
	Web http.RoundTripper
	// Search is the user's search engine; nil if none is set up, which leaves the tool out.
	Search Search
	// PDFs reads the text of PDFs; nil where pages and answers that are PDFs have none.
	PDFs PDFReader
	// Skills are nil if there are none, which leaves the tool out.
	Skills Skills
	// Memory is nil where a folder has none, as for MCP clients.
	Memory Memory
	// Protected maps the files that decide about the goal and must not change, relative to Dir, to the reasons.
	Protected map[string]string
	// Work describes the part of Dir that may be changed; "" means all of it.
	Work string
	// Hidden are folders that only checks may read, absolute.
	Hidden []string
	// AllowWrite are other folders that programs may change, absolute.
	AllowWrite []string
	// SandboxRisk is the risk level that the sandbox enforces; "" means no sandbox.
	SandboxRisk policy.Risk
	// Network lists the requests that the sandbox blocked; nil means no sandbox.
	Network RefusalLog
	// Kills lists the programs that the sandbox ended; nil means no sandbox.
	Kills KillLog
	// PendingInput is the unfinished input of panes outside the sandbox, also from earlier runs; nil means none.
	PendingInput *commandline.PendingInput
	// Pictures adds a picture of the page, which the model sees, to each action in a page.
	Pictures bool
	// LeftRunning are the programs that earlier calls left running; nil means none.
	LeftRunning *LeftRunning

	folder folder // Dir, opened by New
}

// RefusalLog records the requests of a goal's programs and pages that were blocked.
type RefusalLog interface {
	LogMark() int64
	RefusedSince(since int64) []string // one line each: method, host and reason
}

// KillLog records which of a goal's programs were ended because all of them together exceeded a limit of the goal.
type KillLog interface {
	KillMark() int64
	KilledSince(since int64) []string // one line each: the program and the reason
}
