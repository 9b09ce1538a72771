package model

import (
	"strings"

	"goalpost/backend/domain/goal"
	"goalpost/backend/lib/text"
)

// maxToolFailures is how often a tool may fail before the script continues without it.
const maxToolFailures = 2

// demoScript is the progress of the script, read from the conversation.
type demoScript struct {
	command  string // of the server, "" if none was given
	written  bool
	terminal string // pane
	started  bool
	reads    int
	address  string
	browser  string // pane
	opened   bool
	refused  int    // failed claims
	reason   string // of the last failed claim, first line
	content  string // of the file, read after a failed claim
	edited   bool
	reloaded bool // the page was loaded after the edit
	seen     string
	pictured bool
	note     bool // the newest message is a user's note

	failures map[string]int    // per tool
	problem  map[string]string // per tool, first line of the last failure
}

// Texts of the host and of the tools that the script depends on.
var (
	commandLine  = text.NewPattern(`(?m)^\s*server command:[ \t]*(\S.*)$`)
	openedPane   = text.NewPattern(`\bpane ([A-Za-z0-9_-]+)`)
	arrivedPane  = text.NewPattern(`^pane ([A-Za-z0-9_-]+) is at `)
	serverAt     = text.NewPattern(`http://(?:127\.0\.0\.1|localhost|\[::1\]):[0-9]{1,5}`)
	stillRunning = text.NewPattern(`^still running`)
)

const (
	hostRefusal = "Verification failed:"
	hostResumed = "The run continues after a pause."
	hostNote    = "A note from the user:"
	hostDoubt   = "its outcome is unknown"
	hostSkipped = "not executed:"
)

func readScript(t goal.Turn) *demoScript {
	s := &demoScript{failures: map[string]int{}, problem: map[string]string{}}
	s.findCommand(t.System)
	calls := map[string]goal.Call{}
	for _, m := range t.Messages {
		s.note = false
		switch m.Role {
		case goal.Assistant:
			for _, c := range m.Calls {
				calls[c.ID] = c
			}
		case goal.ToolRole:
			if c, ok := calls[m.CallID]; ok {
				s.readToolResult(c.Tool, goal.UnwrapEnvelope(m.Text))
			}
		case goal.User, goal.System:
			s.readUser(m.Text)
		}
	}
	return s
}

func (s *demoScript) findCommand(message string) {
	if m := commandLine.FindStringSubmatch(message); m != nil && s.command == "" {
		s.command = strings.TrimSpace(m[1])
	}
}

// readUser processes a message from the host or the user.
func (s *demoScript) readUser(message string) {
	s.findCommand(message)
	switch {
	case strings.HasPrefix(message, hostRefusal):
		s.refused++
		s.reason = text.SanitizeLine(text.FirstLine(strings.TrimPrefix(message, hostRefusal)), maxMessage)
		s.content = ""
	case strings.HasPrefix(message, hostResumed):
		// Terminals and pages of the earlier run no longer exist.
		s.terminal, s.started, s.reads, s.address = "", false, 0, ""
		s.browser, s.opened, s.reloaded, s.seen, s.pictured = "", false, false, "", false
	case strings.HasPrefix(message, hostNote):
		s.note = true
	}
}

// readToolResult processes the result of a tool.
func (s *demoScript) readToolResult(tool, result string) {
	switch {
	case strings.HasPrefix(result, hostSkipped):
		return
	case strings.Contains(result, hostDoubt):
		s.content = "" // the file may have been edited; read it again
		return
	}
	if s.readResult(tool, result) {
		s.failures[tool] = 0
		delete(s.problem, tool)
		return
	}
	s.failures[tool]++
	s.problem[tool] = text.SanitizeLine(text.FirstLine(result), maxMessage)
}

// readResult processes the result of a successful call, and reports whether it was one.
func (s *demoScript) readResult(tool, result string) bool {
	switch tool {
	case "write_file":
		s.written = strings.HasPrefix(result, "wrote ")
		return s.written
	case "terminal_open":
		if m := openedPane.FindStringSubmatch(result); m != nil && strings.HasPrefix(result, "opened") {
			s.terminal = m[1]
			return true
		}
		return false
	case "terminal_run":
		s.started = stillRunning.MatchString(result)
		s.address = serverAt.FindString(result)
		if !s.started {
			s.address = "" // the server has ended
		}
		return s.started
	case "terminal_read":
		s.reads++
		s.address = serverAt.FindString(result)
		return true
	case "browser_open":
		m := arrivedPane.FindStringSubmatch(result)
		if m == nil {
			s.browser = "" // the pane may no longer exist; the next attempt opens a new one
			return false
		}
		s.browser, s.opened, s.reloaded = m[1], true, s.edited || strings.Contains(s.content, demoRight)
		return true
	case "browser_snapshot":
		if strings.HasPrefix(result, "<output") {
			s.seen = result
			return true
		}
		return false
	case "browser_screenshot":
		s.pictured = strings.HasPrefix(result, "stored a picture")
		return s.pictured
	case "read_file":
		if strings.HasPrefix(result, "<output") {
			s.content = result
			return true
		}
		return false
	case "edit_file":
		s.edited = s.edited || strings.HasPrefix(result, "changed ")
		return strings.HasPrefix(result, "changed ")
	}
	return true // control tools
}
