package panes

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"goalpost/backend/lib/fault"
	"goalpost/backend/panes/terminal"
	"goalpost/backend/storage/config"
)

func TestApplyProfile_Whole_StartsAsItSays(t *testing.T) {
	home := t.TempDir()
	t.Setenv("HOME", home)
	for _, dir := range []string{"bin", "shop"} {
		if err := os.Mkdir(filepath.Join(home, dir), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	program := filepath.Join(home, "bin", "agent")
	if err := os.WriteFile(program, []byte("#!/bin/sh\n"), 0o700); err != nil { //nolint:gosec // a program
		t.Fatal(err)
	}
	r := &Registry{}
	profile := config.TerminalProfile{
		Name: "Agent", Command: "agent --mode 'two words' ~/notes", Dir: "~/shop",
		Env: []string{"PATH=" + filepath.Dir(program), "MODE=fast=1"},
	}
	o := terminal.Options{Env: []string{"PATH=/usr/bin", "LANG=C"}}
	if err := r.applyProfile(profile, &o); err != nil {
		t.Fatal(err)
	}
	if want := []string{program, "--mode", "two words", filepath.Join(home, "notes")}; !slices.Equal(o.Argv, want) {
		t.Errorf("the program is %q", o.Argv)
	}
	if want := []string{"LANG=C", "PATH=" + filepath.Dir(program), "MODE=fast=1"}; !slices.Equal(o.Env, want) {
		t.Errorf("the environment is %q", o.Env)
	}
	if o.Dir != filepath.Join(home, "shop") || o.Note.Profile != "Agent" {
		t.Errorf("folder %s, profile %s", o.Dir, o.Note.Profile)
	}
}

func TestApplyProfile_MissingPart_IsNamed(t *testing.T) {
	r := &Registry{}
	for field, profile := range map[string]config.TerminalProfile{
		"dir":     {Name: "Shop", Dir: "/no/such/folder"},
		"command": {Name: "Shop", Command: "no-such-program --all"},
	} {
		err := r.applyProfile(profile, &terminal.Options{Env: []string{"PATH=/usr/bin:/bin"}})
		var problem *fault.Error
		if !errors.As(err, &problem) || problem.Field != field || problem.Hint == "" {
			t.Errorf("%s: %v", field, err)
		}
	}
}
