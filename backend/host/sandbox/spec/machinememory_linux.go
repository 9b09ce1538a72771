package spec

import "golang.org/x/sys/unix"

// machineMemory returns this machine's memory in bytes; 0 if unknown.
func machineMemory() int64 {
	var info unix.Sysinfo_t
	if unix.Sysinfo(&info) != nil {
		return 0
	}
	return int64(uint64(info.Totalram) * uint64(info.Unit))
}
