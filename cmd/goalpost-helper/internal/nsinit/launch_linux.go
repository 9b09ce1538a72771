package nsinit

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"syscall"

	"golang.org/x/sys/unix"

	"goalpost/backend/host/sandbox/wire"
	"goalpost/cmd/goalpost-helper/internal/rootfs"
)

// launchContext is what an init passes to each of its programs.
type launchContext struct {
	spec   wire.Spec
	rules  int // Landlock's ruleset
	pidEnd int // of the filter of a traced program
	grants *rootfs.RuntimeGrants
	trace  *checkTrace // nil without one
	sealed []string    // mounts that Seal made read-only
}

func (l *launchContext) Grant(r wire.Request, trees []int) *wire.Error {
	return l.grants.Add(r, trees)
}

func (l *launchContext) Revoke(id uint64) error { return l.grants.Remove(id) }

func (l *launchContext) Seal(dir string) (err error) {
	if len(l.sealed) == 0 {
		l.sealed, err = rootfs.SealFolder(dir)
	}
	return err
}

func (l *launchContext) Unseal() error {
	err := rootfs.UnsealFolder(l.sealed)
	l.sealed = nil
	return err
}

// execPlan describes to the last stage what to execute. Everything except limits and user comes from the request.
type execPlan struct {
	Path     []byte
	Argv     [][]byte
	Env      [][]byte
	Dir      []byte
	UID, GID int
	Limits   wire.Limits
	Traced   bool // one more descriptor follows: the socket for the listener
	PidEnd   int
}

// Start runs the last stage. In addition to the program's descriptors it gets three: the plan, the Landlock ruleset,
// and a pipe that reports why it could not execute the program; on success the pipe closes.
func (l *launchContext) Start(path string, r wire.Request, files []uintptr) (int, *wire.Error) {
	p := execPlan{
		Path:   []byte(path),
		Argv:   r.Argv,
		Env:    r.Env,
		Dir:    r.Dir,
		UID:    l.spec.UID,
		GID:    l.spec.GID,
		Limits: l.spec.Limits,
		Traced: l.trace.isObserved(),
		PidEnd: l.pidEnd,
	}
	fail := func(err error) (int, *wire.Error) {
		return 0, &wire.Error{Code: wire.Failed, Text: fmt.Sprintf("starting %s: %v", p.Path, err)}
	}
	plan, err := sealedPlan(p)
	if err != nil {
		return fail(err)
	}
	defer func() { _ = plan.Close() }()
	read, write, err := os.Pipe()
	if err != nil {
		return fail(err)
	}
	defer func() { _ = read.Close() }()
	first := len(files)
	files = append(files, plan.Fd(), uintptr(l.rules), write.Fd())
	var pair [2]int
	if l.trace.isObserved() {
		if pair, err = unix.Socketpair(unix.AF_UNIX, unix.SOCK_SEQPACKET|unix.SOCK_CLOEXEC, 0); err != nil {
			return fail(os.NewSyscallError("socketpair", err))
		}
		defer func() { _ = unix.Close(pair[0]) }()
		files = append(files, uintptr(pair[1]))
	}
	pid, err := syscall.ForkExec("/proc/self/exe", []string{os.Args[0], ProgramRole, strconv.Itoa(first)},
		&syscall.ProcAttr{
			Files: files,
			Sys:   &syscall.SysProcAttr{Setsid: true, Setctty: r.TTY, Ctty: 0},
		})
	if l.trace.isObserved() {
		_ = unix.Close(pair[1])
	}
	if err := errors.Join(err, write.Close()); err != nil {
		return fail(err)
	}
	if l.trace.isObserved() {
		if err := l.trace.receive(pair[0], pid); err != nil {
			return fail(errors.Join(err, unix.Kill(pid, unix.SIGKILL)))
		}
	}
	report, err := io.ReadAll(read)
	if err == nil && len(report) == 0 {
		if nice := l.spec.Limits.Nice; nice > 0 {
			go setGroupWeight(pid, nice)
		}
		return pid, nil
	}
	_, _ = unix.Wait4(pid, nil, 0, nil) // otherwise reap would treat it as an orphan
	var wireErr wire.Error
	if err := errors.Join(err, json.Unmarshal(report, &wireErr)); err != nil {
		return fail(err)
	}
	return 0, &wireErr
}

func sealedPlan(p execPlan) (*os.File, error) {
	body, err := json.Marshal(p)
	if err != nil {
		return nil, fmt.Errorf("the plan: %w", err)
	}
	fd, err := unix.MemfdCreate("plan", unix.MFD_CLOEXEC)
	if err != nil {
		return nil, os.NewSyscallError("memfd_create", err)
	}
	file := os.NewFile(uintptr(fd), "plan")
	if _, err := file.WriteAt(body, 0); err != nil {
		return nil, errors.Join(fmt.Errorf("the plan: %w", err), file.Close())
	}
	return file, nil
}
