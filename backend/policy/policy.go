// Package policy decides what a run may do. It is pure: no clock, no disk, no
// state. The strictest rule wins, and what cannot be judged is denied or asked.
package policy

import (
	"fmt"
	"path"
	"strings"
)

// Risk is a step of the ladder. The ceiling of a goal is one of these.
type Risk string

// The ladder, lowest first.
const (
	ReadOnly     Risk = "read_only"
	WriteLocal   Risk = "write_local"
	NetworkGet   Risk = "network_get"
	NetworkWrite Risk = "network_write"
	SpendsMoney  Risk = "spends_money"
)

// Ladder lists every risk, lowest first.
func Ladder() []Risk { return []Risk{ReadOnly, WriteLocal, NetworkGet, NetworkWrite, SpendsMoney} }

// RiskNames lists the ladder for messages.
func RiskNames() string {
	names := make([]string, 0, len(Ladder()))
	for _, r := range Ladder() {
		names = append(names, string(r))
	}
	return strings.Join(names, ", ")
}

func (r Risk) height() int {
	for i, s := range Ladder() {
		if s == r {
			return i
		}
	}
	return -1
}

// Valid says whether r is on the ladder.
func (r Risk) Valid() bool { return r.height() >= 0 }

// Over says whether r is higher than the ceiling. An unknown risk is over everything.
func (r Risk) Over(ceiling Risk) bool {
	if !r.Valid() || !ceiling.Valid() {
		return true
	}
	return r.height() > ceiling.height()
}

// Policy is what a run may do. It is frozen when the goal is created.
type Policy struct {
	Risk       Risk     `json:"risk"`
	Dir        string   `json:"dir"` // sandbox folder, absolute
	AllowTools []string `json:"allow_tools,omitempty"`
	DenyTools  []string `json:"deny_tools,omitempty"`
	AllowHosts []string `json:"allow_hosts,omitempty"`
	// RequireSteps refuses a changing call without a declared step.
	RequireSteps bool `json:"require_steps,omitempty"`
}

// Effect is what one call is about to do, computed by its tool from the
// arguments and from what it will touch.
type Effect struct {
	Risk    Risk     `json:"risk"`
	Control bool     `json:"control,omitempty"` // a control tool: no risk applies
	Paths   []string `json:"paths,omitempty"`   // written paths, absolute
	Hosts   []string `json:"hosts,omitempty"`   // contacted hosts, loopback left out
	Reason  string   `json:"reason,omitempty"`
}

// Answer is what was decided about a call.
type Answer string

// The answers, strictest first.
const (
	Deny  Answer = "deny"
	Ask   Answer = "ask"
	Allow Answer = "allow"
)

// Decision is an answer and its reason, in words for model and person.
type Decision struct {
	Answer Answer
	Reason string
}

// Decide applies the rules, strictest wins: deny list → control tools → allow
// list → paths, which deny; then hosts and effect against ceiling, which ask.
func Decide(tool string, e Effect, p Policy) Decision {
	switch {
	case contains(p.DenyTools, tool):
		return Decision{Deny, fmt.Sprintf("the tool %s is denied for this goal", tool)}
	case e.Control:
		return Decision{Allow, "a control tool"}
	case len(p.AllowTools) > 0 && !contains(p.AllowTools, tool):
		return Decision{Deny, fmt.Sprintf("the tool %s is not among the tools allowed for this goal", tool)}
	}
	for _, file := range e.Paths {
		if !Inside(p.Dir, file) {
			return Decision{Deny, fmt.Sprintf("%s is outside the goal's folder %s", file, p.Dir)}
		}
	}
	if host, ok := foreignHost(e, p); ok {
		return Decision{Ask, fmt.Sprintf("%s would contact %s, and this goal may do at most %s", tool, host, p.Risk)}
	}
	if e.Risk.Over(p.Risk) {
		return Decision{Ask, fmt.Sprintf("%s is %s, and this goal may do at most %s", tool, e.Risk, p.Risk)}
	}
	return Decision{Allow, "within " + string(p.Risk)}
}

// foreignHost finds a host that the ceiling or the list of hosts does not cover.
func foreignHost(e Effect, p Policy) (string, bool) {
	for _, h := range e.Hosts {
		if NetworkGet.Over(p.Risk) {
			return h, true
		}
		if NetworkWrite.Over(p.Risk) && !contains(p.AllowHosts, h) {
			return h, true
		}
	}
	return "", false
}

// Inside says whether file is dir or below it. Both are absolute; a path that is
// not written out (.., //) is inside nothing. Symlinks are not looked at.
func Inside(dir, file string) bool {
	if !path.IsAbs(dir) || !path.IsAbs(file) || path.Clean(file) != file {
		return false
	}
	dir = path.Clean(dir)
	return file == dir || strings.HasPrefix(file, strings.TrimSuffix(dir, "/")+"/")
}

func contains(list []string, s string) bool {
	for _, v := range list {
		if v == s {
			return true
		}
	}
	return false
}
