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
	Reach   Scope = "reach" // something of the machine besides the goal's folder
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
	Deletes []string `json:"deletes,omitempty"`
	Access  *Access  `json:"access,omitempty"`
	// Irreversible covers what cannot be undone, too: by Tool alone.
	Irreversible bool `json:"irreversible,omitempty"`
	// Shown stands for what the person saw of the one call, besides its arguments.
	Shown string `json:"shown,omitempty"`
}

// Words says what the grant covers, for the person who gives it.
func (g Grant) Words() string {
	switch g.Scope {
	case Once:
		return "this call of " + g.Tool + ", once"
	case Host:
		words := fmt.Sprintf("for this goal: everything up to %s on %s", g.Risk, strings.Join(g.Hosts, ", "))
		if g.Risk == NetworkGet {
			words += ", and encrypted connections of its programs, in which nobody can look at what is sent"
		}
		if g.Irreversible {
			words += "; of what cannot be undone only " + g.Tool
		}
		return words
	case Command:
		return "for this goal: the command `" + g.Command + "`"
	case Path:
		return "for this goal: writing " + strings.Join(g.Paths, ", ")
	case Pane:
		return fmt.Sprintf("for this goal: everything up to %s in your pane %s, with your rights and logins; of a terminal also what the programs do that are started there. A line that deletes or overwrites, or that cannot be read, asks each time", g.Risk, g.Pane)
	case Secret:
		return "for this goal: filling in " + strings.Join(g.Secrets, ", ") + " wherever it is named"
	case Reach:
		if g.Access == nil {
			break
		}
		words := "for this goal: " + g.Access.String()
		switch g.Access.Kind {
		case PortAccess:
			return words
		case WriteAccess:
			words += "; programs that run already may have to be started again to write there"
		case ReadAccess, SocketAccess:
		}
		return words + "; to take it back ends the goal's programs"
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
		g.Deletes, g.Irreversible, g.Shown = e.Deletes, e.Irreversible, c.Shown
		return g, c.Key != ""
	case Host:
		g.Hosts, g.Irreversible = e.Hosts, e.Irreversible
		return g, len(e.Hosts) > 0 && e.Risk.Valid()
	case Command:
		g.Command = e.Line
		return g, e.Line != ""
	case Path:
		g.Paths, g.Irreversible = e.Paths, e.Irreversible
		return g, len(e.Paths) > 0 && e.Risk.Valid()
	case Pane:
		g.Pane = e.Pane
		return g, e.Pane != ""
	case Secret:
		g.Secrets = e.secretNames()
		return g, len(g.Secrets) > 0
	case Reach:
		g.Access = e.Access
		return g, e.Access != nil
	}
	return g, false
}

// fits says whether a call is one that the grant covers.
func (g Grant) fits(c Call) bool {
	e := c.Effect
	switch g.Scope {
	case Once: // the same call that would touch or send something else is another one
		return c.Key != "" && g.Call == c.Key && subset(e.Hosts, g.Hosts) && subset(e.Paths, g.Paths) && subset(e.Deletes, g.Deletes) && subset(e.secretNames(), g.Secrets) &&
			e.Pane == g.Pane && e.Risk == g.Risk && e.Irreversible == g.Irreversible && c.Shown == g.Shown
	case Host:
		return len(e.Hosts) > 0 && subset(e.Hosts, g.Hosts) && !e.Risk.Over(g.Risk) && g.undoes(c)
	case Command:
		return e.Line != "" && e.Line == g.Command && c.Tool == g.Tool && !e.Risk.Over(g.Risk)
	case Path:
		return len(e.Paths) > 0 && subset(e.Paths, g.Paths) && !e.Risk.Over(g.Risk) && g.undoes(c)
	case Pane:
		return e.Pane != "" && e.Pane == g.Pane && !e.Risk.Over(g.Risk)
	case Reach:
		return e.Access != nil && sameAccess(e.Access, g.Access)
	case Secret:
		return len(e.Secrets) > 0 && subset(e.secretNames(), g.Secrets)
	}
	return false
}

// undoes: a yes to what can be undone is none to what cannot, and a yes to one tool
// that cannot be undone is none to another.
func (g Grant) undoes(c Call) bool {
	return !c.Effect.Irreversible || g.Irreversible && g.Tool == c.Tool
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
	if g, ok := grantFor(Once, c); ok && c.Effect.Access == nil { // which is open for the goal or not at all
		list = append(list, g)
	}
	for _, s := range []Scope{Secret, Host, Command, Path, Pane, Reach} {
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
