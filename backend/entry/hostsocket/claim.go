package hostsocket

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/gofrs/flock"

	"goalpost/backend/lib/fault"
)

// Place is the right to be the host of a data folder, with the socket.
type Place struct {
	state    string
	listener net.Listener
	lock     *flock.Flock
	report   *os.File // to the program that started this one; nil if nobody waits
}

// Descriptors of a host that Client.Connect has started. A socket unit of systemd passes the first one.
const (
	socketFD = 3
	reportFD = 4
)

// claimTimeout bounds how long an older host may take to end.
const claimTimeout = 30 * time.Second

// Claim makes this process the host of a state folder. isStarted reports that Client.Connect has started this process.
// If another host runs, Claim returns an error.
func Claim(ctx context.Context, state string, isStarted bool) (*Place, error) {
	ctx, cancel := context.WithTimeout(ctx, claimTimeout)
	defer cancel()
	p := &Place{state: state}
	if isStarted {
		p.report = os.NewFile(reportFD, "report")
	}
	isActivated, err := takeActivation()
	if err == nil {
		err = p.listen(ctx, state, isStarted || isActivated)
	}
	if err == nil {
		err = p.takeLock(ctx, state, false)
	}
	if err != nil {
		err = fmt.Errorf("become the host process: %w", err)
		p.Fail(err)
		return nil, errors.Join(err, p.Close())
	}
	return p, nil
}

// takeActivation reports whether a service manager has passed the socket to this process. It removes the variables that
// say so from the environment, which other programs inherit.
func takeActivation() (isActivated bool, err error) {
	isActivated = os.Getenv("LISTEN_PID") == strconv.Itoa(os.Getpid())
	for _, name := range []string{"LISTEN_PID", "LISTEN_FDS", "LISTEN_FDNAMES"} {
		err = errors.Join(err, os.Unsetenv(name))
	}
	return isActivated, err
}

// listen takes the socket that this process was started with, or makes one.
func (p *Place) listen(ctx context.Context, state string, isInherited bool) (err error) {
	if isInherited {
		file := os.NewFile(socketFD, socketName)
		p.listener, err = net.FileListener(file)
		return errors.Join(err, file.Close())
	}
	start, err := waitForLock(ctx, state, startName)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, start.Close()) }()
	if conn, err := dial(ctx, state); err == nil {
		_ = conn.Close() // nothing was written to it
		return &fault.Error{
			Code: fault.Conflict, Message: "a host process runs on this data folder", Hint: "goalctl host status shows it",
		}
	}
	p.listener, err = bind(ctx, state)
	return err
}

// Alone makes this process the only owner of a state folder, without a socket. isLong says that it may stay so for
// long: then other programs are refused at once, and otherwise they wait.
func Alone(ctx context.Context, state string, isLong bool) (*Place, error) {
	ctx, cancel := context.WithTimeout(ctx, claimTimeout)
	defer cancel()
	p := &Place{}
	if err := p.takeLock(ctx, state, isLong); err != nil {
		return nil, err
	}
	return p, nil
}

// takeLock waits for the lock file of the owner, unless that keeps it for long.
func (p *Place) takeLock(ctx context.Context, state string, isLong bool) (err error) {
	path := filepath.Join(state, lockName)
	p.lock = flock.New(path, flock.SetPermissions(0o600))
	taken, err := p.lock.TryLock()
	if err == nil && !taken {
		if pid, isOwnerLong := readOwner(path); isOwnerLong {
			return ownedError(pid)
		}
		p.lock, err = waitForLock(ctx, state, lockName)
		if errors.Is(err, context.DeadlineExceeded) {
			pid, _ := readOwner(path)
			return ownedError(pid)
		}
	}
	if err != nil {
		return fmt.Errorf("the data folder: %w", err)
	}
	owner := strconv.Itoa(os.Getpid()) + "\n"
	if isLong {
		owner += aloneLine
	}
	if err := os.WriteFile(path, []byte(owner), 0o600); err != nil {
		return errors.Join(fmt.Errorf("the data folder: %w", err), p.Close())
	}
	return nil
}

// aloneLine follows the pid in the lock file of an owner that stays for long and takes no calls.
const aloneLine = "--no-host\n"

func readOwner(path string) (pid string, isLong bool) {
	b, _ := os.ReadFile(path) // an empty file is of an owner that is about to write it
	pid, rest, _ := strings.Cut(string(b), "\n")
	return pid, rest == aloneLine
}

func ownedError(pid string) error {
	return &fault.Error{
		Code: fault.Conflict, Message: "process " + pid + " has this data folder for itself",
		Hint: "wait until it ends, or end it; goals that are started without --no-host share one host process",
	}
}

// Ready tells the program that started this one that the host can be used.
func (p *Place) Ready() { p.tell([]byte(ready)) }

// Fail tells the program that started this one why the host cannot be used. It does nothing after Ready.
func (p *Place) Fail(err error) {
	if b, jsonErr := json.Marshal(fault.Of(err)); jsonErr == nil {
		p.tell(b)
	}
}

func (p *Place) tell(report []byte) {
	if p.report == nil {
		return
	}
	_, _ = p.report.Write(report) // the other end may have ended
	_ = p.report.Close()
	p.report = nil
}

// Close gives the place up. The caller has closed everything that the host owned.
func (p *Place) Close() error {
	var errs []error
	if p.listener != nil {
		if err := p.listener.Close(); !errors.Is(err, net.ErrClosed) {
			errs = append(errs, err)
		}
	}
	if p.lock != nil {
		errs = append(errs, p.lock.Close())
	}
	if err := errors.Join(errs...); err != nil {
		return fmt.Errorf("end the host process: %w", err)
	}
	return nil
}
