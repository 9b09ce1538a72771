package sandbox

import (
	"slices"
	"sync"

	"goalpost/backend/host/procnet"
	"goalpost/backend/host/sandbox/wire"
)

// violationQueue calls Options.Attempted on a goroutine of its own: the callback may be slow, and
// starts must not wait for it.
type violationQueue struct {
	report func(Violation)
	news   chan Violation
	done   chan struct{}

	mu    sync.Mutex
	count int64    // of programs that were ended
	ended []string // the last of them, a line each
}

// maxQueued is the length of the queue; more violations are dropped.
const maxQueued = 1000

func newAttempts(report func(Violation)) *violationQueue {
	a := &violationQueue{report: report, news: make(chan Violation, maxQueued), done: make(chan struct{})}
	go func() {
		defer close(a.done)
		for one := range a.news {
			if a.report != nil {
				a.report(one)
			}
		}
	}()
	return a
}

// add may be called concurrently, but not with or after close.
func (v *violationQueue) add(w wire.Violation) {
	if w.Port != 0 && !procnet.IsListening(w.Port) {
		return
	}
	one := Violation{Check: w.Domain == wire.DomainCheck, Program: w.Program, Text: w.Text, Times: w.Times, Ended: w.Ended}
	if w.Ended {
		v.recordKill(one.String())
	}
	select {
	case v.news <- one:
	default:
	}
}

// maxEnded is the number of lines about ended programs that are stored.
const maxEnded = 100

func (v *violationQueue) recordKill(line string) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.count++
	v.ended = append(v.ended[max(0, len(v.ended)-maxEnded+1):], line)
}

// KillMark returns the current position in the list of ended programs, for KilledSince.
func (s *Supervisor) KillMark() int64 {
	s.violations.mu.Lock()
	defer s.violations.mu.Unlock()
	return s.violations.count
}

// KilledSince returns a line for each program that was ended since the mark because the goal exceeded
// a limit. A program is in the list before its exit is reported.
func (s *Supervisor) KilledSince(since int64) []string {
	s.violations.mu.Lock()
	defer s.violations.mu.Unlock()
	fresh := min(s.violations.count-since, int64(len(s.violations.ended)))
	return slices.Clone(s.violations.ended[int64(len(s.violations.ended))-max(fresh, 0):])
}

// close waits until every violation was delivered.
func (v *violationQueue) close() {
	close(v.news)
	<-v.done
}
