package model

import (
	"regexp"
	"strings"

	"goalpost/backend/goal"
)

// maxToolFailures is how often a tool may fail before the script continues without it.
const maxToolFailures = 2

// demoScript is the progress of the demonstration, read from the conversation.
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
	commandLine  = regexp.MustCompile(`(?m)^\s*server command:[ \t]*(\S.*)$`)
	openedPane   = regexp.MustCompile(`\bpane ([A-Za-z0-9_-]+)`)
	arrivedPane  = regexp.MustCompile(`^pane ([A-Za-z0-9_-]+) is at `)
	serverAt     = regexp.MustCompile(`http://(?:127\.0\.0\.1|localhost|\[::1\]):[0-9]{1,5}`)
	stillRunning = regexp.MustCompile(`^still running`)
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
				s.result(c.Tool, goal.UnwrapEnvelope(m.Text))
			}
		case goal.User, goal.System:
			s.readUser(m.Text)
		}
	}
	return s
}

func (s *demoScript) findCommand(text string) {
	if m := commandLine.FindStringSubmatch(text); m != nil && s.command == "" {
		s.command = strings.TrimSpace(m[1])
	}
}

// readUser processes a message of the host or the user.
func (s *demoScript) readUser(text string) {
	s.findCommand(text)
	switch {
	case strings.HasPrefix(text, hostRefusal):
		s.refused++
		s.reason = firstLine(strings.TrimPrefix(text, hostRefusal))
		s.content = ""
	case strings.HasPrefix(text, hostResumed):
		// Terminals and pages of the earlier run are gone.
		s.terminal, s.started, s.reads, s.address = "", false, 0, ""
		s.browser, s.opened, s.reloaded, s.seen, s.pictured = "", false, false, "", false
	case strings.HasPrefix(text, hostNote):
		s.note = true
	}
}

// result processes the result of a tool.
func (s *demoScript) result(tool, text string) {
	switch {
	case strings.HasPrefix(text, hostSkipped):
		return
	case strings.Contains(text, hostDoubt):
		s.content = "" // the file may have been edited: read it again
		return
	}
	if s.readResult(tool, text) {
		s.failures[tool] = 0
		delete(s.problem, tool)
		return
	}
	s.failures[tool]++
	s.problem[tool] = firstLine(text)
}

// readResult processes the result of a successful call, and reports whether it was one.
func (s *demoScript) readResult(tool, text string) bool {
	switch tool {
	case "write_file":
		s.written = strings.HasPrefix(text, "wrote ")
		return s.written
	case "terminal_open":
		if m := openedPane.FindStringSubmatch(text); m != nil && strings.HasPrefix(text, "opened") {
			s.terminal = m[1]
			return true
		}
		return false
	case "terminal_run":
		s.started = stillRunning.MatchString(text)
		s.address = serverAt.FindString(text)
		if !s.started {
			s.address = "" // a server that has ended serves nothing
		}
		return s.started
	case "terminal_read":
		s.reads++
		s.address = serverAt.FindString(text)
		return true
	case "browser_open":
		m := arrivedPane.FindStringSubmatch(text)
		if m == nil {
			s.browser = "" // the pane may be gone: the next attempt opens a new one
			return false
		}
		s.browser, s.opened, s.reloaded = m[1], true, s.edited || strings.Contains(s.content, demoRight)
		return true
	case "browser_snapshot":
		if strings.HasPrefix(text, "<output") {
			s.seen = text
			return true
		}
		return false
	case "browser_screenshot":
		s.pictured = strings.HasPrefix(text, "stored a picture")
		return s.pictured
	case "read_file":
		if strings.HasPrefix(text, "<output") {
			s.content = text
			return true
		}
		return false
	case "edit_file":
		s.edited = s.edited || strings.HasPrefix(text, "changed ")
		return strings.HasPrefix(text, "changed ")
	}
	return true // control tools
}

func firstLine(s string) string {
	s = strings.TrimSpace(s)
	line, _, _ := strings.Cut(s, "\n")
	return truncateMessage(line)
}
