// Package transcript_test tests the goal contract from outside. Each file of testdata has a goal, the replies of its
// scripted model, what the user does, and the expected journal. Everything except the model is real: the program,
// SQLite, the helper, the tools, the checks.
package transcript_test

import (
	"cmp"
	"context"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"goalpost/backend/entry/cli"
	"goalpost/backend/host/sandbox"
	"goalpost/backend/host/sandbox/sandboxtest"
)

// TestMain lets the test binary act as goalctl, for servers inside a goal and for the runs that the crash test kills.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1][0] != '-' {
		p := cli.Program{Name: "goalctl", Getenv: os.Getenv, Stdout: os.Stdout, Stderr: os.Stderr, Closing: 5 * late}
		os.Exit(p.Run(context.Background(), os.Args[1:]))
	}
	os.Exit(prepared(m))
}

// installed is the path of the helper, in a folder that all tests share.
var installed string

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
	// The helper is installed once. If each program copied it, a process that starts at that moment would inherit the open
	// file, and running the copy would fail with "text file busy".
	if installed, err = sandbox.Install(home); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	if err := keepGoCache(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	for name, value := range map[string]string{
		"GOALPOST_CHROMIUM": cmp.Or(os.Getenv("GOALPOST_CHROMIUM"), os.Getenv("TEST_CHROMIUM")),
		"GOALPOST_HELPER":   helper,
		"HOME":              home,
		"http_proxy":        "",
		"https_proxy":       "",
		"LC_ALL":            "C.UTF-8",
	} {
		if err := os.Setenv(name, value); err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
	}
	if err := waitInParallel(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	code := m.Run()
	if err := goleak.Find(); err != nil && code == 0 {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return code
}

// keepGoCache uses Go's build cache of the real home. Otherwise a check that runs go test would compile the standard
// library.
func keepGoCache() error {
	if _, err := exec.LookPath("go"); err != nil {
		return nil // without Go, no transcript that needs it is played
	}
	path, err := exec.CommandContext(context.Background(), "go", "env", "GOCACHE").Output()
	if err != nil {
		return fmt.Errorf("asking for Go's build cache: %w", err)
	}
	return os.Setenv("GOCACHE", strings.TrimSpace(string(path)))
}

// testsPerCPU is how many tests run at once for each CPU. Most of the time a test waits:
// for a process to start, a check to time out, a commit to reach the disk.
const testsPerCPU = 2

// waitInParallel raises the number of parallel tests, unless -parallel was given.
func waitInParallel() error {
	flag.Parse()
	given := false
	flag.Visit(func(f *flag.Flag) { given = given || f.Name == "test.parallel" })
	if given {
		return nil
	}
	return flag.Set("test.parallel", strconv.Itoa(testsPerCPU*runtime.GOMAXPROCS(0)))
}
