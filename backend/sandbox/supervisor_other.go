//go:build !linux

package sandbox

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"

	"goalpost/backend/process"
)

// Supervisor is one owner's programs, children of this process: there is no helper for
// this system. What they start in turn is ended with their process group where the
// system has such groups, so a program that leaves it outlives the set. Written and
// compiled, not tested. All methods may be called concurrently.
type Supervisor struct {
	name     string
	seatbelt seatbelt // of walls; zero without

	mu      sync.Mutex
	closed  bool
	all     map[*program]bool
	running sync.WaitGroup
	done    chan struct{}
}

var _ process.Launcher = (*Supervisor)(nil)

// Open refuses walls where this system has none to offer.
func Open(ctx context.Context, o Options) (*Supervisor, error) {
	s := &Supervisor{name: o.Name, all: map[*program]bool{}, done: make(chan struct{})}
	if o.Spec == nil {
		return s, nil
	}
	var err error
	if s.seatbelt, err = newSeatbelt(ctx, *o.Spec); err != nil {
		return nil, fmt.Errorf("opening the programs of %s: %w", o.Name, err)
	}
	return s, nil
}

// RunsAsRoot says whether programs run as root whose goal works in a folder.
func RunsAsRoot(string) bool { return os.Geteuid() == 0 }

// memory is not known.
func memory() int64 { return 0 }

// KillMark is 0: nobody ends programs here because of what all take together.
func (*Supervisor) KillMark() int64 { return 0 }

// KilledSince is empty.
func (*Supervisor) KilledSince(int64) []string { return nil }

// Start starts one program, in a session of its own where there are sessions.
func (s *Supervisor) Start(ctx context.Context, c process.Command) (process.Process, error) {
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("starting a program: %w", err)
	}
	if len(c.Argv) == 0 {
		return nil, &StartError{Code: "bad", text: "no program named"}
	}
	if len(c.Held) > 0 {
		return nil, &StartError{Code: "unsupported", Program: c.Argv[0], text: "files cannot be held for a check on this system"}
	}
	argv, env := s.seatbelt.command(c)
	path, err := look(argv[0], c.Dir, env)
	if err != nil {
		return nil, &StartError{Code: "not_found", Program: c.Argv[0], text: err.Error()}
	}
	cmd := &exec.Cmd{Path: path, Args: argv, Env: env, Dir: c.Dir, SysProcAttr: ownSession(c.TTY)}
	for i, f := range c.Files {
		switch i {
		case 0:
			cmd.Stdin = reader(f)
		case 1:
			cmd.Stdout = writer(f)
		case 2:
			cmd.Stderr = writer(f)
		default:
			cmd.ExtraFiles = append(cmd.ExtraFiles, f)
		}
	}
	return s.run(cmd)
}

func (s *Supervisor) run(cmd *exec.Cmd) (process.Process, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return nil, fmt.Errorf("starting %s: %w", cmd.Path, ErrClosed)
	}
	if err := cmd.Start(); err != nil {
		return nil, &StartError{Code: "failed", Program: cmd.Path, text: err.Error()}
	}
	p := &program{cmd: cmd, done: make(chan struct{})}
	s.all[p] = true
	s.running.Go(func() {
		p.wait()
		s.mu.Lock()
		delete(s.all, p)
		s.mu.Unlock()
	})
	return p, nil
}

// Close ends every program and waits for their status.
func (s *Supervisor) Close(ctx context.Context) error {
	s.mu.Lock()
	first := !s.closed
	s.closed = true
	var errs []error
	for p := range s.all {
		if err := p.Signal(syscall.SIGKILL); err != nil && !errors.Is(err, os.ErrProcessDone) {
			errs = append(errs, err)
		}
	}
	s.mu.Unlock()
	if first {
		go func() { // until the programs have ended
			s.running.Wait()
			close(s.done)
		}()
	}
	select {
	case <-s.done:
		return errors.Join(append(errs, s.seatbelt.close())...)
	case <-ctx.Done():
		return errors.Join(append(errs, fmt.Errorf("ending the programs of %s takes longer: %w", s.name, ctx.Err()))...)
	}
}

// Done is closed when Close has ended everything.
func (s *Supervisor) Done() <-chan struct{} { return s.done }

// Err is always nil: no helper dies.
func (*Supervisor) Err() error { return nil }

// program is one started program.
type program struct {
	cmd    *exec.Cmd
	done   chan struct{}
	status process.Status // final once done is closed
}

func (p *program) wait() {
	_ = p.cmd.Wait() // the state says it
	p.status = statusOf(p.cmd.ProcessState)
	close(p.done)
}

func (p *program) Pid() int { return p.cmd.Process.Pid }

func (p *program) Done() <-chan struct{} { return p.done }

func (p *program) Status() process.Status {
	select {
	case <-p.done:
		return p.status
	default:
		return process.Status{}
	}
}

// Signal goes to the program's group where there are groups.
func (p *program) Signal(sig syscall.Signal) error {
	select {
	case <-p.done:
		return os.ErrProcessDone
	default:
		return signal(p.cmd.Process, sig)
	}
}

// look finds a program the way a shell in dir with this environment would.
func look(name, dir string, env []string) (string, error) {
	if strings.ContainsAny(name, `/\`) {
		if !filepath.IsAbs(name) {
			name = filepath.Join(dir, name)
		}
		return name, nil
	}
	for i := len(env) - 1; i >= 0; i-- {
		key, value, _ := strings.Cut(env[i], "=")
		if !strings.EqualFold(key, "PATH") {
			continue
		}
		for _, folder := range filepath.SplitList(value) {
			if !filepath.IsAbs(folder) {
				folder = filepath.Join(dir, folder)
			}
			if path, err := exec.LookPath(filepath.Join(folder, name)); err == nil {
				return path, nil
			}
		}
		break
	}
	return "", fmt.Errorf("%s: no such program on PATH", name)
}

// ActiveGrant is a grant in force.
type ActiveGrant struct{ Port net.Listener }

// Revoke takes it back.
func (*ActiveGrant) Revoke(context.Context) error { return nil }

// Grant refuses: the walls of this system stand as they were built.
func (s *Supervisor) Grant(context.Context, RuntimeGrant) (*ActiveGrant, error) {
	return nil, fmt.Errorf("widening the walls of %s on this system: %w; restart the goal with what it needs", s.name, errors.ErrUnsupported)
}

// GitControlledPaths: there are no copies here, and the profile refuses what is in .git alone.
func GitControlledPaths(...string) (list, cut []string) { return nil, nil }
