// Package trust_test tries to get goals done without the work. Each file of testdata/attempts is a check with an
// attempt to fool it, and each file of testdata/honest is a change that must not be stopped. Everything except the
// model is real: the program, its sandbox, the tools, the checks. make trust runs all cases and writes dist/trust.md.
package trust_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"goalpost/backend/host/sandbox"
	"goalpost/backend/host/sandbox/sandboxtest"
)

// TestMain runs the tests in an environment whose path has the programs of make deps-trust.
func TestMain(m *testing.M) {
	os.Exit(runPrepared(m))
}

// installed is the path of the helper, in a folder that all tests share.
var installed string

// runners is the folder of the test runners that make deps-trust installs, "" if it does not exist.
var runners string

func runPrepared(m *testing.M) int {
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
	if installed, err = sandbox.Install(home); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	// Debian's programs come first, because those of a version manager may lack what Debian's packages add.
	path := []string{"/usr/local/bin", "/usr/bin", "/bin", os.Getenv("PATH")}
	if servers, _ := filepath.Glob("/usr/lib/postgresql/*/bin"); len(servers) > 0 { // where Debian has initdb
		path = append(path, servers[len(servers)-1])
	}
	if runners = findRunners(); runners != "" {
		path = append([]string{filepath.Join(runners, "node", "node_modules", ".bin")}, path...)
	}
	for name, value := range map[string]string{
		"GOALPOST_HELPER": helper,
		"PATH":            strings.Join(path, string(filepath.ListSeparator)),
		"http_proxy":      "",
		"https_proxy":     "",
		"LC_ALL":          "C.UTF-8",
	} {
		if err := os.Setenv(name, value); err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
	}
	code := m.Run()
	if err := goleak.Find(); err != nil && code == 0 {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return code
}

// runnersVariable is the environment variable with the folder of the test runners, for a test that runs in another
// folder.
const runnersVariable = "TRUST_RUNNERS"

func findRunners() string {
	dir := os.Getenv(runnersVariable)
	if dir == "" {
		dir = filepath.Join("..", "..", "..", ".tools", "trust")
	}
	dir, err := filepath.Abs(dir)
	if err != nil {
		return ""
	}
	if _, err := os.Stat(filepath.Join(dir, "node", "node_modules", ".bin")); err != nil {
		return ""
	}
	return dir
}
