package tools_test

import (
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"goalpost/backend/agent/tools"
	"goalpost/backend/core/runner"
	"goalpost/backend/domain/goal"
)

// waits calls wait_until in a run.
func waits(f *fixture, tool tools.Tool, args ...any) (*run, goal.Result) {
	f.Helper()
	r := &run{}
	ctx := goal.WithRun(f.Context(), goal.Run{Control: r})
	return r, tool.Do(ctx, arguments(f, append([]any{"for", " the\nbuild "}, args...)...))
}

// waitsFor begins a wait that cannot be over yet, makes its condition true, and looks again.
func waitsFor(f *fixture, tool tools.Tool, happen func(), args ...any) goal.Look {
	f.Helper()
	r, result := waits(f, tool, args...)
	f.good(result, "not met yet")
	if len(r.said) != 3 {
		f.Fatalf("the run received %v", r.said)
	}
	wait, _ := r.said[1].(goal.Wait)
	if wait.For != "the build" || wait.EveryMS != 60000 || r.said[2] != 4*time.Hour {
		f.Errorf("it waits for %+v, at most %v", wait, r.said[2])
	}
	happen()
	found, err := tool.(runner.Waiter).Look(f.Context(), arguments(f, append([]any{"for", "x"}, args...)...), wait.Mark)
	if err != nil {
		f.Fatal(err)
	}
	return found
}

func TestWaitUntil_EachCondition_IsMetWhenItHappens(t *testing.T) {
	f := newFixture(t)
	tool := f.tool("wait_until")
	write := func(name, content string) func() {
		return func() {
			if err := os.WriteFile(filepath.Join(f.dir, name), []byte(content), 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
	write("log", "one")()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	port := l.Addr().(*net.TCPAddr).Port
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		happen func()
		says   string
		args   []any
	}{
		{write("built", "x"), "exit 0", []any{"command", "test -f built"}},
		{write("log", "green"), "green", []any{"command", "cat log; exit 3", "exit", 3, "text", "green"}},
		{write("late", "x"), "late has 1 bytes", []any{"file", "late"}},
		{write("log", "another"), "log has 7 bytes", []any{"file", "log", "changed", true}},
		{func() {
			if l, err = net.Listen("tcp", l.Addr().String()); err != nil {
				t.Fatal(err)
			}
		}, "accepts", []any{"port", port}},
	} {
		if found := waitsFor(f, tool, c.happen, c.args...); !found.IsMet || !strings.Contains(found.Text, c.says) {
			t.Errorf("%v: %+v", c.args, found)
		}
		if c.args[0] == "port" {
			continue
		}
		if r, result := waits(f, tool, c.args...); c.args[len(c.args)-1] != true && (!result.OK || r.said != nil) {
			t.Errorf("%v is met already, and it waits: %v %q", c.args, r.said, result.Text)
		}
	}
	if err := l.Close(); err != nil {
		t.Error(err)
	}
}

func TestWaitUntil_URL_WaitsForStatusAndText(t *testing.T) {
	var answer atomic.Value
	answer.Store("503 starting")
	f := newFetcher(t, nil, func(w http.ResponseWriter, _ *http.Request) {
		var status int
		var words string
		if _, err := fmt.Sscan(answer.Load().(string), &status, &words); err != nil {
			t.Error(err)
		}
		w.WriteHeader(status)
		_, _ = w.Write([]byte(words))
	})
	box, err := tools.New(tools.Deps{Dir: f.dir, Web: &http.Transport{DisableKeepAlives: true}})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = box.Close() }()
	tool, page := box.Tool("wait_until"), f.server.URL
	for _, c := range []struct {
		answer string
		args   []any
	}{
		{"200 green", []any{"url", page}},
		{"404 gone", []any{"url", page, "status", 404}},
		{"200 green", []any{"url", page, "text", "green"}},
	} {
		answer.Store("503 starting")
		found := waitsFor(f.fixture, tool, func() { answer.Store(c.answer) }, c.args...)
		if !found.IsMet || !strings.Contains(found.Text, strings.Fields(c.answer)[1]) {
			t.Errorf("%v: %+v", c.args, found)
		}
	}
	gone := httptest.NewServer(http.NotFoundHandler())
	gone.Close()
	if _, result := waits(f.fixture, tool, "url", gone.URL); !result.OK || !strings.Contains(result.Text, "no answer") {
		t.Errorf("a server that has not started yet: %+v", result)
	}
}

// TestWaitUntil_LookIsRefused_DoesNotWait: it would be refused each time.
func TestWaitUntil_LookIsRefused_DoesNotWait(t *testing.T) {
	network := refusals{"GET:other.example:policy"}
	f := newFetcher(t, network, http.NotFound)
	box, err := tools.New(tools.Deps{Dir: f.dir, Web: http.DefaultTransport, Network: network})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = box.Close() }()
	r, result := waits(f.fixture, box.Tool("wait_until"), "url", f.server.URL)
	f.bad(result, "not waiting", "other.example")
	if r.said != nil {
		t.Errorf("the run received %v", r.said)
	}
}

func TestWaitUntil_Time_IsUnderstood(t *testing.T) {
	f := newFixture(t)
	now := time.Now()
	for words, want := range map[string]time.Duration{
		"in 2 h": 2 * time.Hour,
		"90m":    90 * time.Minute,
		now.Add(3 * time.Hour).Format(time.RFC3339):        3 * time.Hour,
		now.Add(30 * time.Hour).Format("2006-01-02 15:04"): 30 * time.Hour,
		"at " + now.Add(5*time.Hour).Format("15:04"):       5 * time.Hour,
		now.Add(-5 * time.Hour).Format("15:04"):            19 * time.Hour,
	} {
		r, result := waits(f, f.tool("wait_until"), "time", words)
		if !result.OK || len(r.said) != 3 {
			t.Errorf("%q: %+v", words, result)
			continue
		}
		// Times of day have no seconds, and a day may have an hour more or less.
		d, _ := r.said[2].(time.Duration)
		if off := (d - want).Abs(); off > time.Minute && off < 59*time.Minute {
			t.Errorf("%q: it waits %s", words, d)
		}
	}
}

func TestWaitUntil_UselessArguments_AreRefused(t *testing.T) {
	f := newFixture(t)
	for _, c := range [][]any{
		{"for", "x"},
		{"for", "x", "file", "a", "command", "true"},
		{"for", " ", "file", "a"},
		{"for", "x", "file", "../outside"},
		{"for", "x", "file", "a", "text", "b"},
		{"for", "x", "port", 70000},
		{"for", "x", "time", "tomorrow-ish"},
		{"for", "x", "time", "2001-01-01 10:00"},
		{"for", "x", "time", "30000h"},
	} {
		if e, err := f.effect("wait_until", c...); err == nil {
			t.Errorf("%v: %+v", c, e)
		}
	}
	f.bad(f.tool("wait_until").Do(t.Context(), arguments(t, "for", "x", "file", "a")), "outside of one")
	_, result := waits(f, f.tool("wait_until"), "command", "no-such-program --status")
	f.bad(result, "the command cannot be run (exit 127)")
}
