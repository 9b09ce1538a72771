package api

import "goalpost/backend/goal"

// maxTryOutput is how much of the output of a tried check is shown, in bytes.
const maxTryOutput = 8000

// TryOutput is the result of pre-flight.
type TryOutput struct {
	Outcome  goal.Outcome `json:"outcome"` // fails_now, passes_already, cannot_run, or error of a flaky check
	Detail   string       `json:"detail"`
	Output   string       `json:"output"`
	ExitCode int          `json:"exit_code"`
	MS       int64        `json:"ms"`
	// Trace is what the check used of the folder, nil where nobody could observe it.
	Trace *TraceView `json:"trace,omitempty"`
}

// NewTryOutput is a verdict of pre-flight, without its trace.
func NewTryOutput(v goal.Verdict) TryOutput {
	output := v.Output
	if len(output) > maxTryOutput {
		output = output[len(output)-maxTryOutput:]
	}
	return TryOutput{
		Outcome:  v.Outcome,
		Detail:   v.Detail,
		Output:   sanitizeOutput(output),
		ExitCode: v.ExitCode,
		MS:       v.TookMS,
	}
}

// TraceView is what a check was observed to use of the goal's folder. Paths are relative to it, with slashes.
type TraceView struct {
	// Decides are the files that decide how the check ends. A goal protects them from its agent.
	Decides TracedFiles `json:"decides"`
	// Missing are names that the check looked for and did not find: a file that is put there later could decide.
	Missing TracedFiles `json:"missing"`
	// Read are all other files that it read or executed: the work, libraries and data.
	Read TracedFiles `json:"read"`
	// Written are files that it wrote itself.
	Written TracedFiles `json:"written"`
	// Stopped is what the check was missing when it ended early, so that what it would use later was not observed; "" if
	// nothing says so.
	Stopped string `json:"stopped,omitempty"`
	// Incomplete says why uses are missing from the lists, "" if none are.
	Incomplete string `json:"incomplete,omitempty"`
	// Work is a proposal for AccessInput.Work: the folders and files that the check reads and that do not decide. It is
	// empty where these are not separate from the others.
	Work []string `json:"work,omitempty"`
}

// TracedFiles is the beginning of a list of files.
type TracedFiles struct {
	Files []TracedFile `json:"files"`
	Total int          `json:"total"` // length of the whole list
}

// TracedFile is a file that a check used.
type TracedFile struct {
	Path string `json:"path"`
	Why  string `json:"why"` // its role, or the reason why it decides
	By   string `json:"by"`  // the program that used it, "" if none did
}
