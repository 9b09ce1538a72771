package sandbox

import (
	"fmt"
	"os"
	"syscall"
)

// StartDetached starts a program of our own that outlives this process: in a session of its own, without a terminal, in
// the root folder, with an environment. It writes to output, and gets files as descriptors from 3 on.
func StartDetached(path string, args, env []string, output *os.File, files ...*os.File) error {
	empty, err := os.Open(os.DevNull)
	if err != nil {
		return fmt.Errorf("start %s: %w", path, err)
	}
	defer func() { _ = empty.Close() }() // only read from
	p, err := os.StartProcess(path, append([]string{path}, args...), &os.ProcAttr{
		Dir: "/", Env: env, Files: append([]*os.File{empty, output, output}, files...),
		Sys: &syscall.SysProcAttr{Setsid: true},
	})
	if err != nil {
		return fmt.Errorf("start %s: %w", path, err)
	}
	go func() { _, _ = p.Wait() }() // if it ends first, it does not remain as a zombie
	return nil
}
