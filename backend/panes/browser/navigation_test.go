package browser

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"

	"goalpost/backend/domain/goal"
	"goalpost/backend/domain/pane"
)

// slowSite never answers, and reports each request on a channel.
func slowSite(t *testing.T) (*httptest.Server, <-chan struct{}) {
	t.Helper()
	asked := make(chan struct{}, 10)
	site := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		asked <- struct{}{}
		<-r.Context().Done()
	}))
	t.Cleanup(site.Close)
	return site, asked
}

func (fi *fixture) goes(ctx context.Context, p *Pane, address string) <-chan error {
	done := make(chan error, 1)
	go func() { done <- p.Navigation.Navigate(ctx, address) }()
	return done
}

func TestStop_BeforeLoadingBegins_EndsNavigation(t *testing.T) {
	b := newFixture(t)
	slow, asked := slowSite(t)
	p := b.open("b1", "one.html")
	b.until(p, "at rest", func(i pane.Info) bool { return !i.Loading })
	p.Navigation.attachToken <- struct{}{} // as while the page is being prepared: Chromium gets no command
	free := sync.OnceFunc(func() { <-p.Navigation.attachToken })
	defer free()
	done := b.goes(b.ctx, p, slow.URL)
	b.until(p, "loading", func(i pane.Info) bool { return i.Loading })
	b.ok(p.Navigation.Stop(b.ctx))
	b.ok(<-done)
	free()
	if info := p.State.Info(); info.Loading || info.URL != b.url("one.html") || info.Problem != "" || info.Notice != "" {
		t.Errorf("after Stop: %+v", info)
	}
	b.ok(p.Navigation.Navigate(b.ctx, b.url("two.html")))
	if len(asked) != 0 {
		t.Error("the stopped address was asked for")
	}
}

func TestStop_WhileLoading_EndsNavigation(t *testing.T) {
	b := newFixture(t)
	slow, asked := slowSite(t)
	p := b.open("b1", "one.html")
	done := b.goes(b.ctx, p, slow.URL)
	<-asked
	b.ok(p.Navigation.Stop(b.ctx))
	b.ok(<-done)
	info := b.until(p, "at rest", func(i pane.Info) bool { return !i.Loading })
	if info.URL != b.url("one.html") || info.Problem != "" || info.Notice != "" {
		t.Errorf("after Stop: %+v", info)
	}
	// A user who navigates again cancels the navigation without an error; an agent gets one.
	done = b.goes(b.ctx, p, slow.URL)
	<-asked
	ctx, cancel := context.WithTimeout(b.ctx, patience) // reached only if the page is considered to hang
	defer cancel()
	b.ok(p.Navigation.Navigate(ctx, b.url("two.html")))
	b.ok(<-done)
	if info := p.State.Info(); info.URL != b.url("two.html") || info.Title != "Two" {
		t.Errorf("after the second address: %+v", info)
	}
	agents, err := b.Open(b.ctx, Options{ID: "b2", GoalID: "g1", URL: b.url("one.html")})
	b.ok(err)
	done = b.goes(goal.WithRun(b.ctx, goal.Run{Goal: "g1"}), agents, slow.URL)
	<-asked
	b.ok(agents.Navigation.Stop(b.ctx))
	if err := <-done; !errors.Is(err, errLoadStopped) {
		t.Errorf("the agent got %v", err)
	}
}

// TestNavigate_PageHangs_LeavesIt: the pane does not know that the page hangs, because no call has timed out yet.
func TestNavigate_PageHangs_LeavesIt(t *testing.T) {
	b := newFixture(t, impatient)
	p := b.open("b1", "one.html")
	b.eval(p, hangScript+"setTimeout(() => { navigator.sendBeacon('/signal/hangs'); hang(); })")
	b.awaitSignal("hangs")
	b.ok(p.Navigation.Navigate(b.ctx, b.url("two.html")))
	b.until(p, "at two", func(i pane.Info) bool { return i.Title == "Two" && !i.Loading })
}

// TestInput_DuringNavigation_ReachesNextDocument clicks and types at the moment when a document replaces another
// one.
func TestInput_DuringNavigation_ReachesNextDocument(t *testing.T) {
	b := newFixture(t)
	const count = "<script>n=0;addEventListener('mousedown',()=>n++);addEventListener('keydown',()=>n+=10)</script>"
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body := "<body style='background:red'>hello"
		if r.URL.Path == "/nothing" {
			body = ""
		}
		_, _ = fmt.Fprint(w, "<title>Counts</title>", count, body)
	}))
	defer site.Close()
	p := b.open("b1", site.URL)
	v := p.Attach()
	defer v.Close()
	for round := range *rounds {
		address := site.URL
		if round%4 == 3 { // this one never has a frame
			address += "/nothing"
		}
		moves := 0
		p.State.change(func() { moves = p.State.load.moves })
		done := b.goes(b.ctx, p, address)
		b.ok(p.State.wait(b.ctx, func() bool { return p.State.load.moves > moves }))
		b.click(v, 50, 50)
		b.tap(v, "a", "KeyA", 0)
		b.ok(<-done)
		b.value(p, "n", `"11"`)
	}
}
