package main

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"strconv"

	"golang.org/x/sys/unix"

	"goalpost/backend/sandbox/wire"
)

// widen opens something for a goal that runs. The keeper takes it, because the
// machine's files are no longer in the rooms, and the agent's init puts it there.
func (k *keeper) widen(r wire.Request) error {
	if r.Listen != "" {
		fd, err := listen(r.Listen)
		if err != nil {
			return send(wire.Socket, wire.Answer{ID: r.ID, Error: walled("listening at "+r.Listen, err)})
		}
		err = send(wire.Socket, wire.Answer{ID: r.ID, Changed: true}, fd)
		return errors.Join(err, unix.Close(fd))
	}
	trees := make([]int, 0, len(r.Mounts))
	defer func() { closeAll(trees) }()
	for _, m := range r.Mounts {
		tree, err := take(string(m.Source))
		if m.Itself {
			tree, err = takeLink(string(m.Source))
		}
		if err == nil {
			trees = append(trees, tree)
			err = narrow(tree, m.Write, false)
		}
		if err != nil {
			return send(wire.Socket, wire.Answer{ID: r.ID, Error: walled("taking what was allowed", err)})
		}
	}
	for _, m := range r.Mounts {
		m.Optional = true // it may go away, and a check goes on
		k.given[r.ID] = append(k.given[r.ID], m)
	}
	k.see()
	return send(k.agent.socket, r, trees...)
}

// forget keeps what is taken back from the checks to come.
func (k *keeper) forget(id uint64) {
	delete(k.given, id)
	k.stood.keep(k.widened().Mounts)
}

// see takes note of what stands where the goal is given something.
func (k *keeper) see() {
	w := k.widened()
	_ = k.stood.mark(&w) // what was moved is said to the next check
}

// widened are the walls with what was given since, in the order in which it was.
func (k *keeper) widened() wire.Spec {
	w := k.walls
	for _, id := range slices.Sorted(maps.Keys(k.given)) {
		w.Mounts = append(slices.Clip(w.Mounts), k.given[id]...)
	}
	return w
}

// widen puts trees that the keeper took into this room. Programs that run see them;
// where they may write nothing above them, Landlock lets them write nothing there: they
// keep the rules that they started with.
func (in *inside) widen(r wire.Request, trees []int) *wire.Error {
	if len(trees) != len(r.Mounts) {
		return &wire.Error{Code: wire.InvalidRequest, Text: fmt.Sprintf("%d trees came for %d mounts", len(trees), len(r.Mounts))}
	}
	root, err := unix.Open("/", unix.O_PATH|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		return walled("opening the room", err)
	}
	defer func() { _ = unix.Close(root) }()
	in.lasting.mu.Lock()
	defer in.lasting.mu.Unlock()
	b := &builder{walls: in.walls, root: root, lasting: in.lasting}
	b.walls.Mounts = append(slices.Clip(b.walls.Mounts), r.Mounts...)
	// Places are made in the room's root, where no program may write.
	if err := lock(root, false); err != nil {
		return walled("opening the room", err)
	}
	for i, m := range r.Mounts {
		if err := in.attach(b, m, trees[i], r.ID); err != nil {
			return walled("putting what was allowed in place", errors.Join(err, in.take(r.ID), lock(root, true)))
		}
	}
	in.mounted.add(r.Mounts, false)
	if err := lock(root, true); err != nil {
		return walled("closing the room", err)
	}
	return nil
}

func (in *inside) attach(b *builder, m wire.Mount, tree int, id uint64) error {
	var info unix.Stat_t
	if err := unix.Fstat(tree, &info); err != nil {
		return os.NewSyscallError("fstat", err)
	}
	own, err := unix.FcntlInt(uintptr(tree), unix.F_DUPFD_CLOEXEC, 0)
	if err != nil {
		return os.NewSyscallError("fcntl", err)
	}
	err = b.lay(tree, m, info.Mode&unix.S_IFMT == unix.S_IFDIR, id)
	if err == nil && m.Write {
		err = grantTree(in.rules, own)
	}
	if err != nil {
		_ = unix.Close(own)
		return fmt.Errorf("%s: %w", m.Target, err)
	}
	in.given[id] = append(in.given[id], own)
	in.sockets.add(id, info)
	return nil
}

// narrow takes away what a widening brought, wherever a program has moved it to.
func (in *inside) narrow(id uint64) error {
	in.lasting.mu.Lock()
	defer in.lasting.mu.Unlock()
	return in.take(id)
}

func (in *inside) take(id uint64) error {
	errs := []error{in.lasting.forget(id)}
	for _, tree := range slices.Backward(in.given[id]) {
		errs = append(errs, detach(tree), unix.Close(tree))
	}
	delete(in.given, id)
	in.sockets.remove(id)
	return errors.Join(errs...)
}

// detach unmounts an opened tree. One that is mounted nowhere is gone already: somebody
// outside replaced what it was mounted upon.
func detach(tree int) error {
	err := unix.Unmount("/proc/self/fd/"+strconv.Itoa(tree), unix.MNT_DETACH)
	if errors.Is(err, unix.EINVAL) {
		return nil
	}
	return os.NewSyscallError("umount2", err)
}

// lock makes the room's root read-only, or not.
func lock(root int, on bool) error {
	attr := unix.MountAttr{Attr_clr: unix.MOUNT_ATTR_RDONLY}
	if on {
		attr = unix.MountAttr{Attr_set: unix.MOUNT_ATTR_RDONLY}
	}
	return os.NewSyscallError("mount_setattr", unix.MountSetattr(root, "", unix.AT_EMPTY_PATH, &attr))
}

// rewall changes the walls of a room that stands.
func (s *set) rewall(r wire.Request, fds []int) error {
	if s.inside == nil {
		return s.answer(wire.Answer{ID: r.ID, Error: &wire.Error{Code: wire.Unsupported, Text: "this helper has no walls"}})
	}
	// The main thread, whose filter programs inherit, mounts nothing any more.
	answer := make(chan *wire.Error)
	go func() {
		if r.Op == wire.Grant {
			answer <- s.inside.widen(r, fds)
		} else if err := s.inside.narrow(r.ID); err != nil {
			answer <- walled("taking back what was allowed", err)
		} else {
			answer <- nil
		}
	}()
	refused := <-answer
	if r.Op == wire.Revoke && r.Signal != 0 {
		// Whatever has it open would keep it: everybody in the room but this process.
		_ = unix.Kill(-1, unix.Signal(r.Signal))
	}
	if refused != nil {
		return s.answer(wire.Answer{ID: r.ID, Error: refused})
	}
	return s.answer(wire.Answer{ID: r.ID, Changed: true})
}
