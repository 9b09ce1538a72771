package main

import (
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"syscall"
	"testing"
)

// inside is set in the process that calls dropPrivileges. That process is this test program, started again.
const inside = "GOALPOST_TEST_INSIDE"

func TestMain(m *testing.M) {
	if os.Getenv(inside) == "" {
		os.Exit(m.Run())
	}
	if err := dropPrivileges(maxCPUSeconds); err != nil {
		fmt.Println("drop privileges:", err)
		os.Exit(1)
	}
	_, open := os.Open("/etc/hostname")
	create := os.WriteFile("/tmp/goalpost-predicate-was-here", nil, 0o600)
	_, list := os.ReadDir("/")
	_, dial := net.Dial("tcp", "127.0.0.1:1")
	run := exec.Command("/bin/true").Run()
	kill := syscall.Kill(os.Getppid(), 0)         // signal 0 only checks the permission
	remove := os.Remove("/tmp/goalpost-no-such ") // refused before the file is looked up
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

// TestDropPrivileges_AccessOutside_IsRefused tries to read, write, connect, start and signal afterwards.
func TestDropPrivileges_AccessOutside_IsRefused(t *testing.T) {
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	if hasRaceDetector() {
		program = buildTest(t)
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

// hasRaceDetector reports whether this program has the race detector, whose memory exceeds maxData, so that no thread
// could start.
func hasRaceDetector() bool {
	info, _ := debug.ReadBuildInfo()
	return slices.Contains(info.Settings, debug.BuildSetting{Key: "-race", Value: "true"})
}

// buildTest builds this test program without the race detector.
func buildTest(t *testing.T) string {
	t.Helper()
	program := filepath.Join(t.TempDir(), "inside")
	build := exec.CommandContext(t.Context(), "go", "test", "-c", "-o", program, ".")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return program
}
