package sandbox_test

import (
	"context"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"goalpost/backend/host/sandbox"
	"goalpost/backend/host/sandbox/sandboxtest"
	"goalpost/backend/lib/waittest"
)

// tellings holds the violations that a supervisor reported.
type tellings struct {
	mu    sync.Mutex
	lines []string
	more  chan struct{} // one token
}

func newTellings() *tellings { return &tellings{more: make(chan struct{}, 1)} }

func (l *tellings) hear(a sandbox.Violation) {
	l.mu.Lock()
	l.lines = append(l.lines, a.String())
	l.mu.Unlock()
	select {
	case l.more <- struct{}{}:
	default:
	}
}

func (l *tellings) all() []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Clone(l.lines)
}

func (l *tellings) forget() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.lines = nil
}

func (l *tellings) String() string { return strings.Join(l.all(), "\n") }

// await waits for a line with the words, and reports whether there is one.
func (l *tellings) await(words string) bool {
	late := time.After(waittest.Scale(time.Minute))
	for {
		if strings.Contains(l.String(), words) {
			return true
		}
		select {
		case <-l.more:
		case <-late:
			return false
		}
	}
}

func openSandboxReporting(tb testing.TB, w sandbox.Spec, l *tellings) *sandbox.Supervisor {
	tb.Helper()
	s, err := sandbox.Open(context.Background(), sandbox.Options{
		Helper:    sandboxtest.Helper(tb),
		Name:      tb.Name(),
		Spec:      &w,
		Systemd:   systemdOfTests(),
		Attempted: l.hear,
	})
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		if err := s.Close(context.Background()); err != nil {
			tb.Error(err)
		}
	})
	return s
}
