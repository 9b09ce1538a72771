// Package engine drives goals with external agents: it finds the installed ones, starts them in a goal's sandbox, and
// makes a Session of one look like a model to the loop of a goal, so that limits, approvals, claims, the journal and
// the report are the same for both.
package engine

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
)

// Profile says how an agent is found, started and configured. Its settings turn off telemetry, updates and the agent's
// own decisions about permissions, and give it the host's model only.
type Profile struct {
	ID      string // in settings and flags
	Name    string
	Command string // on the PATH
	Args    []string
	Tested  []string // versions
	Install string   // the command that installs it
	Licence string
	Resumes bool // it continues its sessions reliably
	// ForgetsCancelled: a turn that is cancelled leaves the conversation, with its prompt.
	ForgetsCancelled bool
	// CommandInTitle: a permission request for a command has the command as its title, and no arguments.
	CommandInTitle bool
	// AsksNothing: it asks for no permission, so its calls are observed from when they begin.
	AsksNothing bool
	// OwnHosts are hosts that the program itself tries, for updates and packages. They are refused and not asked about.
	OwnHosts []string
	// Node is the oldest version of Node.js that runs the command, which is a script. 0 for a program.
	Node int
	// Preload is one of the Files that Node.js loads before the command. "" for none.
	Preload string
	// DirSuffix is added to the goal's folder in the path that a session gets.
	DirSuffix string
	// SessionMeta goes with a session as _meta.
	SessionMeta map[string]any
	// SessionOptions are options that are set when the session is ready: its mode.
	SessionOptions map[string]string
	// ExitError is in the agent's error after a program that it consists of has ended. "" if it is one program.
	ExitError string

	// Env are the variables for the program, nil for none.
	Env func(ModelServer) []string
	// Files are written before the program starts: texts by path in the sandbox's home folder. Nil for none.
	Files func(ModelServer) map[string]string
	// Native returns the program to start for a command that was found, "" for the command itself. Nil if it is always
	// the command.
	Native func(command string) string
}

// isExit reports whether an error of the agent says that it must be started again.
func (p Profile) isExit(err error) bool {
	return p.ExitError != "" && err != nil && strings.Contains(err.Error(), p.ExitError)
}

// ModelServer is what the settings of an agent say of the server that answers it for its model.
type ModelServer struct {
	Address string // without a path, for example http://127.0.0.1:1234
	Token   string
	Window  int    // of the model, in tokens; never 0
	Home    string // the agent's home folder, where its Files are
	Dir     string // the goal's folder
}

// defaultWindow is assumed where a model's window is not known, in tokens.
const defaultWindow = 128000

// mustJSON is the JSON of a value that always has one.
func mustJSON(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		panic(fmt.Sprintf("engine: %s: %v", strconv.Quote(fmt.Sprint(v)), err))
	}
	return string(b)
}
