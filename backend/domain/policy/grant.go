package policy

import (
	"fmt"
	"slices"
	"strings"
)

// Scope is how far an answer of the user reaches. All but ScopeOnce apply to the goal, until it ends or the user
// revokes them.
type Scope string

// The scopes.
const (
	ScopeOnce    Scope = "once"
	ScopeHost    Scope = "host"
	ScopeCommand Scope = "command"
	ScopePath    Scope = "path"
	ScopePane    Scope = "pane"
	ScopeSecret  Scope = "secret"
	ScopeMachine Scope = "reach" // a part of the machine outside the goal's folder
)

// Grant is what a user allowed a goal.
type Grant struct {
	ID      string         `json:"id"` // of the request that it answered
	Scope   Scope          `json:"scope"`
	Tool    string         `json:"tool"`
	Risk    Risk           `json:"risk"` // at most
	Call    string         `json:"call,omitempty"`
	Hosts   []string       `json:"hosts,omitempty"`
	Paths   []string       `json:"paths,omitempty"`
	Command string         `json:"command,omitempty"`
	Pane    string         `json:"pane,omitempty"`
	Secrets []string       `json:"secrets,omitempty"`
	Deletes []string       `json:"deletes,omitempty"`
	Access  *MachineAccess `json:"access,omitempty"`
	// Irreversible also covers what cannot be undone, but of Tool alone.
	Irreversible bool `json:"irreversible,omitempty"`
	// Shown identifies what the user saw of the one call besides its arguments.
	Shown string `json:"shown,omitempty"`
}

// Describe says what the grant covers, for the user who gives it.
func (g Grant) Describe() string {
	switch g.Scope {
	case ScopeOnce:
		return "once"
	case ScopeHost:
		words := g.Risk.activityAt() + " " + strings.Join(g.Hosts, ", ") + " for this goal"
		if g.Risk == NetworkGet {
			words += " (what its programs send there encrypted cannot be inspected)"
		}
		if g.Irreversible {
			words += "; of what cannot be undone, only " + strings.ReplaceAll(g.Tool, "_", " ")
		}
		return words
	case ScopeCommand:
		return "the command `" + g.Command + "` for this goal"
	case ScopePath:
		return "writing " + strings.Join(g.Paths, ", ") + " for this goal"
	case ScopePane:
		return fmt.Sprintf("everything up to %s in your pane %s for this goal, with your permissions and logins, including "+
			"what programs do that are started in a terminal. A line that deletes or overwrites, or that cannot be parsed, "+
			"asks each time", g.Risk.activity(), g.Pane)
	case ScopeSecret:
		return "filling in " + strings.Join(g.Secrets, ", ") + " for this goal, wherever it is named"
	case ScopeMachine:
		if g.Access == nil {
			break
		}
		words := g.Access.String() + " for this goal"
		switch g.Access.Kind {
		case PortAccess:
			return words
		case WriteAccess:
			words += "; running programs may have to be restarted to write there"
		case ReadAccess, SocketAccess:
		}
		return words + "; revoking it ends the goal's programs"
	}
	return "nothing"
}

// grantFor returns the grant of a scope that would cover a call; ok is false if the scope does not apply to the
// call.
func grantFor(s Scope, c Call) (g Grant, ok bool) {
	e := c.Effect
	g = Grant{Scope: s, Tool: c.Tool, Risk: e.Risk}
	switch s {
	case ScopeOnce:
		g.Call, g.Hosts, g.Paths, g.Pane, g.Secrets = c.Key, e.Hosts, e.Paths, e.Pane, e.secretNames()
		g.Deletes, g.Irreversible, g.Shown = e.Deletes, e.Irreversible, c.Shown
		return g, c.Key != ""
	case ScopeHost:
		g.Hosts, g.Irreversible = e.Hosts, e.Irreversible
		return g, len(e.Hosts) > 0 && e.Risk.IsValid()
	case ScopeCommand:
		g.Command = e.CommandLine
		return g, e.CommandLine != ""
	case ScopePath:
		g.Paths, g.Irreversible = e.Paths, e.Irreversible
		return g, len(e.Paths) > 0 && e.Risk.IsValid()
	case ScopePane:
		g.Pane = e.Pane
		return g, e.Pane != ""
	case ScopeSecret:
		g.Secrets = e.secretNames()
		return g, len(g.Secrets) > 0
	case ScopeMachine:
		g.Access = e.Access
		return g, e.Access != nil
	}
	return g, false
}

// covers reports whether the grant covers a call.
func (g Grant) covers(c Call) bool {
	e := c.Effect
	switch g.Scope {
	case ScopeOnce: // the same call with another effect is a different call
		return c.Key != "" && g.Call == c.Key && isSubset(e.Hosts, g.Hosts) && isSubset(e.Paths, g.Paths) &&
			isSubset(e.Deletes, g.Deletes) && isSubset(e.secretNames(), g.Secrets) &&
			e.Pane == g.Pane && e.Risk == g.Risk && e.Irreversible == g.Irreversible && c.Shown == g.Shown
	case ScopeHost:
		return len(e.Hosts) > 0 && isSubset(e.Hosts, g.Hosts) && !e.Risk.Exceeds(g.Risk) && g.coversIrreversible(c)
	case ScopeCommand:
		return e.CommandLine != "" && e.CommandLine == g.Command && c.Tool == g.Tool && !e.Risk.Exceeds(g.Risk)
	case ScopePath:
		return len(e.Paths) > 0 && isSubset(e.Paths, g.Paths) && !e.Risk.Exceeds(g.Risk) && g.coversIrreversible(c)
	case ScopePane:
		return e.Pane != "" && e.Pane == g.Pane && !e.Risk.Exceeds(g.Risk)
	case ScopeMachine:
		return e.Access != nil && equalAccess(e.Access, g.Access)
	case ScopeSecret:
		return len(e.Secrets) > 0 && isSubset(e.secretNames(), g.Secrets)
	}
	return false
}

// coversIrreversible reports whether the grant allows the call to be irreversible. A grant for one irreversible tool
// does not cover another tool.
func (g Grant) coversIrreversible(c Call) bool {
	return !c.Effect.Irreversible || g.Irreversible && g.Tool == c.Tool
}

func isSubset(a, b []string) bool {
	return !slices.ContainsFunc(a, func(s string) bool { return !slices.Contains(b, s) })
}

// offeredScopes lists the grants that would answer the questions: once, and each scope that would have made them
// unnecessary.
func offeredScopes(results []checkResult, c Call) []Grant {
	var list []Grant
	if g, ok := grantFor(ScopeOnce, c); ok && c.Effect.Access == nil { // access is open for the goal or not at all
		list = append(list, g)
	}
	for _, s := range []Scope{ScopeSecret, ScopeHost, ScopeCommand, ScopePath, ScopePane, ScopeMachine} {
		g, ok := grantFor(s, c)
		if !ok {
			continue
		}
		if _, covers := coveredBy(results, c, []Grant{g}); covers {
			list = append(list, g)
		}
	}
	return list
}

// NeedsKilling reports whether programs may keep open what a grant gave, so that only ending them revokes it.
func (g Grant) NeedsKilling() bool {
	return g.Access != nil && g.Access.Kind != PortAccess
}

// WithGrants returns the policy with what the user has granted since.
func (p Policy) WithGrants(grants []Grant) Policy {
	for _, g := range grants {
		if g.Scope == ScopeHost {
			p.opened = append(p.opened[:len(p.opened):len(p.opened)], g.Hosts...)
		}
		if g.Scope != ScopeMachine || g.Access == nil {
			continue
		}
		switch g.Access.Kind {
		case ReadAccess:
			p.AllowRead = append(p.AllowRead[:len(p.AllowRead):len(p.AllowRead)], g.Access.Path)
		case WriteAccess:
			p.AllowWrite = append(p.AllowWrite[:len(p.AllowWrite):len(p.AllowWrite)], g.Access.Path)
		case SocketAccess:
			p.AllowSocket = append(p.AllowSocket[:len(p.AllowSocket):len(p.AllowSocket)], g.Access.Path)
		case PortAccess:
			p.AllowLocal = append(p.AllowLocal[:len(p.AllowLocal):len(p.AllowLocal)], g.Access.Port)
		}
	}
	return p
}

// coveredBy reports whether a grant for the goal answers each result, and names the last one.
func coveredBy(results []checkResult, c Call, grants []Grant) (id string, ok bool) {
	for _, f := range results {
		found := false
		for _, g := range grants {
			if f.accepts(g.Scope) && g.covers(c) {
				id, found = g.ID, true
			}
		}
		if !found {
			return "", false
		}
	}
	return id, true
}
