package app_test

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"goalpost/backend/app"
	"goalpost/backend/core/verify"
	"goalpost/backend/core/verify/check"
	"goalpost/backend/domain/goal"
	"goalpost/backend/domain/policy"
	"goalpost/backend/domain/process"
	"goalpost/backend/goals/goalsandbox"
	"goalpost/backend/storage/config"
)

// BenchmarkClaim_CheckOfASecond measures how much longer a claim takes than its check alone, in the same sandbox and
// without a trace, if nothing is run again. The figures are medians.
func BenchmarkClaim_CheckOfASecond(b *testing.B) {
	home := b.TempDir()
	cfg, err := config.Open(func(name string) string {
		return map[string]string{config.HomeVariable: home, "HOME": home}[name]
	})
	if err != nil {
		b.Fatal(err)
	}
	defer cfg.Close()
	a := app.New(app.Options{Config: cfg, Version: "test"})
	if err := a.Open(b.Context()); err != nil {
		b.Fatal(err)
	}
	defer a.Close(context.Background())
	for name, command := range map[string]string{
		"sh":     "sleep 1 && grep -q good out.txt",
		"python": "/usr/bin/python3 check.py",
	} {
		b.Run(name, func(b *testing.B) {
			in := policy.Policy{Risk: policy.WriteLocal, Dir: b.TempDir()}
			writeIn := func(name, content string) {
				if err := os.WriteFile(filepath.Join(in.Dir, name), []byte(content), 0o644); err != nil {
					b.Fatal(err)
				}
			}
			writeIn("check.py", "import subprocess, time, unittest\nassert 'good' in open('out.txt').read()\ntime.sleep(1)\n")
			if err := a.OpenTrialSandbox(b.Context(), in, func(w *goalsandbox.TrialSandbox) error {
				return measureClaims(b, w, command, func() { writeIn("out.txt", "good\n") })
			}); err != nil {
				b.Fatal(err)
			}
		})
	}
}

func measureClaims(b *testing.B, w *goalsandbox.TrialSandbox, command string, work func()) error {
	b.Helper()
	k := goal.Check{Type: goal.Shell, Command: command}
	criterion := goal.Criterion{Checks: []goal.Check{k}}
	cr := verify.CheckRunner{
		Environment: check.Environment{Launcher: w.Inside, Env: w.CheckEnv, Dir: w.Dir, Sandboxed: true},
	}
	before := cr.Preflight(b.Context(), k)
	var err error
	cr.Folder, err = verify.OpenFolderState(b.Context(), verify.Options{
		Dir: w.Dir, Private: b.TempDir(), Criterion: criterion, Observations: []*goal.Observation{before.Observation},
	})
	if err != nil {
		return err
	}
	work()
	var plain, claims []time.Duration
	for b.Loop() {
		o, err := process.Capture(b.Context(), w.Inside, process.Command{
			Argv: []string{"/bin/sh", "-c", command}, Env: w.CheckEnv, Dir: w.Dir, Domain: process.DomainCheck,
		}, false)
		if err != nil || o.Status.Code != 0 {
			b.Fatalf("%v %v %s", err, o.Status, o.Stderr)
		}
		plain = append(plain, o.Took)
		from := time.Now()
		result, err := cr.DecideClaim(b.Context(), goal.Goal{Request: goal.Request{Criterion: criterion}}, goal.Claim{},
			func(v goal.Verdict) error {
				if v.Outcome != goal.Pass || len(v.Reruns) > 0 {
					b.Fatalf("%s, %s, %d runs", v.Outcome, v.Detail, len(v.Reruns))
				}
				return nil
			})
		if err != nil || result != goal.Verified {
			b.Fatal(result, err)
		}
		claims = append(claims, time.Since(from))
	}
	middle := func(list []time.Duration) float64 {
		slices.Sort(list)
		return float64(list[len(list)/2].Microseconds()) / 1000
	}
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(middle(plain), "check-ms")
	b.ReportMetric(middle(claims)-middle(plain), "more-ms")
	return nil
}
