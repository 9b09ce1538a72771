package textfile_test

import (
	"strings"
	"testing"

	"goalpost/backend/agent/tools/textfile"
)

// TestReplace_EachFormat_KeepsTheOtherBytes: the text is replaced as it is shown, and no other byte changes.
func TestReplace_EachFormat_KeepsTheOtherBytes(t *testing.T) {
	for before, want := range map[string]string{
		"a\ntwo\nthree\nb\n":                          "a\nnewé\nx\ny\nb\n",
		"a\r\ntwo\r\nthree\r\nb\r\n":                  "a\r\nnewé\r\nx\r\ny\r\nb\r\n",
		"a\r\ntwo\nthree\r\nb\n":                      "a\r\nnewé\nx\r\ny\r\nb\n",
		"\xef\xbb\xbftwo\r\nthree\r\n":                "\xef\xbb\xbfnewé\r\nx\r\ny\r\n",
		"caf\xe9 \x80\r\ntwo\r\nthree\r\n":            "caf\xe9 \x80\r\nnew\xe9\r\nx\r\ny\r\n",
		"\xff\xfe" + wide("é\r\ntwo\r\nthree\r\nend"): "\xff\xfe" + wide("é\r\nnewé\r\nx\r\ny\r\nend"),
		"two\nthree\n\r\n":                            "newé\nx\ny\n\r\n",
	} {
		file, err := textfile.Parse([]byte(before))
		if err != nil {
			t.Fatalf("%q: %v", before, err)
		}
		const old = "two\nthree\n"
		at := strings.Index(file.Text, old)
		after, err := file.Replace(at, at+len(old), "newé\nx\ny\n")
		if err != nil || string(after) != want {
			t.Errorf("%q: %q, %v, want %q", before, after, err, want)
		}
		if unchanged, err := file.Replace(at, at, ""); err != nil || string(unchanged) != before {
			t.Errorf("nothing replaced in %q: %q, %v", before, unchanged, err)
		}
	}
}

// wide encodes text of Latin-1 as UTF-16LE.
func wide(s string) string {
	var b strings.Builder
	for _, r := range s {
		b.WriteByte(byte(r))
		b.WriteByte(0)
	}
	return b.String()
}

// TestReplace_LineInserted_EndsLikeItsNeighbours: a change within one line of a CRLF file can add lines.
func TestReplace_LineInserted_EndsLikeItsNeighbours(t *testing.T) {
	for before, want := range map[string]string{
		"one\r\ntwo\r\n": "one\r\nin\r\ntwo\r\n",
		"one\ntwo":       "one\nin\ntwo",
		"two":            "in\ntwo",
		"one\r\ntwo":     "one\r\nin\r\ntwo",
	} {
		file, err := textfile.Parse([]byte(before))
		at := strings.Index(file.Text, "two")
		after, err2 := file.Replace(at, at+3, "in\ntwo")
		if err != nil || err2 != nil || string(after) != want {
			t.Errorf("%q: %q, %v, %v", before, after, err, err2)
		}
	}
}

func TestEncode_WholeContent_KeepsTheFormat(t *testing.T) {
	for _, c := range []struct{ before, content, want string }{
		{"a\r\nb\r\n", "x\ny", "x\r\ny"},
		{"a\nb\r\nc\n", "x\ny\n", "x\ny\n"},
		{"a\nb\n", "x\r\ny\r\n", "x\r\ny\r\n"},
		{"\xef\xbb\xbfa\n", "x\n", "\xef\xbb\xbfx\n"},
		{"\xef\xbb\xbfa\n", "\ufeffx\n", "\xef\xbb\xbfx\n"},
		{"\xe9\n", "é\n", "\xe9\n"},
		{"\xe9\n", "日\n", "has no code"},
	} {
		file, err := textfile.Parse([]byte(c.before))
		if err != nil {
			t.Fatal(err)
		}
		after, err := file.Encode(c.content)
		if got := string(after); err != nil && !strings.Contains(err.Error(), c.want) || err == nil && got != c.want {
			t.Errorf("%q in place of %q: %q, %v", c.content, c.before, got, err)
		}
	}
}

func TestParse_Binary_IsRefused(t *testing.T) {
	for _, b := range []string{"PNG\x00", "\xff\xd8\xff\xe0\x00\x10", "\xff\xfe\x41", "caf\xe9\x01"} {
		if file, err := textfile.Parse([]byte(b)); err == nil {
			t.Errorf("%q is %q", b, file.Text)
		}
	}
	for before, want := range map[string]string{
		"a\n": "", "a\r\n": "CRLF line ends", "a\nb\r\n": "mixed line ends: 1 of 2 are CRLF",
		"\xe9\r\n": "Windows-1252, CRLF line ends",
	} {
		if file, err := textfile.Parse([]byte(before)); err != nil || file.Describe() != want {
			t.Errorf("%q: %q, %v", before, file.Describe(), err)
		}
	}
}
