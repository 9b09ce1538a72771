package ssh

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"goalpost/backend/pane"
	"goalpost/backend/process"
)

// Options are the dependencies of a Client.
type Options struct {
	Launcher process.Launcher // of the user
	Helper   string           // path of goalpost-helper, which asks for ssh
	Env      []string         // the user's environment
	// OnState is called after every change of a connection's State, without locks held.
	OnState func(pane string, s State)
	// Backoff is the wait before each attempt to reconnect; the last one repeats. Empty means 1 s to 30 s.
	Backoff []time.Duration
}

// State is what a pane shows of its connection.
type State struct {
	Ask     string // ssh's present question, "" for none
	Secret  bool   // the answer must not be shown
	Problem string // "the connection was lost; …"
}

// Client manages connections. All methods may be called concurrently.
type Client struct {
	launcher process.Launcher
	helper   string
	env      []string
	onState  func(string, State)
	backoff  []time.Duration
	dir      string // 0700: has the socket for the helper, and ssh's own
	listener net.Listener
	wg       sync.WaitGroup

	mu    sync.Mutex
	links map[string]*Connection // by key
}

// Open makes a client and begins to listen for the helper.
func Open(o Options) (*Client, error) {
	dir, err := os.MkdirTemp("", "goalpost-ssh-") // short: a socket's path has at most 104 bytes
	if err != nil {
		return nil, fmt.Errorf("making a folder for ssh: %w", err)
	}
	listener, err := (&net.ListenConfig{}).Listen(context.Background(), "unix", filepath.Join(dir, "ask"))
	if err != nil {
		return nil, errors.Join(fmt.Errorf("listening for ssh: %w", err), os.RemoveAll(dir))
	}
	c := &Client{
		launcher: o.Launcher, helper: o.Helper, onState: o.OnState, backoff: o.Backoff, dir: dir, listener: listener,
		env: o.Env, links: map[string]*Connection{},
	}
	if len(c.backoff) == 0 {
		c.backoff = []time.Duration{
			time.Second, 2 * time.Second, 4 * time.Second, 8 * time.Second, 15 * time.Second,
			30 * time.Second,
		}
	}
	c.wg.Go(c.listen)
	return c, nil
}

// Close ends the reconnecting of all connections and all questions. The terminals themselves are closed by their
// owner.
func (c *Client) Close() error {
	c.mu.Lock()
	var links []*Connection
	for _, l := range c.links {
		links = append(links, l)
	}
	c.mu.Unlock()
	for _, l := range links {
		l.Close()
	}
	err := c.listener.Close()
	c.wg.Wait()
	if err := errors.Join(err, os.RemoveAll(c.dir)); err != nil {
		return fmt.Errorf("closing ssh: %w", err)
	}
	return nil
}

// NewSession is a new unique session name.
func NewSession() string {
	b := make([]byte, 4)
	_, _ = rand.Read(b) // never fails
	return prefix + hex.EncodeToString(b)
}

// Session is a tmux session on a server.
type Session struct {
	Name     string
	Created  time.Time
	Attached int // clients
	Windows  int
}

// liveConnection is an open connection to the server, nil if there is none.
func (c *Client) liveConnection(server string) *Connection {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, l := range c.links {
		if l.server.ID == server && l.isConnected() {
			if _, err := os.Stat(l.controlPath()); err == nil {
				return l
			}
		}
	}
	return nil
}

// byPane is the connection of a pane, nil if it has none.
func (c *Client) byPane(id string) *Connection {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, l := range c.links {
		if l.pane == id {
			return l
		}
	}
	return nil
}

// Connection is the connection of a pane; ok is false for panes of this machine.
func (c *Client) Connection(id string) (*Connection, bool) {
	l := c.byPane(id)
	return l, l != nil
}

// listen accepts the helper's calls until Close.
func (c *Client) listen() {
	for {
		conn, err := c.listener.Accept()
		if err != nil {
			return
		}
		c.wg.Go(func() { c.serve(conn) })
	}
}

// New makes the connection of a pane. known means that it was connected before, in an earlier run of the program. The
// configuration of ssh is read here.
func (c *Client) New(
	ctx context.Context, id string, s pane.SSHServer, session string, known bool,
) (*Connection, error) {
	if err := s.Validate(); err != nil {
		return nil, err
	}
	l := &Connection{
		c: c, pane: id, server: s, session: session, key: hex.EncodeToString(randomBytes()),
		known: known, wake: make(chan struct{}, 1), kept: map[string]*cachedAnswer{},
	}
	l.life, l.end = context.WithCancel(context.Background())
	config, err := c.effectiveConfig(ctx, s)
	if err != nil {
		return nil, err
	}
	path := config["controlpath"]
	l.shared = path != "" && path != "none"
	l.argv = slices.Concat([]string{"ssh", "-t"}, l.options(config), sshArgs(s), []string{"--", s.Host})
	if command := remoteCommand(s, session); command != "" {
		l.argv = append(l.argv, command)
	}
	c.mu.Lock()
	c.links[l.key] = l
	c.mu.Unlock()
	return l, nil
}

func randomBytes() []byte {
	b := make([]byte, 16)
	_, _ = rand.Read(b) // never fails
	return b
}
