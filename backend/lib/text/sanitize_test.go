package text_test

import (
	"strings"
	"testing"

	"goalpost/backend/lib/text"
)

func TestSanitize_HostileText_ShowsWhatATerminalWouldHide(t *testing.T) {
	for s, want := range map[string]string{
		"one\n\ttwo":        "one\n\ttwo",
		"\x1b[2Jgone\u009b": " [2Jgone ",
		"a\u202egpj.exe":    "a‹U+202E›gpj.exe",
		"a\xff":             "a\uFFFD",
	} {
		if got := text.Sanitize(s); got != want {
			t.Errorf("%q: %q, want %q", s, got, want)
		}
	}
}

func TestSanitizeLine_HostileText_IsOneShortLine(t *testing.T) {
	for _, c := range []struct {
		s     string
		limit int
		want  string
	}{
		{"plain words", 11, "plain words"},
		{" two \n\t lines ", 20, "two lines"},
		{"\x1b[31mred\u202e\xff", 20, "[31mred"},
		{"größe", 4, "grö…"},
		{"plain words", 6, "plain …"},
		{"", 0, ""},
	} {
		if got := text.SanitizeLine(c.s, c.limit); got != c.want {
			t.Errorf("%q at %d bytes: %q, want %q", c.s, c.limit, got, c.want)
		}
	}
}

func TestSanitizeLines_IndentedText_KeepsLinesAndIndent(t *testing.T) {
	got := text.SanitizeLines("one\n    two  \x1b\n"+strings.Repeat(" ", 80)+"three", 100)
	if want := "one\n    two\n" + strings.Repeat(" ", 60) + "three"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestFirstLine_TextWithBlankLines_IsTrimmed(t *testing.T) {
	for s, want := range map[string]string{
		"": "", "\n \n\t": "", "\n  one \r\ntwo": "one", "a\xff\nb": "a\uFFFD",
	} {
		if got := text.FirstLine(s); got != want {
			t.Errorf("%q: %q, want %q", s, got, want)
		}
	}
}
