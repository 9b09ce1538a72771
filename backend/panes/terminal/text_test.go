package terminal

import (
	"strings"
	"testing"
)

func TestText_Pages_JoinToTheWhole(t *testing.T) {
	s := terminalWith(t, Options{Argv: []string{"sh", "-c", "seq 1 60000"}, Scrollback: minScrollback})
	ended(t, s)
	page := s.Text(-1, 1000)
	if !strings.HasSuffix(page.Text, "\n60000\n") || page.Next != page.End || len(page.Text) > 1000 {
		t.Errorf("the latest: %+v", page)
	}
	if first, _, _ := strings.Cut(page.Text, "\n"); len(first) != 5 {
		t.Errorf("begins in a line: %q", first)
	}
	page = s.Text(0, 4096)
	from, _ := s.Range()
	if page.Lost != from || page.From < from || page.Lost == 0 {
		t.Errorf("%+v, kept from %d", page, from)
	}
	all := page.Text
	for page.Next < page.End {
		page = s.Text(page.Next, 4096)
		if page.Lost != 0 || page.Text == "" {
			t.Fatalf("%+v", page)
		}
		all += page.Text
	}
	lines := strings.Split(strings.TrimSuffix(all, "\n"), "\n")
	if lines[len(lines)-1] != "60000" || len(lines) < 30000 {
		t.Errorf("%d lines, the last %q", len(lines), lines[len(lines)-1])
	}
	if page = s.Text(page.End+5, 100); page.Text != "" || page.Next != page.End {
		t.Errorf("beyond the end: %+v", page)
	}
}
