package sandbox_test

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"goalpost/backend/domain/process"
	"goalpost/backend/host/sandbox"
	"goalpost/backend/host/sandbox/cgroup"
	"goalpost/backend/lib/waittest"
)

// systemdVariable is set where a systemd with cgroups of version 2 is known to run: in the virtual machine of
// make cgroup-test. The value is "user" or "system", or "none" where the user has no systemd.
const systemdVariable = "GOALPOST_TEST_SYSTEMD"

// systemdOfTests lets the other tests use cgroups where systemd is known to run. On any other machine, those tests do
// not depend on systemd.
func systemdOfTests() *cgroup.Manager {
	if os.Getenv(systemdVariable) == "" {
		return nil
	}
	return &cgroup.Manager{}
}

// openBounded opens a supervisor whose programs a cgroup bounds.
func openBounded(t *testing.T, w sandbox.Spec, l *tellings) *sandbox.Supervisor {
	t.Helper()
	switch os.Getenv(systemdVariable) {
	case "":
		t.Skip("this needs a systemd with cgroups of version 2: make cgroup-test runs it in a virtual machine")
	case "none":
		t.Skip("this user has no systemd; another one in this virtual machine has")
	}
	s := openSandboxReporting(t, w, l)
	if err := s.CgroupError(); err != nil {
		t.Fatalf("the kernel does not enforce the limits: %v", err)
	}
	return s
}

// scopeDirOf returns the folder of the cgroup that the programs of a sandbox are in.
func scopeDirOf(t *testing.T, s *sandbox.Supervisor, w sandbox.Spec) string {
	t.Helper()
	text, status := output(t, s, inside(w, "cat /proc/self/cgroup"))
	_, at, _ := strings.Cut(strings.TrimSpace(text), "0::")
	dir := filepath.Join("/sys/fs/cgroup", at)
	if _, err := os.Stat(dir); err != nil || status.Code != 0 || !strings.HasSuffix(dir, ".scope") {
		t.Fatalf("%q %v %v", text, status, err)
	}
	return dir
}

// listScopes returns what systemd lists of Goalpost's scopes.
func listScopes(t *testing.T) string {
	t.Helper()
	argv := []string{"--user", "list-units", "--all", "--no-legend", "--plain", "goalpost-*.scope"}
	if os.Getuid() == 0 {
		argv = argv[1:]
	}
	text, err := exec.CommandContext(t.Context(), "systemctl", argv...).CombinedOutput()
	if err != nil {
		t.Fatalf("systemctl: %v %s", err, text)
	}
	return string(text)
}

// awaitNoScope waits until a cgroup is gone, and systemd's unit with it.
func awaitNoScope(t *testing.T, dir string) {
	t.Helper()
	waittest.Until(t, "end of "+dir, func() bool {
		_, err := os.Stat(dir)
		return os.IsNotExist(err)
	})
	name := filepath.Base(dir)
	waittest.Until(t, "end of the unit "+name, func() bool { return !strings.Contains(listScopes(t), name) })
}

func TestCgroup_GoalOverItsMemory_OneProgramIsEndedAndReported(t *testing.T) {
	w := newSpec(t)
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	w.Tools = []string{self}
	w.Limits = &sandbox.ResourceLimits{Processes: 200, Together: 128 << 20, Tmp: 20 << 20}
	l := newTellings()
	s := openBounded(t, w, l)
	other, err := s.Start(t.Context(), inside(w, "exec sleep 1000"))
	if err != nil {
		t.Fatal(err)
	}
	const why = "was ended: the goal's programs needed more than the 128 MiB of memory together"
	named := 0
	for _, c := range []struct {
		name, script, call string
		domain             process.Domain
		stays              bool // the memory is not held by a process
	}{
		{name: "its own memory", script: "exec tail /dev/zero"},
		{name: "a check", script: "exec tail /dev/zero", domain: process.DomainCheck},
		{name: "a child of what was started", script: "tail /dev/zero; exit 3"},
		{name: "a memory file that nobody mapped", call: "memfd"},
		{name: "memory that is shared", call: "mapped"},
		{name: "sockets that nobody reads", call: "sockets"},
		{name: "pipes that nobody reads", call: "full-pipes"},
	} {
		t.Run(c.name, func(t *testing.T) {
			l.forget()
			mark := s.KillMark()
			command := inside(w, c.script)
			command.Domain = c.domain
			if c.call != "" {
				command.Argv = []string{self}
				command.Env = append(command.Env, attemptVariable+"="+c.call)
			}
			p, err := s.Start(t.Context(), command)
			if err != nil {
				t.Fatal(err)
			}
			wait(t, p)
			lines := strings.Join(s.KilledSince(mark), "\n")
			t.Logf("%v: %s", p.Status(), lines)
			if status := p.Status(); status.Signal != syscall.SIGKILL && status.Code != 3 {
				t.Errorf("it ended with %v", status)
			}
			if !strings.Contains(lines, why) {
				t.Errorf("with its end this is known: %q", lines)
			}
			if !l.await(why) {
				t.Errorf("reported: %s", l)
			}
			if strings.Contains(lines, "tail ") {
				named++
			}
			if text, status := output(t, s, inside(w, "echo fine")); text != "fine\n" || status.Code != 0 {
				t.Errorf("afterwards: %q %v", text, status)
			}
		})
	}
	t.Logf("%d of 3 programs named tail are named", named)
	select {
	case <-other.Done():
		t.Errorf("a small program was ended, too: %v", other.Status())
	default:
	}
	if lines := s.KilledSince(0); len(lines) != 7 || !strings.Contains(lines[6], "(7 programs so far)") {
		t.Errorf("%d programs were ended: %q", len(lines), lines)
	}
}

// TestCgroup_MessageQueues_Count: the kernel counts the messages in queues, although they belong to no process. A
// program whose message exceeds the limit is killed.
func TestCgroup_MessageQueues_Count(t *testing.T) {
	w := newSpec(t)
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	w.Tools = []string{self}
	w.Limits = &sandbox.ResourceLimits{Processes: 200, Together: 128 << 20}
	s := openBounded(t, w, newTellings())
	dir := scopeDirOf(t, s, w)
	used := func() (bytes int64) {
		text, err := os.ReadFile(filepath.Join(dir, "memory.current"))
		if _, scanned := fmt.Sscan(string(text), &bytes); err != nil || scanned != nil {
			t.Fatal(err, scanned)
		}
		return bytes
	}
	before := used()
	command := inside(w, "")
	command.Argv, command.Env = []string{self}, append(command.Env, attemptVariable+"=messages")
	text, status := output(t, s, command)
	t.Logf("%v %s, %d MiB more", status, text, (used()-before)>>20)
	if status.Signal != syscall.SIGKILL && used()-before < 30<<20 {
		t.Errorf("%v %s: queues of messages are not counted", status, text)
	}
}

// TestCgroup_Tasks_AreBounded also runs as root: before Linux 6.14, the kernel limits root's processes in no other
// way.
func TestCgroup_Tasks_AreBounded(t *testing.T) {
	w := newSpec(t)
	w.Limits = &sandbox.ResourceLimits{Processes: 60, Together: 256 << 20}
	s := openBounded(t, w, newTellings())
	dir := scopeDirOf(t, s, w)
	text, err := os.ReadFile(filepath.Join(dir, "pids.max"))
	if err != nil || string(text) != "368\n" { // enough for four times 60 processes, and for the helper
		t.Errorf("%q %v", text, err)
	}
	bomb := inside(w, `n=0; trap 'echo made $n; kill $all' EXIT
		while [ $n -lt 500 ]; do sleep 1000 >/dev/null 2>&1 & all="$all $!"; n=$((n+1)); done`)
	if os.Getuid() == 0 {
		p, err := s.Start(t.Context(), bomb)
		if err != nil {
			t.Fatal(err)
		}
		waittest.Until(t, "process that was refused", func() bool {
			select {
			case <-p.Done(): // the program, a limit of its namespace, or the whole sandbox ended it
				return true
			default:
			}
			events, err := os.ReadFile(filepath.Join(dir, "pids.events"))
			return err == nil && !strings.HasPrefix(string(events), "max 0\n")
		})
		t.Logf("refused; the program has ended with %v, the sandbox with %v", p.Status(), s.Err())
		return
	}
	made, _ := output(t, s, bomb)
	_, made, _ = strings.Cut(made, "made ")
	n := 0
	if _, err := fmt.Sscan(made, &n); err != nil || n > 60 || n < 20 {
		t.Errorf("it made %d processes: %v", n, err)
	}
	t.Logf("it made %d processes", n)
	if text, status := output(t, s, inside(w, "echo fine")); text != "fine\n" || status.Code != 0 {
		t.Errorf("afterwards: %q %v", text, status)
	}
}

func TestCgroup_GoalEnds_ScopeIsGone(t *testing.T) {
	w := newSpec(t)
	s := openBounded(t, w, newTellings())
	dir := scopeDirOf(t, s, w)
	if _, err := s.Start(t.Context(), inside(w, escape)); err != nil {
		t.Fatal(err)
	}
	if listed := listScopes(t); !strings.Contains(listed, filepath.Base(dir)) {
		t.Errorf("%s is not among %s", filepath.Base(dir), listed)
	}
	if err := s.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	awaitNoScope(t, dir)
}

// boundedOwner is this test binary as an app: it starts a program in a goal's sandbox, writes the folder of its cgroup
// and waits to be killed.
func boundedOwner(t *testing.T) {
	w := newSpec(t)
	s := openBounded(t, w, newTellings())
	dir := scopeDirOf(t, s, w)
	if _, err := s.Start(t.Context(), inside(w, escape)); err != nil {
		t.Fatal(err)
	}
	fmt.Printf("\nscope %s\n", dir)
	select {}
}

const boundedOwnerVariable = "SANDBOX_TEST_BOUNDED_OWNER"

func TestCgroup_HostIsKilled_ScopeIsGone(t *testing.T) {
	if os.Getenv(boundedOwnerVariable) != "" {
		boundedOwner(t)
	}
	w := newSpec(t)
	openBounded(t, w, newTellings()) // skips
	host := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^"+t.Name()+"$")
	host.Env = append(os.Environ(), boundedOwnerVariable+"=1", "TMPDIR="+t.TempDir())
	out, err := host.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := host.Start(); err != nil {
		t.Fatal(err)
	}
	dir := ""
	for lines := bufio.NewScanner(out); dir == "" && lines.Scan(); {
		dir, _ = strings.CutPrefix(lines.Text(), "scope ")
		if !strings.HasPrefix(dir, "/") {
			dir = ""
		}
	}
	if _, err := os.Stat(dir); dir == "" || err != nil {
		t.Fatalf("its scope is %q: %v", dir, err)
	}
	if err := host.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = host.Wait()
	awaitNoScope(t, dir)
}

// TestCgroup_SliceIsFull_SaysThatTheGoalIsNotToBlame: the message says that memory ran out on the machine or in the
// slice around the goal.
func TestCgroup_SliceIsFull_SaysThatTheGoalIsNotToBlame(t *testing.T) {
	w := newSpec(t)
	w.Limits = &sandbox.ResourceLimits{Processes: 200, Together: 512 << 20}
	s := openBounded(t, w, newTellings())
	argv := []string{"--user", "set-property", "--runtime", filepath.Base(filepath.Dir(scopeDirOf(t, s, w)))}
	if os.Getuid() == 0 {
		argv = argv[1:]
	}
	setLimit := func(limit string) {
		t.Helper()
		if text, err := exec.Command("systemctl", append(argv, "MemoryMax="+limit)...).CombinedOutput(); err != nil {
			t.Fatalf("systemctl: %v %s", err, text)
		}
	}
	t.Cleanup(func() { setLimit("infinity") })
	setLimit("128M")
	_, status := output(t, s, inside(w, "exec tail /dev/zero"))
	lines := s.KilledSince(0)
	if status.Signal != syscall.SIGKILL || len(lines) != 1 ||
		!strings.Contains(lines[0], "memory ran out on this machine, or in a slice of systemd") {
		t.Errorf("%v %q", status, lines)
	}
}

// TestCgroup_UserHasNoSystemd_HelperMeasures: without systemd the goal still works. The helper enforces its memory
// limit, a little later than the kernel would.
func TestCgroup_UserHasNoSystemd_HelperMeasures(t *testing.T) {
	if os.Getenv(systemdVariable) != "none" {
		t.Skip("this needs a user without a systemd: make cgroup-test runs it in a virtual machine")
	}
	w := newSpec(t)
	w.Limits = &sandbox.ResourceLimits{Processes: 200, Together: 128 << 20}
	s := openSandboxReporting(t, w, newTellings())
	if err := s.CgroupError(); err == nil || !strings.Contains(err.Error(), "no session bus of this user runs") {
		t.Errorf("%v", err)
	}
	if text, status := output(t, s, inside(w, "echo fine")); text != "fine\n" || status.Code != 0 {
		t.Errorf("%q %v", text, status)
	}
	_, status := output(t, s, inside(w, "exec tail /dev/zero"))
	if lines := strings.Join(s.KilledSince(0), "\n"); status.Signal != syscall.SIGKILL ||
		!strings.Contains(lines, "tail was ended: the goal's programs took") {
		t.Errorf("%v %q", status, lines)
	}
}
