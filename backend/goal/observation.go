package goal

import "io/fs"

// FileRole is the part that a file has in a check.
type FileRole string

// The roles. Files of the first six decide how the check ends.
const (
	RoleScript   FileRole = "script"   // read by a shell
	RoleMakefile FileRole = "makefile" // read by make or a similar program
	RoleMain     FileRole = "main"     // what an interpreter was started with
	RoleProgram  FileRole = "program"  // executed
	RoleSettings FileRole = "settings" // of a test runner that looks for this name
	RoleTest     FileRole = "test"     // of a test runner that looks for this name
	RoleCode     FileRole = "code"
	RoleData     FileRole = "data"
)

// Decides reports whether a file of this role decides how a check ends.
func (r FileRole) Decides() bool { return r != RoleCode && r != RoleData && r != "" }

// FileState is a file of the goal's folder at one moment. The zero value is a file that is not there.
type FileState struct {
	Exists bool        `json:"exists,omitempty"`
	SHA256 string      `json:"sha256,omitempty"` // "" of what is not a regular file, or too long
	Mode   fs.FileMode `json:"mode,omitempty"`
	Link   string      `json:"link,omitempty"` // the first part of its path that is a symbolic link, "" if none is
}

// Examination is how a check tries out a program.
type Examination string

// The ways.
const (
	ByOutput Examination = "output" // its output goes through a pipe or a substitution to the one that judges
	// IfNew: a shell script that a script of the check runs for its output: only one that is new is the work.
	IfNew  Examination = "if_new"
	ByTest Examination = "started" // a test, or another program that is no shell, started it
	// ByJudge: a program started it whose name says that it judges, and which is no test runner.
	ByJudge Examination = "started_by_judge"
)

// UsedFile is one use of a file of the goal's folder by a check.
type UsedFile struct {
	Path    string   `json:"path"` // relative to the goal's folder, with slashes
	Role    FileRole `json:"role"`
	Program int      `json:"program"` // index of Observation.Programs
	// Examined says that the file is a program that the check tries out, so it may change; "" if it is none.
	Examined Examination `json:"examined,omitempty"`
	// Opened, of a file that was missing: it was opened or executed, and not only asked for.
	Opened bool `json:"opened,omitempty"`
	// Final, of a file that was missing: the check did nothing after it.
	Final bool `json:"final,omitempty"`
}

// ObservedProgram is a program that ran in a check.
type ObservedProgram struct {
	Name    string `json:"name"`           // python3
	Command string `json:"command"`        // its command line, shortened
	Main    string `json:"main,omitempty"` // the file of the goal's folder that it runs, "" if none
	// FromInput: an interpreter whose program comes from its standard input.
	FromInput bool `json:"from_input,omitempty"`
	// ReadsRepository: git, which read the repository of the goal's folder.
	ReadsRepository bool `json:"reads_repository,omitempty"`
}

// Observation is what a check was seen to do with the goal's folder. It is a *process.Trace reduced to that.
type Observation struct {
	Programs []ObservedProgram `json:"programs,omitempty"`
	Files    []UsedFile        `json:"files,omitempty"`   // read or executed
	Missing  []UsedFile        `json:"missing,omitempty"` // looked for and not found
	Found    []UsedFile        `json:"found,omitempty"`   // asked for and there, but not opened
	Written  []string          `json:"written,omitempty"` // by the check, before it used them
	// Rewritten are files that the check used first and wrote then.
	Rewritten []string `json:"rewritten,omitempty"`
	// Outside are code files outside of the goal's folder that were read, absolute.
	Outside []string `json:"outside,omitempty"`
	// States are the files of Files and Found when the check ended.
	States map[string]FileState `json:"states,omitempty"`
	// Runners are the test runners that ran and always print a summary, and Ended those whose summary was there.
	Runners []string `json:"runners,omitempty"`
	Ended   []string `json:"ended,omitempty"`
	// NotStarted is what kept a failing check from deciding anything, nil if nothing did.
	NotStarted *NotStarted `json:"not_started,omitempty"`
	// Incomplete says why uses are missing, "" if none are.
	Incomplete string `json:"incomplete,omitempty"`
}

// NotStarted is something that a check itself was to run, and that was not there.
type NotStarted struct {
	Kind string `json:"kind"` // program, module, file, target, script
	Name string `json:"name"`
	By   string `json:"by"` // command line of the program that looked for it
}

// FileChange is a file that a check used and that is not what it was at the goal's start.
type FileChange struct {
	Path   string   `json:"path"`
	Role   FileRole `json:"role"`
	Change string   `json:"change"`           // new, changed, removed, mode, link
	By     string   `json:"by,omitempty"`     // the program that used it
	Reason string   `json:"reason,omitempty"` // why it counts as tampering, "" if it does not
	SHA256 string   `json:"sha256,omitempty"` // of its present content
}
