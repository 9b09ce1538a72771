package app_test

import (
	"bytes"
	"context"
	"strings"
	"testing"

	"github.com/coder/websocket"

	"goalpost/backend/agent/model/modeltest"
	"goalpost/backend/domain/event"
	"goalpost/backend/domain/goal"
	"goalpost/backend/domain/pane"
	"goalpost/backend/goals/api"
	"goalpost/backend/goals/calls"
	"goalpost/backend/lib/fault"
	"goalpost/backend/panes/stream"
)

// watch connects to the stream of a pane, as the window's page does.
func (p *program) watch(path string) *websocket.Conn {
	p.Helper()
	s := p.app.Stream()
	ws, _, err := websocket.Dial(p.Context(), s.URL()+path, &websocket.DialOptions{ //nolint:bodyclose // Dial closes it
		Subprotocols: []string{stream.Protocol, "token." + s.Token()},
		HTTPHeader:   map[string][]string{"Origin": {"wails://wails"}},
	})
	if err != nil {
		p.Fatal(err)
	}
	ws.SetReadLimit(64 << 20)
	p.Cleanup(func() { _ = ws.CloseNow() })
	return ws
}

// until reads messages until one of them fits.
func (p *program) until(ws *websocket.Conn, what string, fits func(websocket.MessageType, []byte) bool) {
	p.Helper()
	ctx, cancel := context.WithTimeout(p.Context(), late)
	defer cancel()
	for {
		kind, data, err := ws.Read(ctx)
		if err != nil {
			p.Fatalf("%s: %v", what, err)
		}
		if fits(kind, data) {
			return
		}
	}
}

func paneEvent(id string, closed bool) func(event.Event) bool {
	return func(e event.Event) bool {
		b, ok := e.Body.(*event.Pane)
		return ok && strings.HasPrefix(b.Pane.ID, id) && b.Closed == closed
	}
}

// TestPanes_OfAnotherProcess_AreShownReadOnly: output and frames are live, the user's own panes stay private, and other
// processes can only watch.
func TestPanes_OfAnotherProcess_AreShownReadOnly(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	owner, other := start(t, home), start(t, home)
	if _, err := area[*calls.TerminalAPI](t, owner.app).Open(api.ArgsOpenTerminal{Dir: home}); err != nil { // t1
		t.Fatal(err)
	}
	hold := make(chan struct{})
	defer close(hold)
	owner.provide(turns(
		call("terminal_open", `{"title":"work"}`),
		call("terminal_run", `{"pane":"t2","command":"echo seen-$((40+2))"}`),
		call("browser_open", `{"url":"about:blank"}`),
		modeltest.Answer{Wait: hold},
	))
	out, err := owner.goal.Start(goal.Request{
		Objective: "show",
		Criterion: goal.Criterion{Checks: shell("test -f never")},
		Options:   goal.Options{CriticEvery: goal.NoLimit},
	})
	if err != nil {
		t.Fatal(err)
	}
	shown := map[pane.Kind]pane.Info{}
	for len(shown) < 2 {
		e := other.await("a pane of the other process", func(e event.Event) bool {
			b, ok := e.Body.(*event.Pane)
			return ok && strings.Contains(b.Pane.ID, "@")
		})
		if b, ok := e.Body.(*event.Pane); ok {
			if b.Pane.GoalID != out.GoalID {
				t.Fatalf("a pane of nobody's goal: %+v", b.Pane)
			}
			shown[b.Pane.Kind] = b.Pane
		}
	}
	if v, err := other.goal.Get(out.GoalID); err != nil || !v.InOtherProcess || v.PID == 0 || len(v.Panes) != 2 {
		t.Errorf("the goal: %+v %v", v, err)
	}
	if v, err := owner.goal.Get(out.GoalID); err != nil || v.InOtherProcess || v.PID == 0 {
		t.Errorf("the goal where it runs: %+v %v", v, err)
	}

	term := other.watch("/v1/terminal/" + shown[pane.Terminal].ID)
	var printed []byte
	other.until(term, "what the agent ran", func(kind websocket.MessageType, data []byte) bool {
		if kind == websocket.MessageBinary {
			printed = append(printed, data[8:]...)
		}
		return bytes.Contains(printed, []byte("seen-42"))
	})
	if err := term.Write(t.Context(), websocket.MessageText, []byte(`{"t":"in","d":"touch stolen\n"}`)); err != nil {
		t.Fatal(err)
	}
	other.until(term, "the refusal", func(kind websocket.MessageType, data []byte) bool {
		return kind == websocket.MessageText && bytes.Contains(data, []byte("read-only here"))
	})

	page := other.watch("/v1/browser/" + shown[pane.Browser].ID)
	if err := page.Write(t.Context(), websocket.MessageText, []byte(`{"t":"visible","on":true}`)); err != nil {
		t.Fatal(err)
	}
	other.until(page, "a frame", func(kind websocket.MessageType, data []byte) bool {
		return kind == websocket.MessageBinary && len(data) > 8+100 && bytes.HasPrefix(data[8:], []byte{0xff, 0xd8})
	})
	if _, err := area[*calls.BrowserAPI](t, other.app).TakeOver(shown[pane.Browser].ID); err == nil ||
		api.ToProblem(err).Code != fault.Conflict {
		t.Errorf("a pane of another process was taken over: %v", err)
	}

	mine := other.watch("/v1/terminal/t1@" + strings.SplitN(shown[pane.Terminal].ID, "@", 2)[1])
	if _, _, err := mine.Read(t.Context()); websocket.CloseStatus(err) != stream.CloseNotFound {
		t.Errorf("the user's own terminal: %v", err)
	}
	nobody := other.watch("/v1/terminal/t1@..%2F1")
	if _, _, err := nobody.Read(t.Context()); websocket.CloseStatus(err) != stream.CloseNotFound {
		t.Errorf("a process that is none: %v", err)
	}

	if _, err := owner.goal.Abort(out.GoalID); err != nil {
		t.Fatal(err)
	}
	other.await("the page is closed here too", paneEvent("b1@", true))
	for err := error(nil); err == nil; { // and says so to its viewers
		_, _, err = page.Read(t.Context())
	}
}
