package mcpservers

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"goalpost/backend/storage/config"
)

// TestStartHint_ProgramInHome_NamesTheOption: the sandbox hides the user's home, which a server's own error cannot say.
func TestStartHint_ProgramInHome_NamesTheOption(t *testing.T) {
	home := t.TempDir()
	t.Setenv("HOME", home)
	dir := filepath.Join(home, "servers", "notes")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	script := filepath.Join(dir, "main.py")
	if err := os.WriteFile(script, []byte("x"), 0o755); err != nil {
		t.Fatal(err)
	}
	for _, c := range []config.MCPServer{
		{Command: "python3", Args: []string{script}},
		{Command: script},
		{Command: "sh", Args: []string{"--script=" + script}},
		{Command: "uv", Args: []string{"--directory", dir, "run", "main.py"}},
	} {
		if got := startHint(c); !strings.Contains(got, "--read "+dir+",") {
			t.Errorf("%+v: %s", c, got)
		}
		c.Read = []string{filepath.Join(home, "servers")}
		if got := startHint(c); strings.Contains(got, "--read") {
			t.Errorf("%+v: %s", c, got)
		}
	}
}
