// Package faults_test lets everything fail around a goal that takes some steps: the model, the process, the database,
// the folder. A fault is held if no work is lost in silence, and the goal ends done by itself, or after the one action
// that its message names. Everything except the model is real. make faults runs all and writes docs/reliability.md.
package faults_test

import (
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"goalpost/backend/entry/cli"
	"goalpost/backend/host/sandbox/sandboxtest"
	"goalpost/backend/lib/waittest"
	"goalpost/backend/storage/config"
)

// late is when a program counts as hanging.
var late = waittest.Scale(5 * time.Minute)

// TestMain lets the test binary act as goalctl.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1][0] != '-' {
		p := cli.Program{Name: "goalctl", Getenv: os.Getenv, Stdout: os.Stdout, Stderr: os.Stderr}
		os.Exit(p.Run(context.Background(), os.Args[1:]))
	}
	os.Exit(prepared(m))
}

// prepared runs the tests in an environment that has none of the developer's files.
func prepared(m *testing.M) int {
	helper, err := sandboxtest.Build()
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	home, err := os.MkdirTemp("", "home-*")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer func() { _ = os.RemoveAll(home) }()
	for name, value := range map[string]string{
		"GOALPOST_HELPER": helper, "HOME": home, "http_proxy": "", "https_proxy": "", "LC_ALL": "C.UTF-8",
	} {
		if err := os.Setenv(name, value); err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
	}
	flag.Parse()
	if err := flag.Set("test.parallel", "12"); err != nil { // most of the time a goal waits
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return m.Run()
}

// place is a data folder and a folder for a goal.
type place struct{ home, dir string }

func newPlace(t *testing.T) place {
	t.Helper()
	home, err := os.MkdirTemp("", "f-*") // short, because the path of a socket is limited to about a hundred bytes
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(home) }) // a fault may have left what cannot be removed
	p := place{filepath.Join(home, "d"), filepath.Join(home, "w")}
	for _, dir := range []string{p.home, p.dir} {
		if err := os.Mkdir(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	return p
}

// database is the path of the place's database.
func (p place) database() string { return filepath.Join(p.home, "state", "goalpost.db") }

// environ is the environment of the programs that use the place.
func (p place) environ() []string { return append(os.Environ(), config.HomeVariable+"="+p.home) }
