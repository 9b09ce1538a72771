package panes

import (
	"log/slog"
	"testing"
	"time"

	"goalpost/backend/domain/event"
	"goalpost/backend/domain/pane"
	"goalpost/backend/storage/store"
)

type wallClock struct{}

func (wallClock) Now() time.Time                         { return time.Now() }
func (wallClock) After(d time.Duration) <-chan time.Time { return time.After(d) }

// TestOnChange_TerminalOpensOrCloses_IsSavedAtOnce: a program that is killed later has it, with the list as it is then.
func TestOnChange_TerminalOpensOrCloses_IsSavedAtOnce(t *testing.T) {
	s, err := store.Open(t.Context(), store.Options{Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	r := New(t.Context(), &Registry{
		Store: s, Clock: wallClock{}, Broker: &event.Broker{}, Log: slog.New(slog.DiscardHandler),
	})
	for _, change := range []struct {
		what   string
		title  string
		closed bool
		saved  bool
		panes  int
	}{
		{"opened", "sh", false, true, 1},
		{"named", "make", false, false, 1}, // saved at the next interval
		{"closed", "make", true, true, 0},
	} {
		r.OnChange(pane.Info{ID: "t1", Kind: pane.Terminal, Title: change.title, Running: true}, change.closed)
		saved := false
		select {
		case <-r.Workspace.terminalsMoved:
			saved = true
		default:
		}
		if saved != change.saved || len(r.Snapshot().Panes) != change.panes {
			t.Errorf("%s: saved %v, %+v", change.what, saved, r.Snapshot().Panes)
		}
	}
}
