// Package memwatch ends programs of a goal that together use too much memory or space in /tmp.
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

	"goalpost/backend/host/sandbox/wire"
	"goalpost/cmd/goalpost-helper/internal/socket"
)

// How the goal's init measures the total memory of the goal's programs if no cgroup bounds it. Memory that the kernel
// uses for them, such as for unread data in sockets, is not measured.
//
// Measuring may use a share of one processor; the closer to the limit, the sooner the next pass.
const (
	minInterval = 50 * time.Millisecond
	maxInterval = time.Second
	cpuShare    = 20      // at most 1/cpuShare of the time is spent measuring
	growthRate  = 4 << 30 // assumed maximum growth in bytes per second
)

// memoryWatch ends programs when all of them together use more than the goal's limit.
type memoryWatch struct {
	spec   wire.Spec
	inits  func() map[int]wire.Domain // the init processes of the goal's sandboxes
	proc   string                     // the goal's own processes, of all its sandboxes
	filled int64                      // size of /tmp after the last pass, 0 while within the limit
}

// Start starts the watch, which ends with the process. proc is the path of a /proc with the goal's processes; inits
// returns the init process of each of its sandboxes.
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

// runPeriodically repeats a pass after the delay that it returns, or longer if passes are slow, up to most.
func runPeriodically(most time.Duration, look func() time.Duration) {
	for {
		began := time.Now()
		pause := look()
		time.Sleep(max(pause, min(most, cpuShare*time.Since(began))))
	}
}

// memory measures once and ends the largest programs until the rest is within the limit. It returns the delay until
// the next pass.
func (m *memoryWatch) memory(most int64) time.Duration {
	loose := orphanSegments()
	var bytes int64
	for _, s := range loose {
		bytes += s.bytes
	}
	all := m.programs(approximateUsage)
	if sum := bytes + totalMemory(all); sum <= most {
		return nextCheckIn(most - sum)
	}
	all = m.programs(exactUsage) // the first estimate counted shared memory once per process
	sum := bytes + totalMemory(all)
	if sum <= most {
		return nextCheckIn(most - sum)
	}
	why := fmt.Sprintf("the goal's programs took %d MiB of memory together, and %d MiB are allowed", sum>>20, most>>20)
	slices.SortFunc(all, func(a, b processUsage) int { return cmp.Compare(b.bytes, a.bytes) })
	for _, s := range loose { // orphaned segments first: no running program loses anything
		sum -= s.bytes
		s.remove(why)
	}
	for _, p := range all {
		if sum <= most {
			break
		}
		if m.kill(p, why) {
			sum -= p.bytes
		}
	}
	return minInterval
}

// nextCheckIn returns the earliest time at which the limit can be reached.
func nextCheckIn(free int64) time.Duration {
	return min(max(time.Duration(float64(free)/growthRate*float64(time.Second)), minInterval), maxInterval)
}

// processUsage is a process and its memory use.
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

// programs returns the processes of the goal without the helper's.
func (m *memoryWatch) programs(measure func(dir string) int64) (all []processUsage) {
	inits := m.inits()
	names, _ := os.ReadDir(m.proc) // entries read before an error are returned with it
	for _, entry := range names {
		pid, err := strconv.Atoi(entry.Name())
		if err != nil || pid == os.Getpid() || inits[pid] != "" {
			continue
		}
		all = append(all, processUsage{pid, measure(m.proc + "/" + entry.Name())})
	}
	return all
}

// approximateUsage returns a process's memory, counting shared memory in full.
func approximateUsage(dir string) int64 {
	private := sumFields(dir+"/status", "RssAnon", "RssShmem", "VmSwap")
	return private + memfdBytes(dir)
}

// exactUsage returns a process's memory with its proportional share of shared memory, plus its memfd files, mapped or
// not.
func exactUsage(dir string) int64 {
	shared := sumFields(dir+"/smaps_rollup", "Pss_Shmem")
	return sumFields(dir+"/smaps_rollup", "Pss_Anon", "SwapPss") + max(shared, memfdBytes(dir))
}

// sumFields adds up the values of lines such as "RssAnon:   120 kB", in bytes.
func sumFields(path string, names ...string) (sum int64) {
	text, err := os.ReadFile(path)
	if err != nil {
		return 0 // the process has ended
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

// memfdBytes returns the size of the memfd files that a process has open, which no mapping need show. A file that
// several processes have open counts for each.
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

// kill reports why a program is ended and then ends it; it returns false if the program had ended. The report comes
// first, so that it precedes the exit.
func (m *memoryWatch) kill(p processUsage, why string) bool {
	fd, err := unix.PidfdOpen(p.pid, 0)
	if err != nil {
		return false
	}
	defer func() { _ = unix.Close(fd) }()
	name, domain := m.ownerOf(p.pid)
	// read notices a broken socket
	_ = socket.Send(wire.Socket, wire.Answer{
		Attempt: &wire.Violation{Domain: domain, Program: name, Text: why, Times: 1, Ended: true},
	})
	if unix.PidfdSendSignal(fd, unix.SIGKILL, nil, 0) != nil {
		return false
	}
	_, _ = unix.Poll([]unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}, int(maxInterval/time.Millisecond))
	return true
}

// ownerOf returns a program's name and the domain of its sandbox; an orphan belongs to the sandbox's init.
func (m *memoryWatch) ownerOf(pid int) (name string, domain wire.Domain) {
	text, _ := os.ReadFile(fmt.Sprintf("%s/%d/comm", m.proc, pid))
	inits := m.inits()
	for at := pid; at > 1; {
		if domain, found := inits[at]; found {
			return strings.TrimSpace(string(text)), domain
		}
		at = m.parent(at)
	}
	return strings.TrimSpace(string(text)), wire.DomainAgent
}

func (m *memoryWatch) parent(pid int) int {
	text, _ := os.ReadFile(fmt.Sprintf("%s/%d/status", m.proc, pid))
	_, rest, _ := strings.Cut(string(text), "\nPPid:")
	line, _, _ := strings.Cut(rest, "\n")
	parent, _ := strconv.Atoi(strings.TrimSpace(line))
	return parent
}

// sysvSegment is a System V shared memory segment.
type sysvSegment struct {
	id    int
	bytes int64
}

// orphanSegments returns the segments of the agent's sandbox that no process has attached: they outlive their
// processes, and no process's memory includes them. A check's segments end with its sandbox.
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
	const name = "shared memory that no program had attached"
	_ = socket.Send(wire.Socket, wire.Answer{
		Attempt: &wire.Violation{Domain: wire.DomainAgent, Program: name, Text: why, Times: 1, Ended: true},
	})
	_, _ = unix.SysvShmCtl(s.id, unix.IPC_RMID, nil)
}
