package cgroup_test

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/godbus/dbus/v5"
)

// fakeKernel is a folder in place of /proc, and one in place of /sys/fs/cgroup.
type fakeKernel struct {
	t           *testing.T
	proc, mount string
}

// helperPID is the process that the tests bound. It exists in the fake kernel only.
const helperPID = 4711

func newFakeKernel(t *testing.T) *fakeKernel {
	t.Helper()
	k := &fakeKernel{t: t, proc: t.TempDir(), mount: t.TempDir()}
	k.write(k.proc, "self/mountinfo", "24 1 0:22 / /sys rw - sysfs sysfs rw\n"+
		"30 24 0:26 / "+k.mount+" rw,nosuid shared:4 - cgroup2 cgroup2 rw,nsdelegate\n")
	k.write(k.proc, "self/cgroup", "0::/user.slice/session-2.scope\n")
	k.write(k.mount, "cgroup.controllers", "cpuset cpu io memory pids\n")
	k.write(k.mount, "user.slice/session-2.scope/memory.max", "max\n")
	return k
}

func (f *fakeKernel) write(dir, name, text string) {
	f.t.Helper()
	path := filepath.Join(dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		f.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		f.t.Fatal(err)
	}
}

// scopeDir is the folder of a unit's cgroup below the mount.
func scopeDir(unit string) string { return "app.slice/app-goalpost.slice/" + unit }

// moveToScope does what the kernel does when systemd makes a scope.
func (f *fakeKernel) moveToScope(unit string) {
	for name, text := range map[string]string{
		"memory.max":      "134217728\n",
		"memory.swap.max": "0\n",
		"pids.max":        "200\n",
		"memory.events":   "low 0\nhigh 0\nmax 0\noom 0\noom_kill 0\noom_group_kill 0\n",
		"cgroup.procs":    fmt.Sprintln(helperPID),
	} {
		f.write(f.mount, filepath.Join(scopeDir(unit), name), text)
	}
	f.write(f.proc, fmt.Sprintf("%d/cgroup", helperPID), "0::/"+scopeDir(unit)+"\n")
}

// fakeSystemd plays org.freedesktop.systemd1 on a real bus. The function answer decides its answers.
type fakeSystemd struct {
	conn   *dbus.Conn
	answer func(s *fakeSystemd, unit string) (dbus.ObjectPath, *dbus.Error)

	mu    sync.Mutex
	asked []request
	// weights are the properties that were set, in words.
	weights []string
}

// request is a call of StartTransientUnit.
type request struct {
	unit, mode string
	properties map[string]dbus.Variant
	auxiliary  int
}

type wireProperty struct {
	Name  string
	Value dbus.Variant
}

type wireUnit struct {
	Name       string
	Properties []wireProperty
}

const (
	jobPath  = dbus.ObjectPath("/org/freedesktop/systemd1/job/7")
	otherJob = dbus.ObjectPath("/org/freedesktop/systemd1/job/6")
)

// SetUnitProperties implements systemd's method.
func (f *fakeSystemd) SetUnitProperties(unit string, runtime bool, properties []wireProperty) *dbus.Error {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, p := range properties {
		f.weights = append(f.weights, fmt.Sprint(unit, " ", runtime, " ", p.Name, "=", p.Value.Value()))
	}
	return nil
}

// Subscribe implements systemd's method.
func (f *fakeSystemd) Subscribe() *dbus.Error { return nil }

// StartTransientUnit implements systemd's method.
func (f *fakeSystemd) StartTransientUnit(
	unit, mode string, properties []wireProperty, auxiliary []wireUnit,
) (dbus.ObjectPath, *dbus.Error) {
	r := request{unit: unit, mode: mode, properties: map[string]dbus.Variant{}, auxiliary: len(auxiliary)}
	for _, p := range properties {
		r.properties[p.Name] = p.Value
	}
	f.mu.Lock()
	f.asked = append(f.asked, r)
	f.mu.Unlock()
	return f.answer(f, unit)
}

// finishJob emits the signal of a job's end.
func (f *fakeSystemd) finishJob(job dbus.ObjectPath, unit, result string) {
	_ = f.conn.Emit("/org/freedesktop/systemd1", "org.freedesktop.systemd1.Manager.JobRemoved",
		uint32(7), job, unit, result)
}

// startBus starts a session bus and returns its address.
func startBus(t *testing.T) string {
	t.Helper()
	if _, err := exec.LookPath("dbus-daemon"); err != nil {
		t.Skip("no dbus-daemon here")
	}
	daemon := exec.CommandContext(t.Context(), "dbus-daemon", "--session", "--nofork", "--print-address=1", "--nopidfile",
		"--address=unix:path="+t.TempDir()+"/bus")
	out, err := daemon.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := daemon.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _, _ = daemon.Process.Kill(), daemon.Wait() })
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(line)
}

// startSystemd starts a fake systemd on a bus.
func startSystemd(
	t *testing.T, address string, answer func(s *fakeSystemd, unit string) (dbus.ObjectPath, *dbus.Error),
) *fakeSystemd {
	t.Helper()
	conn, err := dbus.Connect(address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	s := &fakeSystemd{conn: conn, answer: answer}
	if err := conn.Export(s, "/org/freedesktop/systemd1", "org.freedesktop.systemd1.Manager"); err != nil {
		t.Fatal(err)
	}
	if _, err := conn.RequestName("org.freedesktop.systemd1", 0); err != nil {
		t.Fatal(err)
	}
	return s
}
