package rootfs

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"

	"golang.org/x/sys/unix"

	"goalpost/backend/sandbox/wire"
	"goalpost/cmd/goalpost-helper/internal/socket"
)

// RuntimeGrants adds mounts to a running sandbox and removes them. Its methods are called by one goroutine at a time.
type RuntimeGrants struct {
	spec     wire.Spec
	sockets  *GrantedSockets
	watch    *MountWatch
	allow    func(tree int) error // allows programs started from now on to write a tree
	attached func([]wire.Mount)   // called once programs can see them
	trees    map[uint64][]int     // by the id of the grant
}

func NewRuntimeGrants(
	w wire.Spec, sockets *GrantedSockets, watch *MountWatch, allow func(tree int) error, attached func([]wire.Mount),
) *RuntimeGrants {
	return &RuntimeGrants{
		spec:     w,
		sockets:  sockets,
		watch:    watch,
		allow:    allow,
		attached: attached,
		trees:    map[uint64][]int{},
	}
}

// Add attaches trees that the goal's init opened, one for each mount of the request. Running programs see them, but
// keep the Landlock rules that they started with: they can write there only if they may write a parent folder.
func (g *RuntimeGrants) Add(r wire.Request, trees []int) *wire.Error {
	if len(trees) != len(r.Mounts) {
		return &wire.Error{
			Code: wire.InvalidRequest,
			Text: fmt.Sprintf("%d trees came for %d mounts", len(trees), len(r.Mounts)),
		}
	}
	root, err := unix.Open("/", unix.O_PATH|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		return socket.SandboxFailure("opening the sandbox", err)
	}
	defer func() { _ = unix.Close(root) }()
	g.watch.mu.Lock()
	defer g.watch.mu.Unlock()
	b := &rootBuilder{spec: g.spec, root: root, watch: g.watch}
	b.spec.Mounts = append(slices.Clip(b.spec.Mounts), r.Mounts...)
	// Mount points are created in the sandbox's root, where no program may write.
	if err := setReadOnly(root, false); err != nil {
		return socket.SandboxFailure("opening the sandbox", err)
	}
	for i, m := range r.Mounts {
		if err := g.attach(b, m, trees[i], r.ID); err != nil {
			return socket.SandboxFailure("putting what was allowed in place",
				errors.Join(err, g.removeLocked(r.ID), setReadOnly(root, true)))
		}
	}
	g.attached(r.Mounts)
	if err := setReadOnly(root, true); err != nil {
		return socket.SandboxFailure("closing the sandbox", err)
	}
	return nil
}

func (g *RuntimeGrants) attach(b *rootBuilder, m wire.Mount, tree int, id uint64) error {
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
		err = g.allow(own)
	}
	if err != nil {
		_ = unix.Close(own)
		return fmt.Errorf("%s: %w", m.Target, err)
	}
	g.trees[id] = append(g.trees[id], own)
	g.sockets.add(id, info)
	return nil
}

// Remove unmounts a grant's trees, wherever a program has moved them.
func (g *RuntimeGrants) Remove(id uint64) error {
	g.watch.mu.Lock()
	defer g.watch.mu.Unlock()
	return g.removeLocked(id)
}

func (g *RuntimeGrants) removeLocked(id uint64) error {
	g.watch.forget(id)
	var errs []error
	for _, tree := range slices.Backward(g.trees[id]) {
		errs = append(errs, unmountTree(tree), unix.Close(tree))
	}
	delete(g.trees, id)
	g.sockets.remove(id)
	return errors.Join(errs...)
}

// unmountTree unmounts an opened tree. A tree that is no longer mounted was detached when a process outside replaced
// its mount point.
func unmountTree(tree int) error {
	err := unix.Unmount("/proc/self/fd/"+strconv.Itoa(tree), unix.MNT_DETACH)
	if errors.Is(err, unix.EINVAL) {
		return nil
	}
	return os.NewSyscallError("umount2", err)
}

// setReadOnly makes a mount (the sandbox's root or a tree) read-only or writable.
func setReadOnly(mount int, on bool) error {
	attr := unix.MountAttr{Attr_clr: unix.MOUNT_ATTR_RDONLY}
	if on {
		attr = unix.MountAttr{Attr_set: unix.MOUNT_ATTR_RDONLY}
	}
	return os.NewSyscallError("mount_setattr", unix.MountSetattr(mount, "", unix.AT_EMPTY_PATH, &attr))
}
