package rootfs

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"

	"goalpost/backend/host/sandbox/wire"
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
func (rg *RuntimeGrants) Add(r wire.Request, trees []int) *wire.Error {
	if len(trees) != len(r.Mounts) {
		return &wire.Error{
			Code: wire.InvalidRequest,
			Text: fmt.Sprintf("received %d trees for %d mounts", len(trees), len(r.Mounts)),
		}
	}
	root, err := unix.Open("/", unix.O_PATH|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		return socket.SandboxFailure("opening the sandbox", err)
	}
	defer func() { _ = unix.Close(root) }()
	rg.watch.mu.Lock()
	defer rg.watch.mu.Unlock()
	b := &rootBuilder{spec: rg.spec, root: root, watch: rg.watch}
	b.spec.Mounts = append(slices.Clip(b.spec.Mounts), r.Mounts...)
	// Mount points are created in the sandbox's root, where no program may write.
	if err := setReadOnly(root, false); err != nil {
		return socket.SandboxFailure("opening the sandbox", err)
	}
	for i, m := range r.Mounts {
		if err := rg.attach(b, m, trees[i], r.ID); err != nil {
			return socket.SandboxFailure("mounting what was granted",
				errors.Join(err, rg.removeLocked(r.ID), setReadOnly(root, true)))
		}
	}
	rg.attached(r.Mounts)
	if err := setReadOnly(root, true); err != nil {
		return socket.SandboxFailure("closing the sandbox", err)
	}
	return nil
}

func (rg *RuntimeGrants) attach(b *rootBuilder, m wire.Mount, tree int, id uint64) error {
	var info unix.Stat_t
	if err := unix.Fstat(tree, &info); err != nil {
		return os.NewSyscallError("fstat", err)
	}
	duplicate, err := unix.FcntlInt(uintptr(tree), unix.F_DUPFD_CLOEXEC, 0)
	if err != nil {
		return os.NewSyscallError("fcntl", err)
	}
	err = b.attachTree(tree, m, info.Mode&unix.S_IFMT == unix.S_IFDIR, id)
	if err == nil && m.Write {
		err = rg.allow(duplicate)
	}
	if err != nil {
		_ = unix.Close(duplicate)
		return fmt.Errorf("%s: %w", m.Target, err)
	}
	rg.trees[id] = append(rg.trees[id], duplicate)
	rg.sockets.add(id, info)
	return nil
}

// Remove unmounts a grant's trees, wherever a program has moved them.
func (rg *RuntimeGrants) Remove(id uint64) error {
	rg.watch.mu.Lock()
	defer rg.watch.mu.Unlock()
	return rg.removeLocked(id)
}

func (rg *RuntimeGrants) removeLocked(id uint64) error {
	rg.watch.forget(id)
	var errs []error
	for _, tree := range slices.Backward(rg.trees[id]) {
		errs = append(errs, unmountTree(tree), unix.Close(tree))
	}
	delete(rg.trees, id)
	rg.sockets.remove(id)
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

// SealFolder makes a folder and all that is mounted below it read-only for every program that sees these mounts, and
// returns the mounts that were writable. If a program has a file there open for writing, it changes nothing and returns
// EBUSY.
func SealFolder(dir string) (sealed []string, err error) {
	table, err := os.ReadFile("/proc/self/mountinfo")
	if err != nil {
		return nil, fmt.Errorf("reading the mounts: %w", err)
	}
	for line := range strings.Lines(string(table)) {
		// ID parent device root target options …
		fields := strings.Fields(line)
		if len(fields) < 6 {
			continue
		}
		target := mountEscapes.Replace(fields[4])
		if target != dir && !isWithin(target, dir) || !slices.Contains(strings.Split(fields[5], ","), "rw") {
			continue
		}
		if err := setReadOnlyAt(target, true); err != nil {
			return nil, errors.Join(err, UnsealFolder(sealed))
		}
		sealed = append(sealed, target)
	}
	return sealed, nil
}

// UnsealFolder undoes SealFolder.
func UnsealFolder(sealed []string) error {
	var errs []error
	for _, target := range sealed {
		errs = append(errs, setReadOnlyAt(target, false))
	}
	return errors.Join(errs...)
}

// mountEscapes undoes the escapes of /proc/self/mountinfo.
var mountEscapes = strings.NewReplacer(`\040`, " ", `\011`, "\t", `\012`, "\n", `\134`, `\`)

func setReadOnlyAt(target string, on bool) error {
	mount, err := unix.Open(target, unix.O_PATH|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0)
	if err != nil {
		return os.NewSyscallError("open", err)
	}
	defer func() { _ = unix.Close(mount) }()
	return setReadOnly(mount, on)
}
