package engine

import (
	"bytes"
	"encoding/json"
	"strings"

	"goalpost/backend/agent/engine/acp"
	"goalpost/backend/domain/goal"
	"goalpost/backend/lib/shell"
)

// toolOfKind returns our name for a tool of the agent. The agent chooses the kind, so it only decides how the user is
// asked; the sandbox limits the effect.
func toolOfKind(kind string) string {
	switch kind {
	case "read", "search":
		return ToolRead
	case "edit", "delete", "move":
		return ToolEdit
	case "execute":
		return ToolRun
	case "fetch":
		return ToolFetch
	}
	return ToolOther
}

// callArguments describes a call of the agent's own tools for the journal, the policy and the user.
type callArguments struct {
	Title   string          `json:"title,omitempty"`
	Command string          `json:"command,omitempty"`
	Paths   []string        `json:"paths,omitempty"`
	URL     string          `json:"url,omitempty"`
	Changes []change        `json:"changes,omitempty"`
	Input   json.RawMessage `json:"input,omitempty"` // the agent's arguments, if they contain nothing of the above
	// Observed means that the agent did not ask for permission.
	Observed bool `json:"observed,omitempty"`
}

type change struct {
	Path string `json:"path"`
	Old  string `json:"old,omitempty"`
	New  string `json:"new"`
}

// input holds the arguments that tools of the supported agents have.
type input struct {
	Command  json.RawMessage `json:"command"` // a string or a list of strings
	FilePath string          `json:"filePath"`
	File     string          `json:"file_path"`
	Path     string          `json:"path"`
	URL      string          `json:"url"`
}

// agentCall converts a call of the agent's own tools to a call for the loop.
func agentCall(c acp.ToolCall, observed bool) goal.Call {
	a := callArguments{Title: c.Title, Observed: observed}
	var in input
	parsed := json.Unmarshal([]byte(c.Input), &in) == nil
	tool := toolOfKind(c.Kind)
	if parsed {
		a.Command, a.URL = commandOf(in.Command), in.URL
	}
	if a.Command != "" {
		tool = ToolRun // regardless of the kind
	}
	for _, d := range c.Diffs {
		a.Changes = append(a.Changes, change(d))
		a.Paths = appendNew(a.Paths, d.Path)
	}
	for _, p := range append([]string{in.FilePath, in.File, in.Path}, c.Paths...) {
		if parsed || p != "" {
			a.Paths = appendNew(a.Paths, p)
		}
	}
	if tool == ToolOther || a.Command == "" && a.URL == "" && len(a.Paths) == 0 {
		if json.Valid([]byte(c.Input)) {
			a.Input = json.RawMessage(c.Input)
		}
	}
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false) // the user reads the commands
	if err := encoder.Encode(a); err != nil {
		text.Reset()
		text.WriteString("{}") // unknown, so the user is asked
	}
	return goal.Call{ID: newCallID(), Tool: tool, Arguments: strings.TrimSpace(text.String())}
}

func appendNew(list []string, s string) []string {
	for _, have := range list {
		if have == s {
			return list
		}
	}
	if s == "" {
		return list
	}
	return append(list, s)
}

// commandOf returns the command of a tool's arguments: a command line, or a list of words, which it joins.
func commandOf(raw json.RawMessage) string {
	var line string
	if json.Unmarshal(raw, &line) == nil {
		return line
	}
	var words []string
	if json.Unmarshal(raw, &words) != nil || len(words) == 0 {
		return ""
	}
	if len(words) == 3 && strings.HasSuffix(words[0], "sh") && strings.HasPrefix(words[1], "-") {
		return words[2] // the command line of a shell
	}
	return shell.Join(words)
}
