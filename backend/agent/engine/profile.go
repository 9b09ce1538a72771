// Package engine drives goals with external agents: it finds installed agents and starts them in a goal's sandbox. To
// the loop of a goal, a Session with an agent looks like a model, so limits, approvals, claims, the journal and the
// report are the same for both.
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
	Install string   // command that installs it
	Licence string
	Resumes bool // continues its sessions reliably
	// ForgetsCancelled means that the agent drops a cancelled turn from the conversation, with its prompt.
	ForgetsCancelled bool
	// CommandInTitle means that a permission request for a command has the command as its title, and no arguments.
	CommandInTitle bool
	// AsksNothing means that the agent asks for no permission, so its calls are observed from their start.
	AsksNothing bool
	// OwnHosts are hosts that the program itself tries to reach, for updates and packages. They are blocked without
	// asking the user.
	OwnHosts []string
	// Node is the oldest major version of Node.js that can run the command, if it is a script; 0 for a program.
	Node int
	// Preload is the one of the Files that Node.js loads before the command, "" for none.
	Preload string
	// DirSuffix is added to the goal's folder in the path that a session gets.
	DirSuffix string
	// SessionMeta is sent with a session as _meta.
	SessionMeta map[string]any
	// SessionOptions are set when the session is ready, such as its mode.
	SessionOptions map[string]string
	// ExitError is part of the agent's error after one of its programs has ended, "" if the agent is one program.
	ExitError string

	// Env returns the environment variables for the program; nil for none.
	Env func(ModelServer) []string
	// Files returns files that are written before the program starts: texts by path in the sandbox's home folder; nil
	// for none.
	Files func(ModelServer) map[string]string
	// Login is the sign-in that the agent can use instead of the host's model; nil if it has none.
	Login *Login
	// Native returns the program to start for a command that was found, "" for the command itself; nil if it is always
	// the command.
	Native func(command string) string
}

// isExit reports whether an error of the agent means that the agent must be restarted.
func (p Profile) isExit(err error) bool {
	return p.ExitError != "" && err != nil && strings.Contains(err.Error(), p.ExitError)
}

// ModelServer describes the server that answers in place of the agent's model, for the agent's settings.
type ModelServer struct {
	Address string // without a path, for example http://127.0.0.1:1234
	Token   string
	Window  int    // of the model, in tokens; never 0
	Home    string // the agent's home folder, where its Files are
	// Login is the user's sign-in, with which the agent asks its own provider; nil if it asks this server.
	Login *Credentials
	Dir   string // the goal's folder
}

// defaultWindow is assumed for a model whose window is unknown, in tokens.
const defaultWindow = 128000

// mustJSON returns the JSON of a value that can always be encoded.
func mustJSON(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		panic(fmt.Sprintf("engine: %s: %v", strconv.Quote(fmt.Sprint(v)), err))
	}
	return string(b)
}
