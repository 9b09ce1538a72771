package terminal

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"
)

func waited(t *testing.T, s *Session, u WaitCondition) WaitResult {
	t.Helper()
	w, err := s.WaitFor(within(t), u, bound)
	if err != nil || w.Why == TimedOut {
		lines, _, _, _ := s.Screen()
		t.Fatalf("%+v: %+v %v\n%q", u, w, err, lines)
	}
	return w
}

func TestWaitFor_Pattern_MatchesNewOutput(t *testing.T) {
	s := terminal(t, "bash")
	run(t, s, "echo listening on 1")
	_, now := s.Range()
	if _, err := s.Commands.Run(within(t), "read x; echo listening on 2; sleep 1000", 0); err != nil {
		t.Fatal(err)
	}
	pattern := regexp.MustCompile(`listening on \d`)
	if w, err := s.WaitFor(within(t), WaitCondition{Pattern: regexp.MustCompile(`never`)},
		50*time.Millisecond); err != nil || w.Why != TimedOut {
		t.Fatalf("%+v %v", w, err)
	}
	if err := s.Keys("Enter"); err != nil {
		t.Fatal(err)
	}
	// What was typed is echoed too, so the pattern asks for a line of its own.
	if w := waited(t, s, WaitCondition{
		Pattern: regexp.MustCompile(`(?m)^listening on \d$`),
		Since:   now,
	}); w.Match != "listening on 2" {
		t.Errorf("%+v", w)
	}
	if w := waited(t, s, WaitCondition{Pattern: pattern}); w.Match != "listening on 1" {
		t.Errorf("from the start: %+v", w)
	}
	if w, err := s.WaitFor(within(t), WaitCondition{Pattern: pattern, Since: -1}, 50*time.Millisecond); err != nil ||
		w.Why != TimedOut {
		t.Errorf("an old line counts: %+v %v", w, err)
	}
}

// TestWaitFor_PatternInAFlood_IsFound: the text is also found if it spans two reads.
func TestWaitFor_PatternInAFlood_IsFound(t *testing.T) {
	s := terminal(t, "sh", "-c",
		`yes "a long line of a flood" | head -c 3000000; printf 'the nee'; printf 'dle\n'; `+
			`yes more | head -c 3000000; read x`)
	if w := waited(t, s, WaitCondition{Pattern: regexp.MustCompile(`the needle`)}); w.Why != Matched {
		t.Errorf("%+v", w)
	}
}

func TestWaitFor_ExitOrPrompt_IsReported(t *testing.T) {
	s := terminal(t, "bash")
	ready(t, s)
	r, err := s.Commands.Run(within(t), "read x; (exit 7)", 0)
	if err != nil || r.Finished {
		t.Fatalf("%+v %v", r, err)
	}
	if w, err := s.WaitFor(within(t), WaitCondition{Exit: true, Prompt: true}, 50*time.Millisecond); err != nil ||
		w.Why != TimedOut {
		t.Fatalf("while it runs: %+v %v", w, err)
	}
	if err := s.Type("\n"); err != nil {
		t.Fatal(err)
	}
	if w := waited(t, s, WaitCondition{Exit: true}); w.Why != Exited || w.Exit != 7 {
		t.Errorf("%+v", w)
	}
	if w := waited(t, s, WaitCondition{Prompt: true}); w.Why != AtPrompt {
		t.Errorf("%+v", w)
	}
	if w := waited(t, s, WaitCondition{Exit: true}); w.Why != Exited || w.Exit != 7 {
		t.Errorf("nothing runs: %+v", w)
	}
	if err := errors.Join(s.Type("exit 3"), s.Keys("Enter")); err != nil {
		t.Fatal(err)
	}
	if w := waited(t, s, WaitCondition{}); w.Why != Ended || w.Exit != 3 {
		t.Errorf("%+v", w)
	}
}

func TestWaitFor_Quiet_IsReported(t *testing.T) {
	s := terminal(t, "sh", "-c", "read x; for i in 1 2 3 4 5; do echo $i; sleep 0.1; done; sleep 1000")
	if err := s.Keys("Enter"); err != nil {
		t.Fatal(err)
	}
	waited(t, s, WaitCondition{Pattern: regexp.MustCompile("5")})
	w := waited(t, s, WaitCondition{Quiet: 300 * time.Millisecond})
	if w.Why != BecameQuiet {
		t.Errorf("%+v", w)
	}
	if page := s.Text(0, 1000); !strings.Contains(page.Text, "5\n") || w.Next != page.End {
		t.Errorf("quiet at %d, %+v", w.Next, page)
	}
}

func TestWaitFor_ImpossibleCondition_IsRefused(t *testing.T) {
	s := terminal(t, "cat")
	if _, err := s.WaitFor(within(t), WaitCondition{Prompt: true}, 0); err == nil {
		t.Error("cat has a prompt")
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := s.WaitFor(ctx, WaitCondition{}, bound); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

// TestKeys_InAnEditor_EditTheFile: the agent's keys work in a full-screen program like a user's.
func TestKeys_InAnEditor_EditTheFile(t *testing.T) {
	needs(t, "vim")
	file := filepath.Join(t.TempDir(), "note.txt")
	s := terminal(t, "bash")
	ready(t, s)
	if _, err := s.Commands.Run(within(t), "vim -u NONE -N "+file, 0); err != nil {
		t.Fatal(err)
	}
	// The name alone is not enough, because the shell echoes it before vim starts.
	waited(t, s, WaitCondition{Pattern: regexp.MustCompile(`note\.txt" \[New`)})
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	must(s.Keys("i"))
	must(s.Type("one\ntwo"))
	must(s.Keys("Escape"))
	waited(t, s, WaitCondition{Pattern: regexp.MustCompile(`one\s+two`)})
	must(s.Keys("Up", "Home", "i", "z", "e", "r", "o", "Space", "Escape"))
	must(s.Keys(":", "w", "q", "Enter"))
	if w := waited(t, s, WaitCondition{Exit: true}); w.Exit != 0 {
		t.Errorf("%+v", w)
	}
	if got, err := os.ReadFile(file); err != nil || string(got) != "zero one\ntwo\n" {
		t.Errorf("%q %v", got, err)
	}
}

func TestEncodeKeys_EachName_HasItsBytes(t *testing.T) {
	for name, want := range map[string]string{
		"a":           "a",
		"é":           "é",
		"+":           "+",
		"Ctrl+C":      "\x03",
		"Ctrl+c":      "\x03",
		"Ctrl+[":      "\x1b",
		"Ctrl+Space":  "\x00",
		"Ctrl+_":      "\x1f",
		"Alt+b":       "\x1bb",
		"Alt+Ctrl+x":  "\x1b\x18",
		"Ctrl+Alt+x":  "\x1b\x18",
		"Enter":       "\r",
		"Tab":         "\t",
		"Shift+Tab":   "\x1b[Z",
		"Backspace":   "\x7f",
		"Escape":      "\x1b",
		"Up":          "\x1b[A",
		"Ctrl+Right":  "\x1b[1;5C",
		"Shift+Up":    "\x1b[1;2A",
		"Delete":      "\x1b[3~",
		"Ctrl+Delete": "\x1b[3;5~",
		"F1":          "\x1bOP",
		"Shift+F1":    "\x1b[1;2P",
		"F5":          "\x1b[15~",
		"F12":         "\x1b[24~",
		"Home":        "\x1b[H",
		"Shift+a":     "A",
		"Alt+Enter":   "\x1b\r",
	} {
		if got, err := encodeKey(name, false); err != nil || got != want {
			t.Errorf("%s: %q %v, want %q", name, got, err, want)
		}
	}
	if got, _ := encodeKey("Up", true); got != "\x1bOA" {
		t.Errorf("%q", got)
	}
	for _, name := range []string{"", "Enterr", "Ctrl+é", "Hyper+a", "ab", "Ctrl+"} {
		if got, err := encodeKey(name, false); err == nil {
			t.Errorf("%q is %q", name, got)
		}
	}
}

// TestType_SeveralLines_WaitForEnter: a shell with bracketed paste runs nothing before Enter.
func TestType_SeveralLines_WaitForEnter(t *testing.T) {
	s := terminal(t, "bash")
	ready(t, s)
	if err := s.Type("echo a\necho b"); err != nil {
		t.Fatal(err)
	}
	waited(t, s, WaitCondition{Pattern: regexp.MustCompile(`echo b`)})
	s.mu.Lock()
	count := s.command.count
	s.mu.Unlock()
	if count != 0 {
		t.Error("the first line ran without Enter")
	}
	if err := s.Type("rm \x1b[201~ -rf"); err == nil {
		t.Error("an escape sequence is typed as text")
	}
}

func TestScrollback_AllPages_JoinToTheWhole(t *testing.T) {
	s := terminal(t, "sh", "-c", "stty -opost; seq 1 20000")
	ended(t, s)
	var want strings.Builder
	for i := range 20000 {
		fmt.Fprintln(&want, i+1)
	}
	all := ""
	for page := 0; ; page++ {
		p := s.Scrollback(page)
		if p.Text == "" {
			break
		}
		if len(p.Text) > 2*pageBytes || !strings.HasSuffix(p.Text, "\n") {
			t.Errorf("page %d: %d bytes, ends in %.20q", page, len(p.Text), p.Text[len(p.Text)-10:])
		}
		all = p.Text + all
	}
	if all != want.String() {
		t.Errorf("the pages do not join: %d bytes instead of %d", len(all), want.Len())
	}
}

// TestType_LongLine_ArrivesWholeOrIsRefused: the kernel drops the end of a long line for a program without a line
// editor. A shell with one gets all of it.
func TestType_LongLine_ArrivesWholeOrIsRefused(t *testing.T) {
	long := strings.Repeat("x", 6000)
	s := terminal(t, "bash")
	waited(t, s, WaitCondition{Prompt: true})
	_, from := s.Range()
	if err := errors.Join(s.Type("x="+long+"; echo it has ${#x}."), s.Keys("Enter")); err != nil {
		t.Fatal(err)
	}
	waited(t, s, WaitCondition{Pattern: regexp.MustCompile(`it has 6000\.`), Since: from})

	s = terminal(t, "sh", "-c", "echo ready; read line; echo it has ${#line}.; exec sleep 1000")
	waited(t, s, WaitCondition{Pattern: regexp.MustCompile(`ready`)})
	if err := s.Type("one\n" + long); err == nil || !strings.Contains(err.Error(), "nothing was typed") {
		t.Errorf("a line that would be cut: %v", err)
	}
	if err := errors.Join(s.Type("short"), s.Keys("Enter")); err != nil {
		t.Fatal(err)
	}
	waited(t, s, WaitCondition{Pattern: regexp.MustCompile(`it has 5\.`)})
}
