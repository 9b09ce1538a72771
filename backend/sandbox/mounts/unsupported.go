//go:build !linux

package mounts

// RunsAsRoot is false: nothing runs on this system.
func RunsAsRoot(string) bool { return false }

// GitControlledPaths is empty: nothing runs that could write them.
func GitControlledPaths(...string) (list, cut []string) { return nil, nil }
