package sandbox_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"goalpost/backend/domain/process"
	"goalpost/backend/lib/waittest"
)

// killing tries to kill the helper, which without a sandbox ends all programs.
func (et *escapeTest) killing(t *testing.T) (escaped bool) {
	const script = "kill -KILL $PPID"
	free := open(t)
	_, _ = free.Start(context.Background(), sh(script)) // the helper may have ended before it answers
	select {
	case <-free.Done():
	case <-time.After(waittest.Scale(time.Minute)):
		t.Fatal("it does not work without a sandbox")
	}
	run := func(script string) process.Status {
		_, status := output(t, et.confined, process.Command{
			Argv: []string{"/bin/sh", "-c", script},
			Env:  et.confinedEnv,
			Dir:  et.w.Dir,
		})
		return status
	}
	run(script)
	if !et.log.await("signal the first process of its sandbox") {
		t.Errorf("the log does not tell of it:\n%s", et.log)
	}
	return run("true").Code != 0
}

// forking leaves a process behind whose parents have ended. Without a helper such a process keeps running, but in a
// goal it ends with the goal. Nothing is refused, so nothing is reported.
func (et *escapeTest) forking(t *testing.T) (escaped bool) {
	asleep := func(mark string) (pids []int) {
		all, err := os.ReadDir("/proc")
		if err != nil {
			t.Fatal(err)
		}
		for _, entry := range all {
			var pid int
			line, err := os.ReadFile("/proc/" + entry.Name() + "/cmdline")
			if _, not := fmt.Sscan(entry.Name(), &pid); err == nil && not == nil && string(line) == "sleep\x00"+mark+"\x00" {
				pids = append(pids, pid)
			}
		}
		return pids
	}
	script := func(mark string) string {
		return strings.ReplaceAll(
			`mkfifo f && { setsid sh -c 'sh -c "echo > f; exec sleep MARK" & exit' >/dev/null 2>&1 & } && read x < f && rm f`,
			"MARK", mark)
	}
	mark := func(n int) string { return fmt.Sprintf("%d", 100000000+10*os.Getpid()+n) }

	plain := exec.Command("/bin/sh", "-c", script(mark(1)))
	plain.Dir = et.outside
	if text, err := plain.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	found := func(mark string) []int {
		var pids []int
		waittest.Until(t, "program that sleeps", func() bool {
			pids = asleep(mark)
			return len(pids) > 0
		})
		return pids
	}
	left := found(mark(1))
	if len(left) == 0 {
		t.Fatal("it does not work without a sandbox")
	}
	for _, pid := range left {
		if other, err := os.FindProcess(pid); err == nil {
			_ = other.Kill()
		}
	}

	s := openSandboxReporting(t, et.w, newTellings())
	if _, status := output(t, s, inside(et.w, script(mark(2)))); status.Code != 0 || len(found(mark(2))) == 0 {
		t.Fatalf("it did not fork: %v", status)
	}
	if err := s.Close(context.Background()); err != nil {
		t.Fatal(err)
	}
	return len(asleep(mark(2))) > 0
}
