package policy

import (
	"fmt"
	"strings"
)

// Scope says how far an answer of the person goes. All but Once hold for the
// goal, until it ends or the person takes them back.
type Scope string

// The scopes.
const (
	Once    Scope = "once"
	Host    Scope = "host"
	Command Scope = "command"
	Path    Scope = "path"
	Pane    Scope = "pane"
	Secret  Scope = "secret"
)

// Grant is what a person allowed one goal.
type Grant struct {
	ID      string   `json:"id"` // of the request that it answered
	Scope   Scope    `json:"scope"`
	Tool    string   `json:"tool"`
	Risk    Risk     `json:"risk"` // at most
	Call    string   `json:"call,omitempty"`
	Hosts   []string `json:"hosts,omitempty"`
	Paths   []string `json:"paths,omitempty"`
	Command string   `json:"command,omitempty"`
	Pane    string   `json:"pane,omitempty"`
	Secrets []string `json:"secrets,omitempty"`
}

// Words says what the grant covers, for the person who gives it.
func (g Grant) Words() string {
	switch g.Scope {
	case Once:
		return "this call of " + g.Tool + ", once"
	case Host:
		return fmt.Sprintf("for this goal: everything up to %s on %s", g.Risk, strings.Join(g.Hosts, ", "))
	case Command:
		return "for this goal: the command `" + g.Command + "`"
	case Path:
		return "for this goal: writing " + strings.Join(g.Paths, ", ")
	case Pane:
		return "for this goal: typing into the pane " + g.Pane
	case Secret:
		return "for this goal: filling in " + strings.Join(g.Secrets, ", ") + " wherever it is named"
	}
	return "nothing"
}

// grantFor makes the grant of a scope that would cover a call; ok is false where
// the call has nothing of that scope.
func grantFor(s Scope, c Call) (g Grant, ok bool) {
	e := c.Effect
	g = Grant{Scope: s, Tool: c.Tool, Risk: e.Risk}
	switch s {
	case Once:
		g.Call, g.Hosts, g.Paths, g.Pane, g.Secrets = c.Key, e.Hosts, e.Paths, e.Pane, e.secretNames()
		return g, c.Key != ""
	case Host:
		g.Hosts = e.Hosts
		return g, len(e.Hosts) > 0 && e.Risk.Valid()
	case Command:
		g.Command = e.Line
		return g, e.Line != ""
	case Path:
		g.Paths = e.Paths
		return g, len(e.Paths) > 0 && e.Risk.Valid()
	case Pane:
		g.Pane = e.Pane
		return g, e.Pane != ""
	case Secret:
		g.Secrets = e.secretNames()
		return g, len(g.Secrets) > 0
	}
	return g, false
}

// fits says whether a call is one that the grant covers.
func (g Grant) fits(c Call) bool {
	e := c.Effect
	switch g.Scope {
	case Once: // the same call that would touch something else is another one
		return c.Key != "" && g.Call == c.Key && subset(e.Hosts, g.Hosts) && subset(e.Paths, g.Paths) && subset(e.secretNames(), g.Secrets) && e.Pane == g.Pane && e.Risk == g.Risk
	case Host:
		return len(e.Hosts) > 0 && subset(e.Hosts, g.Hosts) && !e.Risk.Over(g.Risk)
	case Command:
		return e.Line != "" && e.Line == g.Command && c.Tool == g.Tool && !e.Risk.Over(g.Risk)
	case Path:
		return len(e.Paths) > 0 && subset(e.Paths, g.Paths) && !e.Risk.Over(g.Risk)
	case Pane:
		return e.Pane != "" && e.Pane == g.Pane
	case Secret:
		return len(e.Secrets) > 0 && subset(e.secretNames(), g.Secrets)
	}
	return false
}

func subset(a, b []string) bool {
	for _, s := range a {
		if !contains(b, s) {
			return false
		}
	}
	return true
}

// offers lists what the person may answer a question with: once, and each scope
// that would have made the question unnecessary.
func offers(asked []finding, c Call) []Grant {
	var list []Grant
	if g, ok := grantFor(Once, c); ok {
		list = append(list, g)
	}
	for _, s := range []Scope{Secret, Host, Command, Path, Pane} {
		g, ok := grantFor(s, c)
		if !ok {
			continue
		}
		if _, covers := granted(asked, c, []Grant{g}); covers {
			list = append(list, g)
		}
	}
	return list
}
