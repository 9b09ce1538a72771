package transcript_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestTheTableNamesTests: every test that docs/testing.md names for a sentence of the contract exists.
func TestTheTableNamesTests(t *testing.T) {
	const root = "../../.."
	doc, err := os.ReadFile(filepath.Join(root, "docs/testing.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, table, found := strings.Cut(string(doc), "## The contract, by its sentences")
	if !found {
		t.Fatal("docs/testing.md has no table of the contract")
	}
	var sources strings.Builder
	err = filepath.WalkDir(filepath.Join(root, "backend"), func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, "_test.go") {
			return err
		}
		b, err := os.ReadFile(path)
		sources.Write(b)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	names := regexp.MustCompile("`([A-Za-z0-9_]{8,})`").FindAllStringSubmatch(table, -1)
	if len(names) < 50 {
		t.Fatalf("the table names %d tests", len(names))
	}
	for _, n := range regexp.MustCompile("`(cli/[a-z_]+|e2e/[a-z/.]+)`").FindAllStringSubmatch(table, -1) {
		file := filepath.Join(root, n[1])
		if name, ok := strings.CutPrefix(n[1], "cli/"); ok {
			file = filepath.Join(root, "backend/cli/testdata/script", name+".txtar")
		}
		if _, err := os.Stat(file); err != nil {
			t.Errorf("there is no script %s", n[1])
		}
	}
	for _, n := range names {
		if strings.HasPrefix(n[1], "Test") {
			if !strings.Contains(sources.String(), "func "+n[1]+"(t *testing.T)") {
				t.Errorf("there is no test %s", n[1])
			}
			continue
		}
		if _, err := os.Stat(filepath.Join("testdata", n[1]+".txtar")); err != nil {
			t.Errorf("there is no transcript %s", n[1])
		}
	}
}
