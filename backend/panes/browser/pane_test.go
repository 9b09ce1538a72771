package browser

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"goalpost/backend/domain/pane"
	"goalpost/backend/panes/browser/internal/chromium"
)

func TestOpen_Page_IsShown(t *testing.T) {
	b := newFixture(t)
	p := b.open("b1", "one.html")
	info := b.until(p, "loaded", func(i pane.Info) bool { return i.Title == "One" && !i.Loading && !i.CanBack })
	if info.URL != b.url("one.html") || !info.Running || info.Kind != pane.Browser || info.Problem != "" {
		t.Errorf("info %+v", info)
	}
	if _, err := b.Open(b.ctx, Options{ID: "b1"}); err == nil || !strings.Contains(err.Error(), "already") {
		t.Errorf("a second pane b1: %v", err)
	}
	blank, err := b.Open(b.ctx, Options{ID: "b0"})
	b.ok(err)
	if info := blank.State.Info(); info.Title != "New page" || info.URL != "about:blank" || info.Problem != "" {
		t.Errorf("an empty pane: %+v", info)
	}
	b.ok(b.ClosePane(b.ctx, "b0"))
	if list := b.List(); len(list) != 1 || list[0].ID != "b1" {
		t.Errorf("list %+v", list)
	}
	b.ok(b.ClosePane(b.ctx, "b1"))
	if _, ok := b.Get("b1"); ok {
		t.Error("b1 is still there")
	}
	if err := p.Navigation.Navigate(b.ctx, b.url("two.html")); !errors.Is(err, ErrClosed) {
		t.Errorf("navigating a closed pane: %v", err)
	}
}

func TestNavigation_BackAndForward_FollowTheHistory(t *testing.T) {
	b := newFixture(t)
	p := b.open("b1", "one.html")
	if err := p.Navigation.Back(b.ctx); err == nil || !strings.Contains(err.Error(), "no earlier page") {
		t.Errorf("back at the first page: %v", err)
	}
	b.ok(p.Navigation.Navigate(b.ctx, b.url("two.html")))
	b.until(p, "able to go back", func(i pane.Info) bool { return i.CanBack && !i.CanFwd && i.Title == "Two" })
	b.ok(p.Navigation.Back(b.ctx))
	b.until(p, "back at one", func(i pane.Info) bool { return i.Title == "One" && i.CanFwd && !i.CanBack })
	b.ok(p.Navigation.Forward(b.ctx))
	b.ok(p.Navigation.Navigate(b.ctx, b.url("two.html#part")))
	if got := p.State.Info().URL; got != b.url("two.html#part") {
		t.Errorf("url %s", got)
	}
	b.eval(p, "window.mark = 1")
	b.ok(p.Navigation.Reload(b.ctx))
	if got := b.eval(p, "typeof window.mark"); got != `"undefined"` {
		t.Errorf("the reloaded page has mark %s", got)
	}
	b.ok(p.Navigation.Stop(b.ctx))
}

func TestSearchTerms_TextOrAddress_AreDistinguished(t *testing.T) {
	for text, want := range map[string]string{
		"weather":              "weather",
		" two  words ":         "two words",
		"what is example.com?": "what is example.com?",
		"3 * 4":                "3 * 4",
		"Zoë":                  "Zoë",
		"? localhost:8080":     "localhost:8080",
		"?file":                "file",
		"who is at 10:30":      "who is at 10:30",
	} {
		if got, ok := SearchTerms(text); !ok || got != want {
			t.Errorf("Words(%q) = %q, %v", text, got, ok)
		}
	}
	for _, text := range []string{
		"", "?", "example.com", "localhost", "localhost:3000", "127.0.0.1", "http://x.de/a b", "http://a b/",
		"file:///etc/a b", "javascript:alert(1) x",
		"chrome://settings", "host/path", "ann@host", "data:text/html,two words", "//host/x", "java\nscript:alert(1)",
		"mailto:ann two", "no.such_host",
	} {
		if got, ok := SearchTerms(text); ok {
			t.Errorf("Words(%q) = %q, would be searched for", text, got)
		}
	}
}

func TestAddress_EachForm_IsCompletedOrRefused(t *testing.T) {
	good := map[string]string{
		"":                           "about:blank",
		"about:blank":                "about:blank",
		" http://a.example/x ":       "http://a.example/x",
		"https://a.example":          "https://a.example",
		"localhost:8080/x?y=1":       "http://localhost:8080/x?y=1",
		"127.0.0.1:80":               "http://127.0.0.1:80",
		"[::1]:8080":                 "http://[::1]:8080",
		"localhost":                  "http://localhost",
		"example.com":                "https://example.com",
		"example.com:8443/a":         "https://example.com:8443/a",
		"192.168.1.1":                "http://192.168.1.1",
		"example.com/?u=http://x.de": "https://example.com/?u=http://x.de",
		"data:image/png;base64,AAAA": "data:image/png;base64,AAAA",
	}
	for text, want := range good {
		if got, err := Address(text); err != nil || got != want {
			t.Errorf("Address(%q) = %q, %v; want %q", text, got, err, want)
		}
	}
	for _, text := range []string{
		"file:///etc/passwd", "FILE:///etc/passwd", "file:/etc/passwd", "chrome://settings", "devtools://devtools/x",
		"view-source:http://x.de",
		"javascript:alert(1)", "java\nscript:alert(1)", "data:text/html,<b>", "data:,x", "blob:http://x/1", "ftp://x.de",
		"about:settings",
		"chrome-extension://x/y", "http://", "http:///x", "https:", "word", "two words", "//host/x", "ws://x.de",
		"http://a b/",
	} {
		if got, err := Address(text); !errors.Is(err, ErrRefused) {
			t.Errorf("Address(%q) = %q, %v; want a refusal", text, got, err)
		}
	}
}

func FuzzAddress(f *testing.F) {
	for _, seed := range []string{
		"localhost:8080", "file:///x", "data:image/png,x", "java\tscript:x", "HTTP://x",
		"[::1]", "a.b:c", "\\\\x", "//x",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		got, err := Address(text)
		if err != nil {
			if !errors.Is(err, ErrRefused) {
				t.Errorf("Address(%q): %v", text, err)
			}
			return
		}
		low := strings.ToLower(got)
		for _, good := range []string{"http://", "https://", "data:image/"} {
			if strings.HasPrefix(low, good) {
				return
			}
		}
		if got != "about:blank" {
			t.Errorf("Address(%q) = %q", text, got)
		}
	})
}

func TestOpen_AddressRefused_OpensNothing(t *testing.T) {
	b := newOwnFixture(t)
	if _, err := b.Open(b.ctx, Options{ID: "b1", URL: "file:///etc/passwd"}); !errors.Is(err, ErrRefused) {
		t.Fatalf("open: %v", err)
	}
	if n := len(processesWith(b.dir)); n != 0 {
		t.Errorf("a refused address started %d processes", n)
	}
	b = newFixture(t)
	p := b.open("b1", "one.html")
	if err := p.Navigation.Navigate(b.ctx, "chrome://settings"); !errors.Is(err, ErrRefused) {
		t.Errorf("navigate: %v", err)
	}
	if got := p.State.Info().URL; got != b.url("one.html") {
		t.Errorf("the pane went to %s", got)
	}
}

func TestOpen_ChromiumMissing_Fails(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	t.Setenv(chromium.PathVariable, "")
	m := New(Config{Launcher: execLauncher{}, Dir: t.TempDir()})
	defer func() { _ = m.Close(context.Background()) }()
	_, err := m.Open(context.Background(), Options{ID: "b1", URL: "http://localhost:1"})
	if !errors.Is(err, ErrMissing) || !strings.Contains(err.Error(), "apt install chromium") {
		t.Errorf("open without Chromium: %v", err)
	}
	if len(m.List()) != 0 {
		t.Error("a pane is left")
	}
	t.Setenv(chromium.PathVariable, "/no/such/browser")
	if _, err := Find(); !errors.Is(err, ErrMissing) || !strings.Contains(err.Error(), chromium.PathVariable) {
		t.Errorf("a wrong %s: %v", chromium.PathVariable, err)
	}
}

func TestOpen_ChromiumDoesNotStart_Fails(t *testing.T) {
	path := filepath.Join(t.TempDir(), "chromium")
	if err := os.WriteFile(path, []byte("#!/bin/sh\necho it is Tuesday >&2\nexit 3\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	m := New(Config{Launcher: execLauncher{}, Dir: dir, Path: path})
	defer func() { _ = m.Close(context.Background()) }()
	if _, err := m.Open(testContext(t), Options{ID: "b1"}); err == nil || !strings.Contains(err.Error(), "it is Tuesday") {
		t.Errorf("open: %v", err)
	}
	if left, _ := filepath.Glob(filepath.Join(dir, "*")); len(left) != 0 {
		t.Errorf("left behind: %v", left)
	}
}

func TestOpen_ServerDown_ShowsProblem(t *testing.T) {
	b := newFixture(t)
	p, err := b.Open(b.ctx, Options{ID: "b1", URL: "localhost:1"})
	b.ok(err)
	b.until(p, "telling why", func(i pane.Info) bool { return i.Problem != "" })
	if err := p.Navigation.Navigate(b.ctx, "http://127.0.0.1:9"); err == nil {
		t.Error("nothing listens, and Navigate is content")
	}
	b.ok(p.Navigation.Navigate(b.ctx, b.url("one.html")))
	if info := p.State.Info(); info.Problem != "" || info.Title != "One" {
		t.Errorf("info %+v", info)
	}
}

// TestPaneParts_NeedOnlyEarlierParts checks the order of a pane's parts: a part refers only to parts before it.
func TestPaneParts_NeedOnlyEarlierParts(t *testing.T) {
	whole := reflect.TypeFor[Pane]()
	before := map[reflect.Type]bool{}
	all := map[reflect.Type]bool{whole: true}
	for part := range whole.Fields() {
		all[part.Type] = true
	}
	for part := range whole.Fields() {
		if part.Name == "events" { // uses all of them
			continue
		}
		if part.Type.Kind() == reflect.Struct {
			for need := range part.Type.Fields() {
				if need.Type.Kind() == reflect.Pointer && all[need.Type.Elem()] && !before[need.Type.Elem()] {
					t.Errorf("%s needs %s, which comes after it", part.Name, need.Type.Elem())
				}
			}
		}
		before[part.Type] = true
	}
}
