package store

import (
	"fmt"
	"os"
	"strings"
	"syscall"

	"github.com/mattn/go-sqlite3"

	"goalpost/backend/lib/text"
)

// whoLocks names the process that locks the database at path, if err says that one does.
func whoLocks(err error, path string) string {
	const unknown = "another program"
	if !hasCode(err, sqlite3.ErrBusy, sqlite3.ErrLocked) {
		return ""
	}
	locks, err := os.ReadFile("/proc/locks")
	if err != nil {
		return unknown
	}
	inodes := map[string]bool{}
	for _, file := range []string{path, path + "-shm"} {
		if info, err := os.Stat(file); err == nil {
			if st, ok := info.Sys().(*syscall.Stat_t); ok {
				inodes[fmt.Sprint(st.Ino)] = true
			}
		}
	}
	for line := range strings.Lines(string(locks)) {
		// "3: POSIX  ADVISORY  WRITE 4711 fe:01:1234 120 120": the process, then device and inode
		f := strings.Fields(line)
		if len(f) < 6 || f[1] != "POSIX" || f[3] != "WRITE" || f[4] == fmt.Sprint(os.Getpid()) {
			continue
		}
		if inode := f[5][strings.LastIndexByte(f[5], ':')+1:]; inodes[inode] {
			name, err := os.ReadFile("/proc/" + f[4] + "/comm")
			if err != nil {
				return "another program (pid " + f[4] + ")"
			}
			return text.Sanitize(strings.TrimSpace(string(name))) + " (pid " + f[4] + ")"
		}
	}
	return unknown
}
