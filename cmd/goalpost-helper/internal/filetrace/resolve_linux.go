package filetrace

import (
	"errors"
	"path"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// maxLinks is the number of links that the kernel follows in a path.
const maxLinks = 40

// fileName is a path as a process names it.
type fileName struct {
	pid    uint32
	base   string // where a relative path begins, as a link of /proc; "" for an absolute one
	path   string
	follow bool
}

// newFileName returns the name of the file that the path of a call refers to.
func newFileName(pid uint32, dir int32, text string, follow bool) fileName {
	name := fileName{pid: pid, path: text, follow: follow}
	own := "/proc/" + strconv.FormatUint(uint64(pid), 10)
	switch {
	case strings.HasPrefix(text, "/"):
	case dir == unix.AT_FDCWD:
		name.base = own + "/cwd"
	default:
		name.base = own + "/fd/" + strconv.Itoa(int(dir))
	}
	return name
}

// full returns the name for use in this process, which is right unless it passes through /proc/self.
func (n fileName) full() string {
	switch {
	case n.base == "":
		return n.path
	case n.path == "":
		return n.base
	}
	return n.base + "/" + n.path
}

// isOfProcess reports whether the written name may mean another file in another process.
func (n fileName) isOfProcess() bool {
	return n.base == "" && (strings.HasPrefix(n.path, "/proc/") || strings.HasPrefix(n.path, "/dev/fd") ||
		strings.HasPrefix(n.path, "/dev/std"))
}

// isMissing reports whether an error means that a name does not exist.
func isMissing(err error) bool {
	return errors.Is(err, unix.ENOENT) || errors.Is(err, unix.ENOTDIR) || errors.Is(err, unix.ELOOP) ||
		errors.Is(err, unix.ENAMETOOLONG)
}

// stat reads the fields that differ between two states of a file.
func (n fileName) stat(into *unix.Statx_t) error {
	flags := unix.AT_NO_AUTOMOUNT | unix.AT_STATX_DONT_SYNC
	if !n.follow && n.path != "" {
		flags |= unix.AT_SYMLINK_NOFOLLOW
	}
	const mask = unix.STATX_TYPE | unix.STATX_MODE | unix.STATX_NLINK | unix.STATX_INO | unix.STATX_CTIME |
		unix.STATX_MNT_ID
	return unix.Statx(unix.AT_FDCWD, n.full(), flags, mask, into) //nolint:wrapcheck // the caller needs its number
}

// resolvedName is the result of resolving a name.
type resolvedName struct {
	path    string   // absolute and without links; "" for what is not a file, like a pipe
	links   []string // the links on the way
	missing bool
	process bool // the result depends on the process that asks
}

// resolve follows a name component by component, as the kernel does for the process.
func (n fileName) resolve() resolvedName {
	at := ""
	if n.base != "" {
		var ok bool
		if at, ok = readBase(n.base); !ok {
			return resolvedName{}
		}
		if n.path == "" || isMemoryFile(at) {
			return resolvedName{path: at}
		}
	}
	w := pathWalk{pid: n.pid, at: strings.TrimSuffix(at, "/")}
	w.walk(n.path, n.follow)
	if w.found.path == "" && !w.isObject {
		w.found.path = w.at
		if w.at == "" {
			w.found.path = "/"
		}
	}
	return w.found
}

// readBase reads a link of /proc to a folder or file; not ok if it leads to something without a path.
func readBase(link string) (string, bool) {
	text, err := readLink(link)
	if err != nil || !strings.HasPrefix(text, "/") {
		return "", false
	}
	return trimDeletedMark(text), true
}

const deletedMark = " (deleted)"

// trimDeletedMark removes the kernel's " (deleted)" from the path of a removed file.
func trimDeletedMark(text string) string {
	bare, marked := strings.CutSuffix(text, deletedMark)
	if !marked {
		return text
	}
	if _, err := lstat(text); err == nil { // it has that name
		return text
	}
	return bare
}

// isMemoryFile reports whether a link of /proc leads to a file in memory, which has no path.
func isMemoryFile(text string) bool { return strings.HasPrefix(text, "/memfd:") }

// pathWalk follows a path.
type pathWalk struct {
	pid      uint32
	at       string // the present path: without links and without a slash at its end, "" for the root
	followed int
	isObject bool // a pipe or a socket, which has no path
	found    resolvedName
}

func (w *pathWalk) walk(rest string, follow bool) {
	if strings.HasPrefix(rest, "/") {
		w.at = ""
	}
	for rest != "" {
		component, after, more := strings.Cut(rest, "/")
		rest = after
		switch component {
		case "", ".":
			continue
		case "..":
			w.at = w.at[:max(0, strings.LastIndexByte(w.at, '/'))]
			continue
		}
		next := w.at + "/" + component
		if w.at == "/proc" && (component == "self" || component == "thread-self") {
			w.found.process = true
			w.at = processFolder(w.pid, component)
			continue
		}
		if !follow && !more {
			_, err := lstat(next)
			w.at, w.found.missing = next, err != nil
			return
		}
		target, err := readLink(next)
		switch {
		case errors.Is(err, unix.EINVAL): // no link
			w.at = next
		case err != nil:
			w.found.path, w.found.missing = missingName(next, rest), true
			return
		default:
			if rest = w.followLink(next, target, rest, more); rest == "" && w.found.path != "" {
				return
			}
			if w.isObject {
				return
			}
		}
	}
}

// missingName is the name that a path would have if the part that is missing were there. With ".." it would depend
// on what that part is.
func missingName(part, rest string) string {
	if slices.Contains(strings.Split(rest, "/"), "..") {
		return part
	}
	return path.Clean(part + "/" + rest)
}

// followLink returns the rest of the path after a link.
func (w *pathWalk) followLink(link, target, rest string, more bool) string {
	if w.followed++; w.followed > maxLinks {
		w.found.path, w.found.missing = missingName(link, rest), true
		return ""
	}
	if strings.HasPrefix(link, "/proc/") {
		w.found.process = true
		switch {
		case isMemoryFile(target):
			w.found.path = target
			return ""
		case !strings.HasPrefix(target, "/") && strings.Contains(target, ":["):
			w.isObject = true
			return ""
		case strings.HasPrefix(target, "/"):
			target = trimDeletedMark(target)
		}
	} else {
		w.found.links = append(w.found.links, link)
	}
	if strings.HasPrefix(target, "/") {
		w.at = ""
	}
	if more {
		return target + "/" + rest
	}
	return target
}

// processFolder returns the target of self or thread-self in /proc.
func processFolder(pid uint32, link string) string {
	group := "/proc/" + strconv.Itoa(ThreadGroup(pid))
	if link == "self" {
		return group
	}
	return group + "/task/" + strconv.FormatUint(uint64(pid), 10)
}

func lstat(name string) (unix.Stat_t, error) {
	var info unix.Stat_t
	for {
		err := unix.Lstat(name, &info)
		if !errors.Is(err, unix.EINTR) {
			return info, err //nolint:wrapcheck // the caller needs its number
		}
	}
}

func readLink(name string) (string, error) {
	buffer := pathBuffers.Get().(*[unix.PathMax]byte)
	defer pathBuffers.Put(buffer)
	n, err := unix.Readlink(name, buffer[:])
	if err != nil {
		return "", err //nolint:wrapcheck // the caller needs its number
	}
	return string(buffer[:n]), nil
}
