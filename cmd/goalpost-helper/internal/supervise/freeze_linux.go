package supervise

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"goalpost/backend/host/procnet"
	"goalpost/backend/host/sandbox/wire"
	"goalpost/cmd/goalpost-helper/internal/socket"
)

const (
	// freezeTimeout bounds a freeze: a program that is still running after this time is in a system call that no signal
	// interrupts.
	freezeTimeout = 5 * time.Second
	// waitTimeout limits the wait for processes that wait uninterruptibly and have children: such a process may wait
	// for its child of vfork, which is stopped. It stops before it executes anything else.
	waitTimeout = 100 * time.Millisecond
	// freezeInterval is how often a frozen sandbox is stopped again: the kernel continues the
	// stopped jobs of a shell that is killed.
	freezeInterval = 10 * time.Millisecond
	// orderedTimeout bounds the part of a freeze that stops parents before their children. On a busy machine, a process
	// to which the signal was sent may have to wait long for a processor, on which it stops.
	orderedTimeout = time.Second
)

// freezer stops every program of the sandbox whose init process this is. Without a cgroup of
// its own, which an ordinary user rarely may create, signals are the only way. Its methods
// are called with Supervisor.mu held.
type freezer struct {
	active map[uint64]bool // the requests whose freezes are in effect
	// stopped are the processes that were already stopped before the freeze, and that stay stopped.
	stopped map[processKey]bool
	end     chan struct{} // closed to end the goroutine that keeps the sandbox frozen
	ended   chan struct{}
	queue   []queuedRequest // requests that would let a program run
}

// processKey identifies a process: the kernel reuses numbers.
type processKey struct{ pid, started int }

type queuedRequest struct {
	request wire.Request
	fds     []int
}

// mustWait reports whether a request has to wait until the sandbox is thawed.
func (f *freezer) mustWait(r wire.Request) bool {
	return len(f.active) > 0 && (r.Op == wire.Start || r.Op == wire.Signal && r.Signal == int(unix.SIGCONT))
}

// enqueue stores a request with copies of its descriptors.
func (f *freezer) enqueue(r wire.Request, fds []int) error {
	q := queuedRequest{request: r}
	for _, fd := range fds {
		duplicate, err := unix.FcntlInt(uintptr(fd), unix.F_DUPFD_CLOEXEC, 0)
		if err != nil {
			socket.CloseAll(q.fds)
			return os.NewSyscallError("fcntl", err)
		}
		q.fds = append(q.fds, duplicate)
	}
	f.queue = append(f.queue, q)
	return nil
}

// freeze stops all programs until every freeze is undone.
func (f *freezer) freeze(id uint64) error {
	if len(f.active) > 0 {
		f.active[id] = true
		return nil
	}
	f.stopped = map[processKey]bool{}
	for _, p := range listProcesses() {
		if p.isStopped() {
			f.stopped[p.key()] = true
		}
	}
	if err := stopAll(); err != nil {
		continueAll(f.stopped)
		return err
	}
	f.active = map[uint64]bool{id: true}
	f.end, f.ended = make(chan struct{}), make(chan struct{})
	go func() {
		defer close(f.ended)
		ticker := time.NewTicker(freezeInterval)
		defer ticker.Stop()
		for {
			select {
			case <-f.end:
				return
			case <-ticker.C:
				_ = unix.Kill(-1, unix.SIGSTOP)
			}
		}
	}()
	return nil
}

// thaw undoes the freeze with that id. After the last freeze is undone, the processes that were stopped continue, and
// thaw returns the requests that waited.
func (f *freezer) thaw(id uint64) []queuedRequest {
	if !f.active[id] {
		return nil
	}
	if delete(f.active, id); len(f.active) > 0 {
		return nil
	}
	close(f.end)
	<-f.ended
	continueAll(f.stopped)
	waiting := f.queue
	f.stopped, f.queue = nil, nil
	return waiting
}

// stopAll stops every process but this one. Parents come first: otherwise a shell would treat a stopped child as a job
// that the user has stopped.
func stopAll() error {
	start := time.Now()
	sent := map[int]bool{}
	for time.Since(start) < orderedTimeout {
		running := map[int]bool{}
		all := listProcesses()
		for _, p := range all {
			if p.pid != os.Getpid() && p.isRunning() {
				running[p.pid] = true
			}
		}
		if len(running) == 0 {
			break
		}
		for _, p := range all {
			if running[p.pid] && !running[p.parent] && !sent[p.pid] {
				sent[p.pid] = true
				_ = unix.Kill(p.pid, unix.SIGSTOP)
			}
		}
		time.Sleep(time.Millisecond)
	}
	// A process with a pending signal cannot complete a fork, so no new process is missed. It does complete a write.
	for sentToAll := time.Now(); ; {
		if err := unix.Kill(-1, unix.SIGSTOP); errors.Is(err, unix.ESRCH) {
			return nil
		}
		running, writing, waiting := countUnstopped()
		isLate := time.Since(sentToAll) > freezeTimeout
		switch {
		case running == 0 && (writing == 0 || isLate) && (waiting == 0 || time.Since(sentToAll) > waitTimeout):
			return nil
		case isLate:
			return fmt.Errorf("%d programs did not stop", running)
		}
		time.Sleep(time.Millisecond)
	}
}

// countUnstopped returns how many other processes run, how many wait uninterruptibly for a system call of their own,
// such as a write, and how many for that or for a child.
func countUnstopped() (running, writing, waiting int) {
	all := listProcesses()
	hasChild := map[int]bool{}
	for _, p := range all {
		hasChild[p.parent] = true
	}
	for _, p := range all {
		switch {
		case p.pid == os.Getpid():
		case p.isRunning():
			running++
		case p.isWaiting() && hasChild[p.pid]:
			waiting++
		case p.isWaiting():
			writing++
		}
	}
	return running, writing, waiting
}

// continueAll continues every stopped process except some, children first.
func continueAll(except map[processKey]bool) {
	all := listProcesses()
	depth := map[int]int{}
	parents := map[int]int{}
	for _, p := range all {
		parents[p.pid] = p.parent
	}
	for _, p := range all {
		for at := p.pid; at > 0 && depth[p.pid] < len(all); at = parents[at] {
			depth[p.pid]++
		}
	}
	slices.SortFunc(all, func(a, b procInfo) int { return cmp.Compare(depth[b.pid], depth[a.pid]) })
	for _, p := range all {
		if p.pid != os.Getpid() && !except[p.key()] {
			_ = unix.Kill(p.pid, unix.SIGCONT)
		}
	}
}

func (p procInfo) key() processKey { return processKey{p.pid, p.started} }

// threadStates returns a letter for each thread: R is running, S sleeping, D in an uninterruptible wait, T stopped, Z
// and X ended.
func (p procInfo) threadStates() string {
	if p.threads <= 1 {
		return p.state // without a look into task, see killAll
	}
	dir := "/proc/" + strconv.Itoa(p.pid) + "/task/"
	threads, _ := os.ReadDir(dir)
	var states []byte
	for _, thread := range threads {
		stat, err := os.ReadFile(dir + thread.Name() + "/stat")
		if at := bytes.LastIndexByte(stat, ')'); err == nil && at+2 < len(stat) {
			states = append(states, stat[at+2])
		}
	}
	return string(states)
}

func (p procInfo) isStopped() bool {
	states := p.threadStates()
	return strings.Contains(states, "T") && !strings.ContainsAny(states, "RSDI")
}

func (p procInfo) isRunning() bool { return strings.ContainsAny(p.threadStates(), "RSI") }

func (p procInfo) isWaiting() bool { return strings.Contains(p.threadStates(), "D") }

// changeFreeze freezes or thaws the sandbox. mu is held.
func (s *Supervisor) changeFreeze(r wire.Request) error {
	var err error
	var listening wire.Listening
	var waiting []queuedRequest
	done := make(chan struct{})
	go func() { // on another thread, because the notifier has to answer kill, see signal
		defer close(done)
		if r.Op == wire.Freeze {
			err = s.frozen.freeze(r.ID)
			listening.Ports, listening.Unix = procnet.OwnedListeners(otherProcesses())
		} else {
			waiting = s.frozen.thaw(r.ID)
		}
	}()
	<-done
	if err != nil {
		return s.answer(wire.Answer{ID: r.ID, Error: &wire.Error{Code: wire.Failed, Text: "freezing: " + err.Error()}})
	}
	if err := s.answer(wire.Answer{ID: r.ID, Changed: true, Listening: listening}); err != nil {
		return err
	}
	for _, q := range waiting {
		err := s.handleLocked(q.request, q.fds)
		socket.CloseAll(q.fds)
		if err != nil {
			return err
		}
	}
	return nil
}

// otherProcesses returns the processes of the sandbox without this one.
func otherProcesses() (list []int) {
	for _, p := range listProcesses() {
		if p.pid != os.Getpid() {
			list = append(list, p.pid)
		}
	}
	return list
}
