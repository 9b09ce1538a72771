package supervise

import (
	"errors"

	"golang.org/x/sys/unix"

	"goalpost/backend/host/sandbox/wire"
	"goalpost/cmd/goalpost-helper/internal/socket"
)

// changeMounts changes the mounts of a running sandbox.
func (s *Supervisor) changeMounts(r wire.Request, fds []int) error {
	// Not on the main thread: its filter, which programs inherit, refuses mounts.
	answer := make(chan *wire.Error)
	go func() {
		if r.Op == wire.Grant {
			answer <- s.inside.Grant(r, fds)
		} else if err := s.inside.Revoke(r.ID); err != nil {
			answer <- socket.SandboxFailure("revoking a grant", err)
		} else {
			answer <- nil
		}
	}()
	wireErr := <-answer
	if r.Op == wire.Revoke && r.Signal != 0 {
		// Programs that have files of the grant open would still have access, so all programs of the sandbox end.
		_ = unix.Kill(-1, unix.Signal(r.Signal))
	}
	if wireErr != nil {
		return s.answer(wire.Answer{ID: r.ID, Error: wireErr})
	}
	return s.answer(wire.Answer{ID: r.ID, Changed: true})
}

// seal makes a folder of a sandbox read-only, or writable again.
func (s *Supervisor) seal(r wire.Request) error {
	done := make(chan error)
	go func() { // as for changeMounts
		if r.Op == wire.Unseal {
			done <- s.inside.Unseal()
			return
		}
		done <- s.inside.Seal(string(r.Dir))
	}()
	switch err := <-done; {
	case errors.Is(err, unix.EBUSY):
		return s.answer(wire.Answer{ID: r.ID, Error: &wire.Error{
			Code: wire.Busy,
			Text: "a program has a file of the folder open for writing",
		}})
	case err != nil:
		return s.answer(wire.Answer{ID: r.ID, Error: socket.SandboxFailure("making the folder read-only", err)})
	}
	return s.answer(wire.Answer{ID: r.ID, Changed: true})
}
