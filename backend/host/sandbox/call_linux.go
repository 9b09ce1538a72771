package sandbox

import (
	"context"
	"errors"
	"fmt"

	"goalpost/backend/host/sandbox/wire"
)

// callAnswer is the helper's answer to a call. The receiver closes fds.
type callAnswer struct {
	fds       []int
	listening wire.Listening
	programs  [][]byte
	err       error
}

// call sends a request that starts no program, and waits for the answer. A request without an id gets a new one. A
// refusal of the helper is a *wire.Error.
func (s *Supervisor) call(ctx context.Context, r wire.Request) (id uint64, fds []int, err error) {
	id, a := s.ask(ctx, r)
	return id, a.fds, a.err
}

// ask does what call does.
func (s *Supervisor) ask(ctx context.Context, r wire.Request) (id uint64, a callAnswer) {
	answer := make(chan callAnswer, 1)
	s.mu.Lock()
	if s.closed {
		defer s.mu.Unlock()
		return 0, callAnswer{err: errors.Join(ErrClosed, s.err)}
	}
	if r.ID == 0 {
		s.next++
		r.ID = s.next
	}
	s.calls[r.ID] = answer
	s.mu.Unlock()
	if err := s.sendPacket(r, nil); err != nil {
		s.takeCall(r.ID)
		return r.ID, callAnswer{err: err}
	}
	select {
	case a := <-answer:
		return r.ID, a
	case <-ctx.Done():
		if s.takeCall(r.ID) == nil { // answered just now
			return r.ID, <-answer
		}
		return r.ID, callAnswer{err: fmt.Errorf("waiting for the helper: %w", ctx.Err())}
	}
}

// takeCall removes a call and returns the channel for its answer; nil if it was removed before.
func (s *Supervisor) takeCall(id uint64) chan callAnswer {
	s.mu.Lock()
	defer s.mu.Unlock()
	answer := s.calls[id]
	delete(s.calls, id)
	return answer
}

// onCallAnswer delivers the answer to a call. It reports whether the answer belongs to a call.
func (s *Supervisor) onCallAnswer(a wire.Answer, fds []int) bool {
	isCall := a.Changed || a.Dialed || a.Listed
	answer := s.takeCall(a.ID)
	if answer == nil {
		if isCall { // the caller no longer waits
			closeFDs(fds)
		}
		return isCall
	}
	got := callAnswer{fds: fds, listening: a.Listening, programs: a.Programs}
	if a.Error != nil {
		got.err = a.Error
	}
	answer <- got
	return true
}

// failCalls answers the calls that the helper will not answer.
func (s *Supervisor) failCalls() {
	s.mu.Lock()
	calls := s.calls
	s.calls = map[uint64]chan callAnswer{}
	err := errors.Join(ErrClosed, s.err)
	s.mu.Unlock()
	for _, answer := range calls {
		answer <- callAnswer{err: err}
	}
}
