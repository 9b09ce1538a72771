package mcp

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/modelcontextprotocol/go-sdk/auth"
	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"goalpost/backend/domain/process"
	"goalpost/backend/lib/tail"
)

// Environment says where servers are started and how they are reached.
type Environment struct {
	Launcher process.Launcher
	Env      []string
	Dir      string       // absolute
	HTTP     *http.Client // goes through the goal's proxy
	// Fill replaces references to secrets in the value of a server's variable or header; nil leaves values as they
	// are.
	Fill func(ctx context.Context, s Server, value string) (string, error)
	// Starts shows to the user which servers are starting; nil shows it to nobody.
	Starts *Starts
	// Logins are the user's logins to servers with an address; nil means none.
	Logins Logins

	login auth.OAuthHandler // set while the user logs in
}

// maxStartFailures is the number of failed starts in a row after which a server is not started again.
const maxStartFailures = 3

// client connects to one server at the first use, and again after the server ended. Its methods may be called
// concurrently.
type client struct {
	server Server
	env    Environment
	warn   func(why string)

	mu            sync.Mutex
	session       *session
	startFailures int // failed starts in a row
	closed        bool
	work          sync.WaitGroup
}

// session is one connection to a running server.
type session struct {
	client          *sdk.ClientSession
	program         process.Process // nil for an address
	stderr          *stderrTail     // the end of the program's standard error
	stderrReader    io.Closer       // closes the reader of standard error
	skipped         *tail.Writer    // the end of what it printed between its messages
	connectionEnded chan struct{}   // closed when the connection has ended
	hung            atomic.Bool     // it answers nothing any more
	ending          sync.Once
	tools           map[string]ToolInfo
	title           string
	notes           []string // what was unusual about its list, for the user
}

// pingTimeout is how long a server may take to show that it still answers.
const pingTimeout = 5 * time.Second

// checkAlive asks a server whose call took too long whether it still answers. One that does not is ended, so that the
// next call starts it again: nothing else would reach it. It returns the result in words.
func (s *session) checkAlive(ctx context.Context) string {
	limited, cancel := context.WithTimeout(ctx, pingTimeout)
	defer cancel()
	var answer *jsonrpc.Error
	err := s.client.Ping(limited, nil)
	switch {
	case err == nil, errors.As(err, &answer):
		return "It still answers other requests."
	case ctx.Err() != nil:
		return ""
	}
	s.hung.Store(true)
	s.end()
	return "It did not answer a ping either, so it was ended; the next call starts it again."
}

// currentSession returns the live session, or a new one.
func (c *client) currentSession(ctx context.Context) (*session, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return nil, fmt.Errorf("the goal has ended")
	}
	if c.session != nil && !c.session.isClosed() {
		return c.session, nil
	}
	if c.session != nil {
		c.session.end()
		c.session = nil
	}
	if c.startFailures >= maxStartFailures {
		return nil, fmt.Errorf("the server %s failed to start %d times and is not used for the rest of this run",
			c.server.Name, maxStartFailures)
	}
	s, err := c.connect(ctx)
	if err != nil {
		if ctx.Err() == nil {
			c.startFailures++
		}
		return nil, fmt.Errorf("the server %s did not start: %w", c.server.Name, err)
	}
	c.startFailures, c.session = 0, s
	return s, nil
}

func (c *client) connect(ctx context.Context) (*session, error) {
	limit := c.server.startTimeout()
	ctx, cancel := context.WithTimeoutCause(ctx, limit, &startTimeoutError{limit})
	defer cancel()
	s := &session{
		stderr:          newStderrTail(),
		skipped:         tail.NewWriter(2048),
		connectionEnded: make(chan struct{}),
		tools:           map[string]ToolInfo{},
	}
	defer c.showStart(s, limit)()
	err := c.dial(ctx, s)
	if err == nil {
		return s, nil
	}
	var slow *startTimeoutError
	if errors.As(context.Cause(ctx), &slow) {
		err = slow
	}
	s.end()
	return nil, s.wrapError(err)
}

// dial starts the server, connects with it, and lists its tools.
func (c *client) dial(ctx context.Context, s *session) error {
	transport, err := c.newTransport(ctx, s)
	if err != nil {
		return err
	}
	client := sdk.NewClient(&sdk.Implementation{Name: "goalpost", Version: "1"},
		&sdk.ClientOptions{Capabilities: &sdk.ClientCapabilities{}})
	if s.client, err = client.Connect(ctx, transport, nil); err != nil {
		return err //nolint:wrapcheck // wrapError does it
	}
	c.work.Go(func() {
		_ = s.client.Wait()
		close(s.connectionEnded)
	})
	return s.listTools(ctx)
}

// isClosed reports whether the connection has ended, or the program has ended and the connection has not noticed yet.
func (s *session) isClosed() bool {
	if s.hung.Load() {
		return true
	}
	var ended <-chan struct{} // never closed for an address
	if s.program != nil {
		ended = s.program.Done()
	}
	select {
	case <-s.connectionEnded:
		return true
	case <-ended:
		return true
	default:
		return false
	}
}

// wrapError adds the exit status of a program that ends soon, and its last output.
func (s *session) wrapError(err error) error {
	if s.program == nil {
		return err
	}
	if s.awaitExit() {
		err = fmt.Errorf("%w; it ended: %s", err, s.program.Status())
		select {
		case <-s.stderr.complete:
		case <-time.After(shutdownTimeout): // a child of the program keeps its standard error open
		}
	}
	if text := s.stderr.String(); text != "" {
		err = fmt.Errorf("%w; its last output: %s", err, text)
	}
	if note := s.skippedNote(); note != "" {
		err = fmt.Errorf("%w; %s", err, note)
	}
	return err
}

// awaitExit waits briefly for the end of a program whose connection broke.
func (s *session) awaitExit() bool {
	if s.program == nil {
		return false
	}
	select {
	case <-s.program.Done():
		return true
	case <-time.After(exitNoticeTimeout):
		return false
	}
}

// exitNoticeTimeout is how long to wait for the program's end after its connection broke.
const exitNoticeTimeout = 10 * time.Second

// shutdownTimeout is how long a server may take to end after its connection is closed.
const shutdownTimeout = 2 * time.Second

// end closes the connection and ends the program: first by closing its input, then with signals. Other callers wait
// until that is done.
func (s *session) end() { s.ending.Do(s.endNow) }

func (s *session) endNow() {
	if s.client != nil {
		_ = s.client.Close()
	}
	if s.program == nil {
		return
	}
	defer s.drainStderr()
	for _, sig := range []syscall.Signal{0, syscall.SIGTERM, syscall.SIGKILL} {
		if sig != 0 {
			if err := s.program.Signal(sig); errors.Is(err, os.ErrProcessDone) {
				return
			}
		}
		select {
		case <-s.program.Done():
			return
		case <-time.After(shutdownTimeout):
		}
	}
}

// drainStderr waits briefly for the last output of a program that has ended, and then stops reading: a child that still
// runs may keep its standard error open.
func (s *session) drainStderr() {
	select {
	case <-s.stderr.complete:
	case <-time.After(shutdownTimeout):
		_ = s.stderrReader.Close()
	}
}

// close ends the server and waits for all goroutines that read from it.
func (c *client) close() {
	c.mu.Lock()
	s := c.session
	c.session, c.closed = nil, true
	c.mu.Unlock()
	if s != nil {
		s.end()
	}
	c.work.Wait()
}
