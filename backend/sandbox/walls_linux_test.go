package sandbox_test

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"goalpost/backend/process"
	"goalpost/backend/sandbox"
)

// walls are those of a goal whose folder, home and private folder lie under the
// machine's /tmp, which the goal does not see.
func walls(tb testing.TB) sandbox.Walls {
	tb.Helper()
	base, err := filepath.EvalSymlinks(tb.TempDir())
	if err != nil {
		tb.Fatal(err)
	}
	w := sandbox.Walls{Dir: filepath.Join(base, "home", "work"), Layer: filepath.Join(base, "state", "layer"), Home: filepath.Join(base, "home")}
	for _, dir := range []string{w.Dir, w.Home, filepath.Dir(w.Layer)} {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			tb.Fatal(err)
		}
	}
	return w
}

// enclose opens a set with walls.
func enclose(tb testing.TB, w sandbox.Walls) *sandbox.Set {
	tb.Helper()
	return encloseTelling(tb, w, newTellings())
}

// inside is a command in the goal's folder.
func inside(w sandbox.Walls, script string, args ...string) process.Command {
	c := sh(script, args...)
	c.Dir, c.Env = w.Dir, sandbox.Inside([]string{plainPath, endsAtOnce}, w)
	return c
}

func TestWhatAGoalSees(t *testing.T) {
	w := walls(t)
	if err := os.WriteFile(filepath.Join(w.Home, "secret"), []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	s := enclose(t, w)
	for script, want := range map[string]string{
		"pwd":                    w.Dir + "\n",
		"ls -A ~ | grep -v kept": "work\n",
		"ls -A /tmp | wc -l":     "1\n",
		"ls /dev/pts":            "ptmx\n",
		"ls /run; ls /run/user":  "goalpost\nuser\n" + uid() + "\n",
		"echo hi > ~/kept; cat ~/kept; echo x > out; cat out":                               "hi\nx\n",
		"bash -c 'cat <(echo yes) /dev/fd/0' </dev/null":                                    "yes\n",
		"grep -E '^(CapPrm|CapEff|NoNewPrivs|Seccomp):' /proc/self/status | tr -d '\\t\\n'": "",
	} {
		t.Run(script, func(t *testing.T) {
			text, status := output(t, s, inside(w, script))
			t.Logf("%s%v", text, status)
			if want != "" && text != want {
				t.Errorf("want %q", want)
			}
		})
	}
	if _, err := os.Stat(filepath.Join(w.Dir, "out")); err != nil {
		t.Error(err)
	}
}

func uid() string {
	b, _ := os.ReadFile("/proc/self/status")
	for line := range strings.Lines(string(b)) {
		if rest, ok := strings.CutPrefix(line, "Uid:"); ok {
			return strings.Fields(rest)[0]
		}
	}
	return ""
}

func TestTerminalOfItsOwn(t *testing.T) {
	w := walls(t)
	s := enclose(t, w)
	p, master, err := s.StartTerminal(context.Background(), inside(w, "tty; stty size; echo done"), 91, 17)
	if err != nil {
		t.Fatal(err)
	}
	wait(t, p)
	text, _ := io.ReadAll(master) // EIO at its end
	if err := master.Close(); err != nil {
		t.Error(err)
	}
	if string(text) != "/dev/pts/0\r\n17 91\r\ndone\r\n" {
		t.Errorf("%q", text)
	}
}
