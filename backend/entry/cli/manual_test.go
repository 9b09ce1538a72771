package cli

import (
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// TestManual_ListsEveryCommandAndFlag also asks mandoc, where it is installed, if each page is correct.
func TestManual_ListsEveryCommandAndFlag(t *testing.T) {
	dir := t.TempDir()
	p := Program{Name: "goalctl", Version: "1.2.3", Getenv: os.Getenv, Stdout: io.Discard, Stderr: os.Stderr}
	if code := p.Run(t.Context(), []string{"manual", dir}); code != exitDone {
		t.Fatalf("manual ended with %d", code)
	}
	pages := 0
	walkCommands(p.root(), func(c *cobra.Command) {
		b, err := os.ReadFile(filepath.Join(dir, manualName(c)+".1"))
		if !isDocumented(c) {
			if err == nil {
				t.Errorf("%s is hidden and has a page", c.CommandPath())
			}
			return
		}
		if err != nil {
			t.Error(err)
			return
		}
		pages++
		page := string(b)
		if !strings.Contains(page, "goalctl 1.2.3") {
			t.Errorf("%s: the version is missing", c.CommandPath())
		}
		c.NonInheritedFlags().VisitAll(func(f *pflag.Flag) {
			if !f.Hidden && !strings.Contains(page, escapeRoff("--"+f.Name)) {
				t.Errorf("%s: --%s is missing", c.CommandPath(), f.Name)
			}
		})
		if mandoc, err := exec.LookPath("mandoc"); err == nil {
			out, err := exec.CommandContext(t.Context(), mandoc, "-T", "lint", "-W", "error",
				filepath.Join(dir, manualName(c)+".1")).CombinedOutput()
			if err != nil {
				t.Errorf("%s: %s", c.CommandPath(), out)
			}
		}
	})
	if pages < 40 {
		t.Errorf("only %d pages", pages)
	}
}

func TestEscapeRoff_SpecialCharacters_AreEscaped(t *testing.T) {
	for text, want := range map[string]string{
		`.so /etc/passwd`: `\&.so /etc/passwd`,
		`'x`:              `\&'x`,
		`a\*b`:            `a\e*b`,
		"--risk":          `\-\-risk`,
		"one\n.sy rm":     "one .sy rm",
	} {
		if got := escapeRoff(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}
