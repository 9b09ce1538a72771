package wire

// TraceRequest asks for the uses of files by a program and all that it starts.
type TraceRequest struct {
	// Dir is the goal's folder. Below it, and below what the agent may write, every use is recorded; in other folders
	// only reads, writes and executions, up to a limit.
	Dir []byte `json:"dir"`
}

// TraceBatch continues a trace. Programs and Accesses are appended to those of the batches before.
type TraceBatch struct {
	Programs []TracedProgram `json:"programs,omitempty"`
	Accesses []FileAccess    `json:"accesses,omitempty"`
	// One of these is set in the last batch.
	Complete   bool   `json:"complete,omitempty"`
	Incomplete string `json:"incomplete,omitempty"` // why uses are missing
}

// TracedProgram is a program that ran. Its command line is limited, with "…" in place of what is left out.
type TracedProgram struct {
	Path []byte   `json:"path"`
	Args [][]byte `json:"args,omitempty"`
	Dir  []byte   `json:"dir,omitempty"` // its folder when it started
}

// FileUse is what a program did with a file; package process explains the values.
type FileUse string

// The uses.
const (
	UseRead    FileUse = "read"
	UseWrite   FileUse = "write"
	UseExecute FileUse = "execute"
	UseLookup  FileUse = "lookup"
)

// FileAccess is one use of one file by one program.
type FileAccess struct {
	Path    []byte  `json:"path"` // absolute, without links
	Use     FileUse `json:"use"`
	Missing bool    `json:"missing,omitempty"` // nothing had this name
	Program int     `json:"program"`           // the number of a program of the trace, from 0
}
