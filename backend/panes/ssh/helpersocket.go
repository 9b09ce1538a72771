package ssh

import (
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"syscall"
)

const (
	folderPrefix = "goalpost-ssh-" // short: a socket's path has at most 104 bytes
	askName      = "ask"           // the helper's socket in the folder
)

// listenForHelper creates the folder of the sockets, and listens there for the helper. A second call does nothing.
func (c *Client) listenForHelper() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.listener != nil {
		return nil
	}
	removeDeadFolders(os.TempDir())
	dir, err := os.MkdirTemp("", folderPrefix)
	if err != nil {
		return fmt.Errorf("creating a folder for ssh: %w", err)
	}
	// The socket gets its name only once it listens, so a socket that refuses a connection belongs to a program that has
	// ended.
	path := filepath.Join(dir, "new")
	listener, err := net.Listen("unix", path) //nolint:noctx // does not block
	if err == nil {
		if err = os.Rename(path, filepath.Join(dir, askName)); err != nil {
			err = errors.Join(err, listener.Close())
		}
	}
	if err != nil {
		return errors.Join(fmt.Errorf("listening for ssh: %w", err), os.RemoveAll(dir))
	}
	c.dir, c.listener = dir, listener
	c.wg.Go(func() { c.acceptCalls(listener) })
	return nil
}

// removeDeadFolders removes the folders of programs that were killed, whose sockets nobody listens on. If that fails,
// the next program tries again.
func removeDeadFolders(temp string) {
	folders, _ := filepath.Glob(filepath.Join(temp, folderPrefix+"*")) // the pattern is valid
	for _, folder := range folders {
		info, err := os.Lstat(folder)
		if err != nil || info.Mode() != fs.ModeDir|0o700 { // not made here
			continue
		}
		conn, err := net.Dial("unix", filepath.Join(folder, askName)) //nolint:noctx // does not block
		if err == nil {
			_ = conn.Close()
		}
		if errors.Is(err, syscall.ECONNREFUSED) {
			_ = os.RemoveAll(folder)
		}
	}
}
