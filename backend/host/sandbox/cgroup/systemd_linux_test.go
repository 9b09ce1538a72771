package cgroup_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/godbus/dbus/v5"

	"goalpost/backend/host/sandbox/cgroup"
	"goalpost/backend/lib/fault"
)

var limits = cgroup.Limits{Memory: 128 << 20, Tasks: 200}

const unit = "goalpost-01JD_x-4711.scope"

// makeScope answers as systemd does when it succeeds. The signal for another job comes first.
func makeScope(k *fakeKernel) func(*fakeSystemd, string) (dbus.ObjectPath, *dbus.Error) {
	return func(s *fakeSystemd, unit string) (dbus.ObjectPath, *dbus.Error) {
		k.moveToScope(unit)
		s.finishJob(otherJob, "other.service", "failed")
		s.finishJob(jobPath, unit, "done")
		return jobPath, nil
	}
}

func TestOpen_SystemdMakesTheScope_ItWasAskedForTheLimits(t *testing.T) {
	k, address := newFakeKernel(t), startBus(t)
	systemd := startSystemd(t, address, makeScope(k))
	scope, err := cgroup.NewManager(address, k.proc, time.Minute).Open(t.Context(), "01JD/x", helperPID, limits)
	if err != nil {
		t.Fatal(err)
	}
	if err := scope.Close(); err != nil {
		t.Error(err)
	}
	if len(systemd.asked) != 1 {
		t.Fatalf("asked %d times", len(systemd.asked))
	}
	asked := systemd.asked[0]
	if asked.unit != unit || asked.mode != "fail" || asked.auxiliary != 0 {
		t.Errorf("asked for %q in mode %q with %d other units", asked.unit, asked.mode, asked.auxiliary)
	}
	slice := "app-goalpost.slice"
	if os.Geteuid() == 0 {
		slice = "system-goalpost.slice"
	}
	// The types are those that systemd accepts, see org.freedesktop.systemd1(5).
	for name, want := range map[string]string{
		"Description":      `s "Programs of Goalpost's goal 01JD/x"`,
		"Slice":            `s "` + slice + `"`,
		"PIDs":             "au [4711]",
		"MemoryAccounting": "b true",
		"MemoryMax":        "t 134217728",
		"MemorySwapMax":    "t 0",
		"TasksAccounting":  "b true",
		"TasksMax":         "t 200",
		"OOMPolicy":        `s "continue"`,
		"CollectMode":      `s "inactive-or-failed"`,
	} {
		got := asked.properties[name]
		if text := fmt.Sprintf("%s %#v", got.Signature(), got.Value()); strings.ReplaceAll(
			strings.NewReplacer("[]uint32{0x1267}", "[4711]", "0x8000000", "134217728", "0xc8", "200", "0x0", "0").Replace(text),
			"\n", "") != want {
			t.Errorf("%s is %s, want %s", name, text, want)
		}
		delete(asked.properties, name)
	}
	if len(asked.properties) > 0 {
		t.Errorf("also asked for %v", asked.properties)
	}
	if got := strings.Join(systemd.weights, ", "); got != slice+" true CPUWeight=20, "+slice+" true IOWeight=20" {
		t.Errorf("weights: %s", got)
	}
}

// TestOpen_SystemdWithoutOOMPolicy_IsAskedAgain: versions of systemd before 253 refuse a scope with that property.
func TestOpen_SystemdWithoutOOMPolicy_IsAskedAgain(t *testing.T) {
	k, address := newFakeKernel(t), startBus(t)
	systemd := startSystemd(t, address, func(s *fakeSystemd, unit string) (dbus.ObjectPath, *dbus.Error) {
		if _, has := s.asked[len(s.asked)-1].properties["OOMPolicy"]; has {
			return "", dbus.NewError("org.freedesktop.DBus.Error.PropertyReadOnly",
				[]any{"Cannot set property OOMPolicy, or unknown property."})
		}
		return makeScope(k)(s, unit)
	})
	scope, err := cgroup.NewManager(address, k.proc, time.Minute).Open(t.Context(), "01JD/x", helperPID, limits)
	if err != nil {
		t.Fatal(err)
	}
	if err := scope.Close(); err != nil {
		t.Error(err)
	}
	if len(systemd.asked) != 2 {
		t.Errorf("asked %d times", len(systemd.asked))
	}
}

func TestOpen_NoScope_SaysWhyAndWhatToDo(t *testing.T) {
	refuse := func(name, text string) func(*fakeSystemd, string) (dbus.ObjectPath, *dbus.Error) {
		return func(*fakeSystemd, string) (dbus.ObjectPath, *dbus.Error) { return "", dbus.NewError(name, []any{text}) }
	}
	for _, c := range []struct {
		name      string
		kernel    func(k *fakeKernel)
		answer    func(k *fakeKernel) func(*fakeSystemd, string) (dbus.ObjectPath, *dbus.Error) // nil is no systemd
		timeout   time.Duration
		why, hint string
	}{
		{name: "a bus without systemd", why: "no systemd answers on the bus", hint: "not below dbus-run-session"},
		{
			name: "it refuses",
			answer: func(*fakeKernel) func(*fakeSystemd, string) (dbus.ObjectPath, *dbus.Error) {
				return refuse("org.freedesktop.DBus.Error.AccessDenied", "Access denied")
			},
			why: "systemd refuses a cgroup: Access denied", hint: "systemctl",
		},
		{
			name: "it never answers",
			answer: func(k *fakeKernel) func(*fakeSystemd, string) (dbus.ObjectPath, *dbus.Error) {
				return func(*fakeSystemd, string) (dbus.ObjectPath, *dbus.Error) {
					<-k.t.Context().Done()
					return "", nil
				}
			},
			timeout: 200 * time.Millisecond,
			why:     "systemd did not answer within 200ms", hint: "systemctl",
		},
		{
			name: "its job never ends",
			answer: func(*fakeKernel) func(*fakeSystemd, string) (dbus.ObjectPath, *dbus.Error) {
				return func(s *fakeSystemd, unit string) (dbus.ObjectPath, *dbus.Error) {
					s.finishJob(otherJob, unit, "done")
					return jobPath, nil
				}
			},
			timeout: 200 * time.Millisecond,
			why:     "systemd did not answer within 200ms", hint: "systemctl",
		},
		{
			name: "it disappears",
			answer: func(*fakeKernel) func(*fakeSystemd, string) (dbus.ObjectPath, *dbus.Error) {
				return func(s *fakeSystemd, _ string) (dbus.ObjectPath, *dbus.Error) {
					_ = s.conn.Close()
					return jobPath, nil
				}
			},
			why: "systemd refuses a cgroup: Message recipient disconnected", hint: "systemctl",
		},
		{
			name: "its job fails",
			answer: func(*fakeKernel) func(*fakeSystemd, string) (dbus.ObjectPath, *dbus.Error) {
				return func(s *fakeSystemd, unit string) (dbus.ObjectPath, *dbus.Error) {
					s.finishJob(jobPath, unit, "timeout")
					return jobPath, nil
				}
			},
			why: "systemd could not make the cgroup: timeout", hint: "journalctl",
		},
		{
			name: "the process is somewhere else",
			answer: func(k *fakeKernel) func(*fakeSystemd, string) (dbus.ObjectPath, *dbus.Error) {
				return func(s *fakeSystemd, unit string) (dbus.ObjectPath, *dbus.Error) {
					k.moveToScope("other.scope")
					s.finishJob(jobPath, unit, "done")
					return jobPath, nil
				}
			},
			why: "the goal's first process is in ",
		},
		{
			name: "the kernel does not have the limit",
			answer: func(k *fakeKernel) func(*fakeSystemd, string) (dbus.ObjectPath, *dbus.Error) {
				return func(s *fakeSystemd, unit string) (dbus.ObjectPath, *dbus.Error) {
					k.moveToScope(unit)
					k.write(k.mount, scopeDir(unit)+"/memory.max", "max\n")
					s.finishJob(jobPath, unit, "done")
					return jobPath, nil
				}
			},
			why: "the kernel has max as memory.max of the goal's cgroup, not 134217728",
		},
		{
			name: "the user gets no controller",
			answer: func(k *fakeKernel) func(*fakeSystemd, string) (dbus.ObjectPath, *dbus.Error) {
				return func(s *fakeSystemd, unit string) (dbus.ObjectPath, *dbus.Error) {
					k.moveToScope(unit)
					if err := os.Remove(k.mount + "/" + scopeDir(unit) + "/memory.max"); err != nil {
						k.t.Error(err)
					}
					s.finishJob(jobPath, unit, "done")
					return jobPath, nil
				}
			},
			why: "systemd does not pass the memory controller on", hint: "Delegate=memory pids",
		},
		{
			name:   "the controller is off or of version 1",
			kernel: func(k *fakeKernel) { k.write(k.mount, "cgroup.controllers", "cpu pids\n") },
			why:    "the memory controller of this kernel is off or belongs to cgroups of version 1", hint: "boot with",
		},
		{
			name:   "no cgroups of version 2",
			kernel: func(k *fakeKernel) { k.write(k.proc, "self/mountinfo", "30 24 0:26 / /sys rw - cgroup memory rw\n") },
			why:    "this system has no cgroups of version 2", hint: "boot with",
		},
		{
			name: "Goalpost itself is limited",
			kernel: func(k *fakeKernel) {
				k.write(k.mount, "user.slice/session-2.scope/memory.max", "8589934592\n")
			},
			why: "Goalpost itself runs in session-2.scope, whose limit of 8589934592 bytes", hint: "set-property",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			k, address := newFakeKernel(t), startBus(t)
			if c.kernel != nil {
				c.kernel(k)
			}
			if c.answer != nil {
				startSystemd(t, address, c.answer(k))
			}
			if c.timeout == 0 {
				c.timeout = time.Minute
			}
			_, err := cgroup.NewManager(address, k.proc, c.timeout).Open(t.Context(), "01JD/x", helperPID, limits)
			if err == nil {
				t.Fatal("there is a scope")
			}
			var problem *fault.Error
			if !errors.As(err, &problem) {
				problem = &fault.Error{Message: err.Error()}
			}
			if !strings.Contains(problem.Message, c.why) || !strings.Contains(problem.Hint, c.hint) ||
				c.hint == "" && problem.Hint != "" {
				t.Errorf("%q, %q", problem.Message, problem.Hint)
			}
		})
	}
}

// TestOpen_EndedContext_IsItsError: the caller gave up, so systemd is not to blame.
func TestOpen_EndedContext_IsItsError(t *testing.T) {
	k, address := newFakeKernel(t), startBus(t)
	ctx, cancel := context.WithCancel(t.Context())
	startSystemd(t, address, func(*fakeSystemd, string) (dbus.ObjectPath, *dbus.Error) {
		cancel()
		<-t.Context().Done()
		return "", nil
	})
	_, err := cgroup.NewManager(address, k.proc, time.Minute).Open(ctx, "01JD/x", helperPID, limits)
	if !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
}

// TestOpen_NoBus_SaysHowToGetOne checks environments without a bus.
func TestOpen_NoBus_SaysHowToGetOne(t *testing.T) {
	k := newFakeKernel(t)
	t.Setenv("DBUS_SESSION_BUS_ADDRESS", "")
	t.Setenv("DBUS_SYSTEM_BUS_ADDRESS", "unix:path="+t.TempDir()+"/none")
	t.Setenv("XDG_RUNTIME_DIR", t.TempDir())
	_, err := cgroup.NewManager("", k.proc, time.Minute).Open(t.Context(), "01JD/x", helperPID, limits)
	want := "no session bus of this user runs"
	if os.Geteuid() == 0 {
		want = "the bus of systemd cannot be used"
	}
	var problem *fault.Error
	if !errors.As(err, &problem) || !strings.Contains(problem.Message, want) || problem.Hint == "" {
		t.Errorf("%v", err)
	}
}
