package app

import (
	"context"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"goalpost/backend/domain/pane"
	"goalpost/backend/goals/api"
	"goalpost/backend/host/sandbox/sandboxtest"
	"goalpost/backend/lib/waittest"
	"goalpost/backend/panes/terminal"
	"goalpost/backend/storage/config"
)

// late is far above what a busy machine needs: a test that waits so long hangs.
var late = waittest.Scale(3 * time.Minute)

// begin opens a program on a data folder.
func begin(t *testing.T, home string) *App {
	t.Helper()
	t.Setenv("GOALPOST_HELPER", sandboxtest.Helper(t))
	t.Setenv("HOME", home)
	t.Setenv("SHELL", "/bin/bash")
	cfg, err := config.Open(func(name string) string {
		return map[string]string{config.HomeVariable: home, "HOME": home}[name]
	})
	if err != nil {
		t.Fatal(err)
	}
	a := New(Options{Config: cfg, Version: "test"})
	if err := a.Open(t.Context()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), late)
		defer cancel()
		if err := a.Close(ctx); err != nil {
			t.Error(err)
		}
		if err := cfg.Close(); err != nil {
			t.Error(err)
		}
	})
	if err := a.RestoreWorkspace(t.Context()); err != nil {
		t.Fatal(err)
	}
	return a
}

// said waits until the terminal has printed text that matches.
func said(t *testing.T, s *terminal.Session, pattern string) {
	t.Helper()
	w, err := s.WaitFor(t.Context(), terminal.WaitCondition{Pattern: regexp.MustCompile(pattern)}, late)
	if err != nil || w.Why != terminal.Matched {
		t.Fatalf("%s: %+v %v\n%s", pattern, w, err, s.Text(0, 1<<16).Text)
	}
}

func terminals(a *App) []pane.Info {
	var list []pane.Info
	for _, p := range a.panes.Snapshot().Panes {
		if p.Kind == pane.Terminal {
			list = append(list, p)
		}
	}
	return list
}

// TestRestoreWorkspace_AfterARestart_ReopensTerminals: a terminal returns under the same id with its title, folder and
// scrollback. Its last command is typed at the prompt, but not run.
func TestRestoreWorkspace_AfterARestart_ReopensTerminals(t *testing.T) {
	home := t.TempDir()
	work := filepath.Join(home, "some where")
	if err := os.Mkdir(work, 0o700); err != nil {
		t.Fatal(err)
	}
	var opened pane.Info
	t.Run("before", func(t *testing.T) {
		a := begin(t, home)
		var err error
		if opened, err = a.panes.OpenTerminal(t.Context(), api.ArgsOpenTerminal{Dir: home}); err != nil {
			t.Fatal(err)
		}
		s, err := a.panes.Terminals.Get(opened.ID)
		if err != nil {
			t.Fatal(err)
		}
		s.Rename("the server")
		r, err := s.Commands.Run(t.Context(), "cd 'some where'; echo seen $((40+2))", time.Minute)
		if err != nil || r.Exit != 0 {
			t.Fatalf("%+v %v", r, err)
		}
		if _, err := s.Commands.Run(t.Context(), "sh -c 'echo run >> runs; echo up; exec sleep 1000'", 0); err != nil {
			t.Fatal(err)
		}
		said(t, s, `(?m)^up$`)
	})
	t.Run("after", func(t *testing.T) {
		a := begin(t, home)
		list := terminals(a)
		if len(list) != 1 || list[0].ID != opened.ID || list[0].Title != "the server" || list[0].Cwd != work ||
			!list[0].Running {
			t.Fatalf("%+v", list)
		}
		s, err := a.panes.Terminals.Get(opened.ID)
		if err != nil {
			t.Fatal(err)
		}
		said(t, s, `(?s)seen 42\n.*as it was on .*sleep 1000'`) // at the prompt, below the old output
		if err := s.Keys("Ctrl+A"); err != nil {
			t.Fatal(err)
		}
		if err := s.Type("echo offered: "); err != nil {
			t.Fatal(err)
		}
		if err := s.Keys("Enter"); err != nil {
			t.Fatal(err)
		}
		said(t, s, `(?m)^offered: sh -c echo run >> runs; echo up; exec sleep 1000$`)
		if runs, err := os.ReadFile(filepath.Join(work, "runs")); err != nil || string(runs) != "run\n" {
			t.Errorf("it ran automatically: %q %v", runs, err)
		}
		next, err := a.panes.OpenTerminal(t.Context(), api.ArgsOpenTerminal{})
		if err != nil || next.ID == opened.ID {
			t.Errorf("%+v %v", next, err)
		}
		if err := a.panes.CloseTerminal(t.Context(), opened.ID); err != nil {
			t.Fatal(err)
		}
		if err := a.panes.Workspace.SaveTerminals(t.Context()); err != nil { // it also runs at intervals
			t.Fatal(err)
		}
		kept, err := a.store.Workspace.Terminals(t.Context())
		if err != nil || len(kept) != 1 || kept[0].ID != next.ID {
			t.Errorf("%+v %v", kept, err)
		}
	})
}

// TestRestoreWorkspace_SecondProcess_DoesNothing: a second process restores nothing, and does not overwrite what the
// first process saved.
func TestRestoreWorkspace_SecondProcess_DoesNothing(t *testing.T) {
	home := t.TempDir()
	first := begin(t, home)
	if _, err := first.panes.OpenTerminal(t.Context(), api.ArgsOpenTerminal{}); err != nil {
		t.Fatal(err)
	}
	if err := first.panes.Workspace.SaveTerminals(t.Context()); err != nil {
		t.Fatal(err)
	}
	t.Run("second", func(t *testing.T) {
		second := begin(t, home)
		if list := terminals(second); len(list) != 0 {
			t.Errorf("%+v", list)
		}
	})
	if kept, err := first.store.Workspace.Terminals(t.Context()); err != nil || len(kept) != 1 {
		t.Errorf("%+v %v", kept, err)
	}
}

// TestRestoreWorkspace_RemoteTerminals_DoNotConnectAlone: a terminal on a deleted server is not restored, and one
// without tmux does not connect automatically.
func TestRestoreWorkspace_RemoteTerminals_DoNotConnectAlone(t *testing.T) {
	home := t.TempDir()
	t.Run("before", func(t *testing.T) {
		a := begin(t, home)
		for _, name := range []string{"stays", "goes"} {
			server, err := a.panes.Servers.SaveServer(t.Context(), pane.SSHServer{Name: name, Host: "127.0.0.1", Port: 1})
			if err != nil {
				t.Fatal(err)
			}
			if _, err := a.panes.Servers.OpenSSH(t.Context(), api.ArgsOpenSSH{Server: server.ID}); err != nil {
				t.Fatal(err)
			}
			if name == "goes" {
				if err := a.panes.Servers.DeleteServer(t.Context(), server.ID); err != nil {
					t.Fatal(err)
				}
			}
		}
	})
	t.Run("after", func(t *testing.T) {
		a := begin(t, home)
		list := terminals(a)
		if len(list) != 1 || list[0].Title != "stays" || list[0].Running ||
			!strings.Contains(list[0].Problem, "Not connected") {
			t.Fatalf("%+v", list)
		}
		if _, err := a.panes.RestartTerminal(t.Context(), list[0].ID); err != nil {
			t.Fatal(err)
		}
		s, err := a.panes.Terminals.Get(list[0].ID)
		if err != nil {
			t.Fatal(err)
		}
		said(t, s, `Connection refused`)
	})
}

func TestFiles_AfterARestart_AreOpenAgain(t *testing.T) {
	home := t.TempDir()
	path := filepath.Join(home, "notes.md")
	if err := os.WriteFile(path, []byte("one\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	var opened pane.Info
	t.Run("before", func(t *testing.T) {
		a := begin(t, home)
		if _, err := a.panes.OpenFile(t.Context(), api.ArgsOpenFile{Dir: home, Path: "gone.md"}); err == nil {
			t.Error("a missing file was opened")
		}
		var err error
		opened, err = a.panes.OpenFile(t.Context(), api.ArgsOpenFile{Dir: home, Path: "notes.md"})
		if err != nil || opened.Kind != pane.TextFile || opened.Path != path {
			t.Fatalf("%+v, %v", opened, err)
		}
		again, err := a.panes.OpenFile(t.Context(), api.ArgsOpenFile{Path: path})
		if err != nil || again.ID != opened.ID {
			t.Errorf("opened again, it has the pane %s, %v", again.ID, err)
		}
		if err := a.panes.ValidateShareable([]string{opened.ID}); err == nil {
			t.Error("a goal can get the pane of a file")
		}
	})
	t.Run("after", func(t *testing.T) {
		a := begin(t, home)
		f, err := a.panes.File(opened.ID)
		if err != nil || string(f.Read().Text) != "one\n" {
			t.Fatalf("the file is not open: %v", err)
		}
		if in := a.panes.Workspaces.Get().List[0].Panes; len(in) != 1 || in[0] != opened.ID {
			t.Errorf("the workspace has the panes %v", in)
		}
		if err := a.panes.CloseFile(t.Context(), opened.ID); err != nil || len(a.panes.Snapshot().Panes) != 0 {
			t.Errorf("after it was closed, the panes are %v, %v", a.panes.Snapshot().Panes, err)
		}
	})
}

// TestRestoreWorkspace_TerminalProfile_IsKept: a terminal has its profile again, in the folder in which it was. One
// whose program is gone says so, and gets the user's shell.
func TestRestoreWorkspace_TerminalProfile_IsKept(t *testing.T) {
	home := t.TempDir()
	program := filepath.Join(home, "agent")
	script := []byte("#!/bin/sh\necho \"I am $NAME in $PWD\"\nexec cat\n")
	if err := os.WriteFile(program, script, 0o700); err != nil { //nolint:gosec // a program
		t.Fatal(err)
	}
	var opened pane.Info
	in := func(t *testing.T, a *App) *terminal.Session {
		t.Helper()
		s, err := a.panes.Terminal(opened.ID)
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	t.Run("before", func(t *testing.T) {
		a := begin(t, home)
		profile := config.TerminalProfile{Name: "Agent", Command: program, Dir: "/", Env: []string{"NAME=Ada"}}
		if err := a.Config().SaveTerminalProfile("", profile); err != nil {
			t.Fatal(err)
		}
		var err error
		opened, err = a.panes.OpenTerminal(t.Context(), api.ArgsOpenTerminal{Profile: "Agent", Dir: home})
		if err != nil {
			t.Fatal(err)
		}
		said(t, in(t, a), "I am Ada in "+regexp.QuoteMeta(home))
	})
	t.Run("after", func(t *testing.T) {
		s := in(t, begin(t, home))
		if got := s.Info().TerminalProfile; got != "Agent" {
			t.Errorf("the profile is %q", got)
		}
		said(t, s, "(?s)as it was on .*I am Ada in "+regexp.QuoteMeta(home))
	})
	if err := os.Remove(program); err != nil {
		t.Fatal(err)
	}
	t.Run("without its program", func(t *testing.T) {
		s := in(t, begin(t, home))
		said(t, s, "(?s)Not started as before: the program of the terminal profile Agent does not exist.*[#$] $")
	})
}
