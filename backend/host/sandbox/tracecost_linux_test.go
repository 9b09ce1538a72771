package sandbox_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"goalpost/backend/domain/process"
	"goalpost/backend/host/sandbox"
)

// BenchmarkCheckTrace measures how much longer a check takes with a trace. Each iteration runs the check once without
// and once with a trace; the figures are medians.
func BenchmarkCheckTrace(b *testing.B) {
	w := newSpec(b)
	makefile := "check:"
	files := map[string]string{
		"check.sh": "#!/bin/sh\nset -e\ntest -e work.txt\ngrep -q done work.txt\nsort work.txt >/dev/null\n",
		"work.txt": "done\n", "check.py": "import json, subprocess, unittest\nassert open('work.txt').read() == 'done\\n'\n",
	}
	for i := range 30 {
		name := fmt.Sprintf("s%02d.sh", i)
		files[name] = "#!/bin/sh\ncat work.txt >/dev/null\ntest ! -e missing\n"
		makefile += " run-" + name
	}
	files["Makefile"] = makefile + "\nrun-%:\n\t@./$*\n"
	writeFiles(b, w, files)
	s := openSandbox(b, w)
	for _, script := range []string{"true", "./check.sh", "/usr/bin/python3 check.py", "make -s check"} {
		b.Run(strings.ReplaceAll(script, " ", "_"), func(b *testing.B) {
			var plain, traced []time.Duration
			for b.Loop() {
				plain = append(plain, runCheck(b, s, w, script, false))
				traced = append(traced, runCheck(b, s, w, script, true))
			}
			middle := func(list []time.Duration) float64 {
				slices.Sort(list)
				return float64(list[len(list)/2].Microseconds()) / 1000
			}
			b.ReportMetric(0, "ns/op")
			b.ReportMetric(middle(plain), "plain-ms")
			b.ReportMetric(middle(traced), "traced-ms")
			b.ReportMetric(middle(traced)-middle(plain), "more-ms")
		})
	}
}

// runCheck runs a check once and returns how long that took, from the request until the wait status.
func runCheck(b *testing.B, s *sandbox.Supervisor, w sandbox.Spec, script string, trace bool) time.Duration {
	b.Helper()
	c := inside(w, script)
	c.Domain, c.Trace = process.DomainCheck, trace
	from := time.Now()
	o, err := process.Capture(context.Background(), s, c, true)
	if err != nil || o.Status.Code != 0 || trace && o.Trace.Incomplete != "" {
		b.Fatalf("%v %v %s", err, o.Status, o.Stdout)
	}
	return time.Since(from)
}
