// Package cgroup bounds the processes of a goal together, with a cgroup that systemd makes and the kernel enforces.
//
// An ordinary user may not create a cgroup that bounds memory, but the user's systemd may. It creates one for any
// program that asks it for a scope over the session bus. A goal of root asks the systemd of the system.
package cgroup

import "time"

// answerTimeout is how long systemd may take to make a scope. It takes milliseconds, or seconds on a busy machine.
const answerTimeout = 10 * time.Second

// Limits are what all processes of a scope may take together.
type Limits struct {
	Memory int64 // bytes; none of them are swapped out
	Tasks  int   // processes and their threads
}

// Manager is the systemd that creates scopes. The zero value is the systemd of the current user, or of the system for
// root.
type Manager struct {
	Address string // of the bus; "" is found in the environment
	// Set in tests only: a folder in place of /proc, and a timeout in place of answerTimeout.
	proc    string
	timeout time.Duration
}

// Kill is a program that the kernel ended because memory ran out.
type Kill struct {
	PID     int    // 0 if it had ended before it could be seen
	Program string // the name that the program gave itself; "" if unknown
	Count   int64  // of the scope's kills so far, with this one
	// Outside means that the goal did not exceed its limit: the machine, or a slice that contains the goal, ran out of
	// memory.
	Outside bool
}
