package main

import (
	"errors"
	"fmt"
	"os"
	"strconv"

	"golang.org/x/sys/unix"

	"goalpost/backend/sandbox/wire"
)

// builder makes the files of one room.
type builder struct {
	walls   wire.Spec
	check   bool
	root    int // the new root, attached
	spare   int // names of files in the new root that Text and Hide are bound from
	upon    map[string]upon
	sockets *sockets // are kept as they are put
	lasting *lasting
}

// meanwhile is where the new root stands until the old one goes. Every machine
// has it, and nothing is opened through it any more by then.
const meanwhile = "/usr"

// devices are the files of /dev that are there.
var devices = []string{"null", "zero", "full", "random", "urandom", "tty"}

// hidden and kept are parts of /proc: root may read the ones and write the others
// although it has no capability.
var (
	procHidden = []string{"kcore", "keys", "kmsg", "timer_list", "sched_debug", "sysrq-trigger", "latency_stats"}
	procKept   = []string{"sys", "irq", "bus", "fs", "acpi", "scsi"}
)

// build makes the room's root out of what the walls name and goes there; the
// machine's own files are gone afterwards. Everything is taken before anything is
// covered: by path, a folder below a covered one would be an empty folder.
func build(w wire.Spec, check bool, held []wire.FileOverride, granted *sockets, covered *lasting) error {
	b := &builder{walls: w, check: check, sockets: granted, lasting: covered}
	trees, err := b.takeAll()
	if err != nil {
		return walled("taking what the goal may see", err)
	}
	devs, err := takeDevices()
	if err != nil {
		return walled("taking devices", err)
	}
	tmps, err := b.takeTmp()
	if err != nil {
		return walled("taking /tmp", err)
	}
	if err := b.takeHeld(held); err != nil {
		return walled("taking held files", err)
	}
	for _, step := range []struct {
		name string
		do   func() error
	}{
		{"making a root", b.makeRoot},
		{"mounting /proc", b.proc},
		{"making /dev", func() error { return b.dev(devs) }},
		{"making /run", b.run},
		{"mounting /tmp", func() error { return b.tmp(tmps) }},
		{"mounting what the goal may see", func() error { return b.putAll(trees) }},
		{"leaving the machine's root", b.enter},
	} {
		if err := step.do(); err != nil {
			return walled(step.name, err)
		}
	}
	return nil
}

// takeAll takes every bind; -1 stands for what is no bind or is not there.
func (b *builder) takeAll() ([]int, error) {
	trees := make([]int, len(b.walls.Mounts))
	for i, m := range b.walls.Mounts {
		trees[i] = -1
		if m.Kind != wire.MountBind || b.check && m.AgentOnly {
			continue
		}
		tree, err := b.source(i, m)
		if isAbsent(err) && (m.Optional || m.Gone) || m.Optional && errors.Is(err, unix.EACCES) {
			if b.stands(m) {
				b.lasting.gone = append(b.lasting.gone, string(m.Target))
			}
			continue
		}
		if err == nil {
			err = narrow(tree, writable(m, b.check), m.Devices)
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", m.Target, err)
		}
		trees[i] = tree
	}
	return trees, nil
}

func takeDevices() ([]int, error) {
	trees := make([]int, len(devices))
	for i, name := range devices {
		tree, err := take("/dev/" + name)
		if err == nil {
			err = narrow(tree, true, true)
		}
		if err != nil {
			return nil, err
		}
		trees[i] = tree
	}
	return trees, nil
}

// takeTmp takes the goal's /tmp once for each of its names.
func (b *builder) takeTmp() ([]int, error) {
	trees := make([]int, len(wire.TmpNames))
	for i := range trees {
		tree, err := take(string(b.walls.Tmp))
		if err == nil {
			err = narrow(tree, b.check || b.walls.TmpWrite, false)
		}
		if err != nil {
			return nil, err
		}
		trees[i] = tree
	}
	return trees, nil
}

func (b *builder) tmp(trees []int) (err error) {
	for i, name := range wire.TmpNames {
		err = errors.Join(err, b.once(trees[i], name, true))
	}
	return err
}

func (b *builder) makeRoot() (err error) {
	if b.root, err = fresh("tmpfs", unix.MOUNT_ATTR_NOSUID|unix.MOUNT_ATTR_NODEV, "mode=0755", "size=4m"); err != nil {
		return err
	}
	if err := unix.MoveMount(b.root, "", unix.AT_FDCWD, meanwhile, unix.MOVE_MOUNT_F_EMPTY_PATH); err != nil {
		return os.NewSyscallError("move_mount", err)
	}
	if err := unix.Fchdir(b.root); err != nil {
		return os.NewSyscallError("fchdir", err)
	}
	return os.Mkdir(spares, 0o700) //nolint:wrapcheck // build says what for
}

// put attaches a tree for a mount of the walls.
func (b *builder) put(tree int, m wire.Mount, folder bool) error {
	defer func() { _ = unix.Close(tree) }()
	if err := b.lay(tree, m, folder, 0); err != nil {
		return fmt.Errorf("%s: %w", m.Target, err)
	}
	return nil
}

// replacedMost bounds how often what is in a mount's place may be replaced just as it is
// mounted: somebody outside may do so at any moment.
const replacedMost = 1000

// lay attaches a tree for a mount, and leaves its descriptor to the caller.
func (b *builder) lay(tree int, m wire.Mount, folder bool, id uint64) error {
	for tries := 1; ; tries++ {
		at, err := b.place(string(m.Target), folder)
		if err == nil {
			err = b.last(tree, at, m, id)
			_ = unix.Close(at)
		}
		if !errors.Is(err, unix.ENOENT) || tries == replacedMost {
			return err
		}
	}
}

// once attaches a tree at a target where nobody outside takes it away.
func (b *builder) once(tree int, target string, folder bool) error {
	defer func() { _ = unix.Close(tree) }()
	return b.set(tree, target, folder)
}

// set attaches a tree, and leaves its descriptor to the caller.
func (b *builder) set(tree int, target string, folder bool) error {
	at, err := b.place(target, folder)
	if err != nil {
		return err
	}
	defer func() { _ = unix.Close(at) }()
	if err := attach(tree, at); err != nil {
		return fmt.Errorf("%s: %w", target, err)
	}
	return nil
}

func (b *builder) proc() error {
	proc, err := fresh("proc", unix.MOUNT_ATTR_NOSUID|unix.MOUNT_ATTR_NODEV|unix.MOUNT_ATTR_NOEXEC)
	if err == nil {
		err = b.once(proc, "/proc", true)
	}
	if err != nil {
		return err
	}
	for _, name := range procKept {
		tree, err := take(meanwhile + "/proc/" + name)
		if errors.Is(err, unix.ENOENT) {
			continue
		}
		if err == nil {
			err = narrow(tree, false, false)
		}
		if err == nil {
			err = b.once(tree, "/proc/"+name, true)
		}
		if err != nil {
			return err
		}
	}
	for _, name := range procHidden {
		if err := b.hide("/proc/"+name, true); err != nil {
			return err
		}
	}
	return nil
}

func (b *builder) dev(trees []int) error {
	for i, name := range devices {
		if err := b.once(trees[i], "/dev/"+name, false); err != nil {
			return err
		}
	}
	// Its own terminals: those of the machine could be read and written.
	pts, err := fresh("devpts", unix.MOUNT_ATTR_NOSUID|unix.MOUNT_ATTR_NOEXEC, "newinstance", "ptmxmode=0666", "mode=0620", "uid="+strconv.Itoa(b.walls.UID))
	if err == nil {
		err = b.once(pts, "/dev/pts", true)
	}
	if err != nil {
		return err
	}
	shm, err := fresh("tmpfs", unix.MOUNT_ATTR_NOSUID|unix.MOUNT_ATTR_NODEV, "mode=1777", "size=64m")
	if err == nil {
		err = b.once(shm, "/dev/shm", true)
	}
	for name, target := range map[string]string{
		"ptmx": "pts/ptmx", "fd": "/proc/self/fd", "stdin": "/proc/self/fd/0", "stdout": "/proc/self/fd/1", "stderr": "/proc/self/fd/2",
	} {
		err = errors.Join(err, os.Symlink(target, "dev/"+name))
	}
	return err
}

// runtimeDir is where XDG_RUNTIME_DIR points: the only writable part of /run.
func runtimeDir(w wire.Spec) string { return "/run/user/" + strconv.Itoa(w.UID) }

// run makes an empty /run: a socket of the machine there would be a way out.
func (b *builder) run() error {
	run, err := fresh("tmpfs", unix.MOUNT_ATTR_NOSUID|unix.MOUNT_ATTR_NODEV, "mode=0755", "size=16m")
	if err == nil {
		err = b.once(run, "/run", true)
	}
	if err != nil {
		return err
	}
	own := runtimeDir(b.walls)[1:]
	return errors.Join(os.Mkdir("run/user", 0o755), os.Mkdir(own, 0o700), b.give(own), //
		os.Mkdir("var", 0o755), os.Symlink("/run", "var/run"))
}

// give makes the path belong to whom the programs run as; only root must.
func (b *builder) give(path string) error {
	if os.Getuid() != 0 {
		return nil
	}
	return os.Chown(path, b.walls.UID, b.walls.GID) //nolint:wrapcheck // build says what for
}

// enter makes the new root the root and lets go of the machine's.
func (b *builder) enter() error {
	if err := unix.Fchdir(b.root); err != nil {
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
	if err := unix.MountSetattr(b.root, "", unix.AT_EMPTY_PATH, &attr); err != nil {
		return os.NewSyscallError("mount_setattr", err)
	}
	return os.NewSyscallError("close", unix.Close(b.root))
}
