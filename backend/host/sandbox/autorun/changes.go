package autorun

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// DiffGitCopies describes what a goal changed in its copies of git's configuration and hooks, one line per change;
// the user's own files are untouched. layer is the goal's private folder, dir its work folder. The goal's programs
// may still write there, so links are not followed out of the copies, opening never blocks, and only the beginning of
// a file is read.
func DiffGitCopies(layer, dir string) (list []string) {
	now, err := os.OpenRoot(filepath.Join(layer, "git"))
	if err != nil {
		return nil // no copies exist
	}
	defer func() { _ = now.Close() }()
	start, err := os.OpenRoot(filepath.Join(layer, "git-start"))
	if err != nil {
		return nil // see above
	}
	defer func() { _ = start.Close() }()
	entries := 0
	_ = fs.WalkDir(now.FS(), ".", func(name string, entry fs.DirEntry, err error) error {
		if entries++; entries > maxVisited || len(list) > maxEntries {
			list = append(list, dir+": "+TruncatedPrefix+"the goal put too many files into its copies")
			return fs.SkipAll
		}
		if err != nil || entry.IsDir() {
			return nil //nolint:nilerr // git does not obey what it cannot read
		}
		if what := describeCopyChange(start, now, name, entry); what != "" {
			list = append(list,
				fmt.Sprintf("%s: %s; the goal's copy is %s", gitName(dir, name), what, filepath.Join(layer, "git", name)))
		}
		return nil
	})
	return list
}

// describeCopyChange describes the change to one copy; "" if there is none.
func describeCopyChange(start, now *os.Root, name string, entry fs.DirEntry) string {
	if !entry.Type().IsRegular() {
		return "is no longer a file"
	}
	if info, err := entry.Info(); err == nil && info.Size() > maxReadBytes {
		if equalFiles(start, now, name, info.Size()) {
			return ""
		}
		return fmt.Sprintf("now has %d bytes, too many to be shown", info.Size())
	}
	before, after := contentOf(start, name), contentOf(now, name)
	if bytes.Equal(before, after) {
		return ""
	}
	return firstAddedLines(before, after)
}

// equalFiles reports whether two files are equal. It does not read them into memory as a whole.
func equalFiles(start, now *os.Root, name string, size int64) bool {
	const most = 16 << 20
	sum := func(root *os.Root) (sum [sha256.Size]byte) {
		f, err := openRegular(root, name)
		if err != nil {
			return sum
		}
		defer func() { _ = f.Close() }()
		h := sha256.New()
		_, _ = io.Copy(h, io.LimitReader(f, most))
		return [sha256.Size]byte(h.Sum(nil))
	}
	was, err := start.Lstat(name)
	return err == nil && was.Size() == size && size <= most && sum(start) == sum(now)
}

// gitName returns the path of a copy's original.
func gitName(dir, rel string) string {
	if key, rest, ok := strings.Cut(rel, "/"); ok && strings.HasPrefix(key, "%") {
		return filepath.Join(strings.ReplaceAll(key, "%", "/"), rest)
	}
	return filepath.Join(dir, ".git", rel)
}

// firstAddedLines returns the first lines that were added to a text.
func firstAddedLines(before, after []byte) string {
	const most = 3
	had := strings.Split(string(before), "\n")
	var fresh []string
	for _, line := range strings.Split(string(after), "\n") {
		if line = strings.TrimSpace(line); line != "" && !slices.ContainsFunc(had, func(l string) bool {
			return strings.TrimSpace(l) == line
		}) {
			fresh = append(fresh, fmt.Sprintf("%.120q", line))
		}
	}
	if len(fresh) == 0 {
		return "lines were removed"
	}
	if len(fresh) > most {
		fresh = append(fresh[:most], fmt.Sprintf("%d more lines", len(fresh)-most))
	}
	return "added " + strings.Join(fresh, ", ")
}

// ListTmp lists the non-empty entries of the goal's private /tmp; mount points are empty.
func ListTmp(layer string) ([]string, error) {
	const most = 10_000 // entries examined
	root := filepath.Join(layer, "tmp")
	entries := 0
	var names []string
	err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if entries++; entries > most {
			return fs.SkipAll
		}
		if err != nil || !entry.Type().IsRegular() {
			return nil //nolint:nilerr // an unreadable folder has no entries to list
		}
		rel, _ := filepath.Rel(root, path)
		name, _, _ := strings.Cut(rel, "/")
		if info, err := entry.Info(); err == nil && info.Size() > 0 && !slices.Contains(names, name) {
			names = append(names, name)
		}
		return nil
	})
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("reading the goal's /tmp: %w", err)
	}
	return names, nil
}
