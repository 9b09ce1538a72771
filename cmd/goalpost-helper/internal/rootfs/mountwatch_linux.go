package rootfs

import (
	"bytes"
	"errors"
	"os"
	"slices"
	"strconv"
	"sync"

	"golang.org/x/sys/unix"

	"goalpost/backend/host/sandbox/wire"
)

// The kernel detaches a mount in every sandbox when a process outside replaces or removes
// the file below it: the user's own git renames a new configuration over the old one,
// passwd a new /etc/shadow. From then on the sandbox's programs reach the real file. The
// kernel does not prevent that, but it reports that the mounts changed. The init
// process then hides hidden files of /etc again, and ends the sandbox in all other cases.

// MountWatch notices when a mount that protects a file of the machine is detached. Its
// methods may be called concurrently.
type MountWatch struct {
	mu   sync.Mutex // also serializes changes of the sandbox's mounts
	list []watchedMount
}

// watchedMount is a mount that has to stay attached.
type watchedMount struct {
	grant  uint64 // the grant that it belongs to; 0 is the sandbox itself
	target string
	id     uint64 // of the mount; not reused as long as tree is open
	tree   int
	// failures counts the failed attempts to hide the target again.
	failures int
	source   string // an empty file or folder that hides the target again; "" if the sandbox ends instead
}

// attach attaches a tree at an opened place, and watches the mount if a process outside
// the sandbox can detach it and that would matter.
func (rb *rootBuilder) attach(tree, at int, m wire.Mount, grant uint64) error {
	if err := moveMount(tree, at); err != nil {
		return err
	}
	if !rb.needsWatch(m) && (grant != 0 || !rb.isWorkPath(m)) {
		return nil
	}
	duplicate, err := unix.FcntlInt(uintptr(tree), unix.F_DUPFD_CLOEXEC, 0)
	if err != nil {
		return os.NewSyscallError("fcntl", err)
	}
	id, err := mountID(duplicate)
	if err != nil {
		return errors.Join(err, unix.Close(duplicate))
	}
	w := watchedMount{grant: grant, target: string(m.Target), id: id, tree: duplicate}
	if m.Kind == wire.MountEmpty {
		w.source = string(m.Source)
	}
	rb.watch.list = append(rb.watch.list, w)
	return nil
}

// needsWatch reports whether losing a mount would give programs more than they had. Locked files are not watched:
// checks read copies of them, and the host compares them. Text mounts in /etc are not watched either: /etc/resolv.conf
// changes with every network.
func (rb *rootBuilder) needsWatch(m wire.Mount) bool {
	around := rb.mountOf(string(m.Target))
	if around == nil || !isShownInPlace(*around) || m.Itself || m.AgentOnly {
		return false
	}
	switch m.Kind {
	case wire.MountBind: // the mount of a writable folder in its place only adds access
		return !isShownInPlace(m) || !m.Writable(rb.check)
	case wire.MountEmpty:
		return rb.spec.UID == 0 // another user cannot read the real file either
	case wire.MountText, wire.MountSymlink:
	}
	return false
}

// isWorkPath reports whether a mount makes a part of a read-only folder writable. If such a mount is lost, programs
// cannot change files that they should be able to change.
func (rb *rootBuilder) isWorkPath(m wire.Mount) bool {
	around := rb.mountOf(string(m.Target))
	return m.Kind == wire.MountBind && m.Writable(rb.check) && isShownInPlace(m) &&
		around != nil && isShownInPlace(*around) && !around.Writable(rb.check)
}

// forget stops watching the mounts of a grant.
func (mw *MountWatch) forget(grant uint64) {
	mw.list = slices.DeleteFunc(mw.list, func(m watchedMount) bool {
		if m.grant == grant {
			_ = unix.Close(m.tree)
		}
		return m.grant == grant
	})
}

// maxHideFailures limits the failed attempts in a row to hide a file again, a millisecond apart.
const maxHideFailures = 100

// hiddenRetry is the interval, in milliseconds, at which the watch checks for a hidden file that was removed: no mount
// changes when it exists again.
const hiddenRetry = 500

// Start calls onLost once, possibly before it returns, with the target of the first mount
// that is detached. The watch ends with the process.
func (mw *MountWatch) Start(onLost func(target string)) error {
	mounts, err := unix.Open("/proc/self/mountinfo", unix.O_RDONLY|unix.O_CLOEXEC, 0)
	if err != nil {
		return os.NewSyscallError("open", err)
	}
	target, timeout := mw.findLost()
	if target != "" {
		onLost(target)
		return nil
	}
	go func() {
		for target == "" {
			_, err := unix.Poll([]unix.PollFd{{Fd: int32(mounts), Events: unix.POLLPRI}}, timeout)
			if err != nil && !errors.Is(err, unix.EINTR) {
				target = "a mount (the mounts cannot be watched: " + err.Error() + ")"
				break
			}
			target, timeout = mw.findLost()
		}
		onLost(target)
	}()
	return nil
}

// findLost returns the target of a mount that is no longer attached. If there is none, it returns "" and how long to
// wait for a change, in milliseconds; -1 means without limit.
func (mw *MountWatch) findLost() (target string, timeout int) {
	mw.mu.Lock()
	defer mw.mu.Unlock()
	if len(mw.list) == 0 {
		return "", -1
	}
	table, err := os.ReadFile("/proc/self/mountinfo")
	if err != nil {
		return "a mount (the mounts cannot be read: " + err.Error() + ")", 0
	}
	attached := map[uint64]bool{}
	for line := range bytes.Lines(table) {
		field, _, _ := bytes.Cut(line, []byte(" "))
		if id, err := strconv.ParseUint(string(field), 10, 64); err == nil {
			attached[id] = true
		}
	}
	timeout = -1
	for i := range mw.list {
		m := &mw.list[i]
		if attached[m.id] {
			continue
		}
		if m.source == "" {
			return m.target, 0
		}
		retry, err := m.hideAgain()
		switch m.failures++; {
		case err == nil:
			m.failures = 0
		case m.failures > maxHideFailures:
			return m.target, 0
		default: // the file is being replaced right now
			retry = 1
		}
		if retry > 0 && (timeout < 0 || retry < timeout) {
			timeout = retry
		}
	}
	return "", timeout
}

// hideAgain mounts an empty file over a hidden file that was replaced. It returns after how many milliseconds to check
// again: -1 means never.
func (w *watchedMount) hideAgain() (retry int, err error) {
	at, err := unix.Open(w.target, unix.O_PATH|unix.O_CLOEXEC|unix.O_NOFOLLOW, 0)
	if isNotExist(err) {
		return hiddenRetry, nil
	}
	if err != nil {
		return 0, os.NewSyscallError("open", err)
	}
	defer func() { _ = unix.Close(at) }()
	tree, err := CloneTree(w.source)
	if err == nil {
		err = RestrictTree(tree, false, false)
	}
	if err != nil {
		return 0, err
	}
	switch err := moveMount(tree, at); {
	case errors.Is(err, unix.ENOENT): // the kernel detaches a mount just before the name changes
		return 1, os.NewSyscallError("close", unix.Close(tree))
	case err != nil:
		return 0, errors.Join(err, unix.Close(tree))
	}
	_ = unix.Close(w.tree)
	w.tree = tree
	w.id, err = mountID(tree)
	return -1, err
}

func mountID(tree int) (uint64, error) {
	var info unix.Statx_t
	if err := unix.Statx(tree, "", unix.AT_EMPTY_PATH, unix.STATX_MNT_ID, &info); err != nil {
		return 0, os.NewSyscallError("statx", err)
	}
	return info.Mnt_id, nil
}

// Places has the original files and folders of the machine that the mounts of a goal's sandboxes cover. A folder that
// is moved takes the mounts of existing sandboxes along; a later sandbox would show it uncovered.
type Places map[string]placeID

// placeID distinguishes a file from another one that has its path later.
type placeID struct {
	device, inode uint64
	born          unix.StatxTimestamp
}

// Remember records the places of a sandbox that are new.
func (p Places) Remember(w wire.Spec) {
	for _, target := range coveredTargets(w) {
		if _, isKnown := p[target]; !isKnown {
			if id, err := identify(target); err == nil {
				p[target] = id
			}
		}
	}
}

// FindMoved returns a place of a sandbox that now has another file, or "".
func (p Places) FindMoved(w wire.Spec) string {
	for _, target := range coveredTargets(w) {
		was, isKnown := p[target]
		if now, err := identify(target); isKnown && (err != nil || now != was) {
			return target
		}
	}
	return ""
}

// Retain forgets the places that a sandbox no longer has.
func (p Places) Retain(w wire.Spec) {
	targets := coveredTargets(w)
	for target := range p {
		if !slices.Contains(targets, target) {
			delete(p, target)
		}
	}
}

// coveredTargets lists the paths that a sandbox shows in place and covers, or in which it covers another path.
func coveredTargets(w wire.Spec) (list []string) {
	b := &rootBuilder{spec: w}
	var watched []string
	for _, m := range w.Mounts {
		if m.Kind == wire.MountBind && b.needsWatch(m) {
			watched = append(watched, string(m.Target))
		}
	}
	for _, m := range w.Mounts {
		target := string(m.Target)
		if m.Kind != wire.MountBind || m.Itself || m.AgentOnly || !isShownInPlace(m) {
			continue
		}
		if around := b.mountOf(target); around == nil || !isShownInPlace(*around) {
			continue
		}
		if slices.ContainsFunc(watched, func(path string) bool { return isWithin(path, target) }) {
			list = append(list, target)
		}
	}
	return list
}

func identify(path string) (placeID, error) {
	var info unix.Statx_t
	err := unix.Statx(unix.AT_FDCWD, path, unix.AT_SYMLINK_NOFOLLOW, unix.STATX_INO|unix.STATX_BTIME, &info)
	if err != nil {
		return placeID{}, os.NewSyscallError("statx", err)
	}
	return placeID{unix.Mkdev(info.Dev_major, info.Dev_minor), info.Ino, info.Btime}, nil
}
