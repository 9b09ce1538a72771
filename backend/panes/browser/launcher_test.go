package browser

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"syscall"

	"goalpost/backend/domain/process"
)

// execLauncher starts programs with os/exec, with only what the package requires of a Launcher.
type execLauncher struct{}

type execProcess struct {
	cmd    *exec.Cmd
	done   chan struct{}
	status process.Status
}

func (execLauncher) Start(_ context.Context, c process.Command) (process.Process, error) {
	cmd := exec.Command(c.Argv[0], c.Argv[1:]...) // not CommandContext: the process outlives the request
	cmd.Env, cmd.Dir = c.Env, c.Dir
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if f := c.Files[2]; f != nil {
		cmd.Stderr = f
	}
	cmd.ExtraFiles = c.Files[3:]
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	p := &execProcess{cmd: cmd, done: make(chan struct{})}
	go func() {
		defer close(p.done)
		_ = cmd.Wait() // the caller reads the status
		ws, _ := cmd.ProcessState.Sys().(syscall.WaitStatus)
		p.status = process.Status{Code: cmd.ProcessState.ExitCode()}
		if ws.Signaled() {
			p.status.Signal = ws.Signal()
		}
	}()
	return p, nil
}

func (e *execProcess) Pid() int               { return e.cmd.Process.Pid }
func (e *execProcess) Done() <-chan struct{}  { return e.done }
func (e *execProcess) Status() process.Status { return e.status }
func (e *execProcess) Signal(s syscall.Signal) error {
	if err := syscall.Kill(-e.Pid(), s); errors.Is(err, syscall.ESRCH) {
		return os.ErrProcessDone
	} else if err != nil {
		return err
	}
	return nil
}
