package access

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"goalpost/backend/domain/policy"
	"goalpost/backend/lib/fault"
)

// TestValidateWritable_FolderThatCannotBeWritten_NamesWhy uses real mounts, flags and users. It needs root for them.
func TestValidateWritable_FolderThatCannotBeWritten_NamesWhy(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("mounts and other users need root")
	}
	dir := t.TempDir()
	if err := os.Chmod(filepath.Dir(dir), 0o755); err != nil { //nolint:gosec // another user must reach it
		t.Fatal(err)
	}
	inThread := func(prepare func() error) error { // the thread ends with its goroutine, because it stays locked
		result := make(chan error)
		go func() {
			runtime.LockOSThread()
			err := prepare()
			if err == nil {
				err = ValidateWritable(policy.Policy{Dir: dir, Risk: policy.WriteLocal})
			}
			result <- err
		}()
		return <-result
	}
	mount := func(source, kind string, flags uintptr, data string) error {
		return errors.Join(unix.Unshare(unix.CLONE_NEWNS|unix.CLONE_FS),
			unix.Mount("", "/", "", unix.MS_PRIVATE|unix.MS_REC, ""), unix.Mount(source, dir, kind, flags, data))
	}
	setImmutable := func(on bool) error {
		const immutable = 0x10 // FS_IMMUTABLE_FL
		f, err := os.Open(dir)
		if err != nil {
			return err
		}
		flags, err := unix.IoctlGetInt(int(f.Fd()), unix.FS_IOC_GETFLAGS)
		if flags &^= immutable; on {
			flags |= immutable
		}
		if err == nil {
			err = unix.IoctlSetPointerInt(int(f.Fd()), unix.FS_IOC_SETFLAGS, flags)
		}
		return errors.Join(err, f.Close())
	}
	for name, c := range map[string]struct {
		prepare func() error
		want    string // "" if it can be written
	}{
		"writable": {func() error { return nil }, ""},
		"mounted read-only": {func() error {
			return errors.Join(mount(dir, "", unix.MS_BIND, ""),
				unix.Mount("", dir, "", unix.MS_BIND|unix.MS_REMOUNT|unix.MS_RDONLY, ""))
		}, "is mounted read-only"},
		"immutable": {func() error { return setImmutable(true) }, "is immutable"},
		"full disk": {func() error {
			return errors.Join(mount("tmpfs", "tmpfs", 0, "size=64k"),
				os.WriteFile(filepath.Join(dir, "full"), make([]byte, 60<<10), 0o600))
		}, "is full"},
		"of another user": {func() error {
			if _, _, e := syscall.RawSyscall(syscall.SYS_SETRESUID, 65534, 65534, ^uintptr(0)); e != 0 {
				return e
			}
			return nil
		}, "you may not write in"},
	} {
		err := inThread(c.prepare)
		if errors.Is(err, unix.EPERM) || errors.Is(err, unix.EACCES) || errors.Is(err, unix.ENOTTY) {
			t.Logf("%s: not tried, this machine does not allow it: %v", name, err)
			continue
		}
		if name == "immutable" {
			if err := setImmutable(false); err != nil {
				t.Fatal(err)
			}
		}
		var e *fault.Error
		isRefused := errors.As(err, &e) && strings.Contains(e.Message, c.want) && e.Hint != ""
		if isRefused != (c.want != "") {
			t.Errorf("%s: %v", name, err)
		}
	}
	if err := ValidateWritable(policy.Policy{Dir: "/proc/sys", Risk: policy.ReadOnly}); err != nil {
		t.Errorf("a goal that only reads is refused: %v", err)
	}
}
