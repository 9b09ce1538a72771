package session

import (
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"
)

// TestReplaceUntrusted_AnyText_IsReplacedAsByARegexp: the expression alone takes half a second for 5 MB.
func TestReplaceUntrusted_AnyText_IsReplacedAsByARegexp(t *testing.T) {
	block := regexp.MustCompile(`(?s)(<output from="[^\n]*">\n)(.*?)(\n</output>)`)
	parts := []string{`<output from="`, `<output from="x">`, "\">\n", "\n</output>", "\n", "a", `">`, "</output>"}
	random := rand.New(rand.NewPCG(1, 2)) //nolint:gosec // a repeatable test
	replaced := 0
	for range 10_000 {
		var b strings.Builder
		for range 1 + random.IntN(10) {
			b.WriteString(parts[random.IntN(len(parts))])
		}
		got := replaceUntrusted(b.String(), func(s string) string { return "[" + s + "]" })
		if want := block.ReplaceAllString(b.String(), "$1[$2]$3"); got != want {
			t.Fatalf("%q becomes %q, want %q", b.String(), got, want)
		}
		if got != b.String() {
			replaced++
		}
	}
	if replaced < 100 {
		t.Errorf("only %d texts had a block", replaced)
	}
}
