package app_test

import (
	"cmp"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"goalpost/backend/agent/model/modeltest"
)

// realAgent is a real external agent, with what the tests need to know about it.
type realAgent struct {
	id      string
	bin     []string // patterns of folders below .tools, which contain the agent's command and its Node.js
	install string
	ours    string // the prefix of the names of Goalpost's tools
	shell   string
	read    string
	write   string
	file    string // the argument that names a file
	refused string // part of what the model reads about a refused call
	secret  string // the variable with the token of its model server
	// shellArgument is the argument that contains the command, "" for "command".
	shellArgument string
	// asksNothing means that the agent asks for no permissions, so its own actions are only observed.
	asksNothing bool
	// resumes means that the agent continues its own session after its program was killed.
	resumes bool
}

// realAgents are the agents for which the scenarios run.
func realAgents() []realAgent {
	return []realAgent{
		{
			id: "opencode", bin: []string{"opencode-1.18.33/node_modules/.bin"},
			install: "make opencode", ours: "goalpost_", shell: "bash", read: "read", write: "write", file: "filePath",
			refused: "rejected", secret: "OPENCODE_CONFIG_CONTENT", resumes: true,
		},
		{
			id:      "claude",
			bin:     []string{"claude-0.101.0/node_modules/.bin", "claude-0.101.0/node_modules/node-linux-*/bin"},
			install: "make engines ENGINES=claude", ours: "mcp__goalpost__", shell: "Bash", read: "Read", write: "Write",
			file: "file_path", refused: "refuse", secret: "ANTHROPIC_API_KEY", resumes: true,
		},
		{
			id: "codex", bin: []string{"codex-2.6.0/node_modules/.bin"},
			install: "make codex", ours: "mcp__goalpost__", shell: "exec_command", shellArgument: "cmd",
			secret: "GOALPOST_MODEL_TOKEN", asksNothing: true, resumes: true,
		},
		{
			id: "gemini", bin: []string{"gemini-0.61.0/node_modules/.bin"},
			install: "make gemini", ours: "mcp_goalpost_", shell: "run_shell_command", read: "read_file", write: "write_file",
			file: "file_path", refused: "refuse", secret: "GEMINI_API_KEY",
		},
	}
}

// eachAgent runs a scenario with each installed agent.
func eachAgent(t *testing.T, scenario func(t *testing.T, a realAgent)) {
	t.Helper()
	for _, a := range realAgents() {
		t.Run(a.id, func(t *testing.T) {
			a.putOnPath(t)
			scenario(t, a)
		})
	}
}

// putOnPath makes the host find the agent. It skips the test if the agent is not installed.
func (ra realAgent) putOnPath(t *testing.T) {
	t.Helper()
	if runtime.GOOS != "linux" {
		t.Skip(ra.install + " installs it on Linux")
	}
	var path []string
	for _, dir := range ra.bin {
		dir, err := filepath.Abs("../../.tools/" + dir)
		must(t, err)
		found, err := filepath.Glob(dir)
		must(t, err)
		path = append(path, found...)
	}
	if len(path) < len(ra.bin) {
		t.Skip(ra.id + " is not installed: run `" + ra.install + "`")
	}
	list := string(os.PathListSeparator)
	t.Setenv("PATH", strings.Join(path, list)+list+os.Getenv("PATH"))
}

// withAgent puts a real agent on the PATH. It skips the test if the agent is not installed.
func withAgent(t *testing.T, id string) realAgent {
	t.Helper()
	for _, a := range realAgents() {
		if a.id == id {
			a.putOnPath(t)
			return a
		}
	}
	t.Fatalf("no agent is called %q", id)
	return realAgent{}
}

// bash returns a call of the agent's shell.
func (ra realAgent) bash(command string) modeltest.Answer {
	return call(ra.shell, with(cmp.Or(ra.shellArgument, "command"), command, "description", "a command"))
}

// readFile returns a call of the agent's tool that reads a file, or of its shell if it has none.
func (ra realAgent) readFile(path string) modeltest.Answer {
	if ra.read == "" {
		return ra.bash("cat " + path)
	}
	return call(ra.read, with(ra.file, path))
}

// writeFile returns a call of the agent's tool that writes a new file, with path and content or with a patch.
func (ra realAgent) writeFile(path, content string) modeltest.Answer {
	if ra.write == "" {
		return call("apply_patch", with("input", "*** Begin Patch\n*** Add File: "+path+"\n+"+content+"\n*** End Patch\n"))
	}
	return call(ra.write, with(ra.file, path, "content", content))
}

// needsToAsk skips a scenario if the agent never asks for a permission.
func (ra realAgent) needsToAsk(t *testing.T) {
	t.Helper()
	if ra.asksNothing {
		t.Skip(ra.id + " asks for nothing")
	}
}

// our returns a call of one of Goalpost's tools.
func (ra realAgent) our(tool, arguments string) modeltest.Answer {
	return call(ra.ours+tool, arguments)
}

// claim returns a call of claim_complete.
func (ra realAgent) claim() modeltest.Answer {
	return ra.our("claim_complete", with("rationale", "done"))
}
