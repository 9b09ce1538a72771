package tools_test

import (
	"testing"

	"goalpost/backend/tools"
)

// BenchmarkNew gives a goal its tools.
func BenchmarkNew(b *testing.B) {
	dir := b.TempDir()
	for b.Loop() {
		if _, err := tools.Names(dir); err != nil {
			b.Fatal(err)
		}
	}
}
