package nsinit

import (
	"fmt"
	"os"

	"golang.org/x/sys/unix"

	"goalpost/backend/host/sandbox/wire"
)

// maxMessageQueueBytes is the total size of POSIX message queues: the kernel's default.
const maxMessageQueueBytes = 800 << 10

// dataLimit returns the bytes of data that a process may map; 0 means no limit. The kernel counts mapped, not used,
// memory, and sanitizers map terabytes of shadow memory, so the limit applies only where no watch measures the memory
// in use.
func dataLimit(l wire.Limits) uint64 {
	if l.Together > 0 {
		return 0
	}
	return uint64(l.Memory)
}

// setLimits sets the resource limits of the program and its children.
func setLimits(l wire.Limits) error {
	for _, bound := range []struct {
		resource int
		most     uint64
	}{
		{unix.RLIMIT_NPROC, uint64(l.Processes)},
		{unix.RLIMIT_DATA, dataLimit(l)},
		{unix.RLIMIT_FSIZE, uint64(l.FileSize)},
		{unix.RLIMIT_MSGQUEUE, maxMessageQueueBytes},
	} {
		var have unix.Rlimit
		if err := unix.Getrlimit(bound.resource, &have); err != nil {
			return os.NewSyscallError("getrlimit", err)
		}
		if bound.most == 0 || have.Max < bound.most {
			continue
		}
		if err := unix.Setrlimit(bound.resource, &unix.Rlimit{Cur: bound.most, Max: bound.most}); err != nil {
			return os.NewSyscallError("setrlimit", err)
		}
	}
	if err := unix.Setrlimit(unix.RLIMIT_CORE, &unix.Rlimit{}); err != nil {
		return os.NewSyscallError("setrlimit", err)
	}
	if l.Nice == 0 {
		return nil
	}
	setDiskWeight()
	// The value applies to this thread, and the program inherits it.
	have, err := unix.Getpriority(unix.PRIO_PROCESS, 0) // the kernel returns 20 minus nice
	if err != nil {
		return os.NewSyscallError("getpriority", err)
	}
	if nice := 20 - have; nice < l.Nice {
		return os.NewSyscallError("setpriority", unix.Setpriority(unix.PRIO_PROCESS, 0, l.Nice))
	}
	return nil
}

// reservedPids is the number of pids that the kernel never reuses.
const reservedPids = 300

// limitPids limits the processes of this sandbox on kernels that count them per namespace. For root it is the only
// limit, because RLIMIT_NPROC does not apply to root; on older kernels RLIMIT_NPROC remains. It returns the lowest
// number that no process of this sandbox gets, 0 if there is no such limit.
func limitPids(most int) (end int) {
	if most <= 0 || !hasPidMaxPerNamespace() {
		return 0
	}
	end = most + reservedPids
	if os.WriteFile("/proc/sys/kernel/pid_max", fmt.Append(nil, end), 0) != nil {
		return 0
	}
	// The kernel also gives out the reserved numbers until it has passed them once. A kernel without this file
	// (CONFIG_CHECKPOINT_RESTORE) therefore allows up to reservedPids more processes.
	_ = os.WriteFile("/proc/sys/kernel/ns_last_pid", fmt.Append(nil, reservedPids), 0)
	return end
}

// hasPidMaxPerNamespace reports whether pid_max is that of the namespace (Linux 6.14). It is the machine's on older
// kernels, which let root change it from here.
func hasPidMaxPerNamespace() bool {
	var name unix.Utsname
	var major, minor int
	if unix.Uname(&name) != nil {
		return false
	}
	_, err := fmt.Sscanf(unix.ByteSliceToString(name.Release[:]), "%d.%d", &major, &minor)
	return err == nil && (major > 6 || major == 6 && minor >= 14)
}
