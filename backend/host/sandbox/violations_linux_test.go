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

func (t *tellings) hear(a sandbox.Violation) {
	t.mu.Lock()
	t.lines = append(t.lines, a.String())
	t.mu.Unlock()
	select {
	case t.more <- struct{}{}:
	default:
	}
}

func (t *tellings) all() []string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return slices.Clone(t.lines)
}

func (t *tellings) forget() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.lines = nil
}

func (t *tellings) String() string { return strings.Join(t.all(), "\n") }

// await waits for a line with the words, and reports whether there is one.
func (t *tellings) await(words string) bool {
	late := time.After(waittest.Scale(time.Minute))
	for {
		if strings.Contains(t.String(), words) {
			return true
		}
		select {
		case <-t.more:
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
