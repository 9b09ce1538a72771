package folder

import (
	"fmt"
	"io"
	"os"
	"syscall"

	"goalpost/backend/text"
)

// ChownLike gives a file that was just made in dir, and is open as f, to the owner of dir. Root works in folders of
// other users, and a goal's programs run there as the owner of the folder: they could not change what root made. A
// folder that is not empty is not the one that was made.
func ChownLike(dir *os.Root, f *os.File) error {
	if os.Geteuid() != 0 {
		return nil
	}
	info, err := dir.Stat(".")
	if err != nil {
		return text.StripPathError(err)
	}
	made, err := f.Stat()
	if err != nil {
		return text.StripPathError(err)
	}
	owner, ok := info.Sys().(*syscall.Stat_t)
	if !ok || owner.Uid == 0 {
		return nil
	}
	if made.IsDir() {
		if _, err := f.Readdirnames(1); err != io.EOF {
			return nil
		}
	}
	if err := f.Chown(int(owner.Uid), int(owner.Gid)); err != nil {
		return fmt.Errorf("giving it to the owner of its folder: %w", err)
	}
	return nil
}
