package tools_test

import (
	"testing"

	"goalpost/backend/agent/tools"
)

// BenchmarkNew makes the tools of a goal.
func BenchmarkNew(b *testing.B) {
	dir := b.TempDir()
	for b.Loop() {
		if _, err := tools.Names(dir); err != nil {
			b.Fatal(err)
		}
	}
}
