package mcpserve

import (
	"path/filepath"
	"testing"

	"goalpost/backend/agent/tools"
)

// TestTools_Descriptions_AreValid: each description belongs to a tool of this package, and describes arguments that the
// tool has.
func TestTools_Descriptions_AreValid(t *testing.T) {
	d := &Server{tools: &tools.Set{}}
	served, err := d.Tools()
	if err != nil {
		t.Error(err)
	}
	files, err := filepath.Glob("*.md")
	if err != nil || len(files) != len(served.Handlers) {
		t.Errorf("%d descriptions for %d tools (%v)", len(files), len(served.Handlers), err)
	}
}
