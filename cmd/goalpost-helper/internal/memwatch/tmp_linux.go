package memwatch

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"goalpost/backend/host/sandbox/wire"
)

// The /tmp of a goal is a folder on disk, because builds need the space. The kernel cannot limit a folder's size, so
// it is measured.

// Bounds of a pass over /tmp. No ordinary program exceeds them.
const (
	tmpMaxDepth   = 200
	tmpMaxEntries = 1_000_000
)

// fileID identifies a file on disk.
type fileID struct{ dev, ino uint64 }

// checkTmp measures the /tmp of the agent and of checks once and, if it exceeds the limit, ends the programs with
// files open there for writing.
func (m *memoryWatch) checkTmp(most int64) time.Duration {
	found, writers := m.scanTmp()
	why := found.exceeded(most)
	if why == "" {
		m.filled = 0
		return maxInterval
	}
	if m.filled != 0 && found.size() > m.filled { // written by a program that a pass did not see
		writers = m.programs(func(string) int64 { return 0 })
	}
	for _, p := range writers {
		m.kill(p, why)
	}
	found, _ = m.scanTmp() // the programs may have written until they ended
	m.filled = found.size()
	return maxInterval
}

// scanTmp returns the contents of /tmp and the programs with files open there for writing.
func (m *memoryWatch) scanTmp() (found *tmpUsage, writers []processUsage) {
	found = &tmpUsage{}
	found.addTree(string(m.spec.Scratch))
	if m.spec.TmpWrite {
		found.addTree(string(m.spec.Tmp))
	}
	return found, m.addOpenFiles(found)
}

// size returns a measure that grows with everything stored there.
func (t *tmpUsage) size() int64 { return t.bytes + int64(t.names) }

// exceeded names the exceeded limit, or "".
func (t *tmpUsage) exceeded(most int64) string {
	switch {
	case t.bytes > most:
		return fmt.Sprintf("the goal's /tmp holds %d MiB, and %d MiB are allowed: remove what is not needed there",
			t.bytes>>20, most>>20)
	case t.names > tmpMaxEntries:
		return fmt.Sprintf("the goal's /tmp holds more than %d files: remove what is not needed there", tmpMaxEntries)
	case t.deep:
		return fmt.Sprintf("the goal's /tmp has folders that lie deeper than %d: remove them", tmpMaxDepth)
	}
	return ""
}

// addOpenFiles adds deleted files of /tmp that are still open, and returns the programs with files open there for
// writing.
func (m *memoryWatch) addOpenFiles(found *tmpUsage) (writers []processUsage) {
	mounts := map[string][]string{}
	ids := map[fileID]bool{}
	for _, p := range m.programs(func(string) int64 { return 0 }) {
		dir := fmt.Sprintf("%s/%d", m.proc, p.pid)
		names, _ := os.ReadDir(dir + "/fd")
		writes := false
		for _, entry := range names {
			fd := dir + "/fd/" + entry.Name()
			to, err := os.Readlink(fd)
			if err != nil || !inTmp(to) || !slices.Contains(m.tmpMountIDs(dir, mounts), mountOf(dir, entry.Name())) {
				continue
			}
			var link, info unix.Stat_t
			if unix.Lstat(fd, &link) != nil || unix.Stat(fd, &info) != nil || info.Mode&unix.S_IFMT != unix.S_IFREG {
				continue
			}
			writes = writes || link.Mode&unix.S_IWUSR != 0
			if at := (fileID{info.Dev, info.Ino}); info.Nlink == 0 && !ids[at] {
				ids[at] = true
				found.bytes += info.Blocks * 512
			}
		}
		if writes {
			writers = append(writers, p)
		}
	}
	return writers
}

// inTmp reports whether a path is in the goal's /tmp.
func inTmp(path string) bool {
	return slices.ContainsFunc(wire.TmpNames, func(name string) bool { return strings.HasPrefix(path, name+"/") })
}

// tmpMountIDs returns the ids of the mounts that a process sees as /tmp; cache holds them per sandbox.
func (m *memoryWatch) tmpMountIDs(dir string, cache map[string][]string) []string {
	namespace, err := os.Readlink(dir + "/ns/mnt")
	if err != nil {
		return nil
	}
	if _, found := cache[namespace]; !found {
		cache[namespace] = nil
		text, _ := os.ReadFile(dir + "/mountinfo")
		for line := range strings.Lines(string(text)) { // id, parent, device, root, mount point
			if f := strings.Fields(line); len(f) > 4 && slices.Contains(wire.TmpNames, f[4]) {
				cache[namespace] = append(cache[namespace], f[0])
			}
		}
	}
	return cache[namespace]
}

// mountOf returns the id of the mount through which a descriptor was opened.
func mountOf(dir, fd string) string {
	text, _ := os.ReadFile(dir + "/fdinfo/" + fd)
	_, rest, _ := strings.Cut(string(text), "mnt_id:")
	line, _, _ := strings.Cut(rest, "\n")
	return strings.TrimSpace(line)
}

// tmpUsage is the result of a pass over a folder.
type tmpUsage struct {
	bytes int64
	names int
	deep  bool
}

// addTree counts a folder and all below it. It goes from one descriptor to the next and through no link.
func (t *tmpUsage) addTree(path string) {
	at, err := unix.Open(path, unix.O_RDONLY|unix.O_DIRECTORY|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0)
	if err != nil {
		return
	}
	t.addDir(os.NewFile(uintptr(at), path), 0)
}

func (t *tmpUsage) addDir(dir *os.File, depth int) {
	defer func() { _ = dir.Close() }()
	if depth > tmpMaxDepth {
		t.deep = true
		return
	}
	for t.names <= tmpMaxEntries {
		names, err := dir.Readdirnames(1000)
		for _, name := range names {
			t.addEntry(dir, name, depth)
		}
		if err != nil { // the end, or unreadable
			return
		}
	}
}

func (t *tmpUsage) addEntry(dir *os.File, name string, depth int) {
	var info unix.Stat_t
	if unix.Fstatat(int(dir.Fd()), name, &info, unix.AT_SYMLINK_NOFOLLOW) != nil {
		return
	}
	t.names++
	t.bytes += info.Blocks * 512
	if info.Mode&unix.S_IFMT != unix.S_IFDIR {
		return
	}
	at, err := unix.Openat(int(dir.Fd()), name, unix.O_RDONLY|unix.O_DIRECTORY|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0)
	if err == nil {
		t.addDir(os.NewFile(uintptr(at), name), depth+1)
	}
}
