package mcp

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"sync"
	"syscall"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"goalpost/backend/domain/process"
	"goalpost/backend/lib/text"
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
	connectionEnded chan struct{}   // closed when the connection has ended
	tools           map[string]ToolInfo
	title           string
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

func (c *client) connect(ctx context.Context) (s *session, err error) {
	ctx, cancel := context.WithTimeout(ctx, startTime)
	defer cancel()
	s = &session{stderr: newStderrTail(), connectionEnded: make(chan struct{}), tools: map[string]ToolInfo{}}
	transport, err := c.newTransport(ctx, s)
	if err != nil {
		return nil, err
	}
	client := sdk.NewClient(&sdk.Implementation{Name: "goalpost", Version: "1"},
		&sdk.ClientOptions{Capabilities: &sdk.ClientCapabilities{}})
	if s.client, err = client.Connect(ctx, transport, nil); err != nil {
		s.end()
		return nil, s.wrapError(err)
	}
	c.work.Go(func() {
		_ = s.client.Wait()
		close(s.connectionEnded)
	})
	if err = s.listTools(ctx); err != nil {
		s.end()
		return nil, s.wrapError(err)
	}
	return s, nil
}

// isClosed reports whether the connection has ended, or the program has ended and the connection has not noticed yet.
func (s *session) isClosed() bool {
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

// listTools stores the tools of the server.
func (s *session) listTools(ctx context.Context) error {
	const maxTools = 500
	if info := s.client.InitializeResult(); info != nil && info.ServerInfo != nil {
		s.title = text.SanitizeLine(info.ServerInfo.Name+" "+info.ServerInfo.Version, 80)
	}
	for t, err := range s.client.Tools(ctx, nil) {
		if err != nil {
			return fmt.Errorf("listing its tools: %w", err)
		}
		if len(s.tools) == maxTools {
			return fmt.Errorf("listing its tools: there are more than %d", maxTools)
		}
		o, err := toolInfoFrom(t)
		if err != nil {
			return err
		}
		s.tools[o.Name] = o
	}
	return nil
}

// newTransport starts the server's program, or returns the transport for its address.
func (c *client) newTransport(ctx context.Context, s *session) (sdk.Transport, error) {
	if c.server.URL != "" {
		headers, err := c.fillSecrets(ctx, c.server.Headers)
		if err != nil {
			return nil, err
		}
		return &sdk.StreamableClientTransport{
			Endpoint:     c.server.URL,
			HTTPClient:   withHeaders(c.env.HTTP, headers),
			MaxRetries:   -1,
			MaxEventSize: maxFrame,
		}, nil
	}
	vars, err := c.fillSecrets(ctx, c.server.Env)
	if err != nil {
		return nil, err
	}
	env := append([]string{}, c.env.Env...)
	for k, v := range vars {
		env = append(env, k+"="+v)
	}
	pipes, err := openPipes()
	if err != nil {
		return nil, err
	}
	argv := append([]string{c.server.Command}, c.server.Args...)
	s.program, err = c.env.Launcher.Start(ctx, process.Command{
		Argv:  argv,
		Env:   env,
		Dir:   c.env.Dir,
		Files: pipes.remote[:],
	})
	pipes.closeRemote()
	if err != nil {
		pipes.end()
		return nil, err
	}
	s.stderrReader = pipes.stderr
	c.work.Go(func() { s.stderr.fill(pipes.stderr) })
	return &sdk.IOTransport{Reader: pipes.out, Writer: pipes.in, MaxLineLength: maxFrame}, nil
}

// maxFrame limits one message of a server, in bytes.
const maxFrame = 16 << 20

func (c *client) fillSecrets(ctx context.Context, values map[string]string) (map[string]string, error) {
	out := make(map[string]string, len(values))
	for k, v := range values {
		if c.env.Fill != nil {
			var err error
			if v, err = c.env.Fill(ctx, c.server, v); err != nil {
				return nil, fmt.Errorf("%s: %w", k, err)
			}
		}
		out[k] = v
	}
	return out, nil
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

// end closes the connection and ends the program: first by closing its input, then with signals.
func (s *session) end() {
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
