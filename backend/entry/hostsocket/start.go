package hostsocket

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/gofrs/flock"

	"goalpost/backend/host/sandbox"
	"goalpost/backend/lib/fault"
	"goalpost/backend/storage/config"
)

// Executable returns the path of this program, for Connect.
func Executable() (string, error) {
	path, err := os.Executable()
	if err != nil {
		return "", fmt.Errorf("find this program: %w", err)
	}
	if strings.HasSuffix(path, " (deleted)") { // an update has replaced it
		return "/proc/self/exe", nil
	}
	return path, nil
}

// Connect finds the host, and starts one if there is none: path with args, of which one must tell that process to pass
// isStarted to Claim. Several programs may do that at the same moment. Connect returns when the host can be used.
func (c *Client) Connect(ctx context.Context, path string, args ...string) (Status, error) {
	s, err := c.connect(ctx, path, args)
	if err != nil && fault.Of(err).Code == fault.Unavailable { // the host was just ending
		s, err = c.connect(ctx, path, args)
	}
	return s, c.checkVersion(s, err)
}

// Find returns what the host has, and ErrNone if there is no host.
func (c *Client) Find(ctx context.Context) (Status, error) {
	s, err := c.Status(ctx)
	return s, c.checkVersion(s, err)
}

func (c *Client) checkVersion(s Status, err error) error {
	if err == nil && s.Version != c.version {
		return &OtherVersionError{s, c.version}
	}
	return err
}

func (c *Client) connect(ctx context.Context, path string, args []string) (Status, error) {
	s, err := c.Status(ctx)
	if !errors.Is(err, ErrNone) {
		return s, err
	}
	if err := c.start(ctx, path, args); err != nil {
		return s, err
	}
	return c.Status(ctx)
}

// start starts a host, unless another program has just done so. The socket exists before the host does: programs that
// connect in the meantime wait for it.
func (c *Client) start(ctx context.Context, path string, args []string) (err error) {
	lock, err := waitForLock(ctx, c.state, startName)
	if err != nil {
		return fmt.Errorf("start the host process: %w", err)
	}
	defer func() { err = errors.Join(err, lock.Close()) }()
	if conn, err := dial(ctx, c.state); err == nil {
		return conn.Close() //nolint:wrapcheck // nothing was written to it
	}
	listener, err := bind(ctx, c.state)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, listener.Close()) }()
	if err := c.launch(listener, path, args); err != nil {
		// The process may still be ending: until then, programs would connect to its socket in vain.
		return errors.Join(err, os.Remove(filepath.Join(c.state, socketName)))
	}
	return nil
}

// launch starts the process with the socket, and waits until it is ready.
func (c *Client) launch(listener *net.UnixListener, path string, args []string) (err error) {
	socket, err := listener.File()
	if err != nil {
		return fmt.Errorf("start the host process: %w", err)
	}
	defer func() { _ = socket.Close() }() // a duplicate
	read, write, err := os.Pipe()
	if err != nil {
		return fmt.Errorf("start the host process: %w", err)
	}
	defer func() { _ = read.Close() }() // only read from
	env, err := rootEnv(os.Environ())
	if err != nil {
		return err
	}
	output, err := openLog(filepath.Join(c.state, logName))
	if err == nil {
		err = sandbox.StartDetached(path, args, env, output, socket, write)
		_ = output.Close() // the host has it
	}
	if err = errors.Join(err, write.Close()); err != nil {
		return fmt.Errorf("start the host process: %w", err)
	}
	report, err := io.ReadAll(read)
	if err != nil {
		return fmt.Errorf("start the host process: %w", err)
	}
	return parseReport(report, filepath.Join(c.state, logName))
}

// rootEnv returns an environment for a process in the root folder, which has the same data folder.
func rootEnv(env []string) ([]string, error) {
	const name = config.HomeVariable + "="
	i := slices.IndexFunc(env, func(entry string) bool { return strings.HasPrefix(entry, name) && entry != name })
	if i < 0 {
		return env, nil
	}
	dir, err := filepath.Abs(strings.TrimPrefix(env[i], name))
	if err != nil {
		return nil, fmt.Errorf("start the host process: %w", err)
	}
	return append(slices.Delete(slices.Clone(env), i, i+1), name+dir), nil
}

// ready is what the host reports when it can be used. If it reports nothing, it has crashed.
const ready = "ready"

func parseReport(report []byte, log string) error {
	var problem fault.Error
	switch {
	case string(report) == ready:
		return nil
	case json.Unmarshal(report, &problem) == nil && problem.Message != "":
		return &problem
	}
	return &fault.Error{
		Code: fault.Internal, Message: "the host process ended while it started", Hint: "see " + log,
	}
}

// openLog opens the file for what the host prints. It begins again once it is large.
func openLog(path string) (*os.File, error) {
	const maxBytes = 1 << 20
	flags := os.O_CREATE | os.O_WRONLY | os.O_APPEND
	if info, err := os.Stat(path); err == nil && info.Size() > maxBytes {
		flags |= os.O_TRUNC
	}
	return os.OpenFile(path, flags, 0o600) //nolint:wrapcheck // the caller adds the context
}

// waitForLock takes a lock file of the state folder. The kernel releases it when its process ends, so there is no poll.
func waitForLock(ctx context.Context, state, name string) (*flock.Flock, error) {
	lock := flock.New(filepath.Join(state, name), flock.SetPermissions(0o600))
	taken := make(chan error, 1)
	go func() { taken <- lock.Lock() }()
	select {
	case err := <-taken:
		return lock, err
	case <-ctx.Done():
		go func() {
			if <-taken == nil {
				_ = lock.Close() // too late: nobody waits for it any more
			}
		}()
		return nil, ctx.Err() //nolint:wrapcheck // the callers add the context
	}
}
