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
	procDir := "/proc/" + strconv.FormatUint(uint64(pid), 10)
	switch {
	case strings.HasPrefix(text, "/"):
	case dir == unix.AT_FDCWD:
		name.base = procDir + "/cwd"
	default:
		name.base = procDir + "/fd/" + strconv.Itoa(int(dir))
	}
	return name
}

// full returns the name for use in this process, which is right unless it passes through /proc/self.
func (f fileName) full() string {
	switch {
	case f.base == "":
		return f.path
	case f.path == "":
		return f.base
	}
	return f.base + "/" + f.path
}

// isOfProcess reports whether the written name may mean another file in another process.
func (f fileName) isOfProcess() bool {
	return f.base == "" && (strings.HasPrefix(f.path, "/proc/") || strings.HasPrefix(f.path, "/dev/fd") ||
		strings.HasPrefix(f.path, "/dev/std"))
}

// isMissing reports whether an error means that a name does not exist.
func isMissing(err error) bool {
	return errors.Is(err, unix.ENOENT) || errors.Is(err, unix.ENOTDIR) || errors.Is(err, unix.ELOOP) ||
		errors.Is(err, unix.ENAMETOOLONG)
}

// stat reads the fields that differ between two states of a file.
func (f fileName) stat(into *unix.Statx_t) error {
	flags := unix.AT_NO_AUTOMOUNT | unix.AT_STATX_DONT_SYNC
	if !f.follow && f.path != "" {
		flags |= unix.AT_SYMLINK_NOFOLLOW
	}
	const mask = unix.STATX_TYPE | unix.STATX_MODE | unix.STATX_NLINK | unix.STATX_INO | unix.STATX_CTIME |
		unix.STATX_MNT_ID
	return unix.Statx(unix.AT_FDCWD, f.full(), flags, mask, into) //nolint:wrapcheck // the caller needs its number
}

// resolvedName is the result of resolving a name.
type resolvedName struct {
	path    string   // absolute and without links; "" for what is not a file, like a pipe
	links   []string // the links on the way
	missing bool
	process bool // the result depends on the process that asks
}

// resolve follows a name component by component, as the kernel does for the process.
func (f fileName) resolve() resolvedName {
	at := ""
	if f.base != "" {
		var ok bool
		if at, ok = readBase(f.base); !ok {
			return resolvedName{}
		}
		if f.path == "" || isMemoryFile(at) {
			return resolvedName{path: at}
		}
	}
	w := pathWalk{pid: f.pid, at: strings.TrimSuffix(at, "/")}
	w.walk(f.path, f.follow)
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
	name, marked := strings.CutSuffix(text, deletedMark)
	if !marked {
		return text
	}
	if _, err := lstat(text); err == nil { // it has that name
		return text
	}
	return name
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

func (p *pathWalk) walk(rest string, follow bool) {
	if strings.HasPrefix(rest, "/") {
		p.at = ""
	}
	for rest != "" {
		component, after, more := strings.Cut(rest, "/")
		rest = after
		switch component {
		case "", ".":
			continue
		case "..":
			p.at = p.at[:max(0, strings.LastIndexByte(p.at, '/'))]
			continue
		}
		next := p.at + "/" + component
		if p.at == "/proc" && (component == "self" || component == "thread-self") {
			p.found.process = true
			p.at = processFolder(p.pid, component)
			continue
		}
		if !follow && !more {
			_, err := lstat(next)
			p.at, p.found.missing = next, err != nil
			return
		}
		target, err := readLink(next)
		switch {
		case errors.Is(err, unix.EINVAL): // no link
			p.at = next
		case err != nil:
			p.found.path, p.found.missing = missingName(next, rest), true
			return
		default:
			if rest = p.followLink(next, target, rest, more); rest == "" && p.found.path != "" {
				return
			}
			if p.isObject {
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
func (p *pathWalk) followLink(link, target, rest string, more bool) string {
	if p.followed++; p.followed > maxLinks {
		p.found.path, p.found.missing = missingName(link, rest), true
		return ""
	}
	if strings.HasPrefix(link, "/proc/") {
		p.found.process = true
		switch {
		case isMemoryFile(target):
			p.found.path = target
			return ""
		case !strings.HasPrefix(target, "/") && strings.Contains(target, ":["):
			p.isObject = true
			return ""
		case strings.HasPrefix(target, "/"):
			target = trimDeletedMark(target)
		}
	} else {
		p.found.links = append(p.found.links, link)
	}
	if strings.HasPrefix(target, "/") {
		p.at = ""
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
