package terminal

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

func TestFish_EachCommand_HasOutputAndExit(t *testing.T) {
	needs(t, "fish")
	s := terminal(t, "fish")
	for _, c := range []struct {
		command, output string
		exit            int
	}{
		{"true", "", 0},
		{"false", "", 1},
		{"echo hello; echo again", "hello\nagain\n", 0},
		{"cd /usr; and pwd", "/usr\n", 0},
		{"pwd", "/usr\n", 0},
		{"printf 'no line end'", "no line end", 0},
		{`echo "it's 日本!" 'back\\slash'`, "it's 日本! back\\slash\n", 0},
		{"for i in 1 2\n\techo $i # each\nend", "1\n2\n", 0},
		{"sh -c 'exit 42'", "", 42},
	} {
		r := run(t, s, c.command)
		if r.Exit != c.exit || r.Output != c.output {
			t.Errorf("%q: exit %d, %q; want %d, %q", c.command, r.Exit, r.Output, c.exit, c.output)
		}
	}
	if r := run(t, s, "if true"); r.Exit == 0 {
		t.Errorf("an incomplete command: %+v", r)
	}
	ready(t, s)
	if got := s.Info().Cwd; got != "/usr" {
		t.Errorf("in %q", got)
	}
}

// reporting lists the shells that report their commands and their folder.
var reporting = []string{"bash", "zsh", "fish"}

func TestShells_RunningCommand_IsReported(t *testing.T) {
	for _, shell := range reporting {
		t.Run(shell, func(t *testing.T) {
			needs(t, shell)
			s := terminal(t, shell)
			ready(t, s)
			// The child prints a word when it has the terminal: an earlier Ctrl+C would reach the shell.
			const command = "sh -c 'echo up; exec sleep 1000' 'it is 100%; é'"
			if _, err := s.Write([]byte(command + "\r")); err != nil {
				t.Fatal(err)
			}
			awaitState(t, s, shellRunning)
			shows(t, s, func(lines []string, _, _ int, _ bool) bool { return slices.Contains(lines, "up") })
			if line, ok := s.Running(); !ok || line != command {
				t.Errorf("%q %v", line, ok)
			}
			if _, err := s.Write([]byte{3}); err != nil {
				t.Fatal(err)
			}
			awaitState(t, s, shellReady)
			if line, ok := s.Running(); ok {
				t.Errorf("at the prompt it runs %q", line)
			}
		})
	}
}

func TestShells_CurrentFolder_IsReported(t *testing.T) {
	for _, shell := range reporting {
		t.Run(shell, func(t *testing.T) {
			needs(t, shell)
			s := terminal(t, shell)
			dir := filepath.Join(t.TempDir(), "a b%é;")
			if err := os.Mkdir(dir, 0o700); err != nil {
				t.Fatal(err)
			}
			run(t, s, fmt.Sprintf("cd '%s'", dir))
			ready(t, s)
			if got := s.Info().Cwd; got != dir {
				t.Errorf("%q, want %q", got, dir)
			}
		})
	}
}

// TestShells_UsersFiles_AreReadAndUnchanged: the user's settings apply, and the files are unchanged.
func TestShells_UsersFiles_AreReadAndUnchanged(t *testing.T) {
	for shell, c := range map[string]struct{ file, text string }{
		"zsh":  {".zshrc", "alias hi='echo hi there'\nPS1='me> '\n"},
		"fish": {".config/fish/config.fish", "alias hi='echo hi there'\nfunction fish_prompt; echo -n 'me> '; end\n"},
	} {
		t.Run(shell, func(t *testing.T) {
			needs(t, shell)
			home := t.TempDir()
			file := filepath.Join(home, c.file)
			if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(file, []byte(c.text), 0o600); err != nil {
				t.Fatal(err)
			}
			env := []string{"PATH=/usr/bin:/bin", "HOME=" + home, "LANG=C.UTF-8"}
			s := terminalWith(t, Options{Argv: []string{shell}, Env: env})
			if r := run(t, s, "hi"); r.Output != "hi there\n" {
				t.Errorf("%+v", r)
			}
			ready(t, s)
			shows(t, s, func(lines []string, row, _ int, _ bool) bool { return lines[row] == "me>" })
			if got, err := os.ReadFile(file); err != nil || string(got) != c.text {
				t.Errorf("%q %v", got, err)
			}
			goals := terminalWith(t, Options{ID: "t2", GoalID: "g", Argv: []string{shell}, Env: env})
			if r := run(t, goals, "hi"); r.Exit != 127 {
				t.Errorf("a goal's shell reads the user's files: %+v", r)
			}
		})
	}
}

func TestShells_StartFiles_AreRemoved(t *testing.T) {
	for _, shell := range []string{"zsh", "fish"} {
		needs(t, shell)
		t.Setenv("TMPDIR", t.TempDir())
		s := terminal(t, shell)
		ready(t, s)
		if left, err := filepath.Glob(filepath.Join(os.Getenv("TMPDIR"), "goalpost-shell-*")); err != nil || len(left) > 0 {
			t.Errorf("%s leaves %q %v", shell, left, err)
		}
	}
}

func awaitState(t *testing.T, s *Session, want shellState) {
	t.Helper()
	ctx := within(t)
	for {
		s.mu.Lock()
		state, next := s.command.state, s.output.next()
		s.mu.Unlock()
		if state == want {
			return
		}
		select {
		case <-next:
		case <-ctx.Done():
			lines, _, _, _ := s.Screen()
			t.Fatalf("state %d, not %d\n%q", state, want, lines)
		}
	}
}
