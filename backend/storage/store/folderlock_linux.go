package store

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"syscall"
	"time"

	"github.com/gofrs/flock"

	"goalpost/backend/domain/goal"
	"goalpost/backend/lib/text"
)

// FolderLocks keep goals of different data folders from writing in the same folder at once; within a data folder, the
// queue does. The lock files are in a place of the user that no setting changes. The kernel releases them with their
// process.
type FolderLocks struct {
	Place string // the folder of the lock files
	State string // the data folder
}

// DefaultLockPlace returns the folder of the lock files of this user. It is in /tmp, which all of the user's processes
// share, and not in XDG_RUNTIME_DIR, which only those of a login have.
func DefaultLockPlace() string { return "/tmp/goalpost-" + strconv.Itoa(os.Geteuid()) }

// folderClaim is the content of a lock file: the folders in which a goal writes.
type folderClaim struct {
	State   string     `json:"state"`
	PID     int        `json:"pid"`
	Folders [][]string `json:"folders"` // each with the folders above it, as device and inode number
}

// Lock claims the folders in which a goal writes until unlock is called. busy is the reason if a goal of another data
// folder writes in one of them, below or above it. unlock is nil if nothing was claimed.
func (fl FolderLocks) Lock(id goal.ID, folders []string) (unlock func(), busy string, err error) {
	mine := folderClaim{State: fl.State, PID: os.Getpid()}
	for _, dir := range folders {
		if chain := folderChain(dir); chain != nil {
			mine.Folders = append(mine.Folders, chain)
		}
	}
	if len(mine.Folders) == 0 {
		return nil, "", nil
	}
	if err := makePlace(fl.Place); err != nil {
		return nil, "", fmt.Errorf("locking the goal's folder: %w", err)
	}
	all := flock.New(filepath.Join(fl.Place, "all")) // held while claims are compared and written
	ctx, cancel := context.WithTimeout(context.Background(), lockProbeTimeout)
	defer cancel()
	if _, err := all.TryLockContext(ctx, time.Millisecond); err != nil {
		return nil, "", fmt.Errorf("locking the goal's folder: another process does that for too long: %w", err)
	}
	defer func() { err = errors.Join(err, all.Close()) }()
	if busy, err = fl.findConflict(mine); err != nil || busy != "" {
		return nil, busy, err
	}
	unlock, err = fl.write(id, mine)
	return unlock, "", err
}

// write makes the lock file of a goal.
func (fl FolderLocks) write(id goal.ID, c folderClaim) (unlock func(), err error) {
	l := flock.New(filepath.Join(fl.Place, fmt.Sprintf("%d-%s.lock", c.PID, id)))
	b, err := json.Marshal(c)
	if err != nil {
		return nil, fmt.Errorf("locking the goal's folder: %w", err)
	}
	if ok, err := l.TryLock(); err != nil || !ok {
		return nil, errors.Join(errors.New("locking the goal's folder: its lock file is in use"), err)
	}
	if err := os.WriteFile(l.Path(), b, 0o600); err != nil {
		return nil, errors.Join(fmt.Errorf("locking the goal's folder: %w", text.StripPathError(err)), l.Close())
	}
	return func() { _ = errors.Join(os.Remove(l.Path()), l.Close()) }, nil // what remains is found to be free
}

// findConflict describes a claim of another data folder that overlaps. It removes files of processes that have ended.
// The caller holds the lock of the place.
func (fl FolderLocks) findConflict(mine folderClaim) (string, error) {
	files, err := filepath.Glob(filepath.Join(fl.Place, "*.lock"))
	if err != nil {
		return "", fmt.Errorf("locking the goal's folder: %w", err)
	}
	for _, file := range files {
		var other folderClaim
		l := flock.New(file, flock.SetFlag(os.O_RDONLY))
		isFree, err := l.TryRLock()
		if err == nil && isFree {
			err = os.Remove(file)
		}
		if err = errors.Join(err, l.Close()); err != nil || isFree {
			continue // it was released in this moment
		}
		if b, err := os.ReadFile(file); err != nil || json.Unmarshal(b, &other) != nil {
			continue
		}
		if other.State != mine.State && mine.overlaps(other) {
			return fmt.Sprintf("another Goalpost (data folder %s, process %d) writes in the same folder",
				text.SanitizeLine(other.State, 300), other.PID), nil
		}
	}
	return "", nil
}

func (fc folderClaim) overlaps(other folderClaim) bool {
	for _, a := range fc.Folders {
		for _, b := range other.Folders {
			if len(a) > 0 && len(b) > 0 && (slices.Contains(a, b[0]) || slices.Contains(b, a[0])) {
				return true
			}
		}
	}
	return false
}

// folderChain identifies a folder and those above it, so that other spellings and bind mounts of it are the same. It is
// nil for a folder that does not exist.
func folderChain(dir string) (chain []string) {
	dir, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return nil
	}
	for at := dir; ; at = filepath.Dir(at) {
		info, err := os.Lstat(at)
		if err != nil {
			return nil
		}
		s, ok := info.Sys().(*syscall.Stat_t)
		if !ok {
			return nil
		}
		chain = append(chain, fmt.Sprintf("%d:%d", s.Dev, s.Ino))
		if at == filepath.Dir(at) {
			return chain
		}
	}
}

// makePlace makes the folder of the lock files, and refuses one that another user could have made in /tmp.
func makePlace(place string) error {
	if err := os.Mkdir(place, 0o700); err != nil && !errors.Is(err, os.ErrExist) {
		return text.StripPathError(err)
	}
	info, err := os.Lstat(place)
	if err != nil {
		return text.StripPathError(err)
	}
	s, ok := info.Sys().(*syscall.Stat_t)
	if !ok || !info.IsDir() || int(s.Uid) != os.Geteuid() || info.Mode().Perm()&0o077 != 0 {
		return errors.New(place + " is not a private folder of yours")
	}
	return nil
}
