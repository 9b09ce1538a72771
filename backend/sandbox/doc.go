// Package sandbox starts every program of the app through goalpost-helper, a
// small static program that is its parent. A Set is one owner's programs: a
// goal's, or the person's. What a set started, double-forked grandchildren
// included, ends with Close, and at once when the app dies.
//
// The kernel's walls around a goal's programs (namespaces, Landlock, seccomp)
// are not in this package yet; a set separates lifetimes and descriptors only.
package sandbox
