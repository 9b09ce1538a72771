package tools_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"goalpost/backend/domain/goal"
)

// TestReports_OfOtherAgents_DoNotHappenHere: what users of other agents reported about their tools for files and
// programs. Each was a loss without a message.
func TestReports_OfOtherAgents_DoNotHappenHere(t *testing.T) {
	f := newFixture(t)
	path := func(name string) string { return filepath.Join(f.dir, name) }
	err := errors.Join(
		os.WriteFile(path("tool.sh"), []byte("#!/bin/sh\necho old"), 0o755),
		os.WriteFile(path("quotes.md"), []byte("She said, “Hello.”\nHe said, \"Hello.\" — \ue0b0\n"), 0o600),
		os.WriteFile(path("real.env"), []byte("A=1\n"), 0o600), os.Symlink("real.env", path("link.env")),
		os.MkdirAll(path(".github/workflows"), 0o700),
		os.WriteFile(path(".github/workflows/ci.yml"), []byte("name: needle\n"), 0o600),
	)
	if err != nil {
		t.Fatal(err)
	}
	content := func(name string) string {
		text, err := os.ReadFile(path(name))
		if err != nil {
			t.Error(err)
		}
		return string(text)
	}
	mode := func(name string) os.FileMode {
		info, err := os.Lstat(path(name))
		if err != nil {
			t.Fatal(err)
		}
		return info.Mode()
	}
	t.Run("an edit keeps the mode and adds no line end", func(t *testing.T) {
		if r := f.do("edit_file", "path", "tool.sh", "old", "old", "new", "new"); !r.OK {
			t.Error(r.Text)
		}
		if mode("tool.sh").Perm() != 0o755 || content("tool.sh") != "#!/bin/sh\necho new" {
			t.Errorf("%v %q", mode("tool.sh"), content("tool.sh"))
		}
		r := f.do("write_file", "path", "tool.sh", "content", "#!/bin/sh\necho all")
		if !r.OK || mode("tool.sh").Perm() != 0o755 {
			t.Errorf("%s, %v", r.Text, mode("tool.sh"))
		}
	})
	t.Run("typographic quotes are not replaced", func(t *testing.T) {
		if r := f.do("edit_file", "path", "quotes.md", "old", "“Hello.”", "new", "“Hi there.”"); !r.OK {
			t.Error(r.Text)
		}
		if want := "She said, “Hi there.”\nHe said, \"Hello.\" — \ue0b0\n"; content("quotes.md") != want {
			t.Errorf("%q", content("quotes.md"))
		}
	})
	t.Run("a link stays a link", func(t *testing.T) {
		r := f.do("write_file", "path", "link.env", "content", "A=2\n")
		if mode("link.env")&os.ModeSymlink == 0 || r.OK != (content("real.env") == "A=2\n") {
			t.Errorf("%s: %v, %q", r.Text, mode("link.env"), content("real.env"))
		}
	})
	t.Run("hidden folders are searched", func(t *testing.T) {
		for name, r := range map[string]goal.Result{
			"named":     f.do("search_files", "pattern", "needle", "path", ".github"),
			"by a glob": f.do("search_files", "pattern", "needle", "glob", ".github/workflows/*.yml"),
			"all":       f.do("search_files", "pattern", "needle", "all", true),
		} {
			if !strings.Contains(r.Text, "ci.yml") {
				t.Errorf("%s: %s", name, r.Text)
			}
		}
	})
	if r := f.do("search_files", "pattern", "needle"); !strings.Contains(r.Text, "hidden and ignored files") {
		t.Errorf("what was skipped is not said: %s", r.Text)
	}
	t.Run("no command waits for input", func(t *testing.T) {
		for _, command := range []string{"basename 'a <b' && cat; echo over", "read -r answer; echo over"} {
			if r := f.do("run_command", "command", command, "timeout_seconds", 20); !strings.Contains(r.Text, "over") {
				t.Errorf("%s: %s", command, r.Text)
			}
		}
	})
}
