// Package policy decides what a run may do. It is pure: no clock, no disk, no state. It judges the effect of a
// call, not the name of its tool. The strictest rule wins, and calls that cannot be judged are denied or asked
// about.
package policy

import (
	"fmt"
	"path"
	"slices"
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
	// Work limits what the agent may change in Dir. It lists paths relative to Dir; those of folders end with a
	// slash. Without any, the agent may change all of Dir.
	Work []string `json:"work,omitempty"`
	// CheckDir is a folder that only the checks read; absolute, "" for none. Hidden are paths that no program of
	// the goal reads, such as the CheckDir of the goal that started this one.
	CheckDir string   `json:"check_dir,omitempty"`
	Hidden   []string `json:"hidden,omitempty"`
	// The user granted these before the start.
	AllowLocal  []int    `json:"allow_local,omitempty"`  // ports of this machine's own loopback
	AllowWrite  []string `json:"allow_write,omitempty"`  // folders, absolute
	AllowRead   []string `json:"allow_read,omitempty"`   // folders, absolute
	AllowSocket []string `json:"allow_socket,omitempty"` // Unix sockets, absolute
	Secrets     []string `json:"secrets,omitempty"`      // names of the user's secrets that may be filled in
	Unconfined  bool     `json:"unconfined,omitempty"`   // no sandbox, as the user requested explicitly
	// RequireSteps refuses a changing call without a declared step.
	RequireSteps bool `json:"require_steps,omitempty"`

	opened []string // hosts that the user granted since the start; only WithGrants sets it
}

// Validate refuses a policy that cannot be applied.
func (p Policy) Validate() error {
	if !p.Risk.IsValid() {
		return fmt.Errorf("unknown risk %q: use one of %s", p.Risk, RiskNames())
	}
	for _, h := range append(append([]string{}, p.AllowHosts...), p.DenyHosts...) {
		if err := validateHost(h); err != nil {
			return err
		}
	}
	for _, dir := range append(append([]string{}, p.AllowWrite...), p.AllowRead...) {
		if !path.IsAbs(dir) || path.Clean(dir) != dir {
			return fmt.Errorf("%q is not the absolute path of a folder", dir)
		}
	}
	return p.ValidateWork()
}

// UnusedParts describes the parts of the policy that have no effect, "" if there are none.
func (p Policy) UnusedParts() string {
	if len(p.AllowHosts) == 0 || !NetworkGet.Exceeds(p.Risk) {
		return ""
	}
	return fmt.Sprintf("allowing %s opens nothing: this goal may do at most %s, and hosts count from %s on; start it "+
		"at %s if it should reach them", strings.Join(p.AllowHosts, ", "), p.Risk, NetworkGet, NetworkGet)
}

// isWritable reports whether the goal may write to a path.
func (p Policy) isWritable(file string) bool {
	dirs := []string{p.Dir}
	if len(p.Work) > 0 {
		dirs = p.WorkPaths()
	}
	return slices.ContainsFunc(append(dirs, p.AllowWrite...), func(dir string) bool { return IsWithin(dir, file) })
}

// IsWithin reports whether file is dir or below it. Both must be absolute. A path that is not clean (.., //) is
// inside nothing. Symlinks are not resolved.
func IsWithin(dir, file string) bool {
	if !path.IsAbs(dir) || !path.IsAbs(file) || path.Clean(file) != file {
		return false
	}
	dir = path.Clean(dir)
	return file == dir || strings.HasPrefix(file, strings.TrimSuffix(dir, "/")+"/")
}

// FoldersOverlap reports whether one of two folders is the other or is below it. IsWithin says what the paths must be.
func FoldersOverlap(a, b string) bool { return IsWithin(a, b) || IsWithin(b, a) }

// WritesOverlap reports whether goals with the policies p and other could write in the same folder.
func (p Policy) WritesOverlap(other Policy) bool {
	return slices.ContainsFunc(p.WritableFolders(), func(mine string) bool {
		return slices.ContainsFunc(other.WritableFolders(), func(theirs string) bool { return FoldersOverlap(mine, theirs) })
	})
}

// WritableFolders returns the folders in which a goal may write.
func (p Policy) WritableFolders() []string {
	if p.Risk == ReadOnly {
		return p.AllowWrite
	}
	return append([]string{p.Dir}, p.AllowWrite...)
}
