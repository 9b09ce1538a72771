package ssh

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"goalpost/backend/domain/pane"
	"goalpost/backend/domain/process"
	"goalpost/backend/lib/shell"
)

// Terminal is the interface to the terminal that runs ssh.
type Terminal interface {
	// Ended waits for the end of the program; ok is false if the terminal was closed or ctx ended.
	Ended(ctx context.Context) (process.Status, bool)
	Restart(ctx context.Context) error
}

// Connection is one pane's connection. All methods may be called concurrently.
type Connection struct {
	c       *Client
	pane    string
	server  pane.SSHServer
	session string
	key     string // authenticates the helper
	argv    []string
	// the user's configuration shares the connection: ssh does not report when it is connected
	shared bool
	wake   chan struct{} // one token: try now
	life   context.Context
	end    context.CancelFunc

	mu           sync.Mutex
	up           bool // ssh is connected
	wasConnected bool // ssh was connected before: reconnecting is worthwhile
	isRefused    bool // the user refused to answer
	state        State
	ask          *pendingPrompt
	answers      map[string]*cachedAnswer // by prompt, as long as the connection exists
}

// Argv returns the command line for the terminal.
func (c *Connection) Argv() []string { return c.argv }

// Env returns the environment of the terminal, with the variables through which ssh asks the user.
func (c *Connection) Env() []string {
	return append(slices.Clone(c.c.env),
		"SSH_ASKPASS="+c.c.helper, "SSH_ASKPASS_REQUIRE=force",
		"GOALPOST_ASK="+filepath.Join(c.c.dir, askName), "GOALPOST_ASK_KEY="+c.key)
}

// Server returns the server of the connection.
func (c *Connection) Server() pane.SSHServer { return c.server }

// Session returns the name of the tmux session on the server, "" without one.
func (c *Connection) Session() string {
	if !c.server.Tmux {
		return ""
	}
	return c.session
}

// Supervise follows the terminal until it is closed, or its program ends for another reason than a lost connection.
// After a lost connection it reconnects, and ssh attaches to the same session. After any other end, use Restart and a
// new Supervise.
func (c *Connection) Supervise(ctx context.Context, t Terminal) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	stop := context.AfterFunc(c.life, cancel) //nolint:contextcheck // the connection's own end cancels it, too
	defer stop()
	for try := 0; ; try++ {
		began := time.Now()
		status, ok := t.Ended(ctx)
		if !ok {
			return
		}
		if c.shared && time.Since(began) > sharedConnectTimeout {
			c.markConnected()
		}
		if c.markDown() {
			try = 0
		}
		if status.Code != failed || !c.shouldReconnect() {
			c.update(func(s *State) { *s = State{} })
			return
		}
		wait := c.c.backoff[min(try, len(c.c.backoff)-1)]
		c.update(func(s *State) {
			*s = State{Problem: "The connection was lost. Trying again in " + formatWait(wait) + "."}
		})
		if !c.awaitRetry(ctx, wait) {
			return
		}
		c.update(func(s *State) { s.Problem = "The connection was lost. Connecting…" })
		if err := t.Restart(ctx); err != nil {
			c.update(func(s *State) { s.Problem = fmt.Sprintf("The connection was lost, and ssh did not start: %v", err) })
			return
		}
	}
}

// sharedConnectTimeout is longer than any failing attempt to connect over a shared connection.
const sharedConnectTimeout = 10 * time.Second

func formatWait(d time.Duration) string {
	if d < time.Second {
		return "a moment"
	}
	return fmt.Sprintf("%d s", int(d.Round(time.Second)/time.Second))
}

// awaitRetry waits before the next attempt; RetryNow ends it early.
func (c *Connection) awaitRetry(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-c.wake:
	case <-ctx.Done():
		return false
	}
	return true
}

// RetryNow reconnects now. It reports whether the connection was waiting for its next attempt.
func (c *Connection) RetryNow() bool {
	c.mu.Lock()
	waits := c.state.Problem != ""
	c.isRefused = false
	c.mu.Unlock()
	if waits {
		select {
		case c.wake <- struct{}{}:
		default:
		}
	}
	return waits
}

// Close ends Supervise and discards the connection and its answers.
func (c *Connection) Close() {
	c.end()
	c.c.mu.Lock()
	defer c.c.mu.Unlock()
	delete(c.c.links, c.key)
}

// State returns the present state.
func (c *Connection) State() State {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.state
}

func (c *Connection) isConnected() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.up
}

// markDown records that ssh is disconnected, and reports whether it was connected.
func (c *Connection) markDown() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	was := c.up
	c.up = false
	return was
}

func (c *Connection) shouldReconnect() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.wasConnected && !c.isRefused
}

// markConnected records that ssh is connected.
func (c *Connection) markConnected() {
	c.mu.Lock()
	c.up, c.wasConnected = true, true
	for _, k := range c.answers {
		k.wasSent, k.good = false, true
	}
	c.mu.Unlock()
	c.update(func(s *State) { *s = State{} })
}

func (c *Connection) update(edit func(*State)) {
	c.mu.Lock()
	old := c.state
	edit(&c.state)
	now := c.state
	c.mu.Unlock()
	if now != old {
		c.c.onState(c.pane, now)
	}
}

// pendingPrompt is a question that waits for the user.
type pendingPrompt struct {
	prompt string
	secret bool
	answer chan string // closed without a value if there will be no answer
}

// cachedAnswer is an answer of the user, typed or saved. One that ssh accepted is used again after a lost connection,
// once for each attempt: a wrong password is not repeated.
type cachedAnswer struct {
	answer               string
	wasSent, good, saved bool
}

// State is what a pane shows of its connection.
type State struct {
	Ask    string // ssh's present question, "" for none
	Secret bool   // the answer must not be shown
	// AskAgain reports that ssh has refused the answer that the user had saved.
	AskAgain bool
	Problem  string // "the connection was lost; …"
}

func (c *Connection) controlPath() string { return filepath.Join(c.c.dir, "c-"+c.key[:16]) }

// options returns our settings on top of the user's configuration, which is never weakened: a host key is confirmed by
// the user unless the configuration forbids unknown hosts, a dead connection is detected, and the commands beside the
// session share its connection. ssh's default escape character goes, because "~." at the beginning of a pasted line
// would end the session; one that the user has chosen stays.
func (c *Connection) options(config map[string]string) []string {
	var args []string
	set := func(key, value string) { args = append(args, "-o", key+"="+value) }
	switch config["stricthostkeychecking"] {
	case "true", "yes", "ask":
	default: // accept-new, no
		set("StrictHostKeyChecking", "ask")
	}
	if config["escapechar"] == "~" {
		set("EscapeChar", "none")
	}
	if config["serveraliveinterval"] == "0" {
		set("ServerAliveInterval", "15")
	}
	if !c.shared {
		set("ControlMaster", "auto")
		set("ControlPath", c.controlPath())
		set("ControlPersist", "no")
	}
	if command := config["localcommand"]; command == "" || command == "none" {
		set("PermitLocalCommand", "yes")
		set("LocalCommand", strings.ReplaceAll(shell.Quote(c.c.helper), "%", "%%")+" ssh connected")
	}
	return args
}
