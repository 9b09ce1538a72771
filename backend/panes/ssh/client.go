package ssh

import (
	"context"
	"net"
	"os"
	"sync"
	"time"

	"goalpost/backend/domain/pane"
	"goalpost/backend/domain/process"
)

// Options are the dependencies of a Client.
type Options struct {
	Launcher process.Launcher // of the user
	Helper   string           // path of goalpost-helper, which asks for ssh
	Env      []string         // the user's environment
	// OnState is called after every change of a connection's State, without locks held.
	OnState func(pane string, s State)
	// Saved returns the answer that the user has saved for a question of a server; nil saves none.
	Saved func(ctx context.Context, server pane.SSHServer, question string) (answer string, ok bool)
	// Backoff is the wait before each attempt to reconnect; the last one repeats. Empty means 1 s to 30 s.
	Backoff []time.Duration
}

// Client manages connections. All methods may be called concurrently.
type Client struct {
	launcher process.Launcher
	helper   string
	env      []string
	onState  func(string, State)
	saved    func(context.Context, pane.SSHServer, string) (string, bool)
	backoff  []time.Duration
	wg       sync.WaitGroup

	mu    sync.Mutex
	links map[string]*Connection // by key
	// Set with the first connection, and not changed afterward.
	dir      string // 0700: has the socket for the helper, and ssh's own
	listener net.Listener
}

// liveConnection returns an open connection to the server, nil if there is none.
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

// byPane returns the connection of a pane, nil if it has none.
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

// Connection returns the connection of a pane; ok is false for panes of this machine.
func (c *Client) Connection(id string) (*Connection, bool) {
	l := c.byPane(id)
	return l, l != nil
}
