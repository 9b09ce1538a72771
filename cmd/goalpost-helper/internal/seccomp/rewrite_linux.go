package seccomp

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"

	"goalpost/cmd/goalpost-helper/internal/openat"
	"goalpost/cmd/goalpost-helper/internal/socket"
)

// rewriteMounted copies the content of one file to another in the same folder if the other is a mount; otherwise it
// does nothing and the kernel performs the call.
func (no *Notifier) rewriteMounted(r renameRequest) (done bool, err error) {
	no.mounted.turn.Lock()
	defer no.mounted.turn.Unlock()
	fromBase, fromErr := openStartDir(r.n, r.fromDir, r.from)
	toBase, toErr := openStartDir(r.n, r.toDir, r.to)
	defer socket.CloseAll([]int{fromBase, toBase})
	if fromErr != nil || toErr != nil || !no.isValid(r.n.id) { // the process may be another by now
		return false, nil
	}
	if no.asUser.runCall(func() { done, err = r.rewriteAsUser(fromBase, toBase) }) != nil {
		return false, unix.EACCES
	}
	return done, err
}

// rewriteAsUser is the part of rewriteMounted that runs as the program's user. The names are relative to the folders.
func (r renameRequest) rewriteAsUser(fromBase, toBase int) (done bool, err error) {
	folder, same := openCommonDir(fromBase, r.from, toBase, r.to)
	if !same {
		return false, nil
	}
	defer func() { _ = unix.Close(folder) }()
	from, fromInfo := openEntry(folder, r.fromName)
	to, toInfo := openEntry(folder, r.toName)
	defer socket.CloseAll([]int{from, to})
	if from < 0 || to < 0 || !openat.IsRegular(fromInfo) || !openat.IsRegular(toInfo) || openat.IsMount(fromInfo) ||
		!openat.IsMount(toInfo) || fromInfo.Size > maxRewriteBytes {
		return false, nil
	}
	if err := copyContent(from, to); err != nil {
		return true, err
	}
	return true, unix.Unlinkat(folder, r.fromName, 0) //nolint:wrapcheck // the caller needs its number
}

// openStartDir opens the folder that a relative path of the caller starts from.
func openStartDir(n notice, dir int, path string) (int, error) {
	switch {
	case strings.HasPrefix(path, "/"):
		return unix.AT_FDCWD, nil
	case dir == unix.AT_FDCWD:
		//nolint:wrapcheck // nobody reads it
		return unix.Open(fmt.Sprintf("/proc/%d/cwd", n.pid), unix.O_PATH|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	}
	fd, errno := dupFD(n.pid, dir)
	if errno != 0 {
		return -1, errno
	}
	return fd, nil
}

// openCommonDir opens the folder of two files, if they share one.
func openCommonDir(fromBase int, from string, toBase int, to string) (folder int, same bool) {
	a, aInfo := openParentDir(fromBase, from)
	b, bInfo := openParentDir(toBase, to)
	_ = unix.Close(a)
	same = a >= 0 && b >= 0 && aInfo.Mnt_id == bInfo.Mnt_id && aInfo.Ino == bInfo.Ino &&
		aInfo.Dev_major == bInfo.Dev_major && aInfo.Dev_minor == bInfo.Dev_minor
	if !same {
		_ = unix.Close(b)
	}
	return b, same
}

// openParentDir opens the folder of a path. It refuses the magic links of /proc, which would resolve to this process
// instead of the caller.
func openParentDir(base int, path string) (int, unix.Statx_t) {
	parent, _ := filepath.Split(path)
	return openat.PathOnly(base, parent+".", unix.O_DIRECTORY, unix.RESOLVE_NO_MAGICLINKS)
}

// openEntry opens an entry of a folder with O_PATH.
func openEntry(folder int, name string) (int, unix.Statx_t) {
	return openat.PathOnly(folder, name, unix.O_NOFOLLOW, unix.RESOLVE_BENEATH)
}

// copyContent copies content and mode from one opened file to another.
func copyContent(from, to int) error {
	in, err := reopenFile(from, os.O_RDONLY)
	if err != nil {
		return err
	}
	defer func() { _ = in.Close() }()
	text, err := io.ReadAll(io.LimitReader(in, maxRewriteBytes+1))
	if err != nil {
		return err //nolint:wrapcheck // the caller needs its number
	}
	if len(text) > maxRewriteBytes {
		return unix.EFBIG
	}
	out, err := reopenFile(to, os.O_WRONLY)
	if err != nil {
		return err
	}
	defer func() { _ = out.Close() }()
	was, err := out.Stat()
	if err != nil {
		return err //nolint:wrapcheck // see above
	}
	now, err := in.Stat()
	if err != nil {
		return err //nolint:wrapcheck // see above
	}
	// Until the file is truncated, a concurrent reader sees empty lines at the end instead of a part of the old content.
	empty := bytes.Repeat([]byte("\n"), max(0, int(was.Size())-len(text)))
	if _, err := out.WriteAt(append(text, empty...), 0); err != nil {
		return err //nolint:wrapcheck // see above
	}
	if err := out.Truncate(int64(len(text))); err != nil {
		return err //nolint:wrapcheck // see above
	}
	return out.Chmod(now.Mode().Perm()) //nolint:wrapcheck // see above
}

// reopenFile opens the file of an O_PATH descriptor.
func reopenFile(fd, flags int) (*os.File, error) {
	//nolint:wrapcheck // the caller needs its number
	return os.OpenFile("/proc/self/fd/"+strconv.Itoa(fd), flags|unix.O_NONBLOCK, 0)
}
