package terminal

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// shows waits until the screen satisfies ok: a full-screen program draws at any time, and the model of the screen
// follows later.
func shows(t *testing.T, s *Session, ok func(lines []string, row, col int, alt bool) bool) {
	t.Helper()
	ctx := within(t)
	for {
		s.mu.Lock()
		end, over, printed := s.ring.end, s.endError(), s.output.next()
		s.mu.Unlock()
		s.screen.mu.Lock()
		followed, drawn := s.screen.followed, s.screen.progress.next()
		s.screen.mu.Unlock()
		lines, row, col, alt := s.Screen()
		if ok(lines, row, col, alt) {
			return
		}
		if over == nil || followed < end {
			select {
			case <-printed:
				continue
			case <-drawn:
				continue
			case <-ctx.Done():
				over = ctx.Err()
			}
		}
		t.Fatalf("%v\n%s\nrow %d col %d alternate %v", over, strings.Join(lines, "\n"), row, col, alt)
	}
}

func TestScreen_IsWhatTheUserSees(t *testing.T) {
	s := terminal(t, "sh", "-c", `printf 'one\r\ntwo\033[1;1HONE\033[5;10Hfive 日本\033[2K\033[3;3Hx\033[31my'; read x`)
	shows(t, s, func(lines []string, row, col int, alt bool) bool {
		return len(lines) == DefaultRows && lines[0] == "ONE" && lines[1] == "two" && lines[2] == "  xy" && lines[4] == "" &&
			row == 2 && col == 4 && !alt
	})
}

func TestScreen_AlternateScreen_IsShownAndLeft(t *testing.T) {
	file := filepath.Join(t.TempDir(), "poem.txt")
	if err := os.WriteFile(file, []byte("first line\nsecond line\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	s := terminal(t, "bash")
	run(t, s, "echo on the main screen")
	r, err := s.Commands.Run(within(t), "less "+file, 0)
	if err != nil || r.Finished {
		t.Fatalf("%+v %v", r, err)
	}
	shows(t, s, func(lines []string, _, _ int, alt bool) bool {
		return alt && lines[0] == "first line" && lines[1] == "second line"
	})
	if _, err := s.Write([]byte("q")); err != nil {
		t.Fatal(err)
	}
	shows(t, s, func(lines []string, _, _ int, alt bool) bool {
		return !alt && slices.Contains(lines, "on the main screen") && !slices.Contains(lines, "second line")
	})
}

func TestScreen_CursorQuery_IsAnswered(t *testing.T) {
	s := terminal(t, "bash")
	r := run(t, s, `stty -echo; printf '\033[3;7H\033[6n'; read -rsd R at; printf '\r%q\n' "$at"`)
	if !strings.Contains(r.Output, `[3\;7`) && !strings.Contains(r.Output, `[3;7`) {
		t.Errorf("the position of the cursor: %q", r.Output)
	}
}

// TestScreen_AfterAFlood_ShowsItsEnd: the model cannot keep up with the output, but shows its end.
func TestScreen_AfterAFlood_ShowsItsEnd(t *testing.T) {
	s := terminal(t, "sh", "-c",
		`yes "a line that scrolls away" | head -c 30000000; printf '\033[?1049h\033[Hdrawn'; read x`)
	shows(t, s, func(lines []string, _, _ int, alt bool) bool { return alt && lines[0] == "drawn" })
	plain := terminal(t, "sh", "-c", "seq 1 2000000; read x")
	shows(t, plain, func(lines []string, row, _ int, _ bool) bool {
		return row > 0 && lines[row-1] == "2000000" && lines[0] == fmt.Sprint(2000000-row+1)
	})
}

// TestScreen_HostileOutput_Recovers: after hostile output, all bytes are in the scrollback, and the next screen is
// correct.
func TestScreen_HostileOutput_Recovers(t *testing.T) {
	hostile := []string{
		strings.Repeat("a\x1b[65535b", 2000), strings.Repeat("\x1b[65535S\x1b[65535L\x1b[9999@", 500),
		"\x1b[999999999999999999999;1H\x1b[2147483648;2147483648r", strings.Repeat("\x1b[", 1000) + "H",
		"\x1b]0;" + strings.Repeat("t", 100_000), "\x1bP" + strings.Repeat("q", 10_000),
		"\x1b[?1049h\x1b[10;2r\x1b[?6h\x1b[H\x1b[20M",
		strings.Repeat("\x1b[6n", 20_000), strings.Repeat("e\u0301\u0301", 5000), strings.Repeat("\xff\xc0\x80", 5000),
		strings.Repeat("\x1bM", 50_000), "\x1b[?2048h\x1b[?5W\x1b[3g\t\t\t", "\x1b(0\x1b)0\x0e",
		strings.Repeat("👩‍👩‍👧‍👦", 500),
	}
	for i, text := range hostile {
		t.Logf("output %d", i)
		file := filepath.Join(t.TempDir(), "hostile")
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		s := terminal(t, "sh", "-c", "stty raw -echo; cat "+file+
			`; printf '\030\033\\\033c\033[?1049l\033[H\033[2Jsafe'; exec sleep 1000`)
		shows(t, s, func(lines []string, _, _ int, alt bool) bool { return !alt && lines[0] == "safe" })
		if raw := s.ring.slice(0, int64(len(text))); string(raw) != text {
			t.Errorf("output %d: the bytes differ", i)
		}
	}
}

func TestScreen_ModelPanics_Recovers(t *testing.T) {
	s := terminal(t, "sh", "-c", "printf 'one\\n'; read x; printf two; read x")
	shows(t, s, func(lines []string, _, _ int, _ bool) bool { return lines[0] == "one" })
	c := s.screen
	c.mu.Lock()
	c.recoverModel(func() { panic("the model breaks") })
	broken := c.replacements
	c.mu.Unlock()
	if broken != 1 {
		t.Error("not noticed")
	}
	if _, err := s.Write([]byte("\r")); err != nil {
		t.Fatal(err)
	}
	shows(t, s, func(lines []string, _, _ int, _ bool) bool { return slices.Contains(lines, "two") })
}

func TestCoalesceOutput_Flood_KeepsTheLastLines(t *testing.T) {
	lines := strings.Repeat("line\r\n", 1000)
	for name, c := range map[string]struct{ in, out string }{
		"short":   {"a\r\nb", "a\r\nb"},
		"flood":   {lines + "end", strings.Repeat("\r\nline", 3) + "\r\nend"},
		"colours": {strings.Repeat("\x1b[31mx\x1b[0m\n", 50), "\n" + strings.Repeat("\x1b[31mx\x1b[0m\n", 3)},
		"acts stay": {lines + "\x1b[H" + lines, strings.Repeat("\r\nline", 3) + "\r\n" + "\x1b[H" +
			strings.Repeat("\r\nline", 3) + "\r\n"},
		"cut sequence":     {"a\x1b[3", "a"},
		"cut escape":       {"a\x1b", "a"},
		"cut title":        {"a\x1b]0;t", "a"},
		"double escape":    {"\x1b\x1b[H", "\x1b\x1b[H"},
		"excess":           {"a\x1b[9999bb", "ab"},
		"usual repetition": {"a\x1b[80b", "a\x1b[80b"},
	} {
		pieces, _ := coalesceOutput([]byte(c.in), 2)
		var got strings.Builder
		for _, p := range pieces {
			got.Write(p.text)
		}
		if got.String() != c.out {
			t.Errorf("%s: %q, want %q", name, got.String(), c.out)
		}
	}
	heavy := "\x1b[?1049h" + strings.Repeat("\x1b[1;1Hxy", 100_000)
	pieces, used := coalesceOutput([]byte(heavy), 24)
	total := 0
	for _, p := range pieces {
		total += len(p.text)
	}
	if used != len(heavy) || total > maxModelBytes+100 || string(pieces[0].text) != "\x1b[?1049h" {
		t.Errorf("%d of %d bytes, first %q", total, used, pieces[0].text)
	}
}

func FuzzCondense(f *testing.F) {
	for _, seed := range []string{
		"", "a\r\nb", "\x1b[31mred\x1b[0m\n\n\n\n", "\x1b]0;t\x07x", "\x1b\x1b\x1b[H\x1b",
		"\x1bPq\x1b\\", "\x1b[\n3m", "日\xff",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, p []byte) {
		pieces, used := coalesceOutput(p, 2)
		total := 0
		for _, piece := range pieces {
			total += len(piece.text)
		}
		if used > len(p) || total > used {
			t.Errorf("%d bytes from %d of %d", total, used, len(p))
		}
		if used < len(p) && p[used] != 0x1b { // the rest is one unfinished sequence
			t.Errorf("%q is left over", p[used:])
		}
	})
}
