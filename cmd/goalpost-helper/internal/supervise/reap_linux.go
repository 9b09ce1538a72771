package supervise

import (
	"errors"

	"golang.org/x/sys/unix"

	"goalpost/backend/host/sandbox/wire"
)

// Reap waits for every child: programs, whose status it reports, and orphans that the helper inherits as subreaper.
// It reaps while holding mu, so that the kernel cannot reuse a pid that is in the tables.
func (s *Supervisor) Reap() {
	for {
		var info unix.Siginfo
		err := unix.Waitid(unix.P_ALL, 0, &info, unix.WEXITED|unix.WNOWAIT, nil)
		switch {
		case errors.Is(err, unix.EINTR):
			continue
		case err != nil: // ECHILD: no children until the next start
			<-s.started
			continue
		}
		s.mu.Lock()
		_ = s.collectExits()
		s.mu.Unlock()
	}
}

// collectExits reaps ended children and reports them; it returns false when no child is left.
func (s *Supervisor) collectExits() bool {
	for {
		var ws unix.WaitStatus
		pid, err := unix.Wait4(-1, &ws, unix.WNOHANG, nil)
		switch {
		case errors.Is(err, unix.EINTR):
			continue
		case err != nil:
			return false
		case pid == 0:
			return true
		}
		id, ours := s.byPid[pid]
		if !ours {
			continue
		}
		delete(s.byPid, pid)
		delete(s.byID, id)
		exit := wire.Exit{Code: ws.ExitStatus()}
		if ws.Signaled() {
			exit = wire.Exit{Code: -1, Signal: int(ws.Signal())}
		}
		s.onExit(id, exit)
		_ = s.answer(wire.Answer{ID: id, Exit: &exit}) // read notices a broken socket
	}
}
