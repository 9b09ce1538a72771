package browser

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"

	"goalpost/backend/domain/pane"
)

// visits are the pages in the user's history.
type visits struct {
	mu   sync.Mutex
	list []string
}

func (v *visits) add(_, url, _ string) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.list = append(v.list, url[strings.LastIndex(url, "/")+1:])
}

func (v *visits) all() []string {
	v.mu.Lock()
	defer v.mu.Unlock()
	return slices.Clone(v.list)
}

// TestSharedPage_AgentOrUser_OneDrives: the agent drives a shared page until the user takes it over or the
// share ends. It does not see what happened before and in between, and its navigations are not in
// the user's history.
func TestSharedPage_AgentOrUser_OneDrives(t *testing.T) {
	seen, ids := &visits{}, make(chan string, 1)
	b := newFixture(t, func(c *Config) {
		c.OnVisit = seen.add
		c.OnPopup = func(opener pane.Info, _ string) (Options, bool) { return Options{ID: <-ids}, opener.GoalID == "g1" }
	})
	p, agent, other := b.open("b1", "one.html"), b.agent("g1"), b.agent("g2")
	v := p.Attach()
	defer v.Close()
	b.eval(p, "console.log('before')")
	if err := p.Navigation.Navigate(agent, b.url("two.html")); !errors.Is(err, ErrNotLeased) {
		t.Errorf("a goal without the pane: %v", err)
	}
	b.ok(p.Share("g1"))
	b.ok(p.Share("g1"))
	if p.Share("g2") == nil || p.Share("") == nil {
		t.Error("a shared pane is shared again")
	}
	if i := p.State.Info(); i.GoalID != "g1" || !i.Shared || i.Driver != pane.DriverAgent {
		t.Errorf("%+v", i)
	}
	if err := v.Input(b.ctx, pane.Input{Kind: pane.KeyDown, Key: "x"}); !errors.Is(err, ErrAgentInControl) {
		t.Errorf("a key while the agent drives: %v", err)
	}
	if err := p.Navigation.Navigate(other, b.url("two.html")); !errors.Is(err, ErrNotLeased) {
		t.Errorf("another goal: %v", err)
	}
	b.ok(p.Navigation.Navigate(agent, b.url("dialogs.html")))
	b.eval(p, "console.log('shared'), fetch('/two.html').then(() => 1)")
	if lines, err := p.Activity.Console(); err != nil || len(lines) != 1 || !strings.Contains(lines[0], "shared") {
		t.Errorf("the console of the agent: %v %v", lines, err)
	}
	if list, err := p.Activity.Network(); err != nil || !slices.ContainsFunc(list, func(r Request) bool {
		return strings.HasSuffix(r.URL, "/two.html")
	}) {
		t.Errorf("what the page fetched: %v %v", list, err)
	}
	// A window that the page opens is shared as well, and the user takes it over with the page.
	ids <- "w1"
	has(t, b.act(p.Mouse.Click(agent, "Popup")).Changed, "it opened", "w1")
	w, ok := b.Get("w1")
	if !ok || w.State.Info().GoalID != "g1" || !w.State.Info().Shared || w.State.Driver() != pane.DriverAgent {
		t.Errorf("the window: %+v", w.State.Info())
	}
	waits := make(chan error, 1)
	go func() { _, err := p.Actions.Wait(agent, Condition{Text: "never said"}, patience); waits <- err }()
	b.until(p, "waiting", func(i pane.Info) bool { return i.Acting == "waits" })
	b.ok(p.Driver.TakeOver())
	if err := <-waits; !errors.Is(err, ErrTakenOver) {
		t.Errorf("the wait ended with %v", err)
	}
	b.eval(p, "console.log('secret')")
	if _, err := p.Activity.Console(); !errors.Is(err, ErrTakenOver) {
		t.Errorf("the console while the user drives: %v", err)
	}
	b.ok(p.Navigation.Navigate(b.ctx, b.url("form.html")))
	b.ok(p.Driver.HandBack())
	if lines, err := p.Activity.Console(); err != nil || len(lines) != 0 {
		t.Errorf("the console after handing back: %v %v", lines, err)
	}
	go func() { _, err := p.Actions.Wait(agent, Condition{Text: "never said"}, patience); waits <- err }()
	b.until(p, "waiting", func(i pane.Info) bool { return i.Acting == "waits" })
	p.EndShare()
	p.EndShare()
	if err := <-waits; !errors.Is(err, ErrNotLeased) {
		t.Errorf("the wait ended with %v", err)
	}
	if i := p.State.Info(); i.GoalID != "" || i.Shared || i.Driver != pane.DriverUser {
		t.Errorf("%+v", i)
	}
	for name, call := range map[string]func() error{
		"snapshot": func() error { _, err := p.Reader.Snapshot(agent); return err },
		"click":    func() error { _, err := p.Mouse.Click(agent, "Hover"); return err },
		"navigate": func() error { return p.Navigation.Navigate(agent, b.url("one.html")) },
		"answer":   func() error { return p.Answer(agent, pane.Answer{ID: 1}) },
	} {
		if err := call(); !errors.Is(err, ErrNotLeased) {
			t.Errorf("%s after the share: %v", name, err)
		}
	}
	if p.Driver.TakeOver() == nil || p.Driver.HandBack() == nil {
		t.Error("a pane that is the user's again was taken over or handed back")
	}
	b.ok(v.Input(b.ctx, pane.Input{Kind: pane.KeyDown, Key: "x"}))
	b.ok(p.Navigation.Navigate(b.ctx, b.url("two.html")))
	b.ok(b.CloseGoal(b.ctx, "g1"))
	if _, ok := b.Get("b1"); !ok {
		t.Error("the user's pane was closed with the goal")
	}
	b.ok(b.vacate()) // everything has been reported
	if got := strings.Join(slices.Compact(seen.all()), " "); got != "one.html form.html two.html" {
		t.Errorf("the user's history: %s", got)
	}
}

// TestVisit_DriverChangesWhileLoading_BelongsToTheNavigator: a visit belongs to the driver that navigated, and not to
// the one that drives when the page has loaded.
func TestVisit_DriverChangesWhileLoading_BelongsToTheNavigator(t *testing.T) {
	seen, rest := &visits{}, make(chan struct{})
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, ".png") {
			<-rest
			return
		}
		_, _ = fmt.Fprintf(w, "<title>Loaded %s</title><img src=%s.png>", r.URL.Path, r.URL.Path)
	}))
	t.Cleanup(site.Close)
	b := newFixture(t, func(c *Config) { c.OnVisit = seen.add })
	p, agent := b.open("b1", "one.html"), b.agent("g1")
	var under sync.WaitGroup
	comes := func(ctx context.Context, path string) {
		under.Go(func() { _ = p.Navigation.Navigate(ctx, site.URL+path) }) // the next call ends it early
		b.until(p, "there", func(i pane.Info) bool { return strings.HasSuffix(i.URL, path) })
	}
	comes(b.ctx, "/left") // by the user, who leaves before it has loaded
	comes(b.ctx, "/shared")
	b.ok(p.Share("g1"))
	comes(agent, "/agents")
	b.ok(p.Driver.TakeOver())
	close(rest)
	under.Wait()
	b.until(p, "loaded", func(i pane.Info) bool { return !i.Loading })
	b.ok(p.Navigation.Navigate(b.ctx, b.url("two.html")))
	b.ok(b.vacate()) // everything has been reported
	if got := strings.Join(slices.Compact(seen.all()), " "); got != "one.html left shared two.html" {
		t.Errorf("the user's history: %s", got)
	}
}

// TestSharedPage_AsksPermission_IsDeniedUntilShareEnds: a permission is denied as on an agent's page, and the
// user, who was not asked, is asked after the share.
func TestSharedPage_AsksPermission_IsDeniedUntilShareEnds(t *testing.T) {
	b := newFixture(t)
	p := b.open("b1", "dialogs.html")
	b.ok(p.Share("g1"))
	const state = `navigator.permissions.query({name: 'geolocation'}).then((s) => s.state)`
	const ask = `new Promise((done) => navigator.geolocation.getCurrentPosition(
		() => done('there'), (e) => done('refused ' + e.code)))`
	if got := b.eval(p, ask); got != `"refused 1"` {
		t.Errorf("the position: %s", got)
	}
	if got := b.eval(p, state); got != `"denied"` {
		t.Errorf("while shared it is %s", got)
	}
	p.EndShare()
	const changed = `new Promise(async (done) => {
		const s = await navigator.permissions.query({name: 'geolocation'});
		const f = () => s.state === 'prompt' && done(1);
		s.onchange = f;
		f();
	})`
	b.eval(p, changed)
	if got := b.eval(p, state); got != `"prompt"` {
		t.Errorf("afterwards it is %s", got)
	}
	b.eval(p, `void navigator.geolocation.getCurrentPosition(() => 1, () => 1)`)
	if q := b.question(p, pane.Permission); q.Value != "geolocation" {
		t.Errorf("the user is asked %+v", q)
	}
}

// TestPopup_OfTakenOverPage_IsTheUsers: a window that the user opens while they drive, such as one
// to sign in, is hidden from the agent until they hand it back.
func TestPopup_OfTakenOverPage_IsTheUsers(t *testing.T) {
	news := make(chan pane.Info, 1000)
	b := newFixture(t, func(c *Config) {
		c.OnPopup = func(pane.Info, string) (Options, bool) { return Options{ID: "w1"}, true }
		c.OnChange = func(i pane.Info, _ bool) { news <- i }
	})
	p, agent := leased(b, "b1", "mouse.html")
	v := p.Attach()
	defer v.Close()
	b.ok(p.Driver.TakeOver())
	b.click(v, 60, 275)
	for i := range news {
		if i.ID == "w1" && i.Running {
			break
		}
	}
	w, _ := b.Get("w1")
	b.until(w, "loaded", func(i pane.Info) bool { return i.Title == "Second" })
	if i := w.State.Info(); i.GoalID != "g1" || i.Driver != pane.DriverUser || i.Shared {
		t.Errorf("%+v", i)
	}
	if _, err := w.Reader.Snapshot(agent); !errors.Is(err, ErrTakenOver) {
		t.Errorf("the agent looks: %v", err)
	}
	b.ok(w.Driver.HandBack())
	if _, err := w.Reader.Snapshot(agent); err != nil {
		t.Errorf("after handing back: %v", err)
	}
}
