package filetrace

import (
	"fmt"
	"path"
	"slices"
	"strings"
	"sync"

	"golang.org/x/sys/unix"

	"goalpost/backend/host/sandbox/wire"
)

// Limits of one trace. The agent can change nothing outside the goal's folders, so a trace without the uses beyond
// maxOutside is still complete.
const (
	maxInside   = 100_000
	maxOutside  = 20_000
	maxSought   = 5_000 // lookups of programs
	maxPrograms = 20_000
	maxText     = 64 << 20 // bytes of paths and command lines
	maxNames    = 32 << 10 // recorded names that are remembered
	batchBytes  = 24 << 10 // approximate; less than the size of one packet
)

// Tracer records what one program and all that it starts do with files. Its methods may be called
// concurrently.
type Tracer struct {
	root  int      // the program's process
	dirs  []string // every use below them is recorded
	send  func(wire.TraceBatch)
	tasks *taskTable

	adding    sync.Mutex // of a thread; taken before the other locks
	isStarted bool       // root has made a call; adding guards it

	mu           sync.Mutex
	programs     []program
	programIndex map[string]int // indices of programs, by all of their fields
	recorded     map[access]bool
	names        map[nameKey]bool // names that need not be resolved again
	inside       int
	outside      int
	lookups      int
	text         int
	incomplete   string
	isFinished   bool
	batch        wire.TraceBatch
	batchSize    int

	sending sync.Mutex // keeps batches in their order; taken before mu
	full    chan struct{}
}

// access is a use of a file by a program.
type access struct {
	use     wire.FileUse
	path    string
	missing bool
	program int
}

// nameKey is a name that a program used, with the state of the file that it led to.
type nameKey struct {
	program int
	use     fileUse
	base    string // of what is missing
	path    string
	device  uint64
	inode   uint64
	mount   uint64
	changed unix.StatxTimestamp
}

// NewTracer makes a Tracer that sends what it records. dirs are the folders below which everything is
// recorded: those of the goal. root is the process of the program.
func NewTracer(root int, dirs []string, send func(wire.TraceBatch)) *Tracer {
	t := &Tracer{
		root:         root,
		dirs:         dirs,
		send:         send,
		tasks:        newTaskTable(),
		programIndex: map[string]int{},
		recorded:     map[access]bool{},
		names:        map[nameKey]bool{},
		full:         make(chan struct{}, 1),
	}
	go t.sendFull()
	return t
}

// FindObstacle returns why programs cannot be observed on this kernel, "" if they can.
func FindObstacle() string {
	text := make([]byte, 8)
	n, err := readFile("/proc/sys/kernel/yama/ptrace_scope", text)
	if err == nil && strings.TrimSpace(string(text[:n])) == "3" {
		return "no process may read another's memory (kernel.yama.ptrace_scope is 3)"
	}
	return ""
}

// Observe records a call that the filter holds up. errno is what the caller must get instead of the call, 0
// lets the kernel continue. isValid reports whether the caller still waits: its number may belong to
// another process otherwise.
func (t *Tracer) Observe(number, pid uint32, args [6]uint64, isValid func() bool) unix.Errno {
	call, ok := tracedCalls[number]
	if !ok {
		return 0
	}
	t.mu.Lock()
	stopped := t.incomplete != ""
	t.mu.Unlock()
	if stopped {
		return 0
	}
	path, errno := ReadPath(pid, args[call.path])
	if errno != 0 {
		return errno
	}
	by, err := t.taskOf(pid)
	if err != nil {
		return unix.EACCES
	}
	index := t.programOf(pid, by.process)
	use := call.useOf(args)
	name := newFileName(pid, dirArgument(call.dir, args), path, use.follow)
	switch {
	case path == "" && !call.takesDescriptor(args): // the kernel refuses it
	case call.kind == executeCall:
		t.observeExecution(by.process, index, name, args[call.path+1], isValid)
	case index != noProgram:
		t.observeName(index, name, use, isValid)
	}
	if call.toPath < 0 || index == noProgram {
		return 0
	}
	if path, errno = ReadPath(pid, args[call.toPath]); errno != 0 {
		return errno
	}
	if path != "" {
		t.observeName(index, newFileName(pid, dirArgument(call.toDir, args), path, false), fileUse{write: true}, isValid)
	}
	return 0
}

func dirArgument(at int, args [6]uint64) int32 {
	if at < 0 {
		return unix.AT_FDCWD
	}
	return int32(uint32(args[at]))
}

// observeName records the use of a name, unless the same name was recorded and leads to the same file in
// the same state.
func (t *Tracer) observeName(by int, name fileName, use fileUse, isValid func() bool) {
	var info unix.Statx_t
	missing := name.isOfProcess() || isMissing(name.stat(&info))
	key := nameKey{program: by, use: use, path: name.path}
	if missing {
		if name.base != "" {
			key.base, _ = readBase(name.base)
		}
	} else {
		key.device, key.inode, key.mount = unix.Mkdev(info.Dev_major, info.Dev_minor), info.Ino, info.Mnt_id
		key.changed = info.Ctime
	}
	t.mu.Lock()
	isKnown := t.names[key]
	t.mu.Unlock()
	if isKnown {
		return
	}
	found := name.resolve()
	if found.path == "" || !isValid() {
		return
	}
	if found.process || name.isOfProcess() {
		_, err := lstat(found.path)
		missing = isMissing(err) && !isMemoryFile(found.path)
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.addUses(by, found, use.settle(missing), missing)
	// A file with several names is recorded by each of its names.
	isShared := info.Nlink > 1 && info.Mode&unix.S_IFMT == unix.S_IFREG
	if !found.process && !isShared {
		if len(t.names) >= maxNames {
			clear(t.names)
		}
		t.names[key] = true
	}
}

// observeExecution records what an execve opens, and which program the process may become.
func (t *Tracer) observeExecution(of *process, by int, name fileName, args uint64, isValid func() bool) {
	e := readExecution(name, readArgs(name.pid, args))
	if !isValid() {
		return
	}
	if by == noProgram { // the first one: if it cannot be executed, nothing runs
		by = t.addProgram(e.next)
	}
	if !e.files[0].missing {
		of.mu.Lock()
		of.next, of.runs = &e.next, e.runs
		if of.program == noProgram {
			of.program = by
		}
		of.mu.Unlock()
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, file := range e.files {
		if file.path != "" {
			t.addUses(by, file, fileUse{execute: true}, file.missing)
		}
	}
}

// addUses records uses of a file; mu is held.
func (t *Tracer) addUses(by int, file resolvedName, use fileUse, missing bool) {
	for _, link := range file.links {
		t.addAccess(access{use: wire.UseLookup, path: link, program: by})
	}
	for _, one := range []struct {
		occurs bool
		use    wire.FileUse
	}{{use.execute, wire.UseExecute}, {use.read, wire.UseRead}, {use.write, wire.UseWrite}, {use.lookup, wire.UseLookup}} {
		if one.occurs {
			t.addAccess(access{use: one.use, path: file.path, missing: missing, program: by})
		}
	}
}

// addAccess records a use of a file once; mu is held.
func (t *Tracer) addAccess(a access) {
	isInside := t.isInside(a.path)
	isSought := !isInside && isSoughtProgram(a)
	if !isInside && !isSought && !isRecordedOutside(a) || t.recorded[a] || t.incomplete != "" || t.isFinished {
		return
	}
	switch {
	case isSought:
		if t.lookups >= maxSought {
			return
		}
	case isInside && t.inside >= maxInside:
		t.stop(fmt.Sprintf("it used more than %d files and names of the goal's folder", maxInside))
		return
	case !isInside && t.outside >= maxOutside:
		if a.use == wire.UseExecute {
			t.stop(fmt.Sprintf("it used more than %d files outside the goal's folder", maxOutside))
		}
		return
	}
	if !t.addText(len(a.path)) {
		return
	}
	switch {
	case isInside:
		t.inside++
	case isSought:
		t.lookups++
	default:
		t.outside++
	}
	t.recorded[a] = true
	t.batch.Accesses = append(t.batch.Accesses, wire.FileAccess{
		Path:    []byte(a.path),
		Use:     a.use,
		Missing: a.missing,
		Program: a.program,
	})
	t.growBatch(len(a.path))
}

// isInside reports whether a path is in one of the goal's folders.
func (t *Tracer) isInside(file string) bool {
	return slices.ContainsFunc(t.dirs, func(dir string) bool {
		return file == dir || strings.HasPrefix(file, dir) && file[len(dir)] == '/'
	})
}

// isSoughtProgram reports whether a program looks for another one, as along PATH, or tries in vain to execute it.
func isSoughtProgram(a access) bool {
	dir := path.Base(path.Dir(a.path))
	return a.missing && a.use == wire.UseExecute ||
		a.use == wire.UseLookup && slices.Contains([]string{"bin", "sbin", "games"}, dir)
}

// isRecordedOutside reports whether a use outside the goal's folders is recorded: executions, reads and writes are,
// but not lookups or uses of the kernel's own files.
func isRecordedOutside(a access) bool {
	if a.missing && a.use != wire.UseWrite || a.use == wire.UseLookup {
		return false
	}
	for _, dir := range []string{"/proc", "/sys", "/dev"} {
		if strings.HasPrefix(a.path, dir+"/") || a.path == dir {
			return strings.HasPrefix(a.path, "/dev/shm/") || a.use == wire.UseExecute
		}
	}
	return true
}

// addProgram returns the index of a program, and records one that is new.
func (t *Tracer) addProgram(p program) int {
	key := p.path + "\x00" + p.dir + "\x00" + strings.Join(p.args, "\x00")
	t.mu.Lock()
	defer t.mu.Unlock()
	if i, ok := t.programIndex[key]; ok {
		return i
	}
	if len(t.programs) >= maxPrograms {
		t.stop(fmt.Sprintf("it started more than %d different programs", maxPrograms))
	}
	if t.incomplete != "" || t.isFinished || !t.addText(len(key)) {
		return max(0, len(t.programs)-1)
	}
	t.programIndex[key] = len(t.programs)
	t.programs = append(t.programs, p)
	args := make([][]byte, len(p.args))
	for i, arg := range p.args {
		args[i] = []byte(arg)
	}
	t.batch.Programs = append(t.batch.Programs, wire.TracedProgram{Path: []byte(p.path), Args: args, Dir: []byte(p.dir)})
	t.growBatch(len(key))
	return len(t.programs) - 1
}

func (t *Tracer) programAt(i int) program {
	t.mu.Lock()
	defer t.mu.Unlock()
	if i >= len(t.programs) {
		return program{}
	}
	return t.programs[i]
}

// addText counts bytes that are recorded; it returns false if there are too many. mu is held.
func (t *Tracer) addText(n int) bool {
	if t.text += n; t.text <= maxText {
		return true
	}
	t.stop(fmt.Sprintf("its trace holds more than %d MiB", maxText>>20))
	return false
}

// stop ends the recording before the program's end; mu is held.
func (t *Tracer) stop(why string) {
	if t.incomplete == "" {
		t.incomplete = why
		clear(t.names)
	}
}

// Fail ends the recording, because calls are not held up or not answered any more.
func (t *Tracer) Fail(why string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.stop(why)
}

// growBatch counts what the next packet holds, with the bytes that JSON adds; mu is held.
func (t *Tracer) growBatch(text int) {
	const frame = 64
	if t.batchSize += frame + text/3*4; t.batchSize < batchBytes {
		return
	}
	select {
	case t.full <- struct{}{}:
	default:
	}
}

func (t *Tracer) sendFull() {
	for range t.full {
		t.sendBatches(false)
	}
}

// Finish sends what is left, once no program runs any more. It is the last call.
func (t *Tracer) Finish() {
	t.tasks.mu.Lock()
	var processes []*process
	for _, one := range t.tasks.tasks {
		processes = append(processes, one.process)
	}
	t.tasks.mu.Unlock()
	for _, one := range processes {
		t.settleEnded(one)
	}
	t.sendBatches(true)
}

func (t *Tracer) sendBatches(last bool) {
	t.sending.Lock()
	defer t.sending.Unlock()
	t.mu.Lock()
	if t.isFinished {
		t.mu.Unlock()
		return
	}
	all := t.batch
	t.batch, t.batchSize = wire.TraceBatch{}, 0
	t.isFinished = last
	why := t.incomplete
	t.mu.Unlock()
	for _, part := range splitBatch(all) {
		t.send(part)
	}
	if last {
		t.send(wire.TraceBatch{Complete: why == "", Incomplete: why})
	}
}

// splitBatch makes packets of a bounded size. Programs go before the uses that name them.
func splitBatch(all wire.TraceBatch) (parts []wire.TraceBatch) {
	var part wire.TraceBatch
	size := 0
	next := func(text int) {
		const frame = 64
		if size += frame + text/3*4; size > batchBytes {
			parts, part, size = append(parts, part), wire.TraceBatch{}, frame+text/3*4
		}
	}
	for _, p := range all.Programs {
		n := len(p.Path) + len(p.Dir)
		for _, arg := range p.Args {
			n += len(arg) + 4
		}
		next(n)
		part.Programs = append(part.Programs, p)
	}
	for _, a := range all.Accesses {
		next(len(a.Path))
		part.Accesses = append(part.Accesses, a)
	}
	return append(parts, part)
}
