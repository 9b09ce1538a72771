//go:build linux

package main

import (
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// inside is set in the process that has shut itself off: this test, built once more.
const inside = "GOALPOST_TEST_INSIDE"

func TestMain(m *testing.M) {
	if os.Getenv(inside) == "" {
		os.Exit(m.Run())
	}
	if err := dropPrivileges(); err != nil {
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
	for name, err := range map[string]error{
		"open":   open,
		"create": create,
		"list":   list,
		"dial":   dial,
		"run":    run,
		"kill":   kill,
		"remove": remove,
	} {
		fmt.Println(name, errors.Is(err, syscall.EPERM))
	}
}

// TestShut: after it, nothing outside can be read, written, reached or started.
func TestShut(t *testing.T) {
	// Built as the program is, and not this test itself: what the race detector takes is
	// over the bound before shut sets it, and then no thread can be started any more.
	program := filepath.Join(t.TempDir(), "shut")
	build := exec.CommandContext(t.Context(), "go", "test", "-c", "-o", program, ".")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	cmd := exec.CommandContext(t.Context(), program)
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
