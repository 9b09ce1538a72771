// Package autorun finds the files in a folder that git, editors, shells and other agents
// execute or obey automatically, and what a goal changed in its copies of them.
package autorun

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"
	"syscall"

	"goalpost/backend/lib/text"
)

// Limits of one scan.
const (
	maxVisited   = 200_000
	maxReadBytes = 256 << 10 // bytes of one file
	maxEntries   = 500
)

// TruncatedPrefix begins the line that reports an incomplete scan.
const TruncatedPrefix = "not all was looked at: "

// ListAutorun lists the files of a folder that git, an editor, a shell or another agent would run or obey: hooks,
// configuration that names a program, the commands of an interrupted rebase, nested repositories included, and editor
// settings. One sorted line each, such as "sub/.git/config: core.fsmonitor = ./x". Links are not followed; at worst, a
// file that the goal's programs replace during the scan is missing from the list. In a folder that is too large, git's
// files come first, then the topmost folders, and a line says that the scan is incomplete.
func ListAutorun(dir string) ([]string, error) { return listAutorun(dir, maxVisited) }

// listAutorun examines at most limit entries.
func listAutorun(dir string, limit int) (list []string, err error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, fmt.Errorf("looking for files that git obeys: %w", err)
	}
	defer func() { err = errors.Join(err, root.Close()) }()
	w := walk{root: root, limit: limit, git: []string{".git"}, next: []string{"."}}
	for len(w.git)+len(w.next) > 0 && w.limit > 0 && len(w.list) <= maxEntries {
		w.folder(w.take())
	}
	slices.Sort(w.list)
	switch {
	case len(w.list) > maxEntries:
		w.list = append(w.list[:maxEntries], fmt.Sprintf("%s: %smore than %d such files", ".", TruncatedPrefix, maxEntries))
	case w.limit <= 0:
		w.list = append(w.list, fmt.Sprintf("%s: %smore than %d names", ".", TruncatedPrefix, limit))
	}
	return w.list, nil
}

// walk is one scan of a folder.
type walk struct {
	root      *os.Root
	limit     int      // entries that may still be examined
	git, next []string // folders to scan: git's own, the rest
	list      []string
}

func (w *walk) take() (folder string) {
	from := &w.next
	if len(w.git) > 0 {
		from = &w.git
	}
	folder, *from = (*from)[0], (*from)[1:]
	return folder
}

// folder examines a folder's entries and queues its subfolders.
func (w *walk) folder(at string) {
	f, err := w.root.OpenFile(at, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return // git cannot read it either
	}
	entries, _ := f.ReadDir(w.limit)
	_ = f.Close()
	w.limit -= len(entries) + 1
	for _, entry := range entries {
		name := path.Join(at, entry.Name())
		switch {
		case entry.IsDir() && SkippedDirs[entry.Name()]:
		case entry.IsDir() && name == ".git": // scanned first, even in a folder that is too large
		case entry.IsDir() && slices.Contains(strings.Split(name, "/"), ".git"):
			w.git = append(w.git, name)
		case entry.IsDir():
			w.next = append(w.next, name)
		case len(w.list) <= maxEntries:
			w.list = append(w.list, autorunLines(w.root, name, entry)...)
		}
	}
	if isInRepository(w.root, path.Join(at, "config")) {
		w.list = append(w.list, alternateObjectDirs(w.root, path.Join(at, "objects", "info", "alternates"))...)
	}
}

// alternateObjectDirs reports a repository's alternate object folders.
func alternateObjectDirs(root *os.Root, name string) []string {
	text := strings.TrimSpace(string(contentOf(root, name)))
	if text == "" {
		return nil
	}
	return []string{fmt.Sprintf("%s: git reads contents in %.200q", name, text)}
}

// SkippedDirs are names of folders with many files and none that runs automatically.
var SkippedDirs = map[string]bool{"node_modules": true, "objects": true, "refs": true, "logs": true}

func autorunLines(root *os.Root, name string, entry fs.DirEntry) []string {
	base, in := path.Base(name), path.Base(path.Dir(name))
	switch {
	case base == ".git": // a file or link instead of a folder
		return []string{name + ": leads git elsewhere: " + hashFile(root, name, entry)}
	case isAutorunFile(name):
		return []string{name + ": is obeyed by editors, shells, debuggers or agents (" + hashFile(root, name, entry) + ")"}
	case (base == "git-rebase-todo" || base == "todo" && in == "sequencer") &&
		isInRepository(root, path.Join(path.Dir(path.Dir(name)), "config")):
		return interruptedOperation(name, contentOf(root, name))
	case base == "attributes" && in == "info" && isInRepository(root, path.Join(path.Dir(path.Dir(name)), "config")):
		return []string{name + ": says which filters git runs (" + hashFile(root, name, entry) + ")"}
	case !isInRepository(root, name):
		return nil
	case base == "config" || base == "config.worktree":
		return append(truncationLines(root, name), ListConfigPrograms(name, contentOf(root, name))...)
	case base == "commondir":
		return []string{name + ": leads git to " + strings.TrimSpace(string(contentOf(root, name)))}
	case in == "hooks" && !strings.HasSuffix(base, ".sample"):
		if info, err := entry.Info(); err == nil && (info.Mode().Perm()&0o111 != 0 || !info.Mode().IsRegular()) {
			return []string{name + ": is a hook (" + hashFile(root, name, entry) + ")"}
		}
	}
	return nil
}

// interruptedOperation lists what git runs when the user continues an interrupted operation.
func interruptedOperation(name string, text []byte) (list []string) {
	for line := range strings.Lines(string(text)) {
		if word, rest, _ := strings.Cut(strings.TrimSpace(line), " "); word == "exec" || word == "x" {
			list = append(list, fmt.Sprintf("%s: git rebase --continue runs %.200q", name, rest))
		}
	}
	return list
}

// truncationLines returns a line about a file of which only the beginning is read, and nothing for other files.
func truncationLines(root *os.Root, name string) []string {
	if info, err := root.Lstat(name); err == nil && info.Mode().IsRegular() && info.Size() > maxReadBytes {
		return []string{fmt.Sprintf("%s: is %d bytes long, and only the first %d were read", name, info.Size(),
			maxReadBytes)}
	}
	return nil
}

// isInRepository reports whether a file belongs to a repository's own files: below .git, or in a folder that looks
// like a bare repository.
func isInRepository(root *os.Root, name string) bool {
	if slices.Contains(strings.Split(name, "/"), ".git") {
		return true
	}
	at := path.Dir(name)
	if path.Base(at) == "hooks" {
		at = path.Dir(at)
	}
	for _, part := range []string{"HEAD", "objects", "refs"} {
		if _, err := root.Lstat(path.Join(at, part)); err != nil {
			return false
		}
	}
	return true
}

// contentOf returns the beginning of a regular file, nil for anything else.
func contentOf(root *os.Root, name string) []byte {
	f, err := openRegular(root, name)
	if err != nil {
		return nil
	}
	defer func() { _ = f.Close() }()
	text, _ := io.ReadAll(io.LimitReader(f, maxReadBytes))
	return text
}

// ErrNotRegular is the error for a file that is a pipe, a device, a link or a folder.
var ErrNotRegular = errors.New("it is not a regular file")

// openRegular opens a regular file and does not block if it has become a pipe.
func openRegular(root *os.Root, name string) (*os.File, error) {
	if info, err := root.Lstat(name); err != nil || !info.Mode().IsRegular() {
		return nil, errors.Join(ErrNotRegular, err)
	}
	f, err := root.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, err //nolint:wrapcheck // it names the file
	}
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() {
		return nil, errors.Join(ErrNotRegular, err, f.Close())
	}
	return f, nil
}

func hashFile(root *os.Root, name string, entry fs.DirEntry) string {
	if entry.Type()&fs.ModeSymlink != 0 {
		to, _ := root.Readlink(name)
		return "a link to " + to
	}
	sum := fmt.Sprintf("%.4x", sha256.Sum256(contentOf(root, name)))
	if info, err := entry.Info(); err == nil && info.Size() > maxReadBytes {
		sum = fmt.Sprintf("%d bytes, %d at %s", info.Size(), info.ModTime().UnixNano(), sum)
	}
	return sum
}

// gitProgramKeys are the keys of git's configuration that name a program or further configuration, in lower case with
// "*" for a subsection.
var gitProgramKeys = text.NewPattern(
	`^(core\.(fsmonitor|hookspath|sshcommand|editor|pager|askpass|gitproxy|worktree|attributesfile)` +
		`|alias\..*|pager\..*|(filter|diff|merge|difftool|mergetool|man|browser|trailer|tar|guitool)\..*` +
		`\.(clean|smudge|process|command|cmd|textconv|driver|path)` +
		`|diff\.external|credential\.(.*\.)?helper|include\.path|includeif\..*\.path` +
		`|gpg\.(.*\.)?(program|defaultkeycommand)|sequence\.editor|interactive\.difffilter` +
		`|uploadpack\.packobjectshook|remote\..*\.(uploadpack|receivepack|vcs|url|pushurl|proxy)` +
		`|url\..*\.(insteadof|pushinsteadof)|protocol\..*allow|submodule\..*\.update|sendemail\..*` +
		`|extensions\.worktreeconfig)$`)

var (
	sectionLine      = text.NewPattern(`^\[\s*([A-Za-z0-9.-]+)(?:\s+"((?:[^"\\]|\\.)*)")?\s*\](.*)$`)
	gitHarmlessValue = text.NewPattern(`^(?i)(true|false|yes|no|on|off|0|1|)$`)
)

// ListConfigPrograms lists the keys of a git configuration that name a program or further configuration, one line
// each: file name, key and value.
func ListConfigPrograms(name string, text []byte) (list []string) {
	section := ""
	for _, line := range strings.Split(string(bytes.ReplaceAll(text, []byte("\\\n"), nil)), "\n") {
		line = strings.TrimSpace(line)
		if m := sectionLine.FindStringSubmatch(line); m != nil {
			section = strings.ToLower(m[1])
			if m[2] != "" {
				section += "." + m[2]
			}
			line = strings.TrimSpace(m[3])
		}
		key, value, _ := strings.Cut(line, "=")
		key, value = strings.ToLower(strings.TrimSpace(key)), strings.TrimSpace(value)
		full := section + "." + key
		switch {
		case key == "" || strings.HasPrefix(key, "#") || strings.HasPrefix(key, ";") || !gitProgramKeys.MatchString(full):
		case full == "core.fsmonitor" && gitHarmlessValue.MatchString(value), full == "core.worktree" && value == "":
		case strings.HasPrefix(full, "alias.") && !strings.HasPrefix(value, "!") && !strings.HasPrefix(value, `"!`):
		case strings.HasPrefix(full, "remote.") && strings.HasSuffix(key, "url") && !strings.Contains(value, "ext::"):
		default:
			list = append(list, fmt.Sprintf("%s: %s = %.200s", name, full, value))
		}
	}
	return list
}
