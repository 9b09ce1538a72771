package process

// FileUse says what a traced program did with a file.
type FileUse string

// The uses of a file.
const (
	UseRead    FileUse = "read"    // opened for reading
	UseWrite   FileUse = "write"   // opened for writing, created, renamed, linked or removed
	UseExecute FileUse = "execute" // started as a program, or as the interpreter of one: its #! line, its ELF loader
	UseLookup  FileUse = "lookup"  // asked whether it exists, without opening it
)

// FileAccess is one use of one file, in the order in which the uses occurred. The same use by the same program is
// listed once.
type FileAccess struct {
	// Path is absolute, with links resolved, as the program's sandbox shows it.
	Path string  `json:"path"`
	Use  FileUse `json:"use"`
	// Missing reports that nothing had this name.
	Missing bool `json:"missing,omitempty"`
	// Program is an index of Trace.Programs.
	Program int `json:"program"`
}

// TracedProgram is the traced program, or one that it started.
type TracedProgram struct {
	Path string   `json:"path"` // the file that runs: for a script its interpreter
	Args []string `json:"args"` // its command line, each argument and their number limited
	Dir  string   `json:"dir"`  // its folder when it started
}

// Trace has the uses of files by a program and all that it started, up to its end. In folders that the agent may
// write, such as the goal's, it has every use. In other folders it has at least all executions, the first 20,000 reads
// and writes, and the first 5,000 lookups of programs, including those that failed. A link in the goal's folder that
// led to a file is listed as a lookup of its own.
type Trace struct {
	Programs []TracedProgram `json:"programs,omitempty"`
	Accesses []FileAccess    `json:"accesses,omitempty"`
	// Incomplete is the reason why uses are missing from the trace; "" if none are. A pass with an incomplete trace
	// verifies nothing.
	Incomplete string `json:"incomplete,omitempty"`
}

// TracedProcess is a Process whose Command asked for a trace.
type TracedProcess interface {
	Process
	// Trace is complete once Done is closed.
	Trace() Trace
}
