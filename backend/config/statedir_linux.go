package config

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
)

// checkRootOwnership refuses, for root, a folder that would be made inside somebody
// else's: what root leaves in a user's home the user cannot change any more.
func checkRootOwnership(dir string) error {
	if os.Geteuid() != 0 {
		return nil // the kernel refuses it
	}
	for at := dir; ; at = filepath.Dir(at) {
		info, err := os.Stat(at)
		if errors.Is(err, os.ErrNotExist) && at != filepath.Dir(at) {
			continue
		}
		if err != nil {
			return fmt.Errorf("looking at %s: %w", at, err)
		}
		if st, ok := info.Sys().(*syscall.Stat_t); ok && st.Uid != 0 {
			return &InvalidError{
				Field: HomeVariable, Message: fmt.Sprintf("this is root, and %s belongs to another user (uid %d)", at, st.Uid),
				Hint: "run as that user, without sudo, or set " + HomeVariable + " to a folder of root's own",
			}
		}
		return nil
	}
}

// checkStateOwner refuses a state folder of somebody else: as root on a user's folder
// the files would no longer be the user's.
func checkStateOwner(dir string) error {
	info, err := os.Stat(dir)
	if err != nil {
		return fmt.Errorf("state folder: %w", err)
	}
	st, ok := info.Sys().(*syscall.Stat_t)
	if ok && int(st.Uid) != os.Geteuid() {
		return &InvalidError{
			Field: HomeVariable, Message: fmt.Sprintf("the state folder %s belongs to another user (uid %d)", dir, st.Uid),
			Hint: "run as that user, or set " + HomeVariable + " to a folder of your own",
		}
	}
	return isLocalFilesystem(dir)
}
