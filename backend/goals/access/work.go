package access

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"goalpost/backend/domain/policy"
	"goalpost/backend/lib/fault"
)

// validateWork sets the paths in p.Dir that the agent may change. It rounds globs up to folders, because the kernel can
// only grant folders and files that exist.
func validateWork(p *policy.Policy) error {
	refuse := func(message, hint string) error {
		return &fault.Error{Field: "work", Message: message, Hint: hint}
	}
	paths := p.Work
	p.Work = nil
	for _, entry := range paths {
		if entry = strings.TrimSpace(entry); entry == "" {
			continue
		}
		path := filepath.FromSlash(policy.RoundGlob(entry))
		if !filepath.IsAbs(path) {
			path = filepath.Join(p.Dir, path)
		}
		real, err := filepath.EvalSymlinks(path)
		if err != nil {
			return refuse(fmt.Sprintf("%s does not exist in %s", entry, p.Dir),
				"create it first, or name the folder above it: only folders and files that exist can be named")
		}
		rel, err := filepath.Rel(p.Dir, real)
		info, statErr := os.Stat(real)
		switch {
		case err != nil || statErr != nil || !filepath.IsLocal(rel):
			return refuse(entry+" is outside the goal's folder "+p.Dir,
				"name folders and files inside it, or add another folder as an extra writable one")
		case rel == "." && policy.RoundGlob(entry) != entry:
			return refuse(fmt.Sprintf("%s can match in the whole folder, and the sandbox grants folders and existing files, "+
				"not patterns", entry), "name folders or files, or leave it empty for the whole folder")
		case slices.Contains(strings.Split(strings.ToLower(rel), string(filepath.Separator)), ".git"):
			return refuse(entry+" is git's own folder", "leave it out: commit yourself when the goal is done")
		case !info.IsDir() && !info.Mode().IsRegular():
			return refuse(entry+" is neither a folder nor a regular file", "name folders and files")
		}
		if rel = filepath.ToSlash(rel); info.IsDir() {
			rel += "/"
		}
		if rel == "./" { // the whole folder, which needs no list
			p.Work = nil
			return nil
		}
		if !slices.Contains(p.Work, rel) {
			p.Work = append(p.Work, rel)
		}
	}
	slices.Sort(p.Work)
	p.Work = slices.DeleteFunc(p.Work, func(w string) bool { // drops paths inside another one
		return slices.ContainsFunc(p.Work, func(o string) bool {
			return o != w && strings.HasSuffix(o, "/") && strings.HasPrefix(w, o)
		})
	})
	return nil
}

// validateCheckDir resolves the folder that only the checks read. It refuses a goal that could read the folder in
// another way.
func (r *Rules) validateCheckDir(p *policy.Policy) error {
	refuse := func(message, hint string) error {
		return &fault.Error{Field: "check_dir", Message: message, Hint: hint}
	}
	p.CheckDir = strings.TrimSpace(p.CheckDir)
	if path := p.CheckDir; path != "" {
		if !filepath.IsAbs(path) {
			path = filepath.Join(p.Dir, path)
		}
		real, err := filepath.EvalSymlinks(path)
		var info fs.FileInfo
		if err == nil {
			info, err = os.Stat(real)
		}
		switch {
		case err != nil || !info.IsDir():
			return refuse(path+" is not a folder that exists", "name the folder with the files that only the checks may read")
		case policy.IsWithin(real, p.Dir):
			return refuse(real+" contains the goal's folder", "name a folder in it, or beside it")
		case p.Unconfined:
			return refuse("without a sandbox, nothing keeps the agent from reading "+real,
				"run the goal in the sandbox, or let the agent read that folder")
		}
		if err := r.ValidateForeignPath(real); err != nil {
			return withField(err, "check_dir")
		}
		tracked, err := gitTracks(p.Dir, real)
		switch {
		case err != nil:
			return refuse("cannot find out whether git keeps copies of "+real+": "+err.Error(),
				"move it out of the goal's folder")
		case tracked:
			return refuse(real+" is tracked by git in the goal's folder, so the agent could read it with git show",
				"move it out of the goal's folder, such as beside it, and give that path")
		}
		p.CheckDir = real
	}
	hidden := p.Hidden
	if p.CheckDir != "" {
		hidden = append(slices.Clone(hidden), p.CheckDir)
	}
	for _, dir := range hidden {
		for _, path := range slices.Concat(p.AllowRead, p.AllowWrite, p.AllowSocket) {
			if policy.FoldersOverlap(path, dir) {
				return refuse(fmt.Sprintf("the goal would have access to %s, but only the checks may read %s", path, dir),
					"give it a path that does not contain that folder")
			}
		}
		for _, work := range p.WorkPaths() {
			if policy.IsWithin(dir, work) {
				return refuse(fmt.Sprintf("the agent may change %s, but only the checks may read %s", work, dir),
					"leave one of them out")
			}
		}
	}
	return nil
}

// gitTracks reports whether a repository inside dir, the goal's folder, tracks files of a folder below dir: the agent
// can read git's copies of them. A repository above dir does not matter, because it is not in the goal's sandbox.
func gitTracks(dir, folder string) (bool, error) {
	if !policy.IsWithin(dir, folder) {
		return false, nil
	}
	for at := folder; policy.IsWithin(dir, at); at = filepath.Dir(at) {
		index, err := os.ReadFile(filepath.Join(at, ".git", "index"))
		if errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrInvalid) {
			continue
		}
		if err != nil {
			if info, statErr := os.Lstat(filepath.Join(at, ".git")); statErr == nil && !info.IsDir() {
				continue // the repository of a worktree is elsewhere, and the goal does not see it
			}
			return false, fmt.Errorf("reading git's index: %w", err)
		}
		rel, err := filepath.Rel(at, folder)
		if err != nil {
			return false, fmt.Errorf("git's index: %w", err)
		}
		named, err := hasIndexEntry(index, filepath.ToSlash(rel)+"/")
		if named || err != nil || at == folder {
			return named || at == folder, err
		}
	}
	return false, nil
}

// hasIndexEntry reports whether an index of git has an entry whose path begins with a prefix. Up to version 3 an entry
// has its whole path, padded with zero bytes. In version 4 it has only the difference from the path before it.
func hasIndexEntry(index []byte, prefix string) (bool, error) {
	const header, fixed, extended, compressed, alignment = 12, 62, 0x4000, 4, 8
	errForm := errors.New("git's index has an unknown format")
	if len(index) < header || string(index[:4]) != "DIRC" {
		return false, errForm
	}
	version, count := binary.BigEndian.Uint32(index[4:]), binary.BigEndian.Uint32(index[8:])
	rest, path := index[header:], ""
	for range count {
		if len(rest) < fixed+2 {
			return false, errForm
		}
		at := fixed
		if binary.BigEndian.Uint16(rest[fixed-2:])&extended != 0 {
			at += 2
		}
		strip := len(path)
		if version >= compressed {
			n := 0
			strip, n = readOffset(rest[at:])
			at += n
		}
		end := bytes.IndexByte(rest[min(at, len(rest)):], 0)
		if end < 0 || strip > len(path) {
			return false, errForm
		}
		path = path[:len(path)-strip] + string(rest[at:at+end])
		if strings.HasPrefix(path, prefix) {
			return true, nil
		}
		if at += end + 1; version < compressed {
			at = (at + alignment - 1) / alignment * alignment
		}
		rest = rest[min(at, len(rest)):]
	}
	return false, nil
}

// readOffset reads a variable-length number of git's index, and returns how many bytes it has.
func readOffset(b []byte) (value, n int) {
	for n < len(b) {
		c := b[n]
		n++
		value = value<<7 | int(c&0x7f)
		if c&0x80 == 0 {
			return value, n
		}
		value++
	}
	return value, n
}
