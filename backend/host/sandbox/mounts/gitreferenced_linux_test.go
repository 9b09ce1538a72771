package mounts

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// TestGitReferencedPaths_Programs_AreFoundInCommandLines: git hands these values to a shell, so quotes belong to it.
func TestGitReferencedPaths_Programs_AreFoundInCommandLines(t *testing.T) {
	tree := t.TempDir()
	script := filepath.Join(tree, "my tools", "clean.sh")
	plain := filepath.Join(tree, "clean.sh")
	for _, file := range []string{script, plain} {
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, nil, 0o755); err != nil { //nolint:gosec // a program
			t.Fatal(err)
		}
	}
	for value, want := range map[string][]string{
		`clean.sh %f`:                       {plain},
		`!./clean.sh`:                       {plain},
		`'my tools/clean.sh' --now`:         {script},
		`my\ tools/clean.sh`:                {script},
		`!f() { ./clean.sh "$@"; }; f`:      {plain},
		`sh -c './clean.sh now' -`:          {plain},
		`clean.sh )`:                        {plain}, // a shell refuses this line
		`other.sh`:                          nil,
		`GIT=1 "` + script + `" && missing`: {script},
	} {
		got := resolveGitPath(tree, filepath.Join(tree, ".git"), "filter.x.clean", value)
		if !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", value, got, want)
		}
	}
}
