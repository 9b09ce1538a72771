package faults_test

import (
	"bytes"
	"context"
	"fmt"
	"syscall"
	"testing"
	"time"
)

// processFaults end or stop the program while its goal runs.
func processFaults() (list []fault) {
	for turn := range 8 {
		list = append(list, fault{"killed", fmt.Sprintf("in turn %d", turn+1), turn > 2, func(t *testing.T) string {
			w := newWork(t, 8)
			return w.killIn(t, turn)
		}})
	}
	return append(list,
		fault{"stopped", "for 3 seconds (SIGSTOP)", true, func(t *testing.T) string {
			w := newWork(t, 4)
			return w.signalIn(t, 2, func(process int) {
				_ = syscall.Kill(process, syscall.SIGSTOP)
				time.AfterFunc(3*time.Second, func() { _ = syscall.Kill(process, syscall.SIGCONT) })
			}).expect(exitDone)
		}},
		fault{"stopped", "by a signal (SIGTERM), then resumed", false, func(t *testing.T) string {
			w := newWork(t, 4)
			w.signalIn(t, 2, func(process int) { _ = syscall.Kill(process, syscall.SIGTERM) })
			return w.goalctl(t, "resume", w.only(t)).expect(exitDone)
		}},
	)
}

// killIn kills the program before its model answers a turn, and resumes the goal.
func (w *work) killIn(t *testing.T, turn int) string {
	w.signalIn(t, turn, func(process int) { _ = syscall.Kill(process, syscall.SIGKILL) })
	if n := w.written(); n < turn {
		return fmt.Sprintf("%d of %d files are left", n, turn)
	}
	return w.goalctl(t, "resume", w.only(t)).expect(exitDone)
}

// signalIn runs the goal, and calls act with its process before the model answers a turn.
func (w *work) signalIn(t *testing.T, turn int, act func(process int)) answer {
	t.Helper()
	process := make(chan int, 1)
	w.actBefore(func(now int) {
		if now == turn {
			w.before = nil
			act(<-process)
		}
	})
	ctx, cancel := context.WithTimeout(t.Context(), late)
	defer cancel()
	c := w.command(ctx, w.runArgs()...)
	var out bytes.Buffer
	c.Stdout, c.Stderr = &out, &out
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	process <- c.Process.Pid
	_ = c.Wait() // its exit code says it
	return answer{c.ProcessState.ExitCode(), out.String()}
}
