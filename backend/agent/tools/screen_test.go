package tools_test

import (
	"context"
	"strings"
	"testing"

	"goalpost/backend/domain/pane"
	"goalpost/backend/domain/policy"
)

// screen has two panes: t1, and b1, which the user shares.
type screen struct{ *panes }

func (s *screen) List() []pane.Info {
	return []pane.Info{
		{
			ID:      "t1",
			Kind:    pane.Terminal,
			Title:   s.shown,
			Cwd:     "/x",
			Running: true,
		}, {ID: "b1", Kind: pane.Browser, Title: "page", URL: s.at},
	}
}

func (s *screen) IsShared(id string) bool { return id == "b1" }

func (s *screen) say(what, id string) error {
	if id != "t1" && id != "b1" {
		return errPane
	}
	s.asked = what + " " + id
	return nil
}

func (s *screen) Close(_ context.Context, id string) error { return s.say("close", id) }
func (s *screen) Focus(id string) error                    { return s.say("focus", id) }
func (s *screen) Name(id, title string) error              { return s.say(title, id) }

func TestPaneTools_OwnAndSharedPanes_AreDistinguished(t *testing.T) {
	h := newFixture(t)
	h.panes.at, h.panes.shown = "http://127.0.0.1/", "server"
	h.good(h.do("list_panes"), `t1 terminal "server" in "/x"`,
		`b1 browser "page" at "http://127.0.0.1/", shared by the user`)
	if r := h.do("list_panes", "kind", "browser"); strings.Contains(r.Text, "t1") {
		t.Errorf("%s", r.Text)
	}
	h.good(h.do("close_pane", "pane", "t1"), "closed pane t1")
	h.good(h.do("focus_pane", "pane", "t1"), "in front")
	h.good(h.do("name_pane", "pane", "t1", "title", "the server"), `called "the server"`)
	if h.panes.asked != "the server t1" {
		t.Errorf("%q", h.panes.asked)
	}
	h.good(h.do("terminal_open", "title", "logs", "dir", "sub"), "opened pane t1")
	h.good(h.do("browser_open", "url", "127.0.0.1:80", "title", "page"), "pane b1 is at")
	for _, tool := range []string{"close_pane", "focus_pane", "name_pane"} {
		args := []any{"pane", "x9"}
		if tool == "name_pane" {
			args = append(args, "title", "x")
		}
		h.bad(h.do(tool, args...), "no pane x9")
	}
	for _, c := range []struct {
		tool string
		args []any
		says string
	}{
		{"terminal_open", []any{"dir", "../x"}, "leads out"},
		{"browser_open", []any{"url", "file:///etc"}, "not an address"},
		{"terminal_open", []any{"title", "a\x1b]0;"}, "one line"},
		{"name_pane", []any{"pane", "t1", "title", " "}, "empty"},
		{"list_panes", []any{"kind", "x"}, "terminal or browser"},
	} {
		if _, err := h.effect(c.tool, c.args...); err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s %v: %v", c.tool, c.args, err)
		}
	}
	if e, err := h.effect("browser_open", "url", shop); err != nil || e.Risk != policy.NetworkGet ||
		len(e.Hosts) != 1 {
		t.Errorf("%+v %v", e, err)
	}
}
