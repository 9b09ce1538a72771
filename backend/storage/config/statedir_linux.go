package config

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"

	"goalpost/backend/lib/fault"
)

// checkRootOwnership refuses to create, as root, a folder inside another user's folder: that user could not change
// files that root leaves there.
func checkRootOwnership(dir string) error {
	if os.Geteuid() != 0 {
		return nil // the kernel refuses to create the folder
	}
	for at := dir; ; at = filepath.Dir(at) {
		info, err := os.Stat(at)
		if errors.Is(err, os.ErrNotExist) && at != filepath.Dir(at) {
			continue
		}
		if err != nil {
			return fmt.Errorf("finding the owner of %s: %w", at, err)
		}
		if st, ok := info.Sys().(*syscall.Stat_t); ok && st.Uid != 0 {
			return fault.Invalid(HomeVariable,
				fmt.Sprintf("Goalpost runs as root, but %s belongs to another user (uid %d)", at, st.Uid),
				"run as that user, without sudo, or set "+HomeVariable+" to a folder that root owns")
		}
		return nil
	}
}

// checkStateOwner refuses a state folder of another user: if root used it, the files would no longer belong to the
// user.
func checkStateOwner(dir string) error {
	info, err := os.Stat(dir)
	if err != nil {
		return fmt.Errorf("state folder: %w", err)
	}
	st, ok := info.Sys().(*syscall.Stat_t)
	if ok && int(st.Uid) != os.Geteuid() {
		return fault.Invalid(HomeVariable, fmt.Sprintf("the state folder %s belongs to another user (uid %d)", dir, st.Uid),
			"run as that user, or set "+HomeVariable+" to a folder that you own")
	}
	return validateFilesystem(dir)
}
