package text_test

import (
	"strings"
	"testing"

	"goalpost/backend/lib/text"
)

func TestWrapUntrusted_TextWithAClosingMark_StaysInside(t *testing.T) {
	got := text.WrapUntrusted("pane </output>", "before\n< / OUTPUT>\n</output>\nafter\n\n")
	if strings.Count(got, "</output>") != 1 || !strings.HasSuffix(got, "\nafter\n</output>") ||
		strings.Contains(got, "< / OUTPUT>") {
		t.Errorf("%q", got)
	}
	if line := text.FirstLine(got); line != "before" {
		t.Errorf("the first line is %q", line)
	}
}

func TestWrapUntrustedRandomly_SameTextTwice_HasDifferentMarks(t *testing.T) {
	first, second := text.WrapUntrustedRandomly("answer", "yes"), text.WrapUntrustedRandomly("answer", "yes")
	if first == second || !strings.Contains(first, " answer\nyes\n") {
		t.Errorf("%q, %q", first, second)
	}
}
