package supervise

import (
	"golang.org/x/sys/unix"

	"goalpost/backend/sandbox/wire"
	"goalpost/cmd/goalpost-helper/internal/socket"
)

// changeMounts changes the mounts of a running sandbox.
func (s *Supervisor) changeMounts(r wire.Request, fds []int) error {
	if s.inside == nil {
		return s.answer(wire.Answer{ID: r.ID, Error: &wire.Error{Code: wire.Unsupported, Text: "this helper has no sandbox"}})
	}
	// Not on the main thread: its filter, which programs inherit, refuses mounts.
	answer := make(chan *wire.Error)
	go func() {
		if r.Op == wire.Grant {
			answer <- s.inside.Grant(r, fds)
		} else if err := s.inside.Revoke(r.ID); err != nil {
			answer <- socket.SandboxFailure("taking back what was allowed", err)
		} else {
			answer <- nil
		}
	}()
	refused := <-answer
	if r.Op == wire.Revoke && r.Signal != 0 {
		// Programs that have files of it open would keep access, so all programs of the sandbox end.
		_ = unix.Kill(-1, unix.Signal(r.Signal))
	}
	if refused != nil {
		return s.answer(wire.Answer{ID: r.ID, Error: refused})
	}
	return s.answer(wire.Answer{ID: r.ID, Changed: true})
}
