package rootfs

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"

	"goalpost/backend/sandbox/wire"
)

// What is mounted within a folder of the machine, somebody outside may remove with its
// place while the goal runs. A check continues without it, and its sandbox covers the place
// when that comes back. But what was only moved stands uncovered where it is now: the
// mounts of sandboxes that stand move along, a sandbox that is made later has none there. So
// the goal's init holds what it saw last at each place, and can tell removed from moved.

// SeenPlaces are opened files and folders by the place where they were seen last.
type SeenPlaces map[string]int

// MarkMissing says of a check's mounts which are gone. It refuses walls within which one of
// them is in another place.
func (s SeenPlaces) MarkMissing(w *wire.Spec) (refused error) {
	w.Mounts = slices.Clone(w.Mounts)
	b := &rootBuilder{spec: *w, check: true}
	for i := range w.Mounts {
		m := &w.Mounts[i]
		if !b.isMachineMount(*m) {
			continue
		}
		target := string(m.Target)
		now, err := openNoFollow(target) // before it is asked who was moved: what is gone by now is found
		if to := s.movedTo(target); refused == nil && b.isWritable(to) {
			refused = fmt.Errorf("%s was moved to %s while the goal runs, where git would obey what the goal writes: move "+
				"it back, or out of what the goal sees", target, to)
		}
		switch _, known := s[target]; {
		case refused != nil:
			_ = unix.Close(now)
		case err == nil:
			s.drop(target)
			s[target] = now
		default:
			m.Gone = known && isNotExist(err)
		}
	}
	return refused
}

// movedTo is where that is by now which stood at a place; "" if it is there still, or
// nowhere.
func (s SeenPlaces) movedTo(target string) string {
	fd, known := s[target]
	if !known {
		return ""
	}
	to, err := os.Readlink("/proc/self/fd/" + strconv.Itoa(fd))
	if err != nil || to == target {
		return ""
	}
	if strings.HasSuffix(to, " (deleted)") { // by the kernel, or by its name
		var was, is unix.Stat_t
		if unix.Fstat(fd, &was) != nil || unix.Lstat(to, &is) != nil || was.Ino != is.Ino || was.Dev != is.Dev {
			return ""
		}
	}
	return to
}

func (s SeenPlaces) drop(target string) {
	if fd, known := s[target]; known {
		_ = unix.Close(fd)
	}
	delete(s, target)
}

// Retain leaves what none of these mounts covers.
func (s SeenPlaces) Retain(mounts []wire.Mount) {
	for target := range s {
		if !slices.ContainsFunc(mounts, func(m wire.Mount) bool { return string(m.Target) == target }) {
			s.drop(target)
		}
	}
}

// isMachineMount says whether a mount shows itself within a folder of the machine.
func (b *rootBuilder) isMachineMount(m wire.Mount) bool {
	around := b.mountOf(string(m.Target))
	return m.Kind == wire.MountBind && isVisibleAt(m) && !m.Itself && !m.AgentOnly && around != nil && isVisibleAt(*around)
}

// isWritable says whether programs write at a path of the machine.
func (b *rootBuilder) isWritable(path string) bool {
	return slices.ContainsFunc(b.spec.Mounts, func(m wire.Mount) bool {
		return m.Kind == wire.MountBind && !m.Itself && (m.Write || m.CheckWrite) &&
			(path == string(m.Source) || strings.HasPrefix(path, string(m.Source)+"/"))
	})
}

// openNoFollow opens a path through no link, to be looked at only.
func openNoFollow(path string) (int, error) {
	return unix.Openat2(unix.AT_FDCWD, path, &unix.OpenHow{Flags: unix.O_PATH | unix.O_CLOEXEC, Resolve: unix.RESOLVE_NO_SYMLINKS}) //nolint:wrapcheck // its number is looked at
}

// isNotExist is said of a path that is not there, also where a file or a link is in the
// place of one of its folders.
func isNotExist(err error) bool {
	return errors.Is(err, unix.ENOENT) || errors.Is(err, unix.ENOTDIR) || errors.Is(err, unix.ELOOP)
}

// isMissing says whether a place was gone when the sandbox was made, or is in one that was.
func (l *StickyMounts) isMissing(path string) bool {
	return slices.ContainsFunc(l.gone, func(gone string) bool { return path == gone || strings.HasPrefix(path, gone+"/") })
}

// Existing are the walls without what was missing: something else may have its name by now.
func (l *StickyMounts) Existing(w wire.Spec) wire.Spec {
	w.Mounts = slices.DeleteFunc(slices.Clone(w.Mounts), func(m wire.Mount) bool { return l.isMissing(string(m.Target)) })
	return w
}

// deferMount keeps a mount whose place is missing until that is back.
func (b *rootBuilder) deferMount(tree int, m wire.Mount) error {
	defer func() { _ = unix.Close(tree) }()
	p := stickyMount{target: string(m.Target), write: m.Writable(b.check)}
	if m.Itself || b.isOverlaid(m) || tree < 0 && !isVisibleAt(m) {
		return nil
	}
	if !isVisibleAt(m) {
		if err := b.attachBackup(tree, &p); err != nil {
			return fmt.Errorf("%s: %w", m.Target, err)
		}
	}
	b.lasting.list = append(b.lasting.list, p)
	return nil
}
