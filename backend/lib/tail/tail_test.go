package tail_test

import (
	"strings"
	"testing"

	"goalpost/backend/lib/tail"
)

func TestWriter_MoreThanItsLimit_KeepsTheEnd(t *testing.T) {
	w := tail.NewWriter(4)
	if got := w.String(); got != "" {
		t.Errorf("a new one holds %q", got)
	}
	for _, c := range []struct{ write, want string }{
		{"ab", "ab"},
		{"cd", "abcd"},
		{"", "abcd"},
		{"e", "bcde"},
		{strings.Repeat("x", 1000) + "wxyz", "wxyz"},
	} {
		if n, err := w.Write([]byte(c.write)); n != len(c.write) || err != nil {
			t.Errorf("%q: %d, %v", c.write, n, err)
		}
		if got := w.String(); got != c.want {
			t.Errorf("after %.10q it holds %q, want %q", c.write, got, c.want)
		}
	}
}
