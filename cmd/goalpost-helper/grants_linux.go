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

// grant opens something for a goal that runs. The keeper takes it, because the
// machine's files are no longer in the rooms, and the agent's init puts it there.
func (k *goalInit) grant(r wire.Request) error {
	if r.Listen != "" {
		fd, err := listen(r.Listen)
		if err != nil {
			return send(wire.Socket, wire.Answer{ID: r.ID, Error: sandboxFailure("listening at "+r.Listen, err)})
		}
		err = send(wire.Socket, wire.Answer{ID: r.ID, Changed: true}, fd)
		return errors.Join(err, unix.Close(fd))
	}
	trees := make([]int, 0, len(r.Mounts))
	defer func() { closeAll(trees) }()
	for _, m := range r.Mounts {
		tree, err := cloneTree(string(m.Source))
		if m.Itself {
			tree, err = cloneLink(string(m.Source))
		}
		if err == nil {
			trees = append(trees, tree)
			err = restrictTree(tree, m.Write, false)
		}
		if err != nil {
			return send(wire.Socket, wire.Answer{ID: r.ID, Error: sandboxFailure("taking what was allowed", err)})
		}
	}
	for _, m := range r.Mounts {
		m.Optional = true // it may go away, and a check continues
		k.given[r.ID] = append(k.given[r.ID], m)
	}
	k.rememberPlace()
	return send(k.agent.socket, r, trees...)
}

// revokeForChecks keeps what is taken back from the checks to come.
func (k *goalInit) revokeForChecks(id uint64) {
	delete(k.given, id)
	k.stood.retain(k.grantedMounts().Mounts)
}

// rememberPlace takes note of what stands where the goal is given something.
func (k *goalInit) rememberPlace() {
	w := k.grantedMounts()
	_ = k.stood.markMissing(&w) // what was moved is said to the next check
}

// grantedMounts are the walls with what was given since, in the order in which it was.
func (k *goalInit) grantedMounts() wire.Spec {
	w := k.spec
	for _, id := range slices.Sorted(maps.Keys(k.given)) {
		w.Mounts = append(slices.Clip(w.Mounts), k.given[id]...)
	}
	return w
}

// grant puts trees that the keeper took into this room. Programs that run see them;
// where they may write nothing above them, Landlock lets them write nothing there: they
// keep the rules that they started with.
func (in *launchContext) grant(r wire.Request, trees []int) *wire.Error {
	if len(trees) != len(r.Mounts) {
		return &wire.Error{Code: wire.InvalidRequest, Text: fmt.Sprintf("%d trees came for %d mounts", len(trees), len(r.Mounts))}
	}
	root, err := unix.Open("/", unix.O_PATH|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		return sandboxFailure("opening the room", err)
	}
	defer func() { _ = unix.Close(root) }()
	in.lasting.mu.Lock()
	defer in.lasting.mu.Unlock()
	b := &rootBuilder{spec: in.spec, root: root, lasting: in.lasting}
	b.spec.Mounts = append(slices.Clip(b.spec.Mounts), r.Mounts...)
	// Places are made in the room's root, where no program may write.
	if err := setRootReadOnly(root, false); err != nil {
		return sandboxFailure("opening the room", err)
	}
	for i, m := range r.Mounts {
		if err := in.attach(b, m, trees[i], r.ID); err != nil {
			return sandboxFailure("putting what was allowed in place", errors.Join(err, in.takeGrant(r.ID), setRootReadOnly(root, true)))
		}
	}
	in.mounted.add(r.Mounts, false)
	if err := setRootReadOnly(root, true); err != nil {
		return sandboxFailure("closing the room", err)
	}
	return nil
}

func (in *launchContext) attach(b *rootBuilder, m wire.Mount, tree int, id uint64) error {
	var info unix.Stat_t
	if err := unix.Fstat(tree, &info); err != nil {
		return os.NewSyscallError("fstat", err)
	}
	own, err := unix.FcntlInt(uintptr(tree), unix.F_DUPFD_CLOEXEC, 0)
	if err != nil {
		return os.NewSyscallError("fcntl", err)
	}
	err = b.attachTree(tree, m, info.Mode&unix.S_IFMT == unix.S_IFDIR, id)
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

// revoke takes away what a widening brought, wherever a program has moved it to.
func (in *launchContext) revoke(id uint64) error {
	in.lasting.mu.Lock()
	defer in.lasting.mu.Unlock()
	return in.takeGrant(id)
}

func (in *launchContext) takeGrant(id uint64) error {
	errs := []error{in.lasting.remove(id)}
	for _, tree := range slices.Backward(in.given[id]) {
		errs = append(errs, unmountTree(tree), unix.Close(tree))
	}
	delete(in.given, id)
	in.sockets.remove(id)
	return errors.Join(errs...)
}

// unmountTree unmounts an opened tree. One that is mounted nowhere is gone already: somebody
// outside replaced what it was mounted upon.
func unmountTree(tree int) error {
	err := unix.Unmount("/proc/self/fd/"+strconv.Itoa(tree), unix.MNT_DETACH)
	if errors.Is(err, unix.EINVAL) {
		return nil
	}
	return os.NewSyscallError("umount2", err)
}

// setRootReadOnly makes the room's root read-only, or not.
func setRootReadOnly(root int, on bool) error {
	attr := unix.MountAttr{Attr_clr: unix.MOUNT_ATTR_RDONLY}
	if on {
		attr = unix.MountAttr{Attr_set: unix.MOUNT_ATTR_RDONLY}
	}
	return os.NewSyscallError("mount_setattr", unix.MountSetattr(root, "", unix.AT_EMPTY_PATH, &attr))
}

// changeMounts changes the walls of a room that stands.
func (s *supervisor) changeMounts(r wire.Request, fds []int) error {
	if s.inside == nil {
		return s.answer(wire.Answer{ID: r.ID, Error: &wire.Error{Code: wire.Unsupported, Text: "this helper has no walls"}})
	}
	// The main thread, whose filter programs inherit, mounts nothing any more.
	answer := make(chan *wire.Error)
	go func() {
		if r.Op == wire.Grant {
			answer <- s.inside.grant(r, fds)
		} else if err := s.inside.revoke(r.ID); err != nil {
			answer <- sandboxFailure("taking back what was allowed", err)
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
