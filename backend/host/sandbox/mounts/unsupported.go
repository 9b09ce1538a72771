//go:build !linux

package mounts

// RunsAsRoot returns false: no program runs on this system.
func RunsAsRoot(string) bool { return false }

// GitControlledPaths returns nothing: no program runs on this system.
func GitControlledPaths(...string) (list, cut []string) { return nil, nil }
