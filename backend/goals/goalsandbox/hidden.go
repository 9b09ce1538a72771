package goalsandbox

import "goalpost/backend/domain/policy"

// HiddenPaths returns the folders whose content neither the agent nor its programs may see.
func HiddenPaths(p policy.Policy) []string {
	if p.CheckDir == "" {
		return p.Hidden
	}
	return append([]string{p.CheckDir}, p.Hidden...)
}
