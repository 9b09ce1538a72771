package seccomp

import (
	"runtime"
	"sync/atomic"

	"goalpost/cmd/goalpost-helper/internal/privileges"
)

// maxIdleThreads is the number of threads that are kept for later calls.
const maxIdleThreads = 4

// userThreads run calls with the rights of the sandbox's programs. A thread cannot regain its privileges, so it is kept
// for later calls: while the programs use all process numbers, no other can start.
type userThreads struct {
	uid, gid int
	calls    chan func()
	idle     atomic.Int32
}

func newUserThreads(uid, gid int) *userThreads {
	return &userThreads{uid: uid, gid: gid, calls: make(chan func())}
}

// runCall waits until call has returned. The error means that it was not called.
func (u *userThreads) runCall(call func()) error {
	done := make(chan error, 1)
	wrapped := func() {
		call()
		done <- nil
	}
	select {
	case u.calls <- wrapped:
	default:
		go u.serveCalls(wrapped, done)
	}
	return <-done
}

// serveCalls runs a first call on a thread of its own, then others.
func (u *userThreads) serveCalls(call func(), failed chan<- error) {
	runtime.LockOSThread() // never unlocked, so the thread ends with this function
	if err := privileges.Drop(u.uid, u.gid); err != nil {
		failed <- err
		return
	}
	call()
	for u.idle.Add(1) <= maxIdleThreads {
		call = <-u.calls
		u.idle.Add(-1)
		call()
	}
	u.idle.Add(-1)
}
