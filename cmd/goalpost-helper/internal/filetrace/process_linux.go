package filetrace

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"

	"golang.org/x/sys/unix"
)

// program is a program that ran: its file, its command line and the folder in which it started.
type program struct {
	path string
	args []string
	dir  string
}

func (p program) runsSame(q program) bool { return p.path == q.path && slices.Equal(p.args, q.args) }

// noProgram is the index of a process whose program is not known yet.
const noProgram = -1

// process is a process of the trace.
type process struct {
	mu      sync.Mutex
	program int      // index in Tracer.programs
	next    *program // the program of its last execve, until its result is known
	runs    bool     // next is a file that the kernel can execute
}

// task is a thread.
type task struct {
	dir     int // its open folder in /proc, which is empty once the thread has ended
	process *process
}

// isAlive reports whether the thread has not ended.
func (t *task) isAlive() bool { return unix.Faccessat(t.dir, "comm", unix.F_OK, 0) == nil }

// taskTable has the threads that made calls. The kernel reuses numbers within milliseconds, so each call checks its
// thread.
type taskTable struct {
	mu    sync.Mutex
	tasks map[uint32]*task
	sweep int // the number of threads at which ended ones are removed
}

const minSweep = 256

func newTaskTable() *taskTable { return &taskTable{tasks: map[uint32]*task{}, sweep: minSweep} }

// find returns the thread with a number, nil if it is new.
func (t *taskTable) find(pid uint32) *task {
	t.mu.Lock() // so that its folder is not closed and its number not reused
	defer t.mu.Unlock()
	if task := t.tasks[pid]; task != nil && task.isAlive() {
		return task
	}
	return nil
}

// add stores a new thread and returns the processes of threads that have ended.
func (t *taskTable) add(pid uint32, fresh *task) (processes []*process) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if old := t.tasks[pid]; old != nil {
		processes = append(processes, old.process)
		old.close()
	}
	t.tasks[pid] = fresh
	if len(t.tasks) < t.sweep {
		return processes
	}
	for number, one := range t.tasks {
		if !one.isAlive() {
			processes = append(processes, one.process)
			one.close()
			delete(t.tasks, number)
		}
	}
	t.sweep = max(minSweep, 2*len(t.tasks))
	return processes
}

// close closes the folder. The table's mutex is held.
func (t *task) close() { _ = unix.Close(t.dir) }

// taskOf returns the thread that makes a call.
func (t *Tracer) taskOf(pid uint32) (*task, error) {
	if task := t.tasks.find(pid); task != nil {
		return task, nil
	}
	t.adding.Lock() // so that the threads of one process get one
	defer t.adding.Unlock()
	return t.addTask(pid)
}

// addTask adds a thread, and the process of its first thread; adding is held.
func (t *Tracer) addTask(pid uint32) (*task, error) {
	if task := t.tasks.find(pid); task != nil {
		return task, nil
	}
	dir, err := unix.Open(fmt.Sprintf("/proc/%d", pid), unix.O_PATH|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, err //nolint:wrapcheck // the caller has ended, or gets its number
	}
	fresh := &task{dir: dir}
	switch leader := ThreadGroup(pid); {
	case leader != int(pid) && leader > 0:
		of, err := t.addTask(uint32(leader))
		if err != nil {
			_ = unix.Close(dir)
			return nil, err
		}
		fresh.process = of.process
	case int(pid) == t.root && !t.isStarted:
		t.isStarted = true
		fresh.process = &process{program: noProgram}
	default:
		fresh.process = &process{program: t.programOfFork(pid)}
	}
	for _, process := range t.tasks.add(pid, fresh) {
		t.settleEnded(process)
	}
	return fresh, nil
}

// programOfFork returns the program of a process that has not executed one since its fork: the program of its parent.
func (t *Tracer) programOfFork(pid uint32) int {
	running, err := readProgram(pid)
	if err != nil {
		return t.addProgram(program{})
	}
	t.mu.Lock()
	var same []int
	for i := len(t.programs) - 1; i >= 0 && len(same) < 2; i-- {
		if t.programs[i].runsSame(running) {
			same = append(same, i)
		}
	}
	t.mu.Unlock()
	if len(same) == 1 {
		return same[0]
	}
	// Programs in several folders have the same command line, or the program has changed its command line.
	if parent := t.tasks.find(parentOf(pid)); parent != nil {
		parent.process.mu.Lock()
		of := parent.process.program
		parent.process.mu.Unlock()
		if len(same) == 0 && of >= 0 || slices.Contains(same, of) {
			return of
		}
	}
	if len(same) > 0 {
		return same[0]
	}
	running.dir, _ = readBase(fmt.Sprintf("/proc/%d/cwd", pid))
	return t.addProgram(running)
}

// programOf returns the index of the program that a process runs.
func (t *Tracer) programOf(pid uint32, of *process) int {
	of.mu.Lock()
	defer of.mu.Unlock()
	if of.next == nil {
		return of.program
	}
	// The last call of the process asked the kernel to execute a program, which may have failed.
	next := *of.next
	of.next = nil
	running, err := readProgram(pid)
	switch {
	case err != nil: // it has ended
	case running.runsSame(next):
		of.program = t.addProgram(next)
	case of.program >= 0 && running.runsSame(t.programAt(of.program)): // the execution has failed
	default:
		running.dir = next.dir
		of.program = t.addProgram(running)
	}
	return of.program
}

// settleEnded records the program of a process that has ended before it made another call.
func (t *Tracer) settleEnded(of *process) {
	of.mu.Lock()
	defer of.mu.Unlock()
	if of.next != nil && of.runs {
		t.addProgram(*of.next)
	}
	of.next = nil
}

// readProgram returns the program that a process runs, without its folder.
func readProgram(pid uint32) (program, error) {
	procDir := "/proc/" + strconv.FormatUint(uint64(pid), 10)
	path, err := readLink(procDir + "/exe")
	if err != nil {
		return program{}, err
	}
	text := make([]byte, 2*maxAllBytes)
	n, err := readFile(procDir+"/cmdline", text)
	if err != nil {
		return program{}, err
	}
	text = bytes.TrimSuffix(text[:n], []byte{0})
	p := program{path: trimDeletedMark(path)}
	for word := range bytes.SplitSeq(text, []byte{0}) {
		p.args = append(p.args, string(word))
		if len(p.args) > maxArgs {
			break
		}
	}
	p.args = limitArgs(p.args)
	return p, nil
}

// readFile reads the beginning of a file. It is for /proc, whose files need no poller.
func readFile(name string, into []byte) (int, error) {
	fd, err := unix.Open(name, unix.O_RDONLY|unix.O_CLOEXEC|unix.O_NONBLOCK|unix.O_NOCTTY, 0)
	if err != nil {
		return 0, err //nolint:wrapcheck // the caller needs its number
	}
	defer func() { _ = unix.Close(fd) }()
	for {
		n, err := unix.Read(fd, into)
		if !errors.Is(err, unix.EINTR) {
			return max(n, 0), err
		}
	}
}

// ThreadGroup returns the process of a thread, 0 if it has ended.
func ThreadGroup(thread uint32) int {
	if fd, err := unix.PidfdOpen(int(thread), 0); err == nil { // possible for the first thread only
		_ = unix.Close(fd)
		return int(thread)
	}
	text, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", thread))
	_, rest, _ := strings.Cut(string(text), "\nTgid:")
	line, _, _ := strings.Cut(rest, "\n")
	pid, _ := strconv.Atoi(strings.TrimSpace(line))
	return pid
}

// parentOf returns the parent of a process.
func parentOf(pid uint32) uint32 {
	text := make([]byte, 512)
	n, _ := readFile(fmt.Sprintf("/proc/%d/stat", pid), text)
	// pid (name) state ppid …; the name may contain brackets and spaces.
	f := strings.Fields(string(text[bytes.LastIndexByte(text[:n], ')')+1 : n]))
	if len(f) < 2 {
		return 0
	}
	parent, _ := strconv.ParseUint(f[1], 10, 32)
	return uint32(parent)
}
