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
	command       string // of the server, "" if none was given
	isFileWritten bool
	terminal      string // pane
	started       bool
	reads         int
	address       string
	browser       string // pane
	opened        bool
	failedClaims  int    // failed claims
	reason        string // of the last failed claim, first line
	content       string // of the file, read after a failed claim
	edited        bool
	reloaded      bool // the page was loaded after the edit
	pageText      string
	pictured      bool
	note          bool // the newest message is a user's note

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

func (d *demoScript) findCommand(message string) {
	if m := commandLine.FindStringSubmatch(message); m != nil && d.command == "" {
		d.command = strings.TrimSpace(m[1])
	}
}

// readUser processes a message from the host or the user.
func (d *demoScript) readUser(message string) {
	d.findCommand(message)
	switch {
	case strings.HasPrefix(message, hostRefusal):
		d.failedClaims++
		d.reason = text.SanitizeLine(text.FirstLine(strings.TrimPrefix(message, hostRefusal)), maxMessage)
		d.content = ""
	case strings.HasPrefix(message, hostResumed):
		// Terminals and pages of the earlier run no longer exist.
		d.terminal, d.started, d.reads, d.address = "", false, 0, ""
		d.browser, d.opened, d.reloaded, d.pageText, d.pictured = "", false, false, "", false
	case strings.HasPrefix(message, hostNote):
		d.note = true
	}
}

// readToolResult processes the result of a tool.
func (d *demoScript) readToolResult(tool, result string) {
	switch {
	case strings.HasPrefix(result, hostSkipped):
		return
	case strings.Contains(result, hostDoubt):
		d.content = "" // the file may have been edited; read it again
		return
	}
	if d.readResult(tool, result) {
		d.failures[tool] = 0
		delete(d.problem, tool)
		return
	}
	d.failures[tool]++
	d.problem[tool] = text.SanitizeLine(text.FirstLine(result), maxMessage)
}

// readResult processes the result of a successful call, and reports whether it was one.
func (d *demoScript) readResult(tool, result string) bool {
	switch tool {
	case "write_file":
		d.isFileWritten = strings.HasPrefix(result, "wrote ")
		return d.isFileWritten
	case "terminal_open":
		if m := openedPane.FindStringSubmatch(result); m != nil && strings.HasPrefix(result, "opened") {
			d.terminal = m[1]
			return true
		}
		return false
	case "terminal_run":
		d.started = stillRunning.MatchString(result)
		d.address = serverAt.FindString(result)
		if !d.started {
			d.address = "" // the server has ended
		}
		return d.started
	case "terminal_read":
		d.reads++
		d.address = serverAt.FindString(result)
		return true
	case "browser_open":
		m := arrivedPane.FindStringSubmatch(result)
		if m == nil {
			d.browser = "" // the pane may no longer exist; the next attempt opens a new one
			return false
		}
		d.browser, d.opened, d.reloaded = m[1], true, d.edited || strings.Contains(d.content, demoRight)
		return true
	case "browser_snapshot":
		if strings.HasPrefix(result, "<output") {
			d.pageText = result
			return true
		}
		return false
	case "browser_screenshot":
		d.pictured = strings.HasPrefix(result, "stored a picture")
		return d.pictured
	case "read_file":
		if strings.HasPrefix(result, "<output") {
			d.content = result
			return true
		}
		return false
	case "edit_file":
		d.edited = d.edited || strings.HasPrefix(result, "changed ")
		return strings.HasPrefix(result, "changed ")
	}
	return true // control tools
}
