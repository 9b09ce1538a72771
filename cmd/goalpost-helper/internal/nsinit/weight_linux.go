package nsinit

import (
	"errors"
	"fmt"
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// setDiskWeight lets the program and its children wait for the disk behind the user's own programs.
func setDiskWeight() {
	const who, lowest, bestEffort, classShift = 1, 7, 2, 13 // ioprio_set(2)
	_, _, _ = unix.Syscall(unix.SYS_IOPRIO_SET, who, 0, bestEffort<<classShift|lowest)
}

// setGroupWeight gives the session of a program less processor time than those of the user's own programs. Where the
// kernel makes a group of each session (sched_autogroup_enabled) and divides the time between groups, nice alone does
// nothing. The kernel takes one such value each tenth of a second for the whole machine, so this runs beside the
// program. What a kernel does not offer is left out.
func setGroupWeight(pid, nice int) {
	const tries, interval = 100, 100 * time.Millisecond
	for range tries {
		err := os.WriteFile(fmt.Sprintf("/proc/%d/autogroup", pid), fmt.Append(nil, nice), 0)
		if !errors.Is(err, unix.EAGAIN) {
			return
		}
		time.Sleep(interval)
	}
}
