package ssh

import (
	"bufio"
	"context"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"slices"
	"time"

	"goalpost/backend/domain/pane"
)

// askpassCall is the helper's request, one line of JSON. The reply is the text for ssh, or nothing without an
// answer.
type askpassCall struct {
	Key       string `json:"key"`
	Prompt    string `json:"prompt"`
	Connected bool   `json:"connected"`
}

const maxAskpassBytes = 64 << 10

// serve handles one call of the helper.
func (c *Client) serve(conn net.Conn) {
	defer func() { _ = conn.Close() }()
	var in askpassCall
	line, err := bufio.NewReader(io.LimitReader(conn, maxAskpassBytes)).ReadBytes('\n')
	if err != nil || json.Unmarshal(line, &in) != nil {
		return
	}
	c.mu.Lock()
	l := c.links[in.Key]
	c.mu.Unlock()
	switch {
	case l == nil:
	case in.Connected:
		l.markConnected()
	default:
		if text, ok := l.askUser(conn, in.Prompt); ok {
			_, _ = io.WriteString(conn, text+"\n") // a helper that has ended needs no reply
		}
	}
}

// Open makes a client. It begins to listen for the helper with the first connection.
func Open(o Options) *Client {
	c := &Client{
		launcher: o.Launcher,
		helper:   o.Helper,
		onState:  o.OnState,
		saved:    o.Saved,
		backoff:  o.Backoff,
		env:      o.Env,
		links:    map[string]*Connection{},
	}
	if len(c.backoff) == 0 {
		c.backoff = []time.Duration{
			time.Second, 2 * time.Second, 4 * time.Second, 8 * time.Second, 15 * time.Second,
			30 * time.Second,
		}
	}
	return c
}

// Close ends the reconnecting of all connections and all questions. The terminals themselves are closed by their
// owner.
func (c *Client) Close() error {
	c.mu.Lock()
	var links []*Connection
	for _, l := range c.links {
		links = append(links, l)
	}
	listener := c.listener
	c.mu.Unlock()
	for _, l := range links {
		l.Close()
	}
	if listener == nil {
		return nil
	}
	err := listener.Close()
	c.wg.Wait()
	if err := errors.Join(err, os.RemoveAll(c.dir)); err != nil {
		return fmt.Errorf("closing ssh: %w", err)
	}
	return nil
}

// acceptCalls accepts the helper's calls until Close.
func (c *Client) acceptCalls(listener net.Listener) {
	for {
		conn, err := listener.Accept()
		if err != nil {
			return
		}
		c.wg.Go(func() { c.serve(conn) })
	}
}

// New makes the connection of a pane, and reads the configuration of ssh. wasConnected means that it was
// connected before, in an earlier run of the program.
func (c *Client) New(
	ctx context.Context, id string, s pane.SSHServer, session string, wasConnected bool,
) (*Connection, error) {
	if err := s.Validate(); err != nil {
		return nil, err
	}
	if err := c.listenForHelper(); err != nil {
		return nil, err
	}
	l := &Connection{
		c: c, pane: id, server: s, session: session, key: hex.EncodeToString(randomBytes()),
		wasConnected: wasConnected, wake: make(chan struct{}, 1), answers: map[string]*cachedAnswer{},
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
