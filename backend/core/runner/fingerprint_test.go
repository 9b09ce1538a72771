package runner_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"goalpost/backend/domain/event"
	"goalpost/backend/domain/goal"
)

// vast is a folder of which only the beginning is fingerprinted, and whose fingerprint never changes.
type vast struct{}

func (vast) Tampered(context.Context) (string, error)                 { return "", nil }
func (vast) RecordShown(context.Context) ([]goal.DecidingFile, error) { return nil, nil }
func (vast) Changed(context.Context) (string, error)                  { return "", nil }
func (vast) Fingerprint(context.Context) (string, string, error) {
	return "the beginning", "the folder is vast", nil
}

// TestProgress_FolderOnlyPartlyRead_WarnsOnce: in a partly read folder, a goal that writes continues, one that does
// nothing is still stuck, and the user is warned once.
func TestProgress_FolderOnlyPartlyRead_WarnsOnce(t *testing.T) {
	const turns = 40
	for name, c := range map[string]struct {
		calls string
		exit  goal.Exit
		want  int // iterations
	}{
		"it writes":        {`write_file {"path":"a","content":"%d"}`, goal.GaveUp, turns},
		"it finds nothing": {`read_file {"path":"missing-%d"}`, goal.Stuck, 12},
	} {
		t.Run(name, func(t *testing.T) {
			n := 0
			w := newWorld(t, func(ctx context.Context, turn goal.Turn) (goal.Reply, error) {
				if n++; n == turns {
					return call(`abort_with_report {"reason":"enough","what_was_learned":"-"}`)(ctx, turn)
				}
				return call(fmt.Sprintf(c.calls, n))(ctx, turn)
			})
			w.look = vast{}
			g := w.create(nil)
			w.start(g, &event.Started{})
			row := w.end(g)
			if row.Exit != c.exit || row.Spent.Iterations != c.want {
				t.Errorf("%s after %d iterations: %q", row.Exit, row.Spent.Iterations, row.Report)
			}
			reported := 0
			w.mu.Lock()
			defer w.mu.Unlock()
			for _, e := range w.events {
				if body, ok := e.Body.(*event.Warning); ok && body.What == "progress" &&
					strings.Contains(body.Text, "the folder is vast") {
					reported++
				}
			}
			if reported != 1 {
				t.Errorf("it was reported %d times", reported)
			}
		})
	}
}
