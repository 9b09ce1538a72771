package snapshot

import (
	"fmt"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// processorTime returns the processor time that this process has used. On a busy machine it is more reliable than the
// elapsed time.
func processorTime(b *testing.B) time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// reportProcessorTime reports the processor time of a round.
func reportProcessorTime(b *testing.B, used time.Duration) {
	b.ReportMetric(float64(used.Milliseconds())/float64(b.N), "cpu-ms/op")
}

// filled makes a folder of 2,000 source files of 1 to 16 KiB, 17 MiB together.
func filled(b *testing.B) *fixture {
	f := &fixture{TB: b, dir: b.TempDir()}
	for i := range 2000 {
		var text strings.Builder
		for line := range 20 + i%320 {
			fmt.Fprintf(&text, "func f%d_%d(a int) int { return a*%d + %d }\n", i, line, line*i%7919, i)
		}
		f.write(fmt.Sprintf("dir%d/sub%d/file%d.go", i%20, i%100, i), text.String())
	}
	return f
}

// BenchmarkFirst takes the snapshot that the first changing call waits for.
func BenchmarkFirst(b *testing.B) {
	f := filled(b)
	var used time.Duration
	defer func() { reportProcessorTime(b, used) }()
	for b.Loop() {
		b.StopTimer()
		f.private = filepath.Join(b.TempDir(), "snapshot")
		a, err := Open(Options{Dir: f.dir, Private: f.private})
		f.must(err)
		f.archive = a
		from := processorTime(b)
		b.StartTimer()
		f.take(Start, 0)
		b.StopTimer()
		used += processorTime(b) - from
		b.ReportMetric(float64(a.Size())/(1<<20), "MiB-stored")
		f.must(a.Close())
		b.StartTimer()
	}
}

// BenchmarkNext takes a snapshot with a single changed file, as after a step.
func BenchmarkNext(b *testing.B) {
	f := filled(b)
	f.private = filepath.Join(b.TempDir(), "snapshot")
	a, err := Open(Options{Dir: f.dir, Private: f.private})
	f.must(err)
	f.archive = a
	f.take(Start, 0)
	n := 0
	from := processorTime(b)
	for b.Loop() {
		n++
		f.write("changed", fmt.Sprint(n))
		f.take(Step, n)
	}
	reportProcessorTime(b, processorTime(b)-from)
	f.must(a.Close())
}

// BenchmarkCompare compares the folder with its start, as diff and the page do.
func BenchmarkCompare(b *testing.B) {
	f := filled(b)
	f.private = filepath.Join(b.TempDir(), "snapshot")
	a, err := Open(Options{Dir: f.dir, Private: f.private})
	f.must(err)
	f.archive = a
	f.take(Start, 0)
	from := processorTime(b)
	for b.Loop() {
		if _, err := a.Compare(b.Context(), 0); err != nil {
			b.Fatal(err)
		}
	}
	reportProcessorTime(b, processorTime(b)-from)
	f.must(a.Close())
}
