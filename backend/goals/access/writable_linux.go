package access

import (
	"errors"
	"io/fs"
	"os"
	"syscall"

	"goalpost/backend/domain/policy"
	"goalpost/backend/lib/fault"
	"goalpost/backend/lib/text"
)

// minFreeBytes of a folder's disk are fewer than any goal needs.
const minFreeBytes = 256 << 10

// ValidateWritable refuses a policy that lets a goal write in folders that cannot be written. Otherwise the agent
// would try until the goal is stuck. It changes nothing.
func ValidateWritable(p policy.Policy) error {
	if p.Risk == policy.ReadOnly && !p.Unconfined {
		return nil
	}
	paths := []string{p.Dir}
	if len(p.Work) > 0 {
		paths = p.WorkPaths()
	}
	for i, path := range append(paths, p.AllowWrite...) {
		field := "dir"
		if i >= len(paths) {
			field = "allow_write"
		}
		if err := validateWritable(path, field); err != nil {
			return err
		}
	}
	return nil
}

func validateWritable(path, field string) error {
	info, err := os.Stat(path)
	if err != nil {
		return nil //nolint:nilerr // it does not exist yet, and other checks say what is missing
	}
	const execute, write = 1, 2 // X_OK and W_OK
	mode := uint32(write)
	if info.IsDir() {
		mode |= execute
	}
	name := text.SanitizeLine(path, 300)
	switch err := syscall.Access(path, mode); {
	case errors.Is(err, syscall.EROFS):
		return fault.Invalid(field, name+" is mounted read-only, so the goal cannot write there",
			"mount it writable, choose another folder, or give the goal the permission read_only")
	case errors.Is(err, syscall.EPERM):
		return fault.Invalid(field, name+" is immutable, so the goal cannot write there",
			"run chattr -i on it as root, or choose another folder")
	case errors.Is(err, fs.ErrPermission):
		return fault.Invalid(field, "you may not write in "+name+", so the goal cannot, either",
			"change its permissions with chmod or chown, choose another folder, or give the goal the permission read_only")
	}
	var disk syscall.Statfs_t
	if err := syscall.Statfs(path, &disk); err == nil && disk.Blocks > 0 && disk.Bavail*uint64(disk.Bsize) < minFreeBytes {
		return fault.Invalid(field, "the disk of "+name+" is full, so the goal cannot write there", "delete something on it")
	}
	return nil
}
