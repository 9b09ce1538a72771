// Package policy decides what a run may do. It is pure: no clock, no disk, no
// state. The effect of a call decides and not the name of its tool; the strictest
// rule wins, and what cannot be judged is denied or asked.
package policy

import (
	"fmt"
	"path"
	"strings"
)

// Policy is what a run may do. It is frozen when the goal is created.
type Policy struct {
	Risk       Risk     `json:"risk"`
	Dir        string   `json:"dir"` // sandbox folder, absolute
	AllowTools []string `json:"allow_tools,omitempty"`
	DenyTools  []string `json:"deny_tools,omitempty"`
	AllowHosts []string `json:"allow_hosts,omitempty"` // names, or *.example.org for all below one
	DenyHosts  []string `json:"deny_hosts,omitempty"`
	// What the user granted before the start.
	AllowLocal  []int    `json:"allow_local,omitempty"`  // ports of this machine's own loopback
	AllowWrite  []string `json:"allow_write,omitempty"`  // folders, absolute
	AllowRead   []string `json:"allow_read,omitempty"`   // folders, absolute
	AllowSocket []string `json:"allow_socket,omitempty"` // Unix sockets, absolute
	Secrets     []string `json:"secrets,omitempty"`      // names of the user's secrets that may be filled in
	Unconfined  bool     `json:"unconfined,omitempty"`   // no sandbox: the user's explicit word
	// RequireSteps refuses a changing call without a declared step.
	RequireSteps bool `json:"require_steps,omitempty"`

	opened []string // hosts that the user granted since the start; of With alone
}

// Validate refuses a policy that could not be decided by, with what to do.
func (p Policy) Validate() error {
	if !p.Risk.IsValid() {
		return fmt.Errorf("unknown risk %q: use one of %s", p.Risk, RiskNames())
	}
	for _, h := range append(append([]string{}, p.AllowHosts...), p.DenyHosts...) {
		if err := validHost(h); err != nil {
			return err
		}
	}
	for _, dir := range append(append([]string{}, p.AllowWrite...), p.AllowRead...) {
		if !path.IsAbs(dir) || path.Clean(dir) != dir {
			return fmt.Errorf("%q is not the written-out path of a folder", dir)
		}
	}
	return nil
}

// UnusedParts says what of the policy does nothing, "" if all of it does something.
func (p Policy) UnusedParts() string {
	if len(p.AllowHosts) == 0 || !NetworkGet.Exceeds(p.Risk) {
		return ""
	}
	return fmt.Sprintf("allowing %s opens nothing: this goal may do at most %s, and hosts count from %s on; start it at %s if it should reach them", strings.Join(p.AllowHosts, ", "), p.Risk, NetworkGet, NetworkGet)
}

// writable says whether a path lies where the goal may write.
func (p Policy) writable(file string) bool {
	for _, dir := range append([]string{p.Dir}, p.AllowWrite...) {
		if IsWithin(dir, file) {
			return true
		}
	}
	return false
}

// IsWithin says whether file is dir or below it. Both are absolute; a path that is
// not written out (.., //) is inside nothing. Symlinks are not looked at.
func IsWithin(dir, file string) bool {
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
