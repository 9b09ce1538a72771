package browser

import (
	"context"
	"errors"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/go-rod/rod/lib/proto"

	"goalpost/backend/domain/pane"
)

func TestReload_AfterCrash_RestoresPage(t *testing.T) {
	b := newFixture(t)
	p := b.open("b1", "colour.html")
	other := b.open("b2", "one.html")
	v := p.Attach()
	defer v.Close()
	b.frameOf(v, red)
	pg, err := p.State.currentPage()
	b.ok(err)
	hanging := make(chan error, 1)
	go func() { _, err := evaluate(b.ctx, pg, 0, "new Promise(() => {})"); hanging <- err }()
	pg.Post(proto.PageCrash{})
	info := b.until(p, "crashed", func(i pane.Info) bool { return i.Problem == faultCrashed })
	if info.Running {
		t.Error("a crashed page runs")
	}
	if err := <-hanging; !errors.Is(err, ErrCrashed) {
		t.Errorf("the pending call: %v", err)
	}
	if _, err := p.Reader.Snapshot(b.ctx); !errors.Is(err, ErrCrashed) {
		t.Errorf("snapshot: %v", err)
	}
	if err := v.Input(b.ctx, pane.Input{Kind: pane.MouseMove}); !errors.Is(err, ErrCrashed) {
		t.Errorf("input: %v", err)
	}
	has(t, b.look(other).Text, "Page one")
	b.ok(p.Navigation.Reload(b.ctx))
	if info := p.State.Info(); !info.Running || info.Problem != "" || info.Title != "Colour" {
		t.Errorf("after the reload: %+v", info)
	}
	b.click(v, 5, 5)
	b.frameOf(v, blue)
}

// TestChromium_Ends_IsRestarted: a Chromium that was killed is restarted. One that keeps ending is not restarted until
// a page is reloaded, and many reloads at once start one Chromium.
func TestChromium_Ends_IsRestarted(t *testing.T) {
	b := newOwnFixture(t)
	p, other := b.open("b1", "colour.html"), b.open("b2", "one.html")
	panes := []*Pane{p, other}
	inSubtest := func(test func(b *fixture)) func(*testing.T) {
		return func(t *testing.T) { test(&fixture{TB: t, Manager: b.Manager, site: b.site, dir: b.dir, ctx: b.ctx}) }
	}
	t.Run("Killed_IsRestarted", inSubtest(func(b *fixture) { b.restartsOnce(p, other) }))
	t.Run("KeepsEnding_IsNotRestarted", inSubtest(func(b *fixture) { b.restartsNoMore(panes) }))
}

// restartsOnce kills the Chromium of two panes and checks that it is restarted.
func (fi *fixture) restartsOnce(p, other *Pane) {
	fi.Helper()
	v := p.Attach()
	defer v.Close()
	fi.frameOf(v, red)
	pg, err := p.State.currentPage()
	fi.ok(err)
	fi.ok(pg.process.Process.Signal(syscall.SIGKILL))
	for _, q := range []*Pane{p, other} {
		info := fi.until(q, "back", func(i pane.Info) bool { return strings.Contains(i.Notice, "started again") })
		if info.Problem != "" || !info.Running {
			fi.Errorf("after the restart: %+v", info)
		}
	}
	if got := p.State.Info().URL; got != fi.url("colour.html") {
		fi.Errorf("the pane came back at %s", got)
	}
	fi.frameOf(v, red)
	fi.ok(other.Navigation.Navigate(fi.ctx, fi.url("two.html")))
	has(fi, fi.look(other).Text, "Page two")
	fi.ok(ended("--user-data-dir=" + pg.process.Dir.Path))
	if again, err := other.State.currentPage(); err != nil || again.process.Process.Pid() == pg.process.Process.Pid() {
		fi.Errorf("the same Chromium? %v", err)
	}
}

// restartsNoMore kills a Chromium that was restarted once until it is not restarted, and reloads its panes.
func (fi *fixture) restartsNoMore(panes []*Pane) {
	fi.Helper()
	for n := range maxRestarts {
		if n == maxRestarts-1 {
			panes = append(panes, fi.open("b3", "one.html")) // more panes that are reloaded at once
		}
		pg, err := panes[0].State.currentPage()
		fi.ok(err)
		fi.ok(pg.process.Process.Signal(syscall.SIGKILL))
		for _, p := range panes {
			fi.until(p, "notified of the end", func(i pane.Info) bool {
				return n < maxRestarts-1 && p.State.page.process != pg.process && strings.Contains(i.Notice, "started again") ||
					n == maxRestarts-1 && i.Problem == "the browser ended"
			})
		}
	}
	if _, err := panes[0].Mouse.Click(fi.ctx, "x"); !errors.Is(err, ErrEnded) {
		fi.Errorf("click: %v", err)
	}
	var wait sync.WaitGroup
	for _, p := range panes {
		wait.Go(func() {
			if err := p.Navigation.Reload(fi.ctx); err != nil {
				fi.Errorf("reload: %v", err)
			}
		})
	}
	wait.Wait()
	engines := map[*browserProcess]bool{}
	for _, p := range panes {
		pg, err := p.State.currentPage()
		fi.ok(err)
		engines[pg.process] = true
	}
	if len(engines) != 1 {
		fi.Errorf("%d Chromiums", len(engines))
	}
}

func TestDialog_Open_DoesNotBlockCalls(t *testing.T) {
	b := newFixture(t)
	p := b.open("b1", "dialogs.html")
	has(t, b.act(p.Mouse.Click(b.ctx, "Alert")).Changed, `alert "Hello"`, "is blocked until")
	has(t, b.act(p.Actions.Dialog(b.ctx, true, "")).Changed, "alerted")
	has(t, b.act(p.Mouse.Click(b.ctx, "Confirm")).Changed, `confirm "Sure?"`)
	for _, look := range map[string]func() error{
		"snapshot":   func() error { _, err := p.Reader.Snapshot(b.ctx); return err },
		"read":       func() error { _, err := p.Reader.Read(b.ctx, pane.ReadOptions{}); return err },
		"screenshot": func() error { _, err := p.Pictures.Screenshot(b.ctx, false); return err },
	} {
		if err := look(); err == nil ||
			!strings.Contains(err.Error(), `until its confirm "Sure?" is answered: answer it first`) {
			t.Errorf("looking while it asks: %v", err)
		}
	}
	if q, open := p.Prompts.OpenPrompt(); !open || q.Text != "Sure?" {
		t.Errorf("looking has answered it: %+v %v", q, open)
	}
	has(t, b.act(p.Mouse.Click(b.ctx, "Prompt")).Changed, `confirm "Sure?" was answered Cancel`, `prompt "Who?"`)
	has(t, b.act(p.Actions.Dialog(b.ctx, true, "Zoë")).Changed, "prompted Zoë")
	if _, err := p.Actions.Dialog(b.ctx, true, ""); err == nil || !strings.Contains(err.Error(), "no dialog is open") {
		t.Errorf("answering nothing: %v", err)
	}
	b.ok(p.Navigation.Navigate(b.ctx, b.url("one.html")))
	if info := p.State.Info(); info.Title != "One" || info.Problem != "" {
		t.Errorf("info %+v", info)
	}
}

func TestDownload_WithoutFolder_IsRefused(t *testing.T) {
	b := newFixture(t)
	p := b.open("b1", "dialogs.html")
	has(t, b.act(p.Mouse.Click(b.ctx, "Download")).Changed, `the download of "report.bin" was refused`)
	if err := p.Navigation.Navigate(b.ctx, b.url("file.bin")); err == nil || !strings.Contains(err.Error(), "report.bin") {
		t.Errorf("navigating to a download: %v", err)
	}
}

func TestPopup_Allowed_BecomesPane(t *testing.T) {
	ids := make(chan string, 2)
	ids <- "b2"
	ids <- "b3"
	news := make(chan pane.Info, 1000)
	b := newFixture(t, func(c *Config) {
		c.OnPopup = func(opener pane.Info, _ string) (Options, bool) { return Options{ID: <-ids}, opener.ID == "b1" }
		c.OnChange = func(i pane.Info, _ bool) { news <- i }
	})
	p, err := b.Open(b.ctx, Options{ID: "b1", URL: b.url("dialogs.html"), GoalID: "g1", Width: 640, Height: 480})
	b.ok(err)
	for _, step := range []struct{ target, id string }{{"Popup", "b2"}, {"Blank", "b3"}} {
		b.act(p.Mouse.Click(b.ctx, step.target))
		for i := range news {
			if i.ID == step.id && i.Title == "Two" && i.GoalID == "g1" {
				break
			}
		}
		q, _ := b.Get(step.id)
		has(t, b.look(q).Text, "Page two", "viewport 640x480")
	}
	if info := p.State.Info(); info.URL != b.url("dialogs.html") {
		t.Errorf("the opener went to %s", info.URL)
	}
}

func TestPopup_WithoutCallback_OpensInThePane(t *testing.T) {
	b := newFixture(t)
	p := b.open("b1", "dialogs.html")
	b.act(p.Mouse.Click(b.ctx, "Popup"))
	b.until(p, "at the popup's address", func(i pane.Info) bool { return i.Title == "Two" })
	if n := len(b.List()); n != 1 {
		t.Errorf("%d panes", n)
	}
}

func TestHungPage_Calls_TimeOut(t *testing.T) {
	b := newFixture(t, impatient)
	p := b.open("b1", "dialogs.html")
	b.act(p.Mouse.Click(b.ctx, "Hang"))
	b.awaitSignal("hangs") // a moment after the click
	ctx, cancel := context.WithTimeout(b.ctx, 300*time.Millisecond)
	defer cancel()
	if _, err := p.Reader.Snapshot(ctx); !errors.Is(err, context.DeadlineExceeded) {
		t.Fatalf("snapshot of a hanging page: %v", err)
	}
	b.ok(p.Navigation.Reload(b.ctx))
	has(t, b.look(p).Text, `button "Hang"`)
}

func TestDialogs_WithoutEnd_AreDismissed(t *testing.T) {
	b := newFixture(t, impatient)
	p := b.open("b1", "dialogs.html")
	pg, err := p.State.currentPage()
	b.ok(err)
	pg.Post(proto.RuntimeEvaluate{Expression: "for (let i = 0;; i++) { alert(i); document.title = i; }"})
	b.question(p, pane.Alert)
	answer := func() {
		ctx, cancel := context.WithTimeout(b.ctx, 300*time.Millisecond)
		defer cancel()
		_, _ = p.Actions.Dialog(ctx, true, "") // the next round answers a dialog that is not open yet
	}
	for began := time.Now(); !strings.Contains(p.State.Info().Notice, "keeps opening dialogs"); answer() {
		if time.Since(began) > patience {
			t.Fatalf("no notice about the dialogs: %q", p.State.Info().Notice)
		}
	}
	b.ok(p.Navigation.Navigate(b.ctx, b.url("one.html")))
	b.until(p, "elsewhere", func(i pane.Info) bool { return i.Title == "One" })
}

func TestTitle_Changes_IsReported(t *testing.T) {
	b := newFixture(t)
	p := b.open("b1", "one.html")
	b.eval(p, "for (let i = 0; i < 50; i++) document.title = 'n' + i; document.title = 'last'")
	b.until(p, "named again", func(i pane.Info) bool { return i.Title == "last" })
	b.eval(p, "history.pushState({}, '', '/pushed'); document.title = 'pushed'")
	b.until(p, "pushed", func(i pane.Info) bool { return i.Title == "pushed" && i.URL == b.url("pushed") && i.CanBack })
}

func TestCookies_OfTwoGoals_AreSeparate(t *testing.T) {
	b := newFixture(t)
	open := func(id, goal string) *Pane {
		p, err := b.Open(b.ctx, Options{ID: id, GoalID: goal, URL: b.url("one.html")})
		b.ok(err)
		return p
	}
	one, two, userPane := open("b1", "g1"), open("b2", "g2"), open("b3", "")
	b.eval(one, "document.cookie = 'who=one'")
	for _, p := range []*Pane{two, userPane} {
		if got := b.eval(p, "document.cookie"); got != `""` {
			t.Errorf("%s has the cookie %s", p.State.Info().ID, got)
		}
	}
	if got := b.eval(open("b4", "g1"), "document.cookie"); got != `"who=one"` {
		t.Errorf("the goal's second pane has the cookie %s", got)
	}
	b.ok(b.CloseGoal(b.ctx, "g1"))
	if n := len(b.List()); n != 2 {
		t.Errorf("%d panes", n)
	}
	if got := b.eval(open("b5", "g1"), "document.cookie"); got != `""` {
		t.Errorf("after CloseGoal the cookie is %s", got)
	}
}

func TestChanges_AreReported(t *testing.T) {
	var mu sync.Mutex
	reported := map[string]pane.Info{}
	closed := make(chan string, 10)
	b := newFixture(t, func(c *Config) {
		c.OnChange = func(i pane.Info, gone bool) {
			mu.Lock()
			reported[i.ID] = i
			mu.Unlock()
			if gone {
				closed <- i.ID
			}
		}
	})
	p := b.open("b1", "one.html")
	b.until(p, "loaded", func(i pane.Info) bool { return i.Title == "One" && !i.Loading })
	b.ok(b.ClosePane(b.ctx, "b1"))
	if id := <-closed; id != "b1" {
		t.Errorf("closed %s", id)
	}
	mu.Lock()
	defer mu.Unlock()
	if i := reported["b1"]; i.Title != "One" || i.Running {
		t.Errorf("the last news: %+v", i)
	}
}

func TestClose_WhileOpening_EndsTheOpening(t *testing.T) {
	b := newOwnFixture(t)
	done := make(chan error, 1)
	go func() { _, err := b.Open(b.ctx, Options{ID: "b1", URL: b.url("one.html")}); done <- err }()
	b.ok(b.Close(b.ctx))
	if err := <-done; err == nil {
		t.Log("it was open before it was closed")
	}
	if _, err := b.Open(b.ctx, Options{ID: "b2"}); !errors.Is(err, ErrClosed) {
		t.Errorf("open after close: %v", err)
	}
}
