package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"

	"golang.org/x/sys/unix"

	"goalpost/backend/sandbox/wire"
)

// spares is a folder of the new root. It stays, because what has no name any more cannot
// be mounted once more; nobody writes there.
const spares = ".spare"

// putAll does the mounts in their order.
func (b *builder) putAll(trees []int) error {
	for i, m := range b.walls.Mounts {
		if err := b.putOne(m, trees[i]); err != nil {
			return err
		}
	}
	return nil
}

func (b *builder) putOne(m wire.Mount, tree int) error {
	target := string(m.Target)
	switch m.Kind {
	case wire.Bind:
		if tree < 0 {
			return nil
		}
		if around := b.around(target); m.Between && around != nil {
			if _, layered := b.upon[string(around.Target)]; layered {
				return os.NewSyscallError("close", unix.Close(tree))
			}
		}
		var info unix.Stat_t
		if err := unix.Fstat(tree, &info); err != nil {
			return os.NewSyscallError("fstat", err)
		}
		b.sockets.add(0, info)
		if err := b.put(tree, m, info.Mode&unix.S_IFMT == unix.S_IFDIR); err != nil {
			if m.Itself { // older kernels mount nothing upon links
				return nil
			}
			return err
		}
		return b.hold(target)
	case wire.Text:
		return b.text(target, m.Text)
	case wire.Hide:
		return b.hide(target, m.Optional)
	case wire.Link:
		return b.link(target, string(m.Source))
	}
	return fmt.Errorf("unknown mount %q", m.Kind)
}

// text puts a file with that content over the target.
func (b *builder) text(target string, content []byte) error {
	source, err := b.spareFile(content)
	if err != nil {
		return err
	}
	return b.cover(source, target, false)
}

func (b *builder) spareFile(content []byte) (string, error) {
	b.spare++
	source := filepath.Join(spares, strconv.Itoa(b.spare))
	if err := os.WriteFile(source, content, 0o444); err != nil {
		return "", fmt.Errorf("writing: %w", err)
	}
	return source, nil
}

// cover binds a file or folder of the spares, read-only.
func (b *builder) cover(source, target string, folder bool) error {
	tree, err := take(filepath.Join(meanwhile, source))
	if err == nil {
		err = narrow(tree, false, false)
	}
	if err == nil {
		err = b.put(tree, wire.Mount{Target: []byte(target)}, folder)
	}
	return err
}

// hide puts an empty file or folder over the target.
func (b *builder) hide(target string, optional bool) error {
	info, err := os.Lstat(target[1:]) // the working folder is the new root
	if optional && errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("hiding: %w", err)
	}
	if info.Mode()&os.ModeSymlink != 0 {
		return nil // it leads to something that is judged itself
	}
	if !info.IsDir() {
		return b.text(target, nil)
	}
	b.spare++
	source := filepath.Join(spares, strconv.Itoa(b.spare))
	if err := os.Mkdir(source, 0o555); err != nil {
		return fmt.Errorf("hiding: %w", err)
	}
	return b.cover(source, target, true)
}

func (b *builder) link(target, source string) error {
	parent, err := b.place(filepath.Dir(target)+"/.", true)
	if err != nil {
		return err
	}
	defer func() { _ = unix.Close(parent) }()
	if err := unix.Symlinkat(source, parent, filepath.Base(target)); err != nil && !errors.Is(err, unix.EEXIST) {
		return fmt.Errorf("%s: %w", target, os.NewSyscallError("symlinkat", err))
	}
	return nil
}

// unreadable is what an ordinary user cannot read below a folder, as mounts that
// hide it: root could read it inside, too.
func unreadable(folder string) []wire.Mount {
	var hidden []wire.Mount
	_ = filepath.WalkDir(folder, func(path string, entry os.DirEntry, err error) error {
		if err != nil {
			return nil //nolint:nilerr // what cannot be looked into is hidden by its mode
		}
		info, err := entry.Info()
		if err != nil || info.Mode()&os.ModeSymlink != 0 {
			return nil //nolint:nilerr // it went away meanwhile
		}
		need := os.FileMode(0o004)
		if entry.IsDir() {
			need = 0o005
		}
		if info.Mode().Perm()&need == need {
			return nil
		}
		hidden = append(hidden, wire.Mount{Kind: wire.Hide, Target: []byte(path), Optional: true})
		if entry.IsDir() {
			return filepath.SkipDir
		}
		return nil
	})
	return hidden
}
