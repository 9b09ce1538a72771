package text_test

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"testing"

	"goalpost/backend/lib/text"
)

func TestTruncate_AtAnyLimit_CutsAtACharacter(t *testing.T) {
	for _, c := range []struct {
		s            string
		limit        int
		runes, bytes string
	}{
		{"", 0, "", ""},
		{"goal", 4, "goal", "goal"},
		{"goal", 3, "goa…", "goa…"},
		{"größe", 5, "größe", "grö…"},
		{"größe", 3, "grö…", "gr…"},
		{"größe", 6, "größe", "größ…"},
	} {
		if got := text.Truncate(c.s, c.limit); got != c.runes {
			t.Errorf("%q at %d characters: %q, want %q", c.s, c.limit, got, c.runes)
		}
		if got := text.TruncateBytes(c.s, c.limit); got != c.bytes {
			t.Errorf("%q at %d bytes: %q, want %q", c.s, c.limit, got, c.bytes)
		}
	}
}

func TestTruncateBytes_InvalidText_IsValidAndShort(t *testing.T) {
	for s, want := range map[string]string{
		"a\xff": "a\uFFFD", "\xff\xff\xff\xff\xff\xff": "\uFFFD…", "ab\xffcdef": "ab…", "\xffabcdef": "\uFFFDa…",
	} {
		if got := text.TruncateBytes(s, 4); got != want {
			t.Errorf("%q: %q, want %q", s, got, want)
		}
	}
}

func TestTruncateLines_LongText_EndsWithALine(t *testing.T) {
	for s, want := range map[string]string{
		"one\ntwo": "one\ntwo", "one\ntwo\nthree": "one\n…", "one two three": "one t…",
	} {
		if got := text.TruncateLines(s, 8); got != want || len(got) > 8 {
			t.Errorf("%q: %q, want %q", s, got, want)
		}
	}
}

func TestPrefix_OfInvalidText_IsShortAndValid(t *testing.T) {
	if got := text.Prefix("\xff/x"); got != "\uFFFD/x" {
		t.Errorf("%q", got)
	}
	if got := text.Prefix(strings.Repeat("a", 119) + "ö"); got != strings.Repeat("a", 119)+"\uFFFD" {
		t.Errorf("%q", got)
	}
}

func TestStripPathError_KeepsPathAndCause(t *testing.T) {
	_, err := os.Open("/nowhere/at/all")
	got := text.StripPathError(fmt.Errorf("reading: %w", err))
	if got.Error() != "/nowhere/at/all: no such file or directory" || !errors.Is(got, fs.ErrNotExist) {
		t.Errorf("%v", got)
	}
	other := errors.New("something else")
	if got := text.StripPathError(other); !errors.Is(got, other) || text.StripPathError(nil) != nil {
		t.Errorf("%v", got)
	}
}
