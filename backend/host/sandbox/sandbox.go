// Package sandbox starts every program of the app through goalpost-helper, a
// small static program that is its parent. A Supervisor holds the programs of one
// owner: a goal's, or the user's. What it started, double-forked grandchildren
// included, ends with Close, and at once when the app dies.
//
// With a Spec the kernel enforces what the programs find and may do (namespaces,
// mounts, Landlock, seccomp); without one, a Supervisor separates lifetimes and
// descriptors only. docs/security.md says what is enforced.
package sandbox

import "goalpost/backend/host/sandbox/spec"

// The arguments of Open and Grant, which package spec describes.
type (
	Spec           = spec.Spec
	ResourceLimits = spec.ResourceLimits
	RuntimeGrant   = spec.RuntimeGrant
	PrivateFile    = spec.PrivateFile
)
