package folder

import (
	"fmt"
	"io"
	"os"
	"syscall"

	"goalpost/backend/lib/text"
)

// ChownLike gives a file or folder that was just created in dir, and is open as f, to the owner of dir. Root works in
// folders of other users, and a goal's programs run there as the owner: they could not change root's files. A folder
// that is not empty is refused, because it is not the new one.
func ChownLike(dir *os.Root, f *os.File) error {
	if os.Geteuid() != 0 {
		return nil
	}
	info, err := dir.Stat(".")
	if err != nil {
		return text.StripPathError(err)
	}
	fileInfo, err := f.Stat()
	if err != nil {
		return text.StripPathError(err)
	}
	owner, ok := info.Sys().(*syscall.Stat_t)
	if !ok || owner.Uid == 0 {
		return nil
	}
	if fileInfo.IsDir() {
		if _, err := f.Readdirnames(1); err != io.EOF {
			return nil
		}
	}
	if err := f.Chown(int(owner.Uid), int(owner.Gid)); err != nil {
		return fmt.Errorf("setting its owner to that of its folder: %w", err)
	}
	return nil
}
