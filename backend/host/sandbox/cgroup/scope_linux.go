package cgroup

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/fsnotify/fsnotify"

	"goalpost/backend/lib/fault"
)

// Scope is a cgroup in which the kernel enforces limits. Its methods may be called concurrently; Close is called once.
type Scope struct {
	Limits Limits

	files  kernelFiles
	dir    string   // of the cgroup
	events *os.File // memory.events

	watcher *fsnotify.Watcher // nil before Watch
	watched sync.WaitGroup

	mu     sync.Mutex
	oom    int64 // how often the goal had reached its limit at the last report
	killed int64 // kills that were reported
}

const controllerHint = "boot with systemd.unified_cgroup_hierarchy=1 (and cgroup_enable=memory on a Raspberry Pi)"

// kernelFiles are the kernel's files about processes and cgroups. In tests they are ordinary files.
type kernelFiles struct {
	proc  string
	mount string // of the cgroups of version 2
}

// findKernelFiles looks for the cgroups that this process sees.
func findKernelFiles(proc string) (kernelFiles, error) {
	mounts, err := os.ReadFile(filepath.Join(proc, "self/mountinfo"))
	if err != nil {
		return kernelFiles{}, fmt.Errorf("looking for cgroups: %w", err)
	}
	for line := range strings.Lines(string(mounts)) {
		// id parent device root mount options … - type source …
		head, tail, _ := strings.Cut(line, " - ")
		if f := strings.Fields(head); len(f) > 4 && strings.HasPrefix(tail, "cgroup2 ") {
			return kernelFiles{proc: proc, mount: f[4]}, nil
		}
	}
	return kernelFiles{}, fault.New(fault.Unavailable, "this system has no cgroups of version 2", controllerHint)
}

// dirOf returns the folder of a process's cgroup.
func (k kernelFiles) dirOf(pid string) (string, error) {
	groups, err := os.ReadFile(filepath.Join(k.proc, pid, "cgroup"))
	if err != nil {
		return "", fmt.Errorf("looking for the cgroup of process %s: %w", pid, err)
	}
	for line := range strings.Lines(string(groups)) {
		if at, found := strings.CutPrefix(strings.TrimSuffix(line, "\n"), "0::"); found {
			return filepath.Join(k.mount, at), nil
		}
	}
	return "", fmt.Errorf("process %s is in no cgroup of version 2", pid)
}

// hasController reports whether the controller belongs to cgroups of version 2 on this machine.
func (k kernelFiles) hasController(name string) bool {
	text, _ := os.ReadFile(filepath.Join(k.mount, "cgroup.controllers"))
	return slices.Contains(strings.Fields(string(text)), name)
}

// openScope returns the scope that a process is in, if the kernel enforces the limits there.
func (k kernelFiles) openScope(pid int, unit string, l Limits) (*Scope, error) {
	dir, err := k.dirOf(strconv.Itoa(pid))
	if err != nil {
		return nil, err
	}
	if filepath.Base(dir) != unit {
		return nil, fmt.Errorf("systemd reported a cgroup, but the goal's first process is in %s", dir)
	}
	for _, limit := range []struct {
		controller, file string
		most             int64
	}{
		{"memory", "memory.max", l.Memory},
		{"memory", "memory.swap.max", 0},
		{"pids", "pids.max", int64(l.Tasks)},
	} {
		text, err := os.ReadFile(filepath.Join(dir, limit.file))
		if errors.Is(err, os.ErrNotExist) {
			if limit.file == "memory.swap.max" {
				continue // a kernel without swap
			}
			return nil, fault.New(fault.Unavailable, "systemd does not pass the "+limit.controller+" controller on to the user",
				"sudo systemctl edit user@.service, and write Delegate=memory pids in its section [Service]")
		}
		if err != nil {
			return nil, fmt.Errorf("reading the goal's cgroup: %w", err)
		}
		// The kernel rounds down to pages; "max" is no number.
		set := strings.TrimSpace(string(text))
		if most, err := strconv.ParseInt(set, 10, 64); err != nil || most > limit.most {
			return nil, fmt.Errorf("the kernel has %s as %s of the goal's cgroup, not %d", set, limit.file, limit.most)
		}
	}
	events, err := os.Open(filepath.Join(dir, "memory.events"))
	if err != nil {
		return nil, fmt.Errorf("reading the goal's cgroup: %w", err)
	}
	s := &Scope{Limits: l, files: k, dir: dir, events: events}
	s.oom, s.killed = s.readEvents()
	return s, nil
}

// validateOwnUnit returns an error if the unit that this program runs in has a memory limit. The user wants that limit
// to apply to the goals, too, but a goal in its own scope would escape it.
func (k kernelFiles) validateOwnUnit() error {
	dir, err := k.dirOf("self")
	if err != nil {
		return err
	}
	for ; dir != k.mount && filepath.Dir(dir) != dir; dir = filepath.Dir(dir) {
		name := filepath.Base(dir)
		if strings.HasSuffix(name, ".slice") || strings.HasPrefix(name, "user@") {
			return nil // the limit of a slice also applies to the scopes of goals in it
		}
		text, err := os.ReadFile(filepath.Join(dir, "memory.max"))
		if limit := strings.TrimSpace(string(text)); err == nil && limit != "max" {
			return fault.New(fault.Unavailable,
				fmt.Sprintf("Goalpost itself runs in %s, whose limit of %s bytes holds for its goals, too", name, limit),
				"limit "+slice()+" instead, which has the goals alone: "+forOwner("systemctl")+" set-property "+slice()+
					" MemoryMax=8G")
		}
	}
	return nil
}

// readEvents returns how often the cgroup reached its limit, and how many of its programs the kernel ended for memory.
// Both are 0 once the cgroup is gone.
func (s *Scope) readEvents() (oom, killed int64) {
	text := make([]byte, 4096)
	n, _ := s.events.ReadAt(text, 0)
	for line := range strings.Lines(string(text[:n])) {
		name, count, _ := strings.Cut(strings.TrimSpace(line), " ")
		switch name {
		case "oom":
			oom, _ = strconv.ParseInt(count, 10, 64)
		case "oom_kill":
			killed, _ = strconv.ParseInt(count, 10, 64)
		}
	}
	return oom, killed
}

// Watch calls report whenever there may be kills to report, until Close.
func (s *Scope) Watch(report func()) error {
	watcher, err := fsnotify.NewWatcher()
	if err != nil {
		return fmt.Errorf("watching the goal's cgroup: %w", err)
	}
	if err := watcher.Add(s.events.Name()); err != nil {
		return errors.Join(fmt.Errorf("watching the goal's cgroup: %w", err), watcher.Close())
	}
	s.watcher = watcher
	s.watched.Go(func() {
		for {
			select {
			case _, open := <-watcher.Events:
				if !open {
					return
				}
			case _, open := <-watcher.Errors: // events were lost, but the counters have everything
				if !open {
					return
				}
			}
			report()
		}
	})
	return nil
}

// Close ends the watch, once a running report has returned. The scope itself ends with its processes.
func (s *Scope) Close() error {
	var err error
	if s.watcher != nil {
		err = s.watcher.Close()
	}
	s.watched.Wait()
	if err := errors.Join(err, s.events.Close()); err != nil {
		return fmt.Errorf("closing the goal's cgroup: %w", err)
	}
	return nil
}

// ReportKills reports what the kernel has ended for memory since the last call, one program at a time. The kernel
// counts a program before it ends it: when this returns, it has reported every kill that was counted before the call.
func (s *Scope) ReportKills(report func(Kill)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	oom, killed := s.readEvents()
	fresh := killed - s.killed
	if fresh <= 0 {
		return
	}
	kills := append(s.dyingPrograms(), make([]Kill, fresh)...)[:fresh]
	outside := oom == s.oom
	s.oom = oom
	for _, kill := range kills {
		s.killed++
		kill.Outside, kill.Count = outside, s.killed
		report(kill)
	}
}

// dyingPrograms returns the programs of the cgroup that are being killed. The kernel does not say which program it
// chose, but one with much memory takes a while to end.
func (s *Scope) dyingPrograms() (list []Kill) {
	text, _ := os.ReadFile(filepath.Join(s.dir, "cgroup.procs"))
	for pid := range strings.Lines(string(text)) {
		pid = strings.TrimSpace(pid)
		stat, err := os.ReadFile(filepath.Join(s.files.proc, pid, "stat"))
		if err != nil {
			continue
		}
		// pid (name) state parent group session terminal foreground flags …; the name can contain anything
		head, tail, _ := cutLast(string(stat), ") ")
		_, name, _ := strings.Cut(head, "(")
		f := strings.Fields(tail)
		if len(f) < 7 || !s.isKilled(pid, f[6]) {
			continue
		}
		number, _ := strconv.Atoi(pid)
		list = append(list, Kill{PID: number, Program: name})
	}
	return list
}

func cutLast(text, separator string) (before, after string, found bool) {
	if i := strings.LastIndex(text, separator); i >= 0 {
		return text[:i], text[i+len(separator):], true
	}
	return text, "", false
}

// How the kernel shows a process that is being ended by a signal.
const (
	flagSignaled = 0x400        // PF_SIGNALED in the flags of stat: it handles the signal
	pendingKill  = 1 << (9 - 1) // SIGKILL in SigPnd of status: the process has not handled it yet
)

// isKilled reports whether a process is ending because of a signal.
func (s *Scope) isKilled(pid, flags string) bool {
	if n, err := strconv.ParseUint(flags, 10, 64); err == nil && n&flagSignaled != 0 {
		return true
	}
	status, _ := os.ReadFile(filepath.Join(s.files.proc, pid, "status"))
	for _, field := range []string{"\nSigPnd:", "\nShdPnd:"} {
		_, rest, _ := strings.Cut(string(status), field)
		line, _, _ := strings.Cut(rest, "\n")
		if n, err := strconv.ParseUint(strings.TrimSpace(line), 16, 64); err == nil && n&pendingKill != 0 {
			return true
		}
	}
	return false
}
