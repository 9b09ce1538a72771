package browser

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/go-rod/rod/lib/proto"
	"go.uber.org/goleak"

	"goalpost/backend/panes/browser/internal/cdp"
)

// sharedBrowser is the manager of every test that needs none of its own, because starting Chromium
// takes longer than most tests. Tests use it one after the other, and each leaves it empty.
var sharedBrowser struct {
	*Manager
	dir string
}

func TestMain(m *testing.M) { goleak.VerifyTestMain(tests{m}) }

// tests runs the tests and then closes what they shared.
type tests struct{ *testing.M }

func (t tests) Run() int {
	code := t.M.Run()
	if err := demolish(); err != nil {
		fmt.Fprintln(os.Stderr, "closing what the tests shared:", err)
		return max(code, 1)
	}
	return code
}

// impatient has the default limits, for a test that has to exceed them.
func impatient(c *Config) { c.limits = defaultLimits() }

// shared returns the manager that tests share, and its folder.
func shared(t testing.TB) (*Manager, string) {
	t.Helper()
	if sharedBrowser.Manager == nil {
		dir, err := os.MkdirTemp("", "goalpost-browser-")
		if err != nil {
			t.Fatal(err)
		}
		sharedBrowser.dir = dir
		sharedBrowser.Manager = New(testConfig(filepath.Join(dir, "b")))
	}
	return sharedBrowser.Manager, sharedBrowser.dir
}

// demolish closes the manager that tests share, if there is one.
func demolish() error {
	if sharedBrowser.Manager == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	err := errors.Join(sharedBrowser.Close(ctx), ended(sharedBrowser.dir), os.RemoveAll(sharedBrowser.dir))
	sharedBrowser.Manager = nil
	return err
}

// configure gives the manager that tests share another configuration, while it has no panes.
func (fi *fixture) configure(cfg Config) {
	fi.news.close() // reports what happened under the last one
	fi.mu.Lock()    // Chromium's events come on another goroutine, which locks it first
	defer fi.mu.Unlock()
	fi.cfg, fi.limits = cfg, cfg.limits
	fi.news = newChangeNotifier(cfg.OnChange, cfg.OnVisit)
}

// vacate closes what a test opened, reports it to the test, and deletes the data that it left in
// Chromium.
func (fi *fixture) vacate() error {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	var err error
	for _, info := range fi.List() {
		err = errors.Join(err, fi.ClosePane(ctx, info.ID))
	}
	fi.mu.Lock()
	userPane, goals := fi.processes[temporaryProcess], fi.processes[goalProcess]
	fi.mu.Unlock()
	if goals != nil {
		goals.mu.Lock()
		var ids []string
		for id := range goals.contexts {
			ids = append(ids, id)
		}
		goals.mu.Unlock()
		for _, id := range ids {
			err = errors.Join(err, goals.disposeContext(ctx, id))
		}
	}
	if userPane != nil {
		userPane.mu.Lock()
		delete(userPane.contexts, "") // so that the next test's folder of downloads is set
		userPane.mu.Unlock()
		err = errors.Join(err,
			userPane.Do(ctx, userPane.Alive, "", userPane.m.limits.call, "forgetting the cookies", func(c proto.Client) error {
				return cdp.CallNoResult(c, proto.StorageClearCookies{})
			}))
	}
	for _, e := range []*browserProcess{userPane, goals} {
		if e != nil {
			e.DrainEvents()
		}
	}
	fi.configure(testConfig(fi.cfg.Dir))
	return err
}
