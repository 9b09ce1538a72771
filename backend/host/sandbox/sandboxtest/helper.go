// Package sandboxtest builds goalpost-helper and goalpost-predicate for tests.
package sandboxtest

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"testing"
)

// Helper returns the path of a helper built from this tree. It is built once for each state of its sources, below
// os.TempDir, and the tests of all packages share it.
func Helper(tb testing.TB) string {
	tb.Helper()
	path, err := Build()
	if err != nil {
		tb.Fatalf("building the helper: %v", err)
	}
	return path
}

// Ready names the variable with the path of a helper that is already built. A test sets it when it runs itself as
// another user.
const Ready = "SANDBOX_TEST_HELPER"

// Build is Helper for a TestMain.
func Build() (string, error) {
	if path := os.Getenv(Ready); path != "" {
		return path, nil
	}
	return buildProgram("goalpost-helper", "cmd/goalpost-helper/*.go", "cmd/goalpost-helper/internal/*/*.go",
		"backend/host/sandbox/wire/*.go", "backend/host/procnet/*.go")
}

// Predicate returns the path of goalpost-predicate, like Helper.
func Predicate(tb testing.TB) string {
	tb.Helper()
	path, err := buildProgram("goalpost-predicate", "cmd/goalpost-predicate/*.go", "go.sum")
	if err != nil {
		tb.Fatalf("building goalpost-predicate: %v", err)
	}
	return path
}

// buildProgram returns the path of a program under cmd, built once for each state of its sources.
func buildProgram(name string, sources ...string) (string, error) {
	root, err := moduleDir()
	if err != nil {
		return "", err
	}
	sum, err := hashSources(root, sources)
	if err != nil {
		return "", err
	}
	dir := filepath.Join(os.TempDir(), fmt.Sprintf("goalpost-test-%d", os.Getuid()))
	path := filepath.Join(dir, fmt.Sprintf("%s-%x", name, sum[:8]))
	if _, err := os.Stat(path); err == nil {
		return path, nil
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", fmt.Errorf("making %s: %w", dir, err)
	}
	// Packages are tested in parallel: each builds its own and the last rename wins.
	fresh, err := os.MkdirTemp(dir, "build-*")
	if err != nil {
		return "", fmt.Errorf("making a folder in %s: %w", dir, err)
	}
	out := filepath.Join(fresh, name)
	build := exec.Command("go", "build", "-trimpath", "-o", out, "./cmd/"+name) //nolint:noctx // go test bounds it
	build.Dir = root
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	text, err := build.CombinedOutput()
	if err != nil {
		return "", errors.Join(fmt.Errorf("%w\n%s", err, text), os.RemoveAll(fresh))
	}
	if err := errors.Join(os.Rename(out, path), os.RemoveAll(fresh)); err != nil {
		return "", fmt.Errorf("placing %s: %w", name, err)
	}
	return path, nil
}

// moduleDir returns the folder of go.mod at or above the package under test.
func moduleDir() (string, error) {
	dir, err := os.Getwd()
	if err != nil {
		return "", fmt.Errorf("looking for go.mod: %w", err)
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir, nil
		}
		up := filepath.Dir(dir)
		if up == dir {
			return "", errors.New("no go.mod above the test")
		}
		dir = up
	}
}

func hashSources(root string, sources []string) ([]byte, error) {
	sum := sha256.New()
	sum.Write([]byte(runtime.Version() + runtime.GOARCH))
	for _, pattern := range sources {
		files, err := filepath.Glob(filepath.Join(root, pattern))
		if err != nil {
			return nil, fmt.Errorf("listing the sources: %w", err)
		}
		for _, file := range files {
			body, err := os.ReadFile(file)
			if err != nil {
				return nil, fmt.Errorf("reading the sources: %w", err)
			}
			sum.Write(fmt.Appendln(nil, filepath.Base(file), len(body)))
			sum.Write(body)
		}
	}
	return sum.Sum(nil), nil
}
