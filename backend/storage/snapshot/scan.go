package snapshot

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"runtime"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"goalpost/backend/lib/fault"
	"goalpost/backend/lib/fileio"
	"goalpost/backend/lib/ignore"
	"goalpost/backend/lib/text"
)

// Limits of a snapshot.
const (
	maxEntries        = 200_000
	maxDepth          = 100         // folders in folders
	maxFileBytes      = 256 << 20   // longer files are left out
	maxIgnoredEntries = 500         // in one ignored folder; with more, the folder is left out
	maxIgnoredBytes   = 8 << 20     // in one ignored folder or file; with more, it is left out
	largeBytes        = 4 << 20     // files that are not read into memory as a whole
	maxRulesBytes     = 64 << 10    // of one .gitignore
	leftGit           = "git's own" // as a prefix
)

// Reasons why an entry is left out. They are stored in the log.
const (
	leftOutGit        = leftGit + " folder is not touched"
	leftOutGenerated  = "filled by programs"
	leftOutUnreadable = "it cannot be read"
	leftOutSpecial    = "neither a file, a folder nor a link"
	leftOutGrows      = "it changed while it was read"
	leftOutDeep       = "folders are nested too deep"
)

var (
	leftOutLarge         = fmt.Sprintf("larger than %d MiB", maxFileBytes>>20)
	leftOutIgnoredLarge  = fmt.Sprintf("ignored, and larger than %d MiB", maxIgnoredBytes>>20)
	leftOutIgnoredFolder = fmt.Sprintf("ignored, with more than %d entries or %d MiB", maxIgnoredEntries,
		maxIgnoredBytes>>20)
)

// errTooMany means that a folder has more entries than a snapshot can have.
var errTooMany error = fault.New(fault.Conflict, "the folder has more than 200,000 files",
	"name folders that programs fill in .gitignore, or start the goal in a smaller folder")

// scan reads everything in the folder. It follows no link, and executes or obeys nothing in the folder except the
// patterns of .gitignore files.
type scan struct {
	rules     ignore.Rules
	ruleLines map[string][]string // lines of .gitignore files; nil: the rules are fixed
	hidden    []string            // folders that are left out and not listed
	previous  state               // its hashes are reused
	pack      *pack               // stores contents; nil: they are only hashed

	now     time.Time
	entries state
	pending []*Entry // regular files that have to be read
}

// budget is the rest of one ignored folder that may still be part of the snapshot.
type budget struct {
	entries int
	bytes   int64
}

// run scans dir.
func (s *scan) run(ctx context.Context, dir string) error {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return fmt.Errorf("the goal's folder: %w", text.StripPathError(err))
	}
	defer func() { _ = root.Close() }()
	s.now, s.entries, s.pending = time.Now(), state{}, nil
	if err := s.folder(ctx, root, "", 0, nil); err != nil {
		return err
	}
	return s.readFiles(ctx, root)
}

// folder scans one folder. ignored is the budget of the ignored folder that it is in, nil elsewhere.
func (s *scan) folder(ctx context.Context, root *os.Root, path string, depth int, ignored *budget) error {
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("reading the goal's folder: %w", context.Cause(ctx))
	}
	names, err := listNames(root)
	if err != nil {
		if path == "" {
			return fmt.Errorf("the goal's folder: %w", err)
		}
		s.leaveOut(path, fs.ModeDir, leftOutUnreadable)
		return nil
	}
	if s.ruleLines != nil && ignored == nil && slices.Contains(names, ".gitignore") {
		s.learnRules(root, path)
	}
	for _, name := range names {
		at := name
		if path != "" {
			at = path + "/" + name
		}
		info, err := root.Lstat(name)
		if err != nil {
			continue // gone
		}
		if len(s.entries) >= maxEntries {
			return errTooMany
		}
		if err := s.entry(ctx, root, name, at, info, depth, ignored); err != nil {
			return err
		}
		if ignored != nil && (ignored.entries < 0 || ignored.bytes < 0) {
			return nil
		}
	}
	return nil
}

// entry scans one entry of a folder.
func (s *scan) entry(
	ctx context.Context, root *os.Root, name, path string, info fs.FileInfo, depth int, ignored *budget,
) error {
	switch {
	case strings.EqualFold(name, ".git"): // some file systems ignore case
		s.leaveOut(path, info.Mode(), leftOutGit)
		return nil
	case slices.Contains(s.hidden, path):
		return nil
	}
	isIgnored := ignored != nil || s.rules.Ignored(path, info.IsDir())
	if ignored != nil {
		ignored.entries--
	}
	e := &Entry{Path: Name(path), Mode: info.Mode(), Ignored: isIgnored, scanStamp: stampOf(info), info: info}
	switch {
	case info.IsDir():
		return s.subfolder(ctx, root, name, e, depth, ignored)
	case info.Mode()&fs.ModeSymlink != 0:
		target, err := root.Readlink(name)
		if err != nil {
			return nil //nolint:nilerr // gone
		}
		e.Target = Name(target)
	case !info.Mode().IsRegular():
		e.LeftOut = leftOutSpecial
	default:
		e.Size = info.Size()
		if fileio.Links(info) > 1 {
			e.Linked = e.scanStamp.Inode
		}
		s.file(e, ignored)
	}
	s.entries[path] = e
	return nil
}

// file decides whether a regular file is part of the snapshot, and whether it has to be read.
func (s *scan) file(e *Entry, ignored *budget) {
	if ignored != nil {
		ignored.bytes -= e.Size
	}
	switch {
	case e.Ignored && e.Size > maxIgnoredBytes:
		e.LeftOut = leftOutIgnoredLarge
		return
	case e.Size > maxFileBytes:
		e.LeftOut = leftOutLarge
		return
	}
	old := s.previous[string(e.Path)]
	if old.isFile() && old.SHA256 != "" && old.Size == e.Size && old.Stamp == e.scanStamp &&
		(s.pack == nil || old.Kept || !s.pack.hasSpace(e.Size)) {
		e.SHA256, e.Stamp, e.Kept = old.SHA256, old.Stamp, old.Kept
		return
	}
	s.pending = append(s.pending, e)
}

// subfolder scans a folder in a folder, unless it is left out.
func (s *scan) subfolder(
	ctx context.Context, root *os.Root, name string, e *Entry, depth int, ignored *budget,
) error {
	path := string(e.Path)
	switch {
	case ignore.IsGenerated(name):
		s.leaveOut(path, e.Mode, leftOutGenerated)
		return nil
	case depth >= maxDepth:
		s.leaveOut(path, e.Mode, leftOutDeep)
		return nil
	}
	s.entries[path] = e
	inner, err := root.OpenRoot(name)
	if err != nil {
		s.leaveOut(path, e.Mode, leftOutUnreadable)
		return nil //nolint:nilerr // it is left out
	}
	defer func() { _ = inner.Close() }()
	if openInfo, err := inner.Stat("."); err != nil || !sameFile(openInfo, e.info) {
		s.leaveOut(path, e.Mode, leftOutUnreadable) // it was replaced while it was opened
		return nil                                  //nolint:nilerr // it is left out
	}
	if !e.Ignored || ignored != nil {
		return s.folder(ctx, inner, path, depth+1, ignored)
	}
	b, before := &budget{maxIgnoredEntries, maxIgnoredBytes}, len(s.pending)
	if err := s.folder(ctx, inner, path, depth+1, b); err != nil {
		return err
	}
	if b.entries < 0 || b.bytes < 0 {
		s.pending = s.pending[:before]
		for at := range s.entries {
			if strings.HasPrefix(at, path+"/") {
				delete(s.entries, at)
			}
		}
		s.leaveOut(path, e.Mode, leftOutIgnoredFolder)
		s.entries[path].Ignored = true
	}
	return nil
}

func (s *scan) leaveOut(path string, mode fs.FileMode, why string) {
	s.entries[path] = &Entry{Path: Name(path), Mode: mode, LeftOut: why}
}

func (s *scan) learnRules(root *os.Root, path string) {
	f, _, err := fileio.Open(root, ".gitignore")
	if err != nil {
		return
	}
	defer func() { _ = f.Close() }()
	b, err := io.ReadAll(io.LimitReader(f, maxRulesBytes))
	if err != nil {
		return
	}
	s.ruleLines[path] = ignore.Lines(b)
	s.rules[path] = ignore.ParseRules(s.ruleLines[path])
}

// listNames lists a folder in order.
func listNames(root *os.Root) ([]string, error) {
	f, err := root.Open(".")
	if err != nil {
		return nil, text.StripPathError(err)
	}
	names, err := f.Readdirnames(maxEntries + 1)
	if errors.Is(err, io.EOF) {
		err = nil
	}
	if err := errors.Join(text.StripPathError(err), text.StripPathError(f.Close())); err != nil {
		return nil, err
	}
	slices.Sort(names)
	return names, nil
}

// readFiles reads the pending files, several at a time.
func (s *scan) readFiles(ctx context.Context, root *os.Root) error {
	var (
		work    = make(chan *Entry)
		wait    sync.WaitGroup
		mu      sync.Mutex
		scanErr error
	)
	for range min(4, runtime.GOMAXPROCS(0)) {
		wait.Go(func() {
			for e := range work {
				if err := s.readFile(root, e); err != nil {
					mu.Lock()
					scanErr = errors.Join(scanErr, err)
					mu.Unlock()
				}
			}
		})
	}
	for _, e := range s.pending {
		mu.Lock()
		stop := scanErr != nil || ctx.Err() != nil
		mu.Unlock()
		if stop {
			break
		}
		work <- e
	}
	close(work)
	wait.Wait()
	if scanErr == nil && ctx.Err() != nil {
		return fmt.Errorf("reading the goal's folder: %w", context.Cause(ctx))
	}
	for _, e := range s.pending {
		if e.info == nil { // gone
			delete(s.entries, string(e.Path))
		}
	}
	return scanErr
}

// readFile hashes one file, and stores its content. A file that cannot be read is left out. An error
// comes from the pack.
func (s *scan) readFile(root *os.Root, e *Entry) error {
	f, err := root.OpenFile(string(e.Path), os.O_RDONLY|syscall.O_NONBLOCK, 0)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		e.info = nil
		return nil
	case err != nil:
		e.LeftOut = leftOutUnreadable
		return nil
	}
	defer func() { _ = f.Close() }()
	if openInfo, err := f.Stat(); err != nil || !sameFile(openInfo, e.info) {
		e.LeftOut = leftOutUnreadable // it was replaced, perhaps by a link
		return nil                    //nolint:nilerr // it is left out
	}
	from := io.LimitReader(f, maxFileBytes+1)
	if err := s.readContent(from, e); err != nil {
		return err
	}
	if e.Size > maxFileBytes {
		e.LeftOut, e.SHA256, e.Kept = leftOutLarge, "", false
		return nil
	}
	if after, err := f.Stat(); err == nil && stampOf(after) == e.scanStamp && e.scanStamp.isSettled(s.now) {
		e.Stamp = e.scanStamp
	}
	return nil
}

func (s *scan) readContent(from io.Reader, e *Entry) (err error) {
	if e.Size <= largeBytes {
		var b bytes.Buffer
		b.Grow(int(e.Size) + bytes.MinRead)
		if _, err := io.Copy(&b, io.LimitReader(from, 2*largeBytes)); err != nil {
			e.LeftOut = leftOutUnreadable
			return nil //nolint:nilerr // it is left out
		}
		if b.Len() == 2*largeBytes {
			e.LeftOut = leftOutGrows
			return nil
		}
		e.SHA256, e.Size = fileio.Hash(b.Bytes()), int64(b.Len())
		if s.pack != nil {
			e.Kept, err = s.pack.add(e.SHA256, b.Bytes())
		}
		return err
	}
	if s.pack != nil {
		e.SHA256, e.Size, e.Kept, err = s.pack.addLarge(from)
		return err
	}
	hash := sha256.New()
	if e.Size, err = io.Copy(hash, from); err != nil {
		e.LeftOut = leftOutUnreadable
		return nil //nolint:nilerr // it is left out
	}
	e.SHA256 = hex.EncodeToString(hash.Sum(nil))
	return nil
}
