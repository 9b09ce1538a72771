package main_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestNeed_OldProgram_IsNamed: the Go and the Node.js of a distribution fail with words that nobody understands.
func TestNeed_OldProgram_IsNamed(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ program, toolchain, prints, want string }{
		{"go", "", "go1.19.8", "go is 1.19.8, too old: install Go 1."},
		{"go", "local", "go1.22.2", "go is 1.22.2, too old: install Go 1."},
		{"go", "auto", "go1.22.2", ""}, // downloads the toolchain of go.mod
		{"go", "local", "go1.99.0", ""},
		{"node", "", "v18.19.0", "node is 18.19.0, too old: install Node.js 20"},
		{"node", "", "v22.1.0", ""},
	} {
		dir := t.TempDir()
		script := "#!/bin/sh\nif [ \"$2\" = GOTOOLCHAIN ]; then echo " + c.toolchain + "; else echo " + c.prints + "; fi\n"
		if err := os.WriteFile(filepath.Join(dir, c.program), []byte(script), 0o755); err != nil {
			t.Fatal(err)
		}
		run := exec.CommandContext(t.Context(), "build/scripts/need.sh", c.program)
		run.Env = append(os.Environ(), "PATH="+dir+":"+os.Getenv("PATH"))
		out, err := run.CombinedOutput()
		if !strings.HasPrefix(string(out), c.want) || (err != nil) != (c.want != "") {
			t.Errorf("%s %s: %s, %v", c.program, c.prints, out, err)
		}
	}
}
