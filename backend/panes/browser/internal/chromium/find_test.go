package chromium

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestFind_OnlySnapInstalled_Fails(t *testing.T) {
	dir := t.TempDir()
	script := "#!/bin/sh\nexec /snap/bin/chromium \"$@\"\n"
	if err := os.WriteFile(filepath.Join(dir, "chromium-browser"), []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", dir)
	t.Setenv(PathVariable, "")
	if _, err := Find(); !errors.Is(err, ErrMissing) || !strings.Contains(err.Error(), "snap") {
		t.Errorf("a snap: %v", err)
	}
}
