package browser

import (
	"context"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync/atomic"
	"testing"

	"github.com/go-rod/rod/lib/proto"

	"goalpost/backend/domain/process"
	"goalpost/backend/panes/browser/internal/cdp"
)

// watching records the arguments of started programs.
type watching struct {
	execLauncher
	argv chan []string
}

func (w watching) Start(ctx context.Context, c process.Command) (process.Process, error) {
	w.argv <- c.Argv
	return w.execLauncher.Start(ctx, c)
}

// TestGoalsChromium_OwnRequests_AreDenied: requests outside of the goals' pages go to the deny-all proxy, which logs
// them; the pages of a goal without a sandbox use the network of the goal's programs.
func TestGoalsChromium_OwnRequests_AreDenied(t *testing.T) {
	var refused atomic.Int32
	unused := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		refused.Add(1)
		http.Error(w, r.Host, http.StatusForbidden)
	}))
	t.Cleanup(unused.Close)
	blocked := httptest.NewServer(http.NotFoundHandler())
	t.Cleanup(blocked.Close)
	started := make(chan []string, 1)
	b := newOwnFixture(t, func(c *Config) {
		c.Launcher, c.DenyAllProxy = watching{argv: started}, unused.URL
		c.ContextProxy = func(id string) string { return map[string]string{"sandboxed": blocked.URL}[id] }
	})
	var asked atomic.Int32
	here := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { asked.Add(1) }))
	t.Cleanup(here.Close)

	_, err := b.Open(b.ctx, Options{ID: "w", GoalID: "sandboxed", URL: here.URL})
	b.ok(err)
	argv := <-started
	for _, flag := range []string{"--proxy-server=" + unused.URL, "--proxy-bypass-list=<-loopback>"} {
		if !slices.Contains(argv, flag) {
			t.Errorf("Chromium is started without %s", flag)
		}
	}
	beside(b, here.URL)
	if refused.Load() == 0 {
		t.Error("what Chromium fetched outside of the pages was not logged")
	}
	if n := asked.Load(); n != 0 {
		t.Errorf("%d requests came out", n)
	}
	p, err := b.Open(b.ctx, Options{ID: "u", GoalID: "unconfined", URL: here.URL})
	b.ok(err)
	if asked.Load() == 0 {
		t.Errorf("the page of a goal without a sandbox is not loaded: %s", p.State.Info().Problem)
	}
}

// beside opens an address in the goals' Chromium outside of all contexts, and waits until it has
// loaded or failed.
func beside(b *fixture, address string) {
	b.Helper()
	b.mu.Lock()
	e := b.processes[goalProcess]
	b.mu.Unlock()
	b.ok(e.Do(b.ctx, e.Alive, "", patience, "a page beside", func(c proto.Client) error {
		made, err := cdp.Call(c, proto.TargetCreateTarget{URL: "about:blank", NewWindow: true})
		if err != nil {
			return err
		}
		attached, err := cdp.Call(c, proto.TargetAttachToTarget{TargetID: made.TargetID, Flatten: true})
		if err != nil {
			return err
		}
		return e.Do(b.ctx, e.Alive, attached.SessionID, patience, "going there", func(c proto.Client) error {
			_, err := cdp.Call(c, proto.PageNavigate{URL: address})
			return err
		})
	}))
}
