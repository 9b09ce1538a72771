package app_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"goalpost/backend/agent/model/modeltest"
	"goalpost/backend/domain/event"
	"goalpost/backend/domain/goal"
	"goalpost/backend/domain/pane"
	"goalpost/backend/domain/policy"
	"goalpost/backend/goals/api"
	"goalpost/backend/goals/calls"
	"goalpost/backend/host/sandbox/egress"
	"goalpost/backend/lib/waittest"
)

// asked waits for an approval.
func (p *program) asked() *event.ApprovalRequested {
	p.Helper()
	e := p.await("the question", func(e event.Event) bool { _, ok := e.Body.(*event.ApprovalRequested); return ok })
	return e.Body.(*event.ApprovalRequested)
}

func (p *program) say(id string, asked *event.ApprovalRequested, allow bool, scope policy.Scope) {
	p.Helper()
	if _, err := p.app.ApprovalAPI(context.Background()).Answer([]calls.AnswerInput{{
		GoalID:  id,
		Request: asked.ID,
		Allow:   allow,
		Scope:   scope,
		Why:     "no",
	}}); err != nil {
		p.Fatal(err)
	}
}

// lease waits until an event reports that the goal holds a pane.
func (p *program) lease(id string) *event.Lease {
	p.Helper()
	e := p.await("the lease of "+id, func(e event.Event) bool {
		l, ok := e.Body.(*event.Lease)
		return ok && l.Pane == id && l.Held
	})
	return e.Body.(*event.Lease)
}

// back waits until a pane belongs to the user again.
func (p *program) back(id string) {
	p.Helper()
	p.await("the return of "+id, func(e event.Event) bool {
		b, ok := e.Body.(*event.Pane)
		return ok && b.Pane.ID == id && b.Pane.GoalID == "" && !b.Pane.Shared
	})
}

// TestSharedTerminal_AsksTheUser: commands in a shared terminal run as the user, so each needs approval, at every risk
// level. An approval for the pane does not cover deletions, because it is unknown which machine they affect.
func TestSharedTerminal_AsksTheUser(t *testing.T) {
	t.Parallel()
	p := start(t, t.TempDir())
	own, err := p.terminals().Open(api.ArgsOpenTerminal{Dir: t.TempDir(), Cols: 80, Rows: 24})
	if err != nil {
		t.Fatal(err)
	}
	typing := func(line string) map[string]any { return map[string]any{"pane": own.ID, "command": line} }
	p.provide(turns(
		args("terminal_run", typing("touch denied-1")),
		args("terminal_run", typing("echo shared-$((6*7))")),
		args("terminal_type", map[string]any{"pane": own.ID, "text": "echo again-$((6*7))"}),
		args("terminal_run", typing("rm -rf build")),
		call("abort_with_report", `{"reason":"enough","what_was_learned":"-"}`),
	))
	out, err := p.goal.Start(goal.Request{
		Objective: "use it",
		Policy:    policy.Policy{Risk: policy.ReadOnly},
		Criterion: goal.Criterion{Checks: shell("test -f never")},
		Options:   goal.Options{Panes: []string{own.ID}, CriticEvery: goal.NoLimit},
	})
	if err != nil {
		t.Fatal(err)
	}
	if l := p.lease(own.ID); !l.Held || !l.Shared || l.Kind != pane.Terminal {
		t.Errorf("%+v", l)
	}
	for i, want := range []struct {
		line  string
		allow bool
		scope policy.Scope
	}{{"touch denied-1", false, ""}, {"echo shared", true, policy.ScopePane}, {"rm -rf build", false, ""}} {
		asked := p.asked()
		if !strings.Contains(asked.Arguments, want.line) || asked.Effect.Pane != own.ID ||
			asked.Effect.Risk != policy.NetworkWrite {
			t.Fatalf("question %d: %+v", i+1, asked)
		}
		offered := slices.ContainsFunc(asked.Offers, func(g policy.Grant) bool { return g.Scope == policy.ScopePane })
		if offered != (want.line != "rm -rf build") {
			t.Errorf("question %d offers %+v", i+1, asked.Offers)
		}
		p.say(out.GoalID, asked, want.allow, want.scope)
	}
	if e, ok := p.ended(out.GoalID).Body.(*event.Ended); !ok || e.Exit != goal.GaveUp {
		t.Fatalf("%+v", e)
	}
	p.back(own.ID)
	for n, want := range []string{"denied", "shared-42", "typed", "denied"} {
		if s, err := p.goal.Step(out.GoalID, n+1); err != nil || !strings.Contains(s.Result+string(s.Outcome), want) {
			t.Errorf("step %d: %s %q, %v", n+1, s.Outcome, s.Result, err)
		}
	}
}

// ownSite is a server of the user on this machine's loopback. Its pages fetch something from the server's other name,
// localhost, and open a WebSocket there.
type ownSite struct {
	*httptest.Server
	mu   sync.Mutex
	seen []string
	news chan struct{} // closed and replaced at each request
}

func newOwnSite(t *testing.T) *ownSite {
	s := &ownSite{news: make(chan struct{})}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.mu.Lock()
		s.seen = append(s.seen, r.Method+" "+r.URL.Path)
		close(s.news)
		s.news = make(chan struct{})
		s.mu.Unlock()
		if strings.HasPrefix(r.URL.Path, "/there/") {
			return
		}
		w.Header().Set("Content-Type", "text/html")
		there := strings.TrimPrefix(strings.Replace(s.URL, "127.0.0.1", "localhost", 1), "http://") + "/there"
		_, _ = fmt.Fprintf(w, `<!doctype html><title>Mine %[1]s</title><h1>Mine</h1><a href="/next">Next</a>
<script>fetch("http://%[2]s/fetch%[1]s", {mode: "no-cors"}).catch(() => {});
new WebSocket("ws://%[2]s/socket%[1]s")</script>`, r.URL.Path, there)
	}))
	t.Cleanup(s.Close)
	return s
}

// sees waits until a request has arrived.
func (o *ownSite) sees(t *testing.T, what string) {
	t.Helper()
	over := time.After(late)
	for {
		o.mu.Lock()
		there, news := slices.Contains(o.seen, what), o.news
		o.mu.Unlock()
		if there {
			return
		}
		select {
		case <-news:
		case <-over:
			t.Fatalf("%s never came; what came: %v", what, o.seen)
		}
	}
}

func (o *ownSite) saw(what string) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	return slices.Contains(o.seen, what)
}

// TestSharePane_Page_NeedsApproval: a shared page has the user's network and logins, so everything except looking needs
// approval. Either the user or the agent drives. Hosts that are denied to the goal are denied to the page too. The page
// is the user's again when the goal has ended.
func TestSharePane_Page_NeedsApproval(t *testing.T) {
	t.Parallel()
	p, mine := start(t, t.TempDir()), newOwnSite(t)
	browsers := area[*calls.BrowserAPI](t, p.app)
	own, err := browsers.Open(api.ArgsOpenBrowser{URL: mine.URL + "/own", Profile: "temporary"})
	if err != nil {
		t.Skipf("needs Chromium: %v", err)
	}
	mine.sees(t, "GET /there/fetch/own")
	mine.sees(t, "GET /there/socket/own")
	p.provide(turns(
		args("browser_snapshot", map[string]any{"pane": own.ID}),
		args("browser_eval", map[string]any{"pane": own.ID, "script": "fetch('/sent', {method: 'POST'}).then(() => 1)"}),
		args("browser_open", map[string]any{"pane": own.ID, "url": mine.URL + "/other"}),
		args("browser_click", map[string]any{"pane": own.ID, "target": "Next"}),
		args("browser_wait", map[string]any{"pane": own.ID, "text": "never said by it", "seconds": 110}),
		args("browser_snapshot", map[string]any{"pane": own.ID}),
		args("close_pane", map[string]any{"pane": own.ID}),
		call("abort_with_report", `{"reason":"enough","what_was_learned":"-"}`),
	))
	out, err := p.goal.Start(goal.Request{
		Objective: "use it",
		Criterion: goal.Criterion{Checks: shell("test -f never")},
		Options:   goal.Options{Panes: []string{own.ID}, CriticEvery: goal.NoLimit},
		Policy:    policy.Policy{DenyHosts: []string{"localhost"}},
	})
	if err != nil {
		t.Fatal(err)
	}
	if l := p.lease(own.ID); !l.Held || !l.Shared || l.Kind != pane.Browser {
		t.Errorf("%+v", l)
	}
	if _, err := browsers.Navigate(own.ID, mine.URL+"/user"); err == nil || mine.saw("GET /user") {
		t.Errorf("the user goes elsewhere while the agent drives: %v", err)
	}
	p.refused(goal.Request{
		Objective: "another",
		Criterion: goal.Criterion{Checks: shell("test -f never")},
		Options:   goal.Options{Panes: []string{own.ID}},
	}, "panes")
	first := p.asked()
	if first.Effect.Pane != own.ID || first.Effect.Risk != policy.NetworkWrite ||
		!strings.Contains(first.Why, "your own pane "+own.ID) {
		t.Errorf("%+v", first)
	}
	p.say(out.GoalID, first, false, "")
	second := p.asked()
	if mine.saw("POST /sent") || mine.saw("GET /other") {
		t.Error("done before it was allowed")
	}
	p.say(out.GoalID, second, true, policy.ScopePane) // the click needs no approval of its own
	p.await("the wait", func(e event.Event) bool {
		s, ok := e.Body.(*event.StepStarted)
		return ok && s.Tool == "browser_wait"
	})
	if !mine.saw("GET /other") || !mine.saw("GET /next") {
		t.Errorf("what was allowed was not done: %v", mine.seen)
	}
	if done, err := browsers.TakeOver(own.ID); !done || err != nil {
		t.Fatal(err)
	}
	if e, ok := p.ended(out.GoalID).Body.(*event.Paused); !ok || e.Exit != goal.PausedByUser {
		t.Fatalf("%+v", e)
	}
	<-p.app.Done(goal.ID(out.GoalID))
	if done, err := browsers.Navigate(own.ID, mine.URL+"/user"); !done || err != nil {
		t.Error(err)
	}
	if done, err := browsers.HandBack(own.ID); !done || err != nil {
		t.Fatal(err)
	}
	if e, ok := p.ended(out.GoalID).Body.(*event.Ended); !ok || e.Exit != goal.GaveUp {
		t.Fatalf("%+v", e)
	}
	p.back(own.ID)
	if s, err := p.goal.Step(out.GoalID, 6); err != nil || !strings.Contains(s.Result, "Mine /user") {
		t.Errorf("after the hand-back: %q %v", s.Result, err)
	}
	if s, err := p.goal.Step(out.GoalID, 7); err != nil || !strings.Contains(s.Result, "it stays") {
		t.Errorf("closing it: %q %v", s.Result, err)
	}
	if done, err := browsers.Navigate(own.ID, mine.URL+"/free"); !done || err != nil || !mine.saw("GET /free") {
		t.Error("the pane is not the user's again", err)
	}
	mine.sees(t, "GET /there/fetch/free")
	mine.sees(t, "GET /there/socket/free")
	for _, path := range []string{"/other", "/next", "/user"} {
		if mine.saw("GET /there/fetch"+path) || mine.saw("GET /there/socket"+path) {
			t.Errorf("a host that is denied to the goal was reached by %s of the page that was shared with it", path)
		}
	}
	seen, err := p.goal.Network(out.GoalID)
	must(t, err)
	if !slices.ContainsFunc(seen.Hosts, func(h api.NetworkHost) bool {
		return strings.HasPrefix(h.Host, "localhost") && !h.Allowed && slices.Contains(h.Methods, "GET") &&
			slices.Contains(h.Methods, egress.WebSocket)
	}) {
		t.Errorf("what was refused does not stand in the log: %+v", seen.Hosts)
	}
}

// TestSharedPage_GoalPauses_IsGivenBack: a pause of the goal ends the share, unless the user has taken over the page.
// An abort ends it even then.
func TestSharedPage_GoalPauses_IsGivenBack(t *testing.T) {
	t.Parallel()
	p, mine := start(t, t.TempDir()), newOwnSite(t)
	browsers := area[*calls.BrowserAPI](t, p.app)
	own, err := browsers.Open(api.ArgsOpenBrowser{URL: mine.URL + "/own", Profile: "temporary"})
	if err != nil {
		t.Skipf("needs Chromium: %v", err)
	}
	waits := args("wait", map[string]any{"seconds": 110})
	p.provide(turns(waits, waits, waits))
	out, err := p.goal.Start(goal.Request{
		Objective: "use it",
		Criterion: goal.Criterion{Checks: shell("test -f never")},
		Options:   goal.Options{Panes: []string{own.ID}, CriticEvery: goal.NoLimit},
	})
	if err != nil {
		t.Fatal(err)
	}
	waiting := func() {
		p.await("the wait", func(e event.Event) bool { s, ok := e.Body.(*event.StepStarted); return ok && s.Tool == "wait" })
	}
	waiting()
	p.do("pause", p.goal.Pause, out.GoalID)
	p.back(own.ID)
	if done, err := browsers.Navigate(own.ID, mine.URL+"/free"); !done || err != nil {
		t.Error(err)
	}
	<-p.app.Done(goal.ID(out.GoalID))
	p.do("resume", p.resume, out.GoalID)
	waiting()
	if done, err := browsers.TakeOver(own.ID); !done || err != nil {
		t.Fatal(err)
	}
	<-p.app.Done(goal.ID(out.GoalID))
	p.do("abort", p.goal.Abort, out.GoalID)
	p.back(own.ID)
}

// TestSignInWindow_UserSignsIn: a window that a goal's page opens is journaled and recorded. The agent asks the user to
// act in that pane, and handing the pane back is the answer.
func TestSignInWindow_UserSignsIn(t *testing.T) {
	t.Parallel()
	p := start(t, t.TempDir())
	browsers := area[*calls.BrowserAPI](t, p.app)
	var reported string
	ids := make(chan string, 1)
	var film calls.RecordingView
	p.provide(func(n int, r modeltest.Request) modeltest.Answer {
		steps := []modeltest.Answer{
			args("browser_open", map[string]any{"url": "about:blank"}),
			args("browser_eval", map[string]any{
				"pane":   "b1",
				"script": "document.body.innerHTML = '<button onclick=\"window.open(`about:blank`)\">Sign in</button>'",
			}),
			args("browser_click", map[string]any{"pane": "b1", "target": "Sign in"}),
			args("browser_eval", map[string]any{"pane": "b2", "script": "document.body.textContent = 'Who are you?'"}),
			args("ask_user", map[string]any{"question": "log in", "pane": "b9"}),
			args("ask_user", map[string]any{"question": "log in", "pane": "b1"}),
			call("abort_with_report", `{"reason":"enough","what_was_learned":"-"}`),
		}
		switch n {
		case 4:
			film = p.filmed(<-ids, "b2")
		case 6:
			reported = r.Last().Text
		}
		return steps[min(n, len(steps)-1)]
	})
	out, err := p.goal.Start(goal.Request{
		Objective: "log in",
		Criterion: goal.Criterion{Checks: shell("test -f never")},
		Options:   goal.Options{CriticEvery: goal.NoLimit},
	})
	if err != nil {
		t.Fatal(err)
	}
	id := out.GoalID
	ids <- id
	if l := p.lease("b2"); !l.Held || l.Shared || l.Kind != pane.Browser {
		t.Errorf("%+v", l)
	}
	e, ok := p.ended(id).Body.(*event.Paused)
	if !ok || e.Exit != goal.NeedsUser || e.Pane != "b1" {
		t.Fatalf("%+v", e)
	}
	if len(film.Panes) != 2 {
		t.Errorf("filmed: %+v", film)
	}
	<-p.app.Done(goal.ID(id))
	if v, err := p.goal.Get(id); err != nil || v.AskedPane != "b1" {
		t.Errorf("the pane that it asks about is %q, %v", v.AskedPane, err)
	}
	if s, err := p.goal.Step(id, 5); err != nil || !strings.Contains(s.Result, `no pane "b9"`) {
		t.Errorf("a pane that is not the goal's: %q %v", s.Result, err)
	}
	if done, err := browsers.TakeOver("b1"); !done || err != nil {
		t.Fatal(err)
	}
	if done, err := browsers.HandBack("b1"); !done || err != nil {
		t.Fatal(err)
	}
	if e, ok := p.ended(id).Body.(*event.Ended); !ok || e.Exit != goal.GaveUp {
		t.Fatalf("%+v", e)
	}
	if !strings.Contains(reported, "done what you asked for in pane b1") {
		t.Errorf("the agent received %q", reported)
	}
	if v, err := p.goal.Get(id); err != nil || v.AskedPane != "" {
		t.Errorf("afterwards it is %q, %v", v.AskedPane, err)
	}
}

// filmed waits until a pane has been recorded, and returns the recording.
func (p *program) filmed(id, name string) (v calls.RecordingView) {
	p.Helper()
	waittest.Until(p.T, "a recording of "+name, func() bool {
		v, _ = p.goal.Recording(id) // an error means that there is no recording yet
		return slices.ContainsFunc(v.Panes, func(r calls.RecordedPane) bool { return r.Pane == name })
	})
	return v
}

// TestTakeOver_PageCloses_IsHandedBack: a sign-in window that the user has taken over counts as handed back when it
// closes itself. The goal continues, unless the user has taken over another of its pages.
func TestTakeOver_PageCloses_IsHandedBack(t *testing.T) {
	t.Parallel()
	p := start(t, t.TempDir())
	browsers := area[*calls.BrowserAPI](t, p.app)
	hold := make(chan struct{})
	var reported string
	p.provide(func(n int, r modeltest.Request) modeltest.Answer {
		steps := []modeltest.Answer{
			args("browser_open", map[string]any{"url": "about:blank"}),
			args("browser_eval", map[string]any{
				"pane":   "b1",
				"script": "document.body.innerHTML = '<button onclick=\"w = window.open(`about:blank`)\">Sign in</button>'",
			}),
			args("browser_click", map[string]any{"pane": "b1", "target": "Sign in"}),
			{Text: "thinking", Wait: hold, Calls: []goal.Call{{Tool: "list_files", Arguments: "{}"}}},
			call("abort_with_report", `{"reason":"enough","what_was_learned":"-"}`),
		}
		for _, m := range r.Messages {
			if strings.Contains(m.Text, "I had taken pane") {
				reported = m.Text
				return steps[4]
			}
		}
		return steps[min(n, 3)]
	})
	out, err := p.goal.Start(goal.Request{
		Objective: "log in",
		Criterion: goal.Criterion{Checks: shell("test -f never")},
		Options:   goal.Options{CriticEvery: goal.NoLimit},
	})
	if err != nil {
		t.Fatal(err)
	}
	p.lease("b2")
	for _, name := range []string{"b1", "b2"} {
		if done, err := browsers.TakeOver(name); !done || err != nil {
			t.Fatal(err)
		}
	}
	close(hold)
	if e, ok := p.ended(out.GoalID).Body.(*event.Paused); !ok || e.Exit != goal.PausedByUser {
		t.Fatalf("%+v", e)
	}
	if done, err := browsers.HandBack("b1"); !done || err != nil {
		t.Fatal(err)
	}
	if v, err := p.goal.Get(out.GoalID); err != nil || v.Status != goal.Paused {
		t.Fatalf("with one page handed back it is %s, %v", v.Status, err)
	}
	if done, err := browsers.Close("b2"); !done || err != nil {
		t.Fatal(err)
	}
	if e, ok := p.ended(out.GoalID).Body.(*event.Ended); !ok || e.Exit != goal.GaveUp {
		t.Fatalf("%+v", e)
	}
	if !strings.Contains(reported, "pane b2 over and it is closed now") {
		t.Errorf("the agent received %q", reported)
	}
}
