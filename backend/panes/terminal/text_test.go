package terminal

import (
	"strings"
	"testing"
	"unicode/utf8"
)

func TestRenderPlain_ControlSequences_AreApplied(t *testing.T) {
	for in, want := range map[string]string{
		"a\r\nb":                                   "a\nb",
		"10%\r20%\r100%\n":                         "100%\n",
		"long text\rshort\x1b[K\n":                 "short\n",
		"abc\b\bX\n":                               "aXc\n",
		"\x1b[1;31mred\x1b[0m \x1b]0;title\x07":    "red ",
		"\x1b]8;;http://x\x1b\\link\x1b]8;;\x1b\\": "link",
		"a\x1b[5Cb\x1b[2Dc\n":                      "a    cb\n",
		"x\x1b[99999999Cy":                         "x" + strings.Repeat(" ", maxMove) + "y",
		"abc\x1b[2Kd":                              "   d",
		"\x00\x07a\x7f\u0085b\tc":                  "ab\tc",
		"bad \xff\xfe utf8 日\xe6":                  "bad �� utf8 日�",
		"cut \x1b[3":                               "cut ",
		"abcdef\x1b[3D\x1b[2P|":                    "abc|",
		"\x1b[G*":                                  "*",
		"e\x1b\n":                                  "e\n",
	} {
		if got := renderPlain([]byte(in)); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
}

func FuzzPlain(f *testing.F) {
	for _, seed := range []string{"a\r\nb", "\x1b[999C\x1b[KX\x1b[3P", "\x1b]0;t\x07\b\b\t", "\xff日\x1b"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, p []byte) {
		text := renderPlain(p)
		if !utf8.ValidString(text) {
			t.Errorf("%q is no UTF-8", text)
		}
		for _, r := range text {
			if r < ' ' && r != '\n' && r != '\t' || r >= 0x7f && r < 0xa0 {
				t.Errorf("%q holds the control character %q", text, r)
			}
		}
	})
}

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
