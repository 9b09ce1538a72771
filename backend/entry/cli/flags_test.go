package cli

import (
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// TestFlags_EachOne_IsUsedByAScript checks that each flag of each command occurs in a script that calls the command.
func TestFlags_EachOne_IsUsedByAScript(t *testing.T) {
	files, err := filepath.Glob("testdata/script/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	var scripts []string
	for _, file := range append(files, "mcp_test.go") { // mcp_test.go uses the flags of goalctl mcp
		b, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		scripts = append(scripts, string(b))
	}
	root := Program{Name: "goalctl", Getenv: os.Getenv, Stdout: io.Discard, Stderr: io.Discard}.root()
	n := 0
	walkCommands(root, func(c *cobra.Command) {
		if c.Name() == "completion" || c.Parent() != nil && c.Parent().Name() == "completion" {
			return // cobra's own
		}
		c.LocalFlags().VisitAll(func(f *pflag.Flag) {
			if f.Name == "help" || f.Hidden { // a hidden one is from program to program
				return
			}
			n++
			if !used(scripts, c.CommandPath(), f.Name) {
				t.Errorf("no script uses %s --%s", c.CommandPath(), f.Name)
			}
		})
	})
	if n < 90 {
		t.Errorf("only %d flags were looked at", n)
	}
}

// used reports whether one of the scripts calls the command with the flag.
func used(scripts []string, command, flag string) bool {
	given := regexp.MustCompile(`--` + regexp.QuoteMeta(flag) + `([^a-z-]|$)`)
	for _, s := range scripts {
		if strings.Contains(s, command) && given.MatchString(s) {
			return true
		}
	}
	return false
}
