package goal

import "io/fs"

// FileRole is the role of a file in a check.
type FileRole string

// The roles. The first six decide how the check ends.
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
func (f FileRole) Decides() bool { return f != RoleCode && f != RoleData && f != "" }

// FileState is a file of the goal's folder at one moment. The zero value means that it does not exist.
type FileState struct {
	Exists bool        `json:"exists,omitempty"`
	SHA256 string      `json:"sha256,omitempty"` // "" if it is not a regular file, or too long
	Mode   fs.FileMode `json:"mode,omitempty"`
	Link   string      `json:"link,omitempty"` // the first part of its path that is a symbolic link, "" if none is
}

// Examination says how a check tries out a program.
type Examination string

// The examinations.
const (
	ByOutput Examination = "output" // a later part of the check reads its output: by a pipe, a substitution or a file
	// IfNew is for a shell script that a script of the check runs for its output: it is the work only if it is new.
	IfNew  Examination = "if_new"
	ByTest Examination = "started" // a test, or another program that is not a shell, started it
	// ByJudge means that a program whose name says that it judges, and which is not a test runner, started it.
	ByJudge Examination = "started_by_judge"
)

// UsedFile is one use of a file of the goal's folder by a check.
type UsedFile struct {
	Path    string   `json:"path"` // relative to the goal's folder, with slashes
	Role    FileRole `json:"role"`
	Program int      `json:"program"` // index of Observation.Programs
	// Examined says that the file is a program that the check tries out, so it may change; "" if it is not.
	Examined Examination `json:"examined,omitempty"`
	// IsPlugin says of code that a test runner loaded it because its settings or the check say so.
	IsPlugin bool `json:"is_plugin,omitempty"`
	// Opened says of a missing file that the check tried to open or execute it, instead of only looking for it.
	Opened bool `json:"opened,omitempty"`
	// Final says of a missing file that the check did nothing after it.
	Final bool `json:"final,omitempty"`
}

// ObservedProgram is a program that ran in a check.
type ObservedProgram struct {
	Name    string `json:"name"`           // python3
	Command string `json:"command"`        // its command line, shortened
	Main    string `json:"main,omitempty"` // the file of the goal's folder that it runs, "" if none
	// File is the installed program that it is, or that an interpreter runs; "" for a shell, and if Main is set.
	File string `json:"file,omitempty"`
	// FromInput says that an interpreter read its program from standard input.
	FromInput bool `json:"from_input,omitempty"`
	// ReadsRepository says that git read the repository of the goal's folder.
	ReadsRepository bool `json:"reads_repository,omitempty"`
	// ReadsOnly says that to the program, all files are data, also those with code: it compiles or formats them.
	ReadsOnly bool `json:"reads_only,omitempty"`
	// Compares says that the program compares what it reads: with Yardsticks, or each with the other if there are none.
	Compares   bool     `json:"compares,omitempty"`
	Yardsticks []string `json:"yardsticks,omitempty"` // files of the goal's folder
	IsFed      bool     `json:"is_fed,omitempty"`     // it reads the output of another program
	// IsText says that the program takes every file for text, and that how it ends counts, not what it prints.
	IsText bool `json:"is_text,omitempty"`
}

// Observation is what a check did with the goal's folder, reduced from a *process.Trace.
type Observation struct {
	Programs []ObservedProgram `json:"programs,omitempty"`
	Files    []UsedFile        `json:"files,omitempty"`   // read or executed
	Missing  []UsedFile        `json:"missing,omitempty"` // looked for and not found
	Found    []UsedFile        `json:"found,omitempty"`   // existing files that it looked for but did not open
	Written  []string          `json:"written,omitempty"` // by the check before it used them
	// Rewritten are files that the check wrote after it had used them.
	Rewritten []string `json:"rewritten,omitempty"`
	// Built are programs and code outside the goal's folder, by their absolute paths, that it wrote and then ran.
	Built []UsedFile `json:"built,omitempty"`
	// Outside are the code files that it read outside the goal's folder, as absolute paths.
	Outside []string `json:"outside,omitempty"`
	// States are the states of Files and Found at the end of the check.
	States map[string]FileState `json:"states,omitempty"`
	// Runners are the test runners that ran and always print a summary. Ended are those whose summary was printed.
	Runners []string `json:"runners,omitempty"`
	Ended   []string `json:"ended,omitempty"`
	// Tests are the names of the tests that ran, if their runners list all.
	Tests []string `json:"tests,omitempty"`
	// Result says, in pre-flight, how the check ended; HasPassed that it passed.
	Result    string `json:"result,omitempty"`
	HasPassed bool   `json:"has_passed,omitempty"`
	// NotStarted is the reason why a failing check could not decide anything, nil if there is none.
	NotStarted *StartFailure `json:"not_started,omitempty"`
	// Incomplete says why uses are missing, "" if none is.
	Incomplete string `json:"incomplete,omitempty"`
}

// StartFailure is something that a check itself was to run but that did not exist.
type StartFailure struct {
	Kind string `json:"kind"` // program or file
	Name string `json:"name"`
	By   string `json:"by"` // command line of the program that looked for it
}

// DecidingFile is a file that decides about a goal, that was changed, and that the user has not decided about.
type DecidingFile struct {
	Path string `json:"path"` // relative to the goal's folder, with slashes
	Why  string `json:"why"`  // why it decides, as a clause
}

// FileChange is a file that a check used and that has changed since the goal's start.
type FileChange struct {
	Path   string   `json:"path"`
	Role   FileRole `json:"role"`
	Change string   `json:"change"`           // new, changed, removed, mode, link
	By     string   `json:"by,omitempty"`     // the program that used it
	Reason string   `json:"reason,omitempty"` // why it counts as tampering, "" if it does not
	// Allowed says that the user allowed this change of a file that decides.
	Allowed bool   `json:"allowed,omitempty"`
	SHA256  string `json:"sha256,omitempty"` // of its present content
}
