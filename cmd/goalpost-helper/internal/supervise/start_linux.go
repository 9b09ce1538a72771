package supervise

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"

	"goalpost/backend/host/sandbox/wire"
)

// maxArg is the kernel's MAX_ARG_STRLEN: one argument or variable, including the terminating zero.
const maxArg = 128 << 10

// startProgram starts one program in its own session. master is its terminal's master, -1 if it has no terminal.
func (s *Supervisor) startProgram(r wire.Request, fds []int) (pid, master int, wireErr *wire.Error) {
	master = -1
	if err := validateRequest(r, fds, s.inside != nil); err != nil {
		return 0, master, err
	}
	dir := string(r.Dir)
	argv, env := ByteStrings(r.Argv), ByteStrings(r.Env)
	path, werr := lookPath(argv[0], dir, env)
	if werr != nil {
		return 0, master, werr
	}
	files := s.files(r, fds)
	if r.Size != nil {
		var tty int
		if master, tty, werr = openTerminal(*r.Size); werr != nil {
			return 0, -1, werr
		}
		defer func() { _ = unix.Close(tty) }()
		files[0], files[1], files[2] = uintptr(tty), uintptr(tty), uintptr(tty)
		r.TTY = true
	}
	if s.inside != nil {
		pid, wireErr = s.inside.Start(path, r, files)
	} else {
		pid, wireErr = start(path, dir, argv, env, files, r.TTY)
	}
	if wireErr != nil && master >= 0 {
		_ = unix.Close(master)
		master = -1
	}
	return pid, master, wireErr
}

func start(path, dir string, argv, env []string, files []uintptr, tty bool) (int, *wire.Error) {
	pid, err := syscall.ForkExec(path, argv, &syscall.ProcAttr{
		Dir: dir, Env: env, Files: files,
		Sys: &syscall.SysProcAttr{Setsid: true, Setctty: tty, Ctty: 0, Pdeathsig: syscall.SIGKILL},
	})
	if err != nil {
		return 0, ExecError(err, path, argv, env)
	}
	return pid, nil
}

// files returns the program's descriptors in order, at least three.
func (s *Supervisor) files(r wire.Request, fds []int) []uintptr {
	files := make([]uintptr, 0, max(3, len(r.Files)))
	for _, i := range r.Files {
		if i < 0 {
			files = append(files, uintptr(s.null))
		} else {
			files = append(files, uintptr(fds[i]))
		}
	}
	for len(files) < 3 {
		files = append(files, uintptr(s.null))
	}
	return files
}

// validateRequest refuses malformed requests.
func validateRequest(r wire.Request, fds []int, hasSandbox bool) *wire.Error {
	bad := func(format string, args ...any) *wire.Error {
		return &wire.Error{Code: wire.InvalidRequest, Text: fmt.Sprintf(format, args...)}
	}
	if !hasSandbox && (r.Domain != "" || r.Held != nil || r.Size != nil || r.Trace != nil) {
		return errNoSandbox
	}
	if hasSandbox && r.Domain == "" {
		return bad("no domain named")
	}
	if len(r.Argv) == 0 || len(r.Argv[0]) == 0 {
		return bad("no program named")
	}
	for _, i := range r.Files {
		if i < -1 || i >= len(fds) {
			return bad("descriptor %d of %d did not arrive", i, len(fds))
		}
	}
	if r.TTY && (len(r.Files) == 0 || r.Files[0] < 0) {
		return bad("a controlling terminal is requested, but descriptor 0 is not a terminal")
	}
	if !filepath.IsAbs(string(r.Dir)) {
		return bad("the folder %q is not absolute", r.Dir)
	}
	switch info, err := os.Stat(string(r.Dir)); {
	case errors.Is(err, os.ErrNotExist):
		return &wire.Error{Code: wire.NoDir, Text: fmt.Sprintf("the folder %s does not exist", r.Dir)}
	case err != nil:
		return &wire.Error{Code: wire.Permission, Text: fmt.Sprintf("the folder %s cannot be used: %v", r.Dir, err)}
	case !info.IsDir():
		return &wire.Error{Code: wire.NoDir, Text: fmt.Sprintf("%s is not a folder", r.Dir)}
	}
	return nil
}

// lookPath finds a program as a shell in dir with this environment would.
func lookPath(name, dir string, env []string) (string, *wire.Error) {
	if strings.Contains(name, "/") {
		path := joinDir(dir, name)
		return path, checkExecutable(path, name)
	}
	var wireErr *wire.Error
	for _, folder := range filepath.SplitList(lookupEnv(env, "PATH")) {
		path := filepath.Join(joinDir(dir, folder), name)
		err := checkExecutable(path, name)
		if err == nil {
			return path, nil
		}
		if err.Code == wire.Permission && wireErr == nil {
			wireErr = err
		}
	}
	if wireErr != nil {
		return "", wireErr
	}
	return "", &wire.Error{Code: wire.NotFound, Text: fmt.Sprintf("%s: no such program on PATH", name)}
}

// joinDir resolves path relative to dir; an empty entry of PATH means dir itself.
func joinDir(dir, path string) string {
	if filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(dir, path)
}

func checkExecutable(path, name string) *wire.Error {
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, os.ErrPermission):
		return &wire.Error{Code: wire.Permission, Text: fmt.Sprintf("%s: %v", name, err)}
	case err != nil:
		return &wire.Error{Code: wire.NotFound, Text: fmt.Sprintf("%s: no such program", name)}
	case info.IsDir():
		return &wire.Error{Code: wire.Permission, Text: fmt.Sprintf("%s is a folder", path)}
	case info.Mode()&0o111 == 0:
		return &wire.Error{Code: wire.Permission, Text: fmt.Sprintf("%s is not executable", path)}
	}
	return nil
}

// ExecError describes an error of execve.
func ExecError(err error, path string, argv, env []string) *wire.Error {
	switch {
	case errors.Is(err, syscall.E2BIG):
		return checkArgSize(argv, env)
	case errors.Is(err, syscall.ENOEXEC):
		return &wire.Error{Code: wire.NotProgram, Text: path + " is not a program of this machine (a script needs a #! line)"}
	case errors.Is(err, syscall.ENOENT): // the program itself was found, so its interpreter is missing
		return &wire.Error{Code: wire.NotFound, Text: path + ": the interpreter or loader that it names does not exist"}
	case errors.Is(err, os.ErrPermission):
		return &wire.Error{Code: wire.Permission, Text: fmt.Sprintf("starting %s: %v", path, err)}
	}
	return &wire.Error{Code: wire.Failed, Text: fmt.Sprintf("starting %s: %v", path, err)}
}

func checkArgSize(argv, env []string) *wire.Error {
	total := 0
	for i, words := range [][]string{argv, env} {
		for _, w := range words {
			if len(w) >= maxArg {
				what := "one argument"
				if i == 1 {
					name, _, _ := strings.Cut(w, "=")
					what = fmt.Sprintf("the variable %.40s", name)
				}
				return &wire.Error{
					Code: wire.TooBig,
					Text: fmt.Sprintf("%s is %d bytes; Linux accepts less than %d (pass it in a file)", what, len(w), maxArg),
				}
			}
			total += len(w) + 1
		}
	}
	return &wire.Error{
		Code: wire.TooBig,
		Text: fmt.Sprintf("arguments and environment are %d bytes together, more than Linux accepts (pass them in a file)",
			total),
	}
}

func ByteStrings(b [][]byte) []string {
	out := make([]string, len(b))
	for i := range b {
		out[i] = string(b[i])
	}
	return out
}

func lookupEnv(env []string, name string) string {
	for i := len(env) - 1; i >= 0; i-- {
		if key, value, _ := strings.Cut(env[i], "="); key == name {
			return value
		}
	}
	return ""
}
