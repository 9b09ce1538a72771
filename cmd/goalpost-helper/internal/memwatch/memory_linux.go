// Package memwatch ends programs of a goal that take too much together: memory, or space
// in /tmp.
package memwatch

import (
	"cmp"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"goalpost/backend/sandbox/wire"
	"goalpost/cmd/goalpost-helper/internal/socket"
)

// How the goal's init looks at what all programs of its goal take together, which no
// limit of a process bounds. A look may take a part of a processor's time; the
// nearer the limit, the sooner comes the next.
const (
	minInterval = 50 * time.Millisecond
	maxInterval = time.Second
	cpuShare    = 20      // of the time goes into looking: one of so many
	growthRate  = 4 << 30 // bytes a second by which memory grows at most
)

// memoryWatch ends programs where all of them together take more than the goal may have.
type memoryWatch struct {
	spec   wire.Spec
	inits  func() map[int]wire.Domain // the first processes of the goal's sandboxes
	proc   string                     // the goal's own processes, of all its sandboxes
	filled int64                      // size of /tmp after the last look, 0 while it is within the limit; of its goroutine
}

// Start begins to look; it ends with the process. proc is an opened file system of
// the goal's processes, inits returns the first process of each of its sandboxes.
func Start(w wire.Spec, proc int, inits func() map[int]wire.Domain) {
	m := &memoryWatch{
		spec:  w,
		inits: inits,
		proc:  fmt.Sprintf("/proc/self/fd/%d", proc),
	}
	if most := w.Limits.Together; most > 0 {
		go runPeriodically(maxInterval, func() time.Duration { return m.memory(most) })
	}
	if most := w.Limits.Tmp; most > 0 {
		go runPeriodically(5*maxInterval, func() time.Duration { return m.checkTmp(most) })
	}
}

// runPeriodically looks again and again, after what a look says; where looking takes long,
// with longer pauses, up to most.
func runPeriodically(most time.Duration, look func() time.Duration) {
	for {
		began := time.Now()
		pause := look()
		time.Sleep(max(pause, min(most, cpuShare*time.Since(began))))
	}
}

// memory looks once and ends the largest programs until the rest is within the
// limit. It says how soon to look again.
func (w *memoryWatch) memory(most int64) time.Duration {
	loose := append(orphanSegments(), orphanQueues()...)
	var left int64
	for _, s := range loose {
		left += s.bytes
	}
	all := w.programs(approximateUsage)
	if sum := left + totalMemory(all); sum <= most {
		return nextCheckIn(most - sum)
	}
	all = w.programs(exactUsage) // what processes share was counted for each of them
	sum := left + totalMemory(all)
	if sum <= most {
		return nextCheckIn(most - sum)
	}
	why := fmt.Sprintf("the goal's programs took %d MiB of memory together, and %d MiB are allowed", sum>>20, most>>20)
	slices.SortFunc(all, func(a, b processUsage) int { return cmp.Compare(b.bytes, a.bytes) })
	for _, s := range loose { // nobody's, so that nobody loses anything that runs
		sum -= s.bytes
		s.remove(why)
	}
	for _, p := range all {
		if sum <= most {
			break
		}
		if w.kill(p, why) {
			sum -= p.bytes
		}
	}
	return minInterval
}

// nextCheckIn is when the limit can be reached at the earliest.
func nextCheckIn(room int64) time.Duration {
	return min(max(time.Duration(float64(room)/growthRate*float64(time.Second)), minInterval), maxInterval)
}

// processUsage is a process with what it takes.
type processUsage struct {
	pid   int
	bytes int64
}

func totalMemory(all []processUsage) (sum int64) {
	for _, p := range all {
		sum += p.bytes
	}
	return sum
}

// programs are the processes of the goal without those of the helper.
func (w *memoryWatch) programs(measure func(dir string) int64) (all []processUsage) {
	own, kernel, seen := w.inits(), readKernelMemory(), map[string]bool{}
	names, _ := os.ReadDir(w.proc) // what could be read comes back with the error
	for _, entry := range names {
		pid, err := strconv.Atoi(entry.Name())
		if err != nil || pid == os.Getpid() || own[pid] != "" {
			continue
		}
		dir := w.proc + "/" + entry.Name()
		all = append(all, processUsage{pid, measure(dir) + kernel.of(dir, seen)})
	}
	return all
}

// approximateUsage is what a process takes, and what it shares as if it were its own.
func approximateUsage(dir string) int64 {
	private := sumFields(dir+"/status", "RssAnon", "RssShmem", "VmSwap")
	return private + memfdBytes(dir)
}

// exactUsage is a process's part of the memory that it shares, and what it holds in
// memory files: mapped or not.
func exactUsage(dir string) int64 {
	shared := sumFields(dir+"/smaps_rollup", "Pss_Shmem")
	return sumFields(dir+"/smaps_rollup", "Pss_Anon", "SwapPss") + max(shared, memfdBytes(dir))
}

// sumFields sums lines like "RssAnon:   120 kB", in bytes.
func sumFields(path string, names ...string) (sum int64) {
	text, err := os.ReadFile(path)
	if err != nil {
		return 0 // it has ended
	}
	for line := range strings.Lines(string(text)) {
		name, rest, _ := strings.Cut(line, ":")
		if f := strings.Fields(rest); slices.Contains(names, name) && len(f) > 0 {
			n, _ := strconv.ParseInt(f[0], 10, 64)
			sum += n << 10
		}
	}
	return sum
}

// memfdBytes is what is in the memory files that a process has open: no mapping need
// tell of it. One that several have open counts for each.
func memfdBytes(dir string) (sum int64) {
	names, _ := os.ReadDir(dir + "/fd")
	for _, entry := range names {
		to, err := os.Readlink(dir + "/fd/" + entry.Name())
		if err != nil || !strings.HasPrefix(to, "/memfd:") {
			continue
		}
		var info unix.Stat_t
		if unix.Stat(dir+"/fd/"+entry.Name(), &info) == nil {
			sum += info.Blocks * 512
		}
	}
	return sum
}

// kill tells why a program ends and ends it; false where it is gone already. The
// telling is first: whoever waits for the program knows by then.
func (w *memoryWatch) kill(p processUsage, why string) bool {
	fd, err := unix.PidfdOpen(p.pid, 0)
	if err != nil {
		return false
	}
	defer func() { _ = unix.Close(fd) }()
	name, domain := w.ownerOf(p.pid)
	// a broken socket is read's to notice
	_ = socket.Send(wire.Socket, wire.Answer{
		Attempt: &wire.Violation{Domain: domain, Program: name, Text: why, Times: 1, Ended: true},
	})
	if unix.PidfdSendSignal(fd, unix.SIGKILL, nil, 0) != nil {
		return false
	}
	_, _ = unix.Poll([]unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}, int(maxInterval/time.Millisecond))
	return true
}

// ownerOf is a program's name and whose sandbox it is in: what lost its parents belongs to
// the sandbox's first process.
func (w *memoryWatch) ownerOf(pid int) (name string, domain wire.Domain) {
	text, _ := os.ReadFile(fmt.Sprintf("%s/%d/comm", w.proc, pid))
	inits := w.inits()
	for at := pid; at > 1; {
		if domain, found := inits[at]; found {
			return strings.TrimSpace(string(text)), domain
		}
		at = w.parent(at)
	}
	return strings.TrimSpace(string(text)), wire.DomainAgent
}

func (w *memoryWatch) parent(pid int) int {
	text, _ := os.ReadFile(fmt.Sprintf("%s/%d/status", w.proc, pid))
	_, rest, _ := strings.Cut(string(text), "\nPPid:")
	line, _, _ := strings.Cut(rest, "\n")
	parent, _ := strconv.Atoi(strings.TrimSpace(line))
	return parent
}

// sysvSegment is shared memory of System V, or a queue of messages.
type sysvSegment struct {
	id    int
	bytes int64
	queue bool
}

// orphanSegments are those of the agent's sandbox that no process has attached: they stay
// when all have ended, and are counted for nobody. A check's end with its sandbox.
func orphanSegments() (list []sysvSegment) {
	text, _ := os.ReadFile("/proc/sysvipc/shm")
	for line := range strings.Lines(string(text)) {
		// key shmid perms size cpid lpid nattch uid gid cuid cgid atime dtime ctime rss swap
		f := strings.Fields(line)
		if len(f) < 16 || f[6] != "0" {
			continue
		}
		id, err := strconv.Atoi(f[1])
		rss, _ := strconv.ParseInt(f[14], 10, 64)
		swap, _ := strconv.ParseInt(f[15], 10, 64)
		if err == nil {
			list = append(list, sysvSegment{id: id, bytes: rss + swap})
		}
	}
	return list
}

func (s sysvSegment) remove(why string) {
	name := "shared memory that no program had attached"
	if s.queue {
		name = "a queue of messages"
	}
	_ = socket.Send(wire.Socket, wire.Answer{
		Attempt: &wire.Violation{Domain: wire.DomainAgent, Program: name, Text: why, Times: 1, Ended: true},
	})
	if s.queue {
		_, _, _ = unix.Syscall(unix.SYS_MSGCTL, uintptr(s.id), unix.IPC_RMID, 0)
		return
	}
	_, _ = unix.SysvShmCtl(s.id, unix.IPC_RMID, nil)
}
