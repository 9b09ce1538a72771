package browser

import (
	"errors"
	"strings"
	"testing"

	"goalpost/backend/domain/pane"
)

// TestEndDrive_GoalNotRunning_UserMayAct: the user acts on the page without taking it over, also
// in a window that it opens. With the next run the agent drives again; its result says so, but
// not what the user did.
func TestEndDrive_GoalNotRunning_UserMayAct(t *testing.T) {
	b := newFixture(t, func(c *Config) {
		c.OnPopup = func(pane.Info, string) (Options, bool) { return Options{ID: "w1"}, true }
	})
	p, agent := leased(b, "b1", "mouse.html")
	v := p.Attach()
	defer v.Close()
	key := pane.Input{Kind: pane.KeyDown, Key: "x"}
	b.eval(p, "console.log('before')")
	p.Driver.EndDrive()
	p.Driver.EndDrive()
	if i := p.State.Info(); i.GoalID != "g1" || i.Driver != pane.Nobody || i.Acting != "" {
		t.Errorf("without a run: %+v", i)
	}
	b.ok(v.Input(b.ctx, key))
	b.ok(p.Navigation.Navigate(b.ctx, b.url("dialogs.html")))
	b.eval(p, "console.log('while taken over')")
	b.act(p.Mouse.Click(b.ctx, "Popup"))
	w, ok := b.Get("w1")
	if !ok || w.State.Info().GoalID != "g1" || w.State.Driver() != pane.Nobody {
		t.Errorf("the window: %+v", w.State.Info())
	}

	// After a take-over the agent waits as usual.
	b.ok(w.Driver.TakeOver())
	w.Driver.BeginDrive()
	if w.State.Driver() != pane.DriverUser {
		t.Errorf("a window that was taken over is driven by %q", w.State.Driver())
	}
	w.Driver.EndDrive()
	b.ok(w.Driver.HandBack())
	if w.State.Driver() != pane.Nobody {
		t.Errorf("handed back without a run it is driven by %q", w.State.Driver())
	}

	p.Driver.BeginDrive()
	p.Driver.BeginDrive()
	if p.State.Driver() != pane.DriverAgent {
		t.Errorf("with a run %q drives", p.State.Driver())
	}
	if err := v.Input(b.ctx, key); !errors.Is(err, ErrAgentInControl) {
		t.Errorf("a key while the agent drives: %v", err)
	}
	lines, err := p.Activity.Console()
	b.ok(err)
	if said := strings.Join(lines, "\n"); !strings.Contains(said, "before") || strings.Contains(said, "while taken over") {
		t.Errorf("the agent got the console: %q", said)
	}
	b.ok(p.Navigation.Navigate(agent, b.url("fields.html")))
	has(t, b.act(p.Mouse.Hover(agent, "Hover")).Changed, "the user could use the pane")

	mine := b.open("b2", "one.html")
	mine.Driver.EndDrive()
	mine.Driver.BeginDrive()
	if mine.State.Driver() != pane.DriverUser {
		t.Errorf("the user's own pane is driven by %q", mine.State.Driver())
	}
}
