package sandbox_test

import (
	"strings"
	"testing"

	"goalpost/backend/sandbox"
)

// TestProfile reads the profile for macOS, which no machine here applies: what
// must be in it is, a hostile path stays inside its quotes, and brackets balance.
func TestProfile(t *testing.T) {
	w := sandbox.Spec{
		Dir: `/Users/x/a") (allow default) ("`, Layer: "/Users/x/Library/goalpost/rooms/1", Write: []string{"/Users/x/more"}, Sockets: []string{"/var/run/docker.sock"}, Ports: []int{5432},
	}
	text := sandbox.SeatbeltProfile(w, 3128)
	for _, want := range []string{
		"(deny default)", `"/Users/x/a\") (allow default) (\""`, `(remote ip "localhost:3128")`, `(remote ip "localhost:5432")`, `(literal "/var/run/docker.sock")`, `file-write* (subpath`,
	} {
		if !strings.Contains(text, want) {
			t.Errorf("the profile lacks %s:\n%s", want, text)
		}
	}
	for line := range strings.Lines(text) {
		depth, in := 0, false
		for i, c := range line {
			switch {
			case c == '"' && line[i-1] != '\\':
				in = !in
			case !in && c == '(':
				depth++
			case !in && c == ')':
				depth--
			}
		}
		if depth != 0 || in {
			t.Errorf("not balanced: %s", line)
		}
	}
	w.ReadOnly = true
	if text := sandbox.SeatbeltProfile(w, 3128); strings.Contains(text, `file-write* (subpath`) {
		t.Errorf("at read_only folders are written:\n%s", text)
	}
}
