package cli_test

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"goalpost/backend/agent/model/modeltest"
	"goalpost/backend/app"
	"goalpost/backend/entry/cli"
	"goalpost/backend/goals/api"
	"goalpost/backend/goals/calls"
	"goalpost/backend/host/sandbox/sandboxtest"
	"goalpost/backend/lib/waittest"
	"goalpost/backend/storage/config"
)

// TestRun_PaneOfAnotherProcess_RunsThere checks that the command line starts the goal in the process that has the pane
// and follows it to its end, and that it lists the panes if the named one does not exist.
func TestRun_PaneOfAnotherProcess_RunsThere(t *testing.T) {
	home := t.TempDir()
	t.Setenv("GOALPOST_HELPER", sandboxtest.Helper(t))
	t.Setenv("HOME", home)
	getenv := func(name string) string {
		if name == config.HomeVariable {
			return home
		}
		return os.Getenv(name)
	}
	model := modeltest.New(t, play)
	run := func(args ...string) (code int, out, said string) {
		var stdout, stderr bytes.Buffer
		p := cli.Program{
			Name:    "goalctl",
			Getenv:  getenv,
			Stdin:   nothing{},
			Stdout:  &stdout,
			Stderr:  &stderr,
			Closing: defaultCloseWait,
		}
		ctx, cancel := context.WithTimeout(t.Context(), waittest.Scale(2*time.Minute))
		defer cancel()
		code = p.Run(ctx,
			append([]string{
				"run", "--base-url", model.URL, "--model", "good", "--check", "file:done.txt", "--json",
				"create done.txt",
			}, args...))
		return code, stdout.String(), stderr.String()
	}
	if code, _, said := run("--pane", "t1"); code != 2 || !strings.Contains(said, "open it in the window") {
		t.Fatalf("nobody has a pane: %d %s", code, said)
	}

	cfg, err := config.Open(getenv)
	if err != nil {
		t.Fatal(err)
	}
	window := app.New(app.Options{Config: cfg, Version: "test", Watch: true})
	if err := window.Open(t.Context()); err != nil {
		t.Fatal(err)
	}
	defer func() {
		ctx, cancel := context.WithTimeout(context.Background(), waittest.Scale(30*time.Second))
		defer cancel()
		if err := window.Close(ctx); err != nil {
			t.Error(err)
		}
		if err := cfg.Close(); err != nil {
			t.Error(err)
		}
	}()
	for _, area := range window.BoundAPIs(t.Context()) {
		if a, ok := area.(*calls.TerminalAPI); ok {
			if own, err := a.Open(api.ArgsOpenTerminal{Dir: home}); err != nil || own.ID != "t1" {
				t.Fatal(own, err)
			}
		}
	}

	if code, _, said := run("--pane", "t7"); code != 2 || !strings.Contains(said, "t1@") {
		t.Errorf("another pane: %d %s", code, said)
	}
	if code, _, said := run("--pane", "t1", "--dir", filepath.Join(home, "nowhere")); code != 2 ||
		!strings.Contains(said, "nowhere does not exist") {
		t.Errorf("refused there: %d %s", code, said)
	}
	code, out, said := run("--pane", "t1")
	if code != 0 || !strings.Contains(out, `"pane":"t1","kind":"terminal","held":true,"shared":true`) ||
		!strings.Contains(out, `"exit":"done"`) {
		t.Errorf("its pane: %d %s %s", code, out, said)
	}
}

// nothing is an empty standard input.
type nothing struct{}

func (nothing) Read([]byte) (int, error) { return 0, os.ErrClosed }
func (nothing) Close() error             { return nil }
