package app_test

import (
	"strings"
	"testing"
)

// TestDoctor_PathWithoutPrograms_FindsTheSandbox: goals start with such a path, so doctor must not say that they refuse
// to.
func TestDoctor_PathWithoutPrograms_FindsTheSandbox(t *testing.T) {
	p := start(t, t.TempDir())
	t.Setenv("PATH", t.TempDir())
	for _, f := range p.app.Doctor() {
		if f.ID == "sandbox" {
			if !strings.Contains(f.Facts, "NoNewPrivs: 1") || strings.Contains(f.Hint, "refuse") {
				t.Errorf("%+v", f)
			}
			return
		}
	}
	t.Error("there is no finding about the sandbox")
}
