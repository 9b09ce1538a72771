// Package rootfs builds the file system of a sandbox, detects mounts that a process outside detaches, and changes the
// mounts while the sandbox runs.
package rootfs

import (
	"errors"
	"fmt"
	"os"
	"strconv"

	"golang.org/x/sys/unix"

	"goalpost/backend/host/sandbox/wire"
	"goalpost/cmd/goalpost-helper/internal/socket"
)

// stagingRoot is where the new root is mounted until it replaces the old one. Every machine has this folder, and
// nothing is opened through it afterwards.
const stagingRoot = "/usr"

// Devices are the device files in the sandbox's /dev.
var Devices = []string{"null", "zero", "full", "random", "urandom", "tty"}

// procMasked and procReadOnly are parts of /proc that root can read or write even without capabilities.
var (
	procMasked   = []string{"kcore", "keys", "kmsg", "timer_list", "sched_debug", "sysrq-trigger", "latency_stats"}
	procReadOnly = []string{"sys", "irq", "bus", "fs", "acpi", "scsi"}
)

// Build builds the sandbox's root from the spec and makes it the root; the machine's files are unreachable
// afterwards. It opens every source before it mounts anything: by path, a folder below a covered one would be empty.
func Build(w wire.Spec, check bool, overrides []wire.FileOverride, granted *GrantedSockets, watch *MountWatch) error {
	b := &rootBuilder{spec: w, check: check, sockets: granted, watch: watch}
	trees, err := b.openBinds()
	if err != nil {
		return socket.SandboxFailure("opening what the goal may see", err)
	}
	devs, err := openDevices()
	if err != nil {
		return socket.SandboxFailure("taking devices", err)
	}
	tmps, err := b.openTmp()
	if err != nil {
		return socket.SandboxFailure("taking /tmp", err)
	}
	if err := b.prepareOverrides(overrides); err != nil {
		return socket.SandboxFailure("opening protected files", err)
	}
	for _, step := range []struct {
		name string
		do   func() error
	}{
		{"creating a root", b.makeRoot},
		{"mounting /proc", b.proc},
		{"making /dev", func() error { return b.dev(devs) }},
		{"making /run", b.run},
		{"mounting /tmp", func() error { return b.tmp(tmps) }},
		{"mounting what the goal may see", func() error { return b.attachAll(trees) }},
		{"leaving the machine's root", b.pivot},
	} {
		if err := step.do(); err != nil {
			return socket.SandboxFailure(step.name, err)
		}
	}
	return nil
}

// openBinds opens the source of every bind mount; -1 stands for other mounts and missing sources.
func (rb *rootBuilder) openBinds() ([]int, error) {
	trees := make([]int, len(rb.spec.Mounts))
	for i, m := range rb.spec.Mounts {
		trees[i] = -1
		if m.Kind != wire.MountBind || m.IsLeftOut(rb.check) {
			continue
		}
		tree, err := rb.sourceFor(i, m)
		if m.Optional && (isNotExist(err) || errors.Is(err, unix.EACCES)) {
			continue
		}
		if err == nil {
			err = RestrictTree(tree, m.Writable(rb.check), m.Devices)
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", m.Target, err)
		}
		trees[i] = tree
	}
	return trees, nil
}

func openDevices() ([]int, error) {
	trees := make([]int, len(Devices))
	for i, name := range Devices {
		tree, err := CloneTree("/dev/" + name)
		if err == nil {
			err = RestrictTree(tree, true, true)
		}
		if err != nil {
			return nil, err
		}
		trees[i] = tree
	}
	return trees, nil
}

// openTmp opens the goal's /tmp once for each of its paths.
func (rb *rootBuilder) openTmp() ([]int, error) {
	trees := make([]int, len(wire.TmpNames))
	for i := range trees {
		tree, err := CloneTree(string(rb.spec.Tmp))
		if err == nil {
			err = RestrictTree(tree, rb.check || rb.spec.TmpWrite, false)
		}
		if err != nil {
			return nil, err
		}
		trees[i] = tree
	}
	return trees, nil
}

func (rb *rootBuilder) tmp(trees []int) (err error) {
	for i, name := range wire.TmpNames {
		err = errors.Join(err, rb.attachFinal(trees[i], name, true))
	}
	return err
}

func (rb *rootBuilder) makeRoot() (err error) {
	if rb.root, err = NewFilesystem("tmpfs", unix.MOUNT_ATTR_NOSUID|unix.MOUNT_ATTR_NODEV, "mode=0755",
		"size=4m"); err != nil {
		return err
	}
	if err := unix.MoveMount(rb.root, "", unix.AT_FDCWD, stagingRoot, unix.MOVE_MOUNT_F_EMPTY_PATH); err != nil {
		return os.NewSyscallError("move_mount", err)
	}
	if err := unix.Fchdir(rb.root); err != nil {
		return os.NewSyscallError("fchdir", err)
	}
	return os.Mkdir(emptyFilesDir, 0o700) //nolint:wrapcheck // build wraps it
}

func (rb *rootBuilder) proc() error {
	proc, err := NewFilesystem("proc", unix.MOUNT_ATTR_NOSUID|unix.MOUNT_ATTR_NODEV|unix.MOUNT_ATTR_NOEXEC)
	if err == nil {
		err = rb.attachFinal(proc, "/proc", true)
	}
	if err != nil {
		return err
	}
	for _, name := range procReadOnly {
		tree, err := CloneTree(stagingRoot + "/proc/" + name)
		if errors.Is(err, unix.ENOENT) {
			continue
		}
		if err == nil {
			err = RestrictTree(tree, false, false)
		}
		if err == nil {
			err = rb.attachFinal(tree, "/proc/"+name, true)
		}
		if err != nil {
			return err
		}
	}
	for _, name := range procMasked {
		if err := rb.mask("/proc/"+name, true); err != nil {
			return err
		}
	}
	return nil
}

func (rb *rootBuilder) dev(trees []int) error {
	for i, name := range Devices {
		if err := rb.attachFinal(trees[i], "/dev/"+name, false); err != nil {
			return err
		}
	}
	// The sandbox gets a devpts of its own, because programs could read and write the terminals in the machine's.
	pts, err := NewFilesystem("devpts", unix.MOUNT_ATTR_NOSUID|unix.MOUNT_ATTR_NOEXEC, "newinstance", "ptmxmode=0666",
		"mode=0620", "uid="+strconv.Itoa(rb.spec.UID))
	if err == nil {
		err = rb.attachFinal(pts, "/dev/pts", true)
	}
	if err != nil {
		return err
	}
	shm, err := NewFilesystem("tmpfs", unix.MOUNT_ATTR_NOSUID|unix.MOUNT_ATTR_NODEV, "mode=1777", "size=64m")
	if err == nil {
		err = rb.attachFinal(shm, "/dev/shm", true)
	}
	for name, target := range map[string]string{
		"ptmx":   "pts/ptmx",
		"fd":     "/proc/self/fd",
		"stdin":  "/proc/self/fd/0",
		"stdout": "/proc/self/fd/1",
		"stderr": "/proc/self/fd/2",
	} {
		err = errors.Join(err, os.Symlink(target, "dev/"+name))
	}
	return err
}

// RuntimeDir is where XDG_RUNTIME_DIR points: the only writable part of /run.
func RuntimeDir(w wire.Spec) string { return "/run/user/" + strconv.Itoa(w.UID) }

// run mounts an empty /run: a socket of the machine there would be a way out of the sandbox.
func (rb *rootBuilder) run() error {
	run, err := NewFilesystem("tmpfs", unix.MOUNT_ATTR_NOSUID|unix.MOUNT_ATTR_NODEV, "mode=0755", "size=16m")
	if err == nil {
		err = rb.attachFinal(run, "/run", true)
	}
	if err != nil {
		return err
	}
	dir := RuntimeDir(rb.spec)[1:]
	return errors.Join(os.Mkdir("run/user", 0o755), os.Mkdir(dir, 0o700), rb.chown(dir), //
		os.Mkdir("var", 0o755), os.Symlink("/run", "var/run"))
}

// pivot switches to the new root and detaches the machine's.
func (rb *rootBuilder) pivot() error {
	if err := unix.Fchdir(rb.root); err != nil {
		return os.NewSyscallError("fchdir", err)
	}
	if err := unix.PivotRoot(".", "."); err != nil {
		return os.NewSyscallError("pivot_root", err)
	}
	// Both roots are mounted here now, the old one on top.
	if err := unix.Unmount(".", unix.MNT_DETACH); err != nil {
		return os.NewSyscallError("umount2", err)
	}
	if err := unix.Chdir("/"); err != nil {
		return os.NewSyscallError("chdir", err)
	}
	attr := unix.MountAttr{Attr_set: unix.MOUNT_ATTR_RDONLY}
	if err := unix.MountSetattr(rb.root, "", unix.AT_EMPTY_PATH, &attr); err != nil {
		return os.NewSyscallError("mount_setattr", err)
	}
	return os.NewSyscallError("close", unix.Close(rb.root))
}
