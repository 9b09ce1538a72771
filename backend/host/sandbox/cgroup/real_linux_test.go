package cgroup_test

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"

	"goalpost/backend/host/sandbox/cgroup"
)

// TestOpen_RealSystemd_KernelBoundsTheProcess checks the limits on memory and tasks of a process and the programs that
// it starts.
func TestOpen_RealSystemd_KernelBoundsTheProcess(t *testing.T) {
	if with := os.Getenv("GOALPOST_TEST_SYSTEMD"); with == "" || with == "none" {
		t.Skip("this needs a systemd with cgroups of version 2: make cgroup-test runs it in a virtual machine")
	}
	for _, c := range []struct{ name, script, want string }{
		{"tasks", `n=0; while [ $n -lt 90 ]; do sleep 1000 & n=$((n+1)); done; echo no limit`, "fork"},
		{"memory", `tail /dev/zero; echo ended with $?; read line`, "ended with 137"}, // it ends with its last process
	} {
		t.Run(c.name, func(t *testing.T) {
			// The shell waits for a line before it starts anything, so that its programs are in the scope.
			program := exec.CommandContext(t.Context(), "/bin/sh", "-c", "read line; "+c.script)
			program.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
			in, err := program.StdinPipe()
			if err != nil {
				t.Fatal(err)
			}
			out, err := program.StdoutPipe()
			if err != nil {
				t.Fatal(err)
			}
			program.Stderr = program.Stdout
			if err := program.Start(); err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _, _ = syscall.Kill(-program.Process.Pid, syscall.SIGKILL), program.Wait() })
			scope, err := new(cgroup.Manager).Open(t.Context(), t.Name(), program.Process.Pid,
				cgroup.Limits{Memory: 64 << 20, Tasks: 50})
			if err != nil {
				t.Fatal(err)
			}
			defer scope.Close()
			if _, err := fmt.Fprintln(in); err != nil {
				t.Fatal(err)
			}
			said := ""
			for lines := bufio.NewScanner(out); !strings.Contains(said, c.want) && lines.Scan(); {
				said += lines.Text() + "\n"
			}
			if !strings.Contains(said, c.want) {
				t.Errorf("it said %q, want %q", said, c.want)
			}
			kills := 0
			scope.ReportKills(func(cgroup.Kill) { kills++ })
			if want := strings.Count(c.want, "137"); kills != want {
				t.Errorf("%d kills, want %d", kills, want)
			}
		})
	}
}
