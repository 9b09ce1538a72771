package terminal

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"
)

// seen is the content of a screen: of our model, or of xterm.js.
type seen struct {
	Lines    []string `json:"lines"`
	Row, Col int
	Alt      bool
}

// drive is a program with the keys that are typed into it. After each step, the screens are compared.
type drive struct {
	name, command string
	steps         []step
}

type step struct {
	keys  []string
	until string // the text to wait for on the screen
}

// TestScreen_RealPrograms_AgreeWithXterm: the screen model, which the agent reads, and xterm.js, which the user sees,
// get the same bytes.
func TestScreen_RealPrograms_AgreeWithXterm(t *testing.T) {
	needs(t, "node", "vim", "htop", "tmux", "less", "fzf", "git")
	dir := project(t)
	for _, d := range []drive{
		{"vim", "vim -u NONE -N -c 'syntax on' -c 'set number hlsearch' program.c", []step{
			{nil, "int main"},
			{[]string{"G", "o", "w", "i", "d", "e", " ", "日", "本", " ", "é", "Escape"}, "wide 日本 é"},
			{[]string{":", "s", "p", "l", "i", "t", "Enter", "Ctrl+F", "/", "r", "e", "t", "u", "r", "n", "Enter"}, "return"},
			{[]string{"d", "d", "u", "5", "j", "Ctrl+E", "Ctrl+Y", "V", "j", "j", ">"}, "lines"},
		}},
		{"less", "less -N long.txt", []step{
			{nil, "line 1 of"},
			{[]string{"Space", "Space", "b"}, "line 58 of"},
			{[]string{"/", "l", "i", "n", "e", " ", "7", "7", "Enter"}, "line 77 of"},
			{[]string{"G"}, "line 300 of"},
		}},
		{"git log", "git -c color.ui=always log --graph --stat --decorate", []step{
			{nil, "commit "},
			{[]string{"Space"}, "Author"},
		}},
		{"fzf", "seq 1000 | fzf --reverse --border --prompt='pick> '", []step{
			{nil, "1000/1000"},
			{[]string{"7", "7"}, "77"},
			{[]string{"Down", "Down"}, "77"},
		}},
		{"htop", "htop -d 100", []step{
			{nil, "Load average"},
			{[]string{"F5"}, "Load average"},
			{[]string{"F1"}, "htop "},
		}},
		// tmux treats keys that arrive within a millisecond as a paste, in which Ctrl+B has no meaning.
		{"tmux", "tmux -f /dev/null -L agree start-server \\; set -g assume-paste-time 0 \\; new-session sh", []step{
			{nil, "[0]"},
			{[]string{"Ctrl+B", "%"}, "│"},
			{[]string{"s", "e", "q", " ", "3", "0", "Enter", "Ctrl+B", "\"", "e", "c", "h", "o", " ", "日", "本", "Enter"}, "日本"},
			{[]string{"Ctrl+B", "["}, "[0/"},
		}},
	} {
		t.Run(d.name, func(t *testing.T) { agree(t, dir, d) })
	}
}

// project is a folder with something to look at.
func project(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	var long, code strings.Builder
	for i := range 300 {
		fmt.Fprintf(&long, "line %d of \x1b[3%dmcolour\x1b[0m and a tab\there, 日本語, é\n", i+1, i%8)
	}
	code.WriteString("#include <stdio.h>\nint main(void) {\n")
	for i := range 60 {
		fmt.Fprintf(&code, "\tprintf(\"lines %%d\\n\", %d); /* a comment */\n", i)
	}
	code.WriteString("\treturn 0;\n}\n")
	for name, text := range map[string]string{"long.txt": long.String(), "program.c": code.String()} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	script := `git init -q -b main . && git config user.name 'Ada é' && git config user.email a@b
for i in 1 2 3 4 5 6; do git add . && git commit -q --allow-empty -m "change $i: 日本" && echo $i >> long.txt; done
git checkout -q -b side && git commit -q --allow-empty -m side
git checkout -q main && git merge -q --no-ff -m 'a merge' side`
	git := exec.Command("sh", "-c", script)
	git.Dir, git.Env = dir, []string{"PATH=/usr/bin:/bin", "HOME=" + dir}
	if out, err := git.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return dir
}

func agree(t *testing.T, dir string, d drive) {
	t.Helper()
	s := terminalWith(t, Options{
		Argv: []string{"sh", "-c", d.command}, Dir: dir, Cols: 100, Rows: 30,
		Env: []string{
			"PATH=/usr/bin:/bin", "HOME=" + dir, "LANG=C.UTF-8", "TERM=xterm-256color", "COLORTERM=truecolor",
			"LESS=R", "TMUX_TMPDIR=" + dir,
		},
	})
	for i, step := range d.steps {
		for _, key := range step.keys {
			if err := s.Keys(key); err != nil {
				t.Fatal(err)
			}
		}
		shows(t, s, func(lines []string, _, _ int, _ bool) bool {
			return strings.Contains(strings.Join(lines, "\n"), step.until)
		})
		// The program may continue to draw, but both screens are compared after the same bytes.
		if _, err := s.WaitFor(within(t), WaitCondition{Quiet: 100 * time.Millisecond}, bound); err != nil {
			t.Fatal(err)
		}
		ours, raw := look(t, s)
		theirs := xterm(t, 100, 30, raw)
		if diff := compare(ours, theirs); diff != "" {
			t.Errorf("after step %d, %d bytes:\n%s", i, len(raw), diff)
		}
	}
}

// look returns the model's screen, and exactly the bytes that led to it.
func look(t *testing.T, s *Session) (seen, []byte) {
	t.Helper()
	for range 1000 {
		_, end := s.Range()
		lines, row, col, alt := s.Screen()
		s.screen.mu.Lock()
		followed := s.screen.followed
		s.screen.mu.Unlock()
		if _, now := s.Range(); now == end && followed == end {
			s.mu.Lock()
			raw := s.ring.slice(0, end)
			s.mu.Unlock()
			return seen{lines, row, col, alt}, raw
		}
	}
	t.Fatal("it never stops drawing")
	return seen{}, nil
}

func xterm(t *testing.T, cols, rows int, raw []byte) seen {
	t.Helper()
	in, err := json.Marshal(map[string]any{"cols": cols, "rows": rows, "bytes": raw})
	if err != nil {
		t.Fatal(err)
	}
	node := exec.CommandContext(within(t), "node", "testdata/xterm.mjs")
	node.Stdin = bytes.NewReader(append(in, '\n'))
	var said bytes.Buffer
	node.Stderr = &said
	out, err := node.Output()
	if err != nil {
		t.Fatalf("xterm.js does not run (make frontend installs it): %v\n%s", err, said.String())
	}
	var s seen
	if err := json.Unmarshal(out, &s); err != nil {
		t.Fatal(err)
	}
	return s
}

var space = regexp.MustCompile(`[\s\x{a0}]+$`)

func compare(ours, theirs seen) string {
	var diff strings.Builder
	for y, line := range ours.Lines {
		line, other := space.ReplaceAllString(line, ""), space.ReplaceAllString(theirs.Lines[y], "")
		if line != other {
			fmt.Fprintf(&diff, "row %d\n  ours     %q\n  xterm.js %q\n", y, line, other)
		}
	}
	if ours.Alt != theirs.Alt || ours.Row != theirs.Row || min(ours.Col, 99) != theirs.Col {
		fmt.Fprintf(&diff, "cursor %d,%d alternate %v; xterm.js %d,%d %v\n", ours.Row, ours.Col, ours.Alt, theirs.Row,
			theirs.Col, theirs.Alt)
	}
	return diff.String()
}
