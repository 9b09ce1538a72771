package sandbox_test

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"goalpost/backend/domain/process"
	"goalpost/backend/host/sandbox"
)

// BenchmarkConnect measures the time that a program needs to connect to its own server. In a goal, the first process
// of the sandbox makes each connection.
func BenchmarkConnect(b *testing.B) {
	self, err := os.Executable()
	if err != nil {
		b.Fatal(err)
	}
	w := newSpec(b)
	w.Tools = []string{self}
	goal, free := openSandbox(b, w), open(b)
	for _, network := range []string{"tcp", "unix"} {
		for name, s := range map[string]*sandbox.Supervisor{"goal": goal, "plain": free} {
			b.Run(network+"/"+name, func(b *testing.B) {
				repeat(b, s, w.Dir, "connect", "reconnect", network)
			})
		}
	}
}

// BenchmarkRename measures the time that a program needs for a rename. In a goal, the first process of the sandbox is
// notified of each one.
func BenchmarkRename(b *testing.B) {
	self, err := os.Executable()
	if err != nil {
		b.Fatal(err)
	}
	w := newSpec(b)
	w.Tools = []string{self}
	for name, s := range map[string]*sandbox.Supervisor{"goal": openSandbox(b, w), "plain": open(b)} {
		b.Run(name, func(b *testing.B) { repeat(b, s, w.Dir, "rename", "rename") })
	}
}

// repeat starts this test program, which makes a call as often as the benchmark needs.
func repeat(b *testing.B, s *sandbox.Supervisor, dir, unit string, call ...string) {
	self, err := os.Executable()
	if err != nil {
		b.Fatal(err)
	}
	text, status := output(b, s, process.Command{
		Argv: append(append([]string{self}, call[1:]...), fmt.Sprint(b.N)),
		Env:  []string{plainPath, attemptVariable + "=" + call[0]},
		Dir:  dir,
	})
	took, err := time.ParseDuration(strings.TrimSpace(text))
	if status.Code != 0 || err != nil {
		b.Fatalf("%s %v", text, status)
	}
	b.ReportMetric(float64(took.Nanoseconds())/float64(b.N), "ns/"+unit)
}
