package mounts

import (
	"bytes"
	"crypto/sha1" //nolint:gosec // git names contents by it
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"golang.org/x/sys/unix"

	"goalpost/backend/host/sandbox/spec"
)

// indexEntry is a file of git's index.
type indexEntry struct {
	changed unix.Timespec // as stat showed it
	size    uint32
	mode    uint32
	object  [sha1.Size]byte
	name    string // below the top of the work tree
}

// errIndex means that a file is not an index of a version that git writes with SHA-1.
var errIndex = errors.New("git's index cannot be read")

// Limits of an index, and of the contents that settleIndex compares.
const (
	maxIndexFiles   = 20_000
	maxIndexBytes   = 64 << 20
	maxSettledBytes = 256 << 20
)

// ErrTooManyFiles means that a repository has more files than an outline can have.
var ErrTooManyFiles = fmt.Errorf("git's index has more than %d files", maxIndexFiles)

// readIndex reads the index of a work tree and settles it.
func readIndex(r *spec.Repository) (list []indexEntry, err error) {
	f, err := os.OpenFile(filepath.Join(r.OwnDir, "index"), os.O_RDONLY|unix.O_NOFOLLOW|unix.O_NONBLOCK, 0)
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil // nothing was ever added
	}
	if err != nil {
		return nil, err //nolint:wrapcheck // it says open and the path
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	info, err := f.Stat()
	switch {
	case err != nil:
		return nil, err //nolint:wrapcheck // it says stat and the path
	case !info.Mode().IsRegular():
		return nil, errIndex
	case info.Size() > maxIndexBytes:
		return nil, ErrTooManyFiles
	}
	content, err := io.ReadAll(io.LimitReader(f, maxIndexBytes))
	if err != nil {
		return nil, err //nolint:wrapcheck // it says read and the path
	}
	err = eachIndexEntry(content, func(e indexEntry) error {
		if len(list) == maxIndexFiles {
			return ErrTooManyFiles
		}
		list = append(list, e)
		return nil
	})
	if err == nil {
		settleIndex(r.Top, f, info.ModTime().Unix(), list)
	}
	return list, err
}

// settleIndex makes an index newer than all files that it lists, as git status does. Git compares the content of a file
// that is as new as the index, because it may have changed within the same second; an outline has none. Nothing happens
// if such a file may have another content than the index names.
func settleIndex(top string, index *os.File, written int64, entries []indexEntry) {
	newest, left := int64(-1), int64(maxSettledBytes)
	for _, e := range entries {
		info, err := os.Lstat(filepath.Join(top, e.name))
		if e.changed.Sec < written || err != nil || !info.Mode().IsRegular() || info.Size() != int64(e.size) ||
			info.ModTime().Unix() != e.changed.Sec {
			continue // git does not have to compare it
		}
		content, err := readPlain(filepath.Join(top, e.name))
		if left -= int64(e.size); left < 0 || err != nil || hashOf(content) != e.object {
			return
		}
		newest = max(newest, e.changed.Sec)
	}
	if newest < 0 || newest >= time.Now().Unix()+1 {
		return // up to date, or the clock was set back
	}
	// From the next second on, a change of a file changes its time.
	time.Sleep(time.Until(time.Unix(newest+1, 0)))
	at := unix.Timeval{Sec: newest + 1}
	_ = unix.Futimes(int(index.Fd()), []unix.Timeval{at, at}) // otherwise git lists more files than it should
}

// eachIndexEntry calls a function for each entry of an index.
func eachIndexEntry(content []byte, do func(indexEntry) error) error {
	const header, fixed = 12, 62
	if len(content) < header || string(content[:4]) != "DIRC" {
		return errIndex
	}
	version, count := binary.BigEndian.Uint32(content[4:]), binary.BigEndian.Uint32(content[8:])
	if version < 2 || version > 4 {
		return errIndex
	}
	rest, name := content[header:], ""
	for range count {
		if len(rest) < fixed {
			return errIndex
		}
		number := func(at int) uint32 { return binary.BigEndian.Uint32(rest[at:]) }
		e := indexEntry{
			changed: unix.NsecToTimespec(int64(number(8))*1e9 + int64(number(12))),
			mode:    number(24),
			size:    number(36),
			object:  [sha1.Size]byte(rest[40:60]),
		}
		at, size := fixed, 0
		if version >= 3 && rest[60]&extendedFlag != 0 {
			at += 2
		}
		if name, size = indexName(rest[min(at, len(rest)):], name, version); size == 0 {
			return errIndex
		}
		if size += at; version < 4 { // padded with one to eight zeros, of which indexName counted one
			size = (size + 7) &^ 7
		}
		if size > len(rest) {
			return errIndex
		}
		e.name = name
		if err := do(e); err != nil {
			return err
		}
		rest = rest[size:]
	}
	if hasExtension(rest, "link") { // the other entries are in a shared index
		return errIndex
	}
	return nil
}

// hasExtension reports whether an extension is in what follows the entries: names and sizes, and a checksum.
func hasExtension(rest []byte, name string) bool {
	const header = 8
	for len(rest) >= header+sha1.Size {
		if string(rest[:4]) == name {
			return true
		}
		size := int(binary.BigEndian.Uint32(rest[4:]))
		rest = rest[min(header+size, len(rest)):]
	}
	return false
}

// extendedFlag in the first byte of an entry's flags says that two more bytes of flags follow.
const extendedFlag = 0x40

// indexName returns the name at the begin of text and the number of its bytes with the zero at its end; 0 if it is not
// complete. In version 4, a name begins with a part of the name before.
func indexName(text []byte, before string, version uint32) (name string, size int) {
	kept := ""
	if version == 4 {
		removed := 0
		for more := true; more; size++ {
			if size == len(text) || removed > len(before) {
				return "", 0
			}
			if size > 0 {
				removed++
			}
			removed, more = removed<<7|int(text[size]&0x7f), text[size]&0x80 != 0
		}
		if removed > len(before) {
			return "", 0
		}
		kept = before[:len(before)-removed]
	}
	end := bytes.IndexByte(text[size:], 0)
	if end < 0 {
		return "", 0
	}
	return kept + string(text[size:size+end]), size + end + 1
}
