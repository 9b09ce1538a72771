package verify_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"goalpost/backend/core/verify"
	"goalpost/backend/domain/goal"
)

// BenchmarkWorld measures what the host computes about a goal's folder: its state at the start, the comparison before
// each turn, and the fingerprint of an idle goal. For each size it prints the row of docs/performance.md.
func BenchmarkWorld(b *testing.B) {
	for _, files := range []int{2_000, 20_000, 190_000} {
		dir := b.TempDir()
		many(b, dir, files)
		b.Run(fmt.Sprintf("files=%d", files), func(b *testing.B) { benchmarkWorld(b, dir, files) })
	}
}

func benchmarkWorld(b *testing.B, dir string, files int) {
	began := time.Now()
	w := world(b, verify.Options{
		Dir:       dir,
		Criterion: goal.Criterion{Checks: []goal.Check{{Type: goal.Shell, Command: "pytest -q"}}},
	})
	opened := time.Since(began)
	time.Sleep(3 * time.Second) // new files are hashed again, because their times do not prove yet that they are unchanged
	looks := map[string][]time.Duration{}
	for name, look := range map[string]func(context.Context) (string, error){
		"intact":      w.Tampered,
		"fingerprint": func(ctx context.Context) (string, error) { _, unseen, err := w.Fingerprint(ctx); return unseen, err },
	} {
		for i := range b.N + 1 {
			began := time.Now()
			if s, err := look(b.Context()); err != nil || s != "" {
				b.Fatal(s, err)
			}
			if i > 0 { // the first call fills the caches
				looks[name] = append(looks[name], time.Since(began))
			}
		}
	}
	b.ReportMetric(0, "ns/op")
	for name, took := range looks {
		slices.Sort(took)
		b.ReportMetric(ms(took[len(took)/2]), name+"-ms")
	}
	b.ReportMetric(ms(opened), "open-ms")
	b.Logf("| %d | %.0f ms | %.2f ms | %.1f ms |", files, ms(opened), ms(looks["intact"][b.N/2]),
		ms(looks["fingerprint"][b.N/2]))
}

func ms(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

// many makes the given number of small files, a hundred in each folder.
func many(tb testing.TB, dir string, files int) {
	tb.Helper()
	for i := range files {
		if i%100 == 0 {
			must(tb, os.MkdirAll(filepath.Join(dir, fmt.Sprintf("p%d/d%d", i/10_000, i/100)), 0o700))
		}
		must(tb, os.WriteFile(filepath.Join(dir, fmt.Sprintf("p%d/d%d/f%d.txt", i/10_000, i/100, i)), []byte("text\n"),
			0o600))
	}
}
