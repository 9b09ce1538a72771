package sandbox_test

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"goalpost/backend/process"
	"goalpost/backend/sandbox"
)

// BenchmarkConnect is what a connection costs a program, to a server of its own: in a
// goal the first process of its room makes each.
func BenchmarkConnect(b *testing.B) {
	self, err := os.Executable()
	if err != nil {
		b.Fatal(err)
	}
	w := walls(b)
	w.Tools = []string{self}
	goal, free := enclose(b, w), open(b)
	for _, network := range []string{"tcp", "unix"} {
		for name, s := range map[string]*sandbox.Set{"goal": goal, "plain": free} {
			b.Run(network+"/"+name, func(b *testing.B) {
				text, status := output(b, s, process.Command{
					Argv: []string{self, network, fmt.Sprint(b.N)}, Env: []string{plainPath, attemptVariable + "=reconnect"}, Dir: w.Dir,
				})
				took, err := time.ParseDuration(strings.TrimSpace(text))
				if status.Code != 0 || err != nil {
					b.Fatalf("%s %v", text, status)
				}
				b.ReportMetric(float64(took.Nanoseconds())/float64(b.N), "ns/connect")
			})
		}
	}
}
