package text_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"goalpost/backend/lib/text"
)

func TestRender_ControlSequences_AreApplied(t *testing.T) {
	for in, want := range map[string]string{
		"a\r\nb":                                   "a\nb",
		"10%\r20%\r100%\n":                         "100%\n",
		"long text\rshort\x1b[K\n":                 "short\n",
		"abc\b\bX\n":                               "aXc\n",
		"\x1b[1;31mred\x1b[0m \x1b]0;title\x07":    "red ",
		"\x1b]8;;http://x\x1b\\link\x1b]8;;\x1b\\": "link",
		"a\x1b[5Cb\x1b[2Dc\n":                      "a    cb\n",
		"x\x1b[99999999Cy":                         "x" + strings.Repeat(" ", 1000) + "y",
		"abc\x1b[2Kd":                              "   d",
		"\x00\x07a\x7f\u0085b\tc":                  "ab\tc",
		"bad \xff\xfe utf8 日\xe6":                  "bad �� utf8 日�",
		"cut \x1b[3":                               "cut ",
		"abcdef\x1b[3D\x1b[2P|":                    "abc|",
		"\x1b[G*":                                  "*",
		"e\x1b\n":                                  "e\n",
	} {
		if got := text.Render([]byte(in)); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
}

func FuzzRender(f *testing.F) {
	for _, seed := range []string{"a\r\nb", "\x1b[999C\x1b[KX\x1b[3P", "\x1b]0;t\x07\b\b\t", "\xff日\x1b"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, p []byte) {
		out := text.Render(p)
		if !utf8.ValidString(out) {
			t.Errorf("%q is no UTF-8", out)
		}
		for _, r := range out {
			if r < ' ' && r != '\n' && r != '\t' || r >= 0x7f && r < 0xa0 {
				t.Errorf("%q holds the control character %q", out, r)
			}
		}
	})
}
