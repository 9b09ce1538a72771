package config

import (
	"fmt"
	"syscall"

	"goalpost/backend/lib/fault"
)

// Magic numbers of network file systems, from statfs(2).
const (
	nfs  = 0x6969
	smb  = 0x517b
	smb2 = 0xfe534d42
	cifs = 0xff534d42
	afs  = 0x5346414f
	ceph = 0x00c36400
	v9fs = 0x01021997
)

// validateFilesystem refuses a network file system, because SQLite's write-ahead log needs shared memory.
func validateFilesystem(dir string) error {
	var st syscall.Statfs_t
	if err := syscall.Statfs(dir, &st); err != nil {
		return fmt.Errorf("state folder: %w", err)
	}
	if isNetworkFS(uint32(st.Type)) {
		return fault.Invalid(HomeVariable,
			fmt.Sprintf("the state folder %s is on a network file system, where the journal is not safe", dir),
			"set "+HomeVariable+" to a folder on a local disk")
	}
	return nil
}

func isNetworkFS(magic uint32) bool {
	switch magic {
	case nfs, smb, smb2, cifs, afs, ceph, v9fs:
		return true
	}
	return false
}

// FreeBytes returns how many bytes the program may still write below dir.
func FreeBytes(dir string) (uint64, error) {
	var st syscall.Statfs_t
	if err := syscall.Statfs(dir, &st); err != nil {
		return 0, fmt.Errorf("free disk: %w", err)
	}
	return st.Bavail * uint64(st.Bsize), nil
}
