package rootfs

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"sync"

	"golang.org/x/sys/unix"

	"goalpost/backend/sandbox/wire"
	"goalpost/cmd/goalpost-helper/internal/openat"
)

// What is mounted within a folder of the machine goes when somebody outside replaces or
// removes what it is mounted upon, and the kernel asks nobody: the user's own git
// renames a new configuration over the old one, passwd a new /etc/shadow. So the sandbox
// keeps each such mount a second time, where only it can reach, hears when its mounts
// change, and puts what is missing back in its place.

// backupDir is the folder of the sandbox in which mounts are kept.
const backupDir = "/run/goalpost/kept"

// Milliseconds until the sandbox looks again where something could not be put back: soon,
// because the kernel tells of a mount that goes before the new file has its name, and
// ever later, because no mount changes when what was removed comes back.
const (
	minRetry = 1
	maxRetry = 500
)

// StickyMounts are the mounts of a sandbox that lie within folders of the machine. mu also keeps
// the watcher and those who change the sandbox's mounts out of each other's way.
type StickyMounts struct {
	mu    sync.Mutex
	count int
	list  []stickyMount
	gone  []string // places that were not there as the sandbox was made

	allow func(tree int) error // see AllowWrites
}

// AllowWrites sets what lets programs that start from now on write a tree. It is called for a
// mount that shows a new folder or file, because somebody outside replaced the old one.
func (l *StickyMounts) AllowWrites(allow func(tree int) error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.allow = allow
}

// stickyMount is one of them. kept is "" where the place shows itself: a folder that is a
// mount so that nobody inside renames it.
type stickyMount struct {
	id     uint64 // of the widening that brought it, 0 is from the start
	target string
	kept   string
	write  bool
	back   int // the tree that was put back last, of a widening; 0 is none
}

// attachSticky attaches a tree at an opened place, and keeps it if somebody outside could take
// it away.
func (b *rootBuilder) attachSticky(tree, at int, m wire.Mount, id uint64) error {
	p := stickyMount{id: id, target: string(m.Target), write: m.Writable(b.check)}
	around := b.mountOf(p.target)
	if around == nil || !isVisibleAt(*around) || m.Itself {
		return moveMount(tree, at)
	}
	if m.Kind == wire.MountBind && isVisibleAt(m) {
		if err := moveMount(tree, at); err != nil {
			return err
		}
		b.lasting.list = append(b.lasting.list, p)
		return nil
	}
	if err := b.attachBackup(tree, &p); err != nil {
		return err
	}
	kept, _ := openInSandbox(b.root, p.kept)
	defer func() { _ = unix.Close(kept) }()
	again, err := p.clone(kept, at)
	if err != nil {
		return err
	}
	_ = unix.Close(again)
	b.lasting.list = append(b.lasting.list, p)
	return nil
}

// attachBackup attaches a tree where it is kept.
func (b *rootBuilder) attachBackup(tree int, p *stickyMount) error {
	var info unix.Stat_t
	if err := unix.Fstat(tree, &info); err != nil {
		return os.NewSyscallError("fstat", err)
	}
	b.lasting.count++
	p.kept = filepath.Join(backupDir, strconv.Itoa(b.lasting.count))
	return b.attachAt(tree, p.kept, info.Mode&unix.S_IFMT == unix.S_IFDIR)
}

// isVisibleAt says whether a mount shows a path of the machine at its own place.
func isVisibleAt(m wire.Mount) bool { return string(m.Source) == string(m.Target) }

// clone attaches another copy of what is mounted at a place; the tree is the caller's
// to close.
func (p stickyMount) clone(from, at int) (tree int, err error) {
	tree, err = unix.OpenTree(from, "", unix.OPEN_TREE_CLONE|unix.OPEN_TREE_CLOEXEC|unix.AT_RECURSIVE|unix.AT_EMPTY_PATH)
	if err != nil {
		return -1, os.NewSyscallError("open_tree", err)
	}
	err = RestrictTree(tree, p.write, false)
	if err == nil && p.write && p.kept == "" { // what shows itself in a read-only folder is read-only so far
		err = setReadOnly(tree, false)
	}
	if err == nil {
		err = moveMount(tree, at)
	}
	if err != nil {
		return -1, errors.Join(err, unix.Close(tree))
	}
	return tree, nil
}

// Watch begins to put back what goes; it ends with the process.
func (l *StickyMounts) Watch() error {
	mounts, err := unix.Open("/proc/self/mountinfo", unix.O_RDONLY|unix.O_CLOEXEC, 0)
	if err != nil {
		return os.NewSyscallError("open", err)
	}
	root, err := unix.Open("/", unix.O_PATH|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		return os.NewSyscallError("open", err)
	}
	l.restore(root) // what came back, before a program starts
	go func() {
		for timeout := 0; ; {
			changed := []unix.PollFd{{Fd: int32(mounts), Events: unix.POLLPRI}}
			n, err := unix.Poll(changed, timeout)
			if err != nil && !errors.Is(err, unix.EINTR) {
				return
			}
			if n > 0 {
				timeout = 0
			}
			if l.restore(root) {
				timeout = -1
			} else {
				timeout = min(max(2*timeout, minRetry), maxRetry)
			}
		}
	}()
	return nil
}

// restore puts back what is not there any more; false where that could not be.
func (l *StickyMounts) restore(root int) (whole bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	whole = true
	for _, p := range l.list {
		at, info := openInSandbox(root, p.target)
		whole = whole && at >= 0
		if at >= 0 && !openat.IsMount(info) {
			for i := range l.list { // in their order, the last is seen
				if l.list[i].target == p.target {
					whole = l.list[i].restore(root, at) && whole
					if p.write && p.kept == "" && l.allow != nil {
						whole = l.allow(at) == nil && whole
					}
				}
			}
		}
		_ = unix.Close(at)
	}
	return whole
}

func (p *stickyMount) restore(root, at int) bool {
	from := at
	if p.kept != "" {
		from, _ = openInSandbox(root, p.kept)
		defer func() { _ = unix.Close(from) }()
	}
	tree, err := p.clone(from, at)
	if err != nil {
		return false
	}
	if p.id == 0 { // nobody takes it back
		_ = unix.Close(tree)
		return true
	}
	p.close()
	p.back = tree
	return true
}

// close closes the tree that was put back.
func (p *stickyMount) close() {
	if p.back > 0 {
		_ = unix.Close(p.back)
	}
}

// openInSandbox opens a path of the sandbox, through no link; -1 where there is none.
func openInSandbox(root int, path string) (int, unix.Statx_t) {
	return openat.PathOnly(root, path[1:], unix.O_NOFOLLOW, unix.RESOLVE_NO_SYMLINKS|unix.RESOLVE_BENEATH)
}

// remove lets a widening go, with what was put back of it; its first trees are unmounted
// by whoever took them.
func (l *StickyMounts) remove(id uint64) error {
	var errs []error
	for _, p := range slices.Backward(l.list) {
		if p.id == id && p.back > 0 {
			errs = append(errs, unmountTree(p.back))
			p.close()
		}
	}
	l.list = slices.DeleteFunc(l.list, func(p stickyMount) bool { return p.id == id })
	return errors.Join(errs...)
}
