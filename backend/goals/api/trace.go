package api

import (
	"goalpost/backend/domain/goal"
	"goalpost/backend/lib/text"
)

// maxTryOutput bounds the shown output of a tried check, in bytes.
const maxTryOutput = 8000

// TryOutput is the result of a check's pre-flight.
type TryOutput struct {
	Outcome  goal.Outcome `json:"outcome"` // fails_now, passes_already, cannot_run, or error of a flaky check
	Detail   string       `json:"detail"`
	Output   string       `json:"output"`
	ExitCode int          `json:"exit_code"`
	MS       int64        `json:"ms"`
	// Trace lists the files that the check used, nil if it could not be observed.
	Trace *TraceView `json:"trace,omitempty"`
}

// NewTryOutput converts a verdict of pre-flight, without a trace.
func NewTryOutput(v goal.Verdict) TryOutput {
	output := v.Output
	if len(output) > maxTryOutput {
		output = output[len(output)-maxTryOutput:]
	}
	return TryOutput{
		Outcome:  v.Outcome,
		Detail:   v.Detail,
		Output:   text.ToUTF8(string(output)),
		ExitCode: v.ExitCode,
		MS:       v.TookMS,
	}
}

// TraceView lists the files of the goal's folder that a check was observed to use. Paths are relative to the folder.
type TraceView struct {
	// Decides are the files that decide the result of the check. A goal protects them from its agent.
	Decides TracedFiles `json:"decides"`
	// Missing are files that the check looked for and did not find. If they are created later, they could decide.
	Missing TracedFiles `json:"missing"`
	// Read are all other files that it read or executed: the work, libraries and data.
	Read TracedFiles `json:"read"`
	// Written are files that the check wrote.
	Written TracedFiles `json:"written"`
	// Stopped is the name of what was missing when the check ended early, so that its further uses were not observed. It
	// is "" if nothing is known to be missing.
	Stopped string `json:"stopped,omitempty"`
	// Incomplete says why the lists are incomplete, "" if they are complete.
	Incomplete string `json:"incomplete,omitempty"`
	// Work is a proposal for AccessInput.Work: the folders and files that the check reads and that do not decide. It is
	// empty if they are too scattered, or mixed with files that decide.
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
