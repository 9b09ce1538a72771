package goalsandbox

import "goalpost/backend/policy"

// HiddenPaths are the folders whose content neither the agent nor its programs see.
func HiddenPaths(p policy.Policy) []string {
	if p.CheckDir == "" {
		return p.Hidden
	}
	return append([]string{p.CheckDir}, p.Hidden...)
}
