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

// shells runs a test with one shell for each way in which commands are typed and reported. fish is not among them,
// because its language is different.
func shells(t *testing.T, do func(t *testing.T, shell string)) {
	t.Helper()
	for _, shell := range []string{"bash", "sh", "zsh"} {
		t.Run(shell, func(t *testing.T) {
			needs(t, shell)
			do(t, shell)
		})
	}
}

func TestRun_EachCommand_HasOutputAndExit(t *testing.T) {
	shells(t, func(t *testing.T, shell string) {
		s := terminal(t, shell)
		for _, c := range []struct {
			command, output string
			exit            int
		}{
			{"true", "", 0},
			{"false", "", 1},
			{"echo hello; echo again", "hello\nagain\n", 0},
			{"(exit 42)", "", 42},
			{"cd /usr && pwd", "/usr\n", 0},
			{"pwd", "/usr\n", 0}, // all commands run in the same shell
			{"printf 'no line end'", "no line end", 0},
			{"echo \"it's 日本!\"", "it's 日本!\n", 0},
			{"for i in 1 2 3\ndo\n\techo $i # each\ndone", "1\n2\n3\n", 0},
			{"cat <<'X'\n$HOME\nX", "$HOME\n", 0},
			{`printf '\033[31mred\033[0m a\bb 10%%\r 20%%\n'`, " 20%b 10%\n", 0},
			{"x=5\nprintf '%s\\n' \"\\\\$x\"", "\\5\n", 0},
		} {
			r := run(t, s, c.command)
			if r.Exit != c.exit || r.Output != c.output {
				t.Errorf("%q: exit %d, %q; want %d, %q", c.command, r.Exit, r.Output, c.exit, c.output)
			}
		}
		if r := run(t, s, "no-such-command-here"); r.Exit != 127 || !strings.Contains(r.Output, "not found") {
			t.Errorf("%+v", r)
		}
		if r := run(t, s, "if then fi\nfi"); r.Exit == 0 || !strings.Contains(r.Output, "arse error") &&
			!strings.Contains(strings.ToLower(r.Output), "syntax error") {
			t.Errorf("%+v", r)
		}
	})
}

func TestRun_Server_KeepsRunning(t *testing.T) {
	shells(t, func(t *testing.T, shell string) {
		s := terminal(t, shell)
		ready(t, s)
		// The child prints a word when it has the terminal: an earlier Ctrl+C would reach the shell.
		r, err := s.Commands.Run(within(t), "sh -c 'echo listening; exec sleep 1000'", 300*time.Millisecond)
		if err != nil || r.Finished || !strings.HasPrefix("listening\n", r.Output) {
			t.Fatalf("%+v %v", r, err)
		}
		waited(t, s, WaitCondition{Pattern: regexp.MustCompile("listening\n"), Since: r.Offset})
		if page := s.Text(r.Offset, 1000); page.Text != "listening\n" {
			t.Errorf("it printed %q", page.Text)
		}
		if _, err := s.Commands.Run(within(t), "echo second", time.Second); !errors.Is(err, ErrBusy) {
			t.Errorf("a second command: %v", err)
		}
		if _, err := s.Write([]byte{3}); err != nil { // Ctrl+C
			t.Fatal(err)
		}
		ready(t, s)
		if r := run(t, s, "echo third"); r.Output != "third\n" || r.Exit != 0 {
			t.Errorf("%+v", r)
		}
	})
}

// ready waits for the prompt.
func ready(t *testing.T, s *Session) {
	t.Helper()
	for {
		s.mu.Lock()
		state, next := s.command.state, s.output.next()
		s.mu.Unlock()
		if state == shellReady {
			return
		}
		select {
		case <-next:
		case <-within(t).Done():
			lines, _, _, _ := s.Screen()
			t.Fatalf("no prompt, state %d: %q", state, strings.Join(lines, "\n"))
		}
	}
}

func TestRun_ShellEnds_Fails(t *testing.T) {
	shells(t, func(t *testing.T, shell string) {
		s := terminal(t, shell)
		_, err := s.Commands.Run(within(t), "exit 3", bound)
		if !errors.Is(err, ErrEnded) || !strings.Contains(err.Error(), "exit 3") {
			t.Errorf("%v", err)
		}
		if _, err := s.Commands.Run(within(t), "true", bound); !errors.Is(err, ErrEnded) {
			t.Errorf("%v", err)
		}
	})
}

func TestRun_InvalidCommand_IsRefused(t *testing.T) {
	s := terminal(t, "bash")
	for _, command := range []string{
		"", "  \n", "echo \x1b[201~", "echo \x03", "a\rb", "echo \xff",
		strings.Repeat("x", maxCommand+1),
	} {
		if r, err := s.Commands.Run(within(t), command, bound); err == nil {
			t.Errorf("%.20q: %+v", command, r)
		}
	}
	r, err := s.Commands.Run(within(t), `echo "not closed`, bound)
	if err == nil || !strings.Contains(err.Error(), "incomplete") {
		t.Errorf("%+v %v", r, err)
	}
	ready(t, s)
	run(t, s, "true")
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := s.Commands.Run(ctx, "sleep 1000", bound); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
	cat := terminal(t, "cat")
	if _, err := cat.Commands.Run(within(t), "ls", bound); err == nil || !strings.Contains(err.Error(), "is not a shell") {
		t.Errorf("%v", err)
	}
}

func TestRun_LongOutput_IsTruncated(t *testing.T) {
	shells(t, func(t *testing.T, shell string) {
		s := terminalWith(t, Options{Argv: []string{shell}, Scrollback: 1 << 20})
		r := run(t, s, "seq 1 1000")
		if !strings.HasPrefix(r.Output, "1\n2\n") || !strings.HasSuffix(r.Output, "\n1000\n") ||
			strings.Count(r.Output, "\n") != 1000 {
			t.Errorf("%d bytes", len(r.Output))
		}
		r = run(t, s, "seq 1 1000000")
		if !strings.HasPrefix(r.Output, "1\n2\n") || !strings.HasSuffix(r.Output, "\n1000000\n") ||
			!strings.Contains(r.Output, "bytes left out") || len(r.Output) > MaxOutput+100 {
			t.Errorf("%d bytes: %.40q … %q", len(r.Output), r.Output, r.Output[max(0, len(r.Output)-40):])
		}
	})
}

// TestMarks_PrintedByAProgram_AreIgnored: a program does not know the nonce.
func TestMarks_PrintedByAProgram_AreIgnored(t *testing.T) {
	s := terminal(t, "bash")
	r := run(t, s, `printf '\033]133;D;0\007\033]133;D;0;goalpost=0123\007'; (exit 9)`)
	if r.Exit != 9 {
		t.Errorf("%+v", r)
	}
}

func TestRun_UsersShellFiles_AreRead(t *testing.T) {
	home := t.TempDir()
	rc := `alias hi='echo hi there'
PS1='me> '
PROMPT_COMMAND='seen=$?; PS1="again> "'
return 7
`
	if err := os.WriteFile(filepath.Join(home, ".bashrc"), []byte(rc), 0o600); err != nil {
		t.Fatal(err)
	}
	s := terminalWith(t, Options{Argv: []string{"bash"}, Env: []string{"PATH=/usr/bin:/bin", "HOME=" + home}})
	if r := run(t, s, "hi"); r.Output != "hi there\n" {
		t.Errorf("%+v", r)
	}
	run(t, s, "(exit 4)")
	if r := run(t, s, "echo $seen"); r.Output != "4\n" {
		t.Errorf("the user's PROMPT_COMMAND sees %q", r.Output)
	}
	ready(t, s)
	shows(t, s, func(lines []string, row, _ int, _ bool) bool { return lines[row] == "again>" })
}

// TestRun_GoalsShell_ReadsNoProfile: a profile could redefine commands.
func TestRun_GoalsShell_ReadsNoProfile(t *testing.T) {
	home := t.TempDir()
	if err := os.WriteFile(filepath.Join(home, ".bashrc"), []byte("ls() { echo forged; }\nsleep 60\n"),
		0o600); err != nil {
		t.Fatal(err)
	}
	s := terminalWith(t, Options{
		Argv:   []string{"bash"},
		GoalID: "goal",
		Env:    []string{"PATH=/usr/bin:/bin", "HOME=" + home},
	})
	if r := run(t, s, "ls -d /"); r.Output != "/\n" {
		t.Errorf("%+v", r)
	}
}

func TestInfo_ShellChangesFolder_HasTheNewOne(t *testing.T) {
	s := terminal(t, "bash")
	dir := filepath.Join(t.TempDir(), "a b%é;")
	run(t, s, fmt.Sprintf("mkdir -p '%s' && cd '%[1]s'", dir))
	ready(t, s)
	if got := s.Info().Cwd; got != dir {
		t.Errorf("%q, want %q", got, dir)
	}
}

func TestRun_Shell_HasNoExtraDescriptor(t *testing.T) {
	shells(t, func(t *testing.T, shell string) {
		s := terminal(t, shell)
		r := run(t, s, "ls -l /proc/self/fd | grep -c pipe; echo \"[$ENV]\"")
		if r.Output != "1\n[]\n" { // the only pipe is the output of ls
			t.Errorf("%q", r.Output)
		}
	})
}

func TestProgramOf_EachOption_SelectsTheShell(t *testing.T) {
	for _, c := range []struct {
		o    Options
		want string
		kind shellKind
	}{
		{Options{Env: []string{"SHELL=/bin/sh"}}, "/bin/sh", posixShell},
		{Options{Env: []string{"SHELL=/bin/sh"}, GoalID: "g1"}, "/bin/bash", bashShell},
		{Options{Env: []string{"SHELL=/no/such/shell"}}, "/bin/bash", bashShell},
		{Options{Env: []string{"SHELL=bash"}}, "/bin/bash", bashShell},
		{Options{}, "/bin/bash", bashShell},
		{Options{Argv: []string{"bash", "-c", "true"}}, "bash -c true", noShell},
		{Options{Argv: []string{"python3"}, GoalID: "g1"}, "python3", noShell},
	} {
		argv, kind := programOf(c.o)
		if strings.Join(argv, " ") != c.want || kind != c.kind {
			t.Errorf("%+v: %q %d", c.o, argv, kind)
		}
	}
}
