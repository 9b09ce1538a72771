// Package api has the types that the use cases of goals take and return: the contract of the calls of the page and of
// the other ways in. Times are RFC 3339 in UTC, durations are milliseconds, and other quantities name their unit.
package api

import (
	"time"

	"goalpost/backend/core/verify/protect"
	"goalpost/backend/domain/goal"
	"goalpost/backend/domain/pane"
)

// ProtectedVersion is one version of a protected file.
type ProtectedVersion struct {
	Path   string `json:"path"`
	SHA256 string `json:"sha256"` // of a ProtectedChange; "" = the version that the user was shown last
}

// ResumeInput is what the user changes when a goal is resumed. A limit of 0 is unchanged, goal.NoLimit is none.
type ResumeInput struct {
	Note      string `json:"note"`      // added to the conversation
	Protected string `json:"protected"` // what to do with changed protected files; "" = no decision
	goal.Limits
	// AcceptChanges are changed protected files whose shown versions the user accepts. Protected applies to the others.
	AcceptChanges []ProtectedVersion `json:"accept_changes,omitempty"`
	// Unprotect lists files that the agent may change from now on, by their paths relative to the folder.
	Unprotect []string `json:"unprotect,omitempty"`
	// Model is the goal's model from now on: PROVIDER/MODEL, PROVIDER, or a model of its provider. After a comma follow
	// others for while it is away. "" keeps all of them.
	Model string `json:"model,omitempty"`
	// NotDone says of a goal that is reopened that it was not done. The figures count it.
	NotDone bool `json:"not_done,omitempty"`
}

// Values of ResumeInput.Protected for changed protected files: the present versions become the protected ones, or the
// old versions are restored.
const (
	AcceptProtected  = "accept"
	RestoreProtected = "restore"
)

// PruneInput selects ended goals.
type PruneInput struct {
	Status      goal.Status `json:"status"`        // "" = every ended goal; completed, failed, aborted
	OlderThanMS int64       `json:"older_than_ms"` // since it ended; 0 = any age
}

// ProtectInput is a criterion that the user is entering.
type ProtectInput struct {
	Dir       string       `json:"dir"` // "" = a new folder, with nothing to protect
	Checks    []goal.Check `json:"checks"`
	Protect   []string     `json:"protect"`
	NoProtect []string     `json:"no_protect"`
}

// ProtectedFile is a file that decides a check and that the agent must not change.
type ProtectedFile struct {
	Path string       `json:"path"` // relative to the folder; a pattern for appears
	Kind protect.Kind `json:"kind"`
	Why  string       `json:"why"`
}

// ProtectedChange is a protected file of a stopped goal that changed.
type ProtectedChange struct {
	Path   string `json:"path"` // relative to the folder
	Why    string `json:"why"`  // why it decides a check
	Diff   string `json:"diff"` // unified, shortened
	SHA256 string `json:"sha256"`
}

// ProtectedState lists the protected files of a goal, and their changes.
type ProtectedState struct {
	Files   []ProtectedFile   `json:"files"`
	Changes []ProtectedChange `json:"changes"`
}

// RecheckOutput is the present result of a goal's deterministic checks.
type RecheckOutput struct {
	Verdicts []goal.Verdict `json:"verdicts"` // of the deterministic checks, in the order of the criterion
	Passed   bool           `json:"passed"`   // the checks that the criterion needs pass now, and no evidence has changed
	Open     bool           `json:"open"`     // not passed, but nothing failed: the deciding checks cannot be run again
	Faults   []string       `json:"faults"`   // lost or changed evidence of the receipt, as sentences
	// TreeChanged reports that the folder is no longer in the verified state. It does not make Passed false.
	TreeChanged bool `json:"tree_changed,omitempty"`
}

// ProposalView is the criterion in a folder's .goalpost/done.yaml. The user sees all of it, and it applies only if the
// user accepts it.
type ProposalView struct {
	Path   string       `json:"path"`
	Text   string       `json:"text"` // the whole file
	Checks []goal.Check `json:"checks"`
	Any    bool         `json:"any"`
	Words  string       `json:"words"` // the criterion in words
	Hosts  []string     `json:"hosts"` // that the checks could then contact
}

// InstructionFile is a file in which a folder tells agents how to work in it. The agent gets it as data.
type InstructionFile struct {
	Path  string `json:"path"` // relative to the folder
	Bytes int64  `json:"bytes"`
}

// StartOutput is the result of Start.
type StartOutput struct {
	GoalID string `json:"goal_id"`
}

// TryInput is a check to run as in pre-flight.
type TryInput struct {
	goal.Request            // its objective and checks are not read; Dir "" is an empty folder
	Check        goal.Check `json:"check"`
}

// ArgsOpenTerminal describes the terminal pane to open.
type ArgsOpenTerminal struct {
	Dir  string `json:"dir"` // "" = home
	Cols int    `json:"cols"`
	Rows int    `json:"rows"`
	// Command is typed at the first prompt and waits for the user to press Enter.
	Command string `json:"command"`
	// Profile is the terminal profile, "" is the default one.
	Profile string `json:"profile,omitempty"`
}

// ArgsOpenFile names the text file to show in a pane.
type ArgsOpenFile struct {
	Path string `json:"path"` // relative to Dir, which it must not leave; absolute or after ~/ without one
	Dir  string `json:"dir"`
}

// FileDraft is what the user wrote in a file pane and has not saved.
type FileDraft struct {
	Text    string    `json:"text"`
	Version string    `json:"version"` // of the content that the user changed
	At      time.Time `json:"at"`
}

// WorkspaceFile is a workspace as it is exported and imported.
type WorkspaceFile struct {
	Version int             `json:"goalpost_workspace"` // 1
	Name    string          `json:"name"`
	Folder  string          `json:"folder"`
	Layout  string          `json:"layout"` // JSON of the page
	Panes   []WorkspacePane `json:"panes"`
}

// WorkspacePane is a pane of a WorkspaceFile.
type WorkspacePane struct {
	ID      string    `json:"id"` // in the layout
	Kind    pane.Kind `json:"kind"`
	Title   string    `json:"title"`
	Dir     string    `json:"dir"`     // terminal
	Command string    `json:"command"` // terminal: what ran in it
	URL     string    `json:"url"`     // browser
}

// ArgsOpenBrowser describes the browser pane to open.
type ArgsOpenBrowser struct {
	URL     string `json:"url"` // "" = about:blank
	Width   int    `json:"width"`
	Height  int    `json:"height"`
	Profile string `json:"profile"` // where logins are stored: "" = the user's own, "temporary" = nowhere, or a name
}

// PaneList is the workspace's panes at one revision.
type PaneList struct {
	Rev        int64           `json:"rev"`
	Panes      []pane.Info     `json:"panes"`
	Workspaces pane.Workspaces `json:"workspaces"`
}

// FolderFiles is the files of a folder and below.
type FolderFiles struct {
	Dir     string   `json:"dir"`
	Files   []string `json:"files"`   // relative to Dir, the nearest first
	Partial bool     `json:"partial"` // there are more
}

// FindingState is the result of one test of the computer or of a connection.
type FindingState string

// The states. FindingWarn means that something works only in part.
const (
	FindingOK   FindingState = "ok"
	FindingWarn FindingState = "warn"
	FindingBad  FindingState = "bad"
)

// DoctorFinding is one line of the doctor and of the welcome page.
type DoctorFinding struct {
	ID     string       `json:"id"` // chromium, helper, sandbox, model, data, display
	State  FindingState `json:"state"`
	Title  string       `json:"title"`
	Detail string       `json:"detail"`
	Hint   string       `json:"hint"`
	Facts  string       `json:"facts,omitempty"` // for experts and bug reports
}
