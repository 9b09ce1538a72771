package sandbox

import (
	"slices"
	"sync"

	"goalpost/backend/procnet"
	"goalpost/backend/sandbox/wire"
)

// violationQueue hands what programs tried to whoever hears of it, beside the receiver:
// the hearer may take his time, and starts must not wait for him.
type violationQueue struct {
	hear func(Violation)
	news chan Violation
	done chan struct{}

	mu    sync.Mutex
	count int64    // of programs that were ended
	ended []string // the last of them, a line each
}

// attemptsWaiting is more than one sandbox tells of at once; what exceeds it is lost.
const attemptsWaiting = 1000

func newAttempts(hear func(Violation)) *violationQueue {
	a := &violationQueue{hear: hear, news: make(chan Violation, attemptsWaiting), done: make(chan struct{})}
	go func() {
		defer close(a.done)
		for one := range a.news {
			if a.hear != nil {
				a.hear(one)
			}
		}
	}()
	return a
}

// add and close are called by the set's receiver alone.
func (a *violationQueue) add(w wire.Violation) {
	if w.Port != 0 && !procnet.IsListening(w.Port) {
		return
	}
	one := Violation{Check: w.Domain == wire.DomainCheck, Program: w.Program, Text: w.Text, Times: w.Times, Ended: w.Ended}
	if w.Ended {
		a.recordKill(one.String())
	}
	select {
	case a.news <- one:
	default:
	}
}

// maxEnded is how many lines about programs that were ended are kept.
const maxEnded = 100

func (a *violationQueue) recordKill(line string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.count++
	a.ended = append(a.ended[max(0, len(a.ended)-maxEnded+1):], line)
}

// KillMark is a place in the list of programs that were ended, for Ended.
func (s *Supervisor) KillMark() int64 {
	s.tried.mu.Lock()
	defer s.tried.mu.Unlock()
	return s.tried.count
}

// KilledSince are the programs that were ended since the mark because all together took
// too much: a line each with why. A program is among them before its end is known.
func (s *Supervisor) KilledSince(since int64) []string {
	s.tried.mu.Lock()
	defer s.tried.mu.Unlock()
	fresh := min(s.tried.count-since, int64(len(s.tried.ended)))
	return slices.Clone(s.tried.ended[int64(len(s.tried.ended))-max(fresh, 0):])
}

// close waits until all has been heard.
func (a *violationQueue) close() {
	close(a.news)
	<-a.done
}
