// Package sandbox starts every program of the app through goalpost-helper, a
// small static program that is its parent. A Set is one owner's programs: a
// goal's, or the user's. What a set started, double-forked grandchildren
// included, ends with Close, and at once when the app dies.
//
// With Walls the kernel holds what the programs find and may do (namespaces,
// mounts, Landlock, seccomp); without, a set separates lifetimes and descriptors
// only. docs/security.md says what holds.
package sandbox
