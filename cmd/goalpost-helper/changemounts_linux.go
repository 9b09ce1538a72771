package main

import (
	"golang.org/x/sys/unix"

	"goalpost/backend/sandbox/wire"
)

// changeMounts changes the walls of a room that stands.
func (s *supervisor) changeMounts(r wire.Request, fds []int) error {
	if s.inside == nil {
		return s.answer(wire.Answer{ID: r.ID, Error: &wire.Error{Code: wire.Unsupported, Text: "this helper has no walls"}})
	}
	// The main thread, whose filter programs inherit, mounts nothing any more.
	answer := make(chan *wire.Error)
	go func() {
		if r.Op == wire.Grant {
			answer <- s.inside.grant(r, fds)
		} else if err := s.inside.revoke(r.ID); err != nil {
			answer <- sandboxFailure("taking back what was allowed", err)
		} else {
			answer <- nil
		}
	}()
	refused := <-answer
	if r.Op == wire.Revoke && r.Signal != 0 {
		// Whatever has it open would keep it: everybody in the room but this process.
		_ = unix.Kill(-1, unix.Signal(r.Signal))
	}
	if refused != nil {
		return s.answer(wire.Answer{ID: r.ID, Error: refused})
	}
	return s.answer(wire.Answer{ID: r.ID, Changed: true})
}
