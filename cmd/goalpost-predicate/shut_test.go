//go:build linux

package main

import (
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
)

// inside is set in the process that has shut itself off: the test calls itself.
const inside = "GOALPOST_TEST_INSIDE"

func TestMain(m *testing.M) {
	if os.Getenv(inside) == "" {
		os.Exit(m.Run())
	}
	if err := shut(); err != nil {
		fmt.Println("shut:", err)
		os.Exit(1)
	}
	_, open := os.Open("/etc/hostname")
	create := os.WriteFile("/tmp/goalpost-predicate-was-here", nil, 0o600)
	_, list := os.ReadDir("/")
	_, dial := net.Dial("tcp", "127.0.0.1:1")
	run := exec.Command("/bin/true").Run()
	kill := syscall.Kill(os.Getppid(), 0)         // whether it could be reached
	remove := os.Remove("/tmp/goalpost-no-such ") // refused before it is looked for
	for name, err := range map[string]error{"open": open, "create": create, "list": list, "dial": dial, "run": run, "kill": kill, "remove": remove} {
		fmt.Println(name, errors.Is(err, syscall.EPERM))
	}
}

// TestShut: after it, nothing outside can be read, written, reached or started.
func TestShut(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), self)
	cmd.Env = append(os.Environ(), inside+"=1")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for _, name := range []string{"open", "create", "list", "dial", "run", "kill", "remove"} {
		if !strings.Contains(string(out), name+" true\n") {
			t.Errorf("%s is not refused:\n%s", name, out)
		}
	}
}
