//go:build !linux

package mounts

import "goalpost/backend/host/sandbox/spec"

// RunsAsRoot returns false: no program runs on this system.
func RunsAsRoot(string) bool { return false }

// GitControlledPaths returns nothing: no program runs on this system.
func GitControlledPaths(...string) (list, cut []string) { return nil, nil }

// GitControlledByRepository returns nothing: no program runs on this system.
func GitControlledByRepository(string, *spec.Repository) []string { return nil }

// CanOutline returns nil.
func CanOutline(*spec.Repository) error { return nil }
