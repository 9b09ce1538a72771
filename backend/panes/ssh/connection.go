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

	mu    sync.Mutex
	up    bool // ssh is connected
	known bool // ssh was connected before: reconnecting is worthwhile
	given bool // the user refused to answer
	state State
	ask   *pendingPrompt
	kept  map[string]*cachedAnswer // by prompt, as long as the connection exists
}

// Argv returns the command line for the terminal.
func (l *Connection) Argv() []string { return l.argv }

// Env returns the environment of the terminal, with the variables through which ssh asks the user.
func (l *Connection) Env() []string {
	return append(slices.Clone(l.c.env),
		"SSH_ASKPASS="+l.c.helper, "SSH_ASKPASS_REQUIRE=force",
		"GOALPOST_ASK="+filepath.Join(l.c.dir, askName), "GOALPOST_ASK_KEY="+l.key)
}

// Server returns the server of the connection.
func (l *Connection) Server() pane.SSHServer { return l.server }

// Session returns the name of the tmux session on the server, "" without one.
func (l *Connection) Session() string {
	if !l.server.Tmux {
		return ""
	}
	return l.session
}

// Supervise follows the terminal until it is closed, or its program ends for another reason than a lost connection.
// After a lost connection it reconnects, and ssh attaches to the same session. After any other end, use Restart and a
// new Supervise.
func (l *Connection) Supervise(ctx context.Context, t Terminal) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	stop := context.AfterFunc(l.life, cancel) //nolint:contextcheck // the connection's own end cancels it, too
	defer stop()
	for try := 0; ; try++ {
		began := time.Now()
		status, ok := t.Ended(ctx)
		if !ok {
			return
		}
		if l.shared && time.Since(began) > sharedConnectTimeout {
			l.markConnected()
		}
		if l.markDown() {
			try = 0
		}
		if status.Code != failed || !l.shouldReconnect() {
			l.update(func(s *State) { *s = State{} })
			return
		}
		wait := l.c.backoff[min(try, len(l.c.backoff)-1)]
		l.update(func(s *State) {
			*s = State{Problem: "The connection was lost. Trying again in " + formatWait(wait) + "."}
		})
		if !l.awaitRetry(ctx, wait) {
			return
		}
		l.update(func(s *State) { s.Problem = "The connection was lost. Connecting…" })
		if err := t.Restart(ctx); err != nil {
			l.update(func(s *State) { s.Problem = fmt.Sprintf("The connection was lost, and ssh did not start: %v", err) })
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
func (l *Connection) awaitRetry(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-l.wake:
	case <-ctx.Done():
		return false
	}
	return true
}

// RetryNow reconnects now. It reports whether the connection was waiting for its next attempt.
func (l *Connection) RetryNow() bool {
	l.mu.Lock()
	waits := l.state.Problem != ""
	l.given = false
	l.mu.Unlock()
	if waits {
		select {
		case l.wake <- struct{}{}:
		default:
		}
	}
	return waits
}

// Close ends Supervise and discards the connection and its answers.
func (l *Connection) Close() {
	l.end()
	l.c.mu.Lock()
	defer l.c.mu.Unlock()
	delete(l.c.links, l.key)
}

// State returns the present state.
func (l *Connection) State() State {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.state
}

func (l *Connection) isConnected() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.up
}

// markDown records that ssh is disconnected, and reports whether it was connected.
func (l *Connection) markDown() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	was := l.up
	l.up = false
	return was
}

func (l *Connection) shouldReconnect() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.known && !l.given
}

// markConnected records that ssh is connected.
func (l *Connection) markConnected() {
	l.mu.Lock()
	l.up, l.known = true, true
	for _, k := range l.kept {
		k.tried, k.good = false, true
	}
	l.mu.Unlock()
	l.update(func(s *State) { *s = State{} })
}

func (l *Connection) update(edit func(*State)) {
	l.mu.Lock()
	old := l.state
	edit(&l.state)
	now := l.state
	l.mu.Unlock()
	if now != old {
		l.c.onState(l.pane, now)
	}
}

// pendingPrompt is a question that waits for the user.
type pendingPrompt struct {
	prompt string
	secret bool
	answer chan string // closed without a value if there will be no answer
}

// cachedAnswer is an answer that ssh accepted. It is used again after a lost connection, once for each attempt: a
// wrong password is not repeated.
type cachedAnswer struct {
	answer      string
	tried, good bool
}

// State is what a pane shows of its connection.
type State struct {
	Ask     string // ssh's present question, "" for none
	Secret  bool   // the answer must not be shown
	Problem string // "the connection was lost; …"
}

func (l *Connection) controlPath() string { return filepath.Join(l.c.dir, "c-"+l.key[:16]) }

// options returns our settings on top of the user's configuration, which is never weakened: a host key is confirmed by
// the user unless the configuration forbids unknown hosts, a dead connection is detected, and the commands beside the
// session share its connection. ssh's default escape character goes, because "~." at the beginning of a pasted line
// would end the session; one that the user has chosen stays.
func (l *Connection) options(config map[string]string) []string {
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
	if !l.shared {
		set("ControlMaster", "auto")
		set("ControlPath", l.controlPath())
		set("ControlPersist", "no")
	}
	if command := config["localcommand"]; command == "" || command == "none" {
		set("PermitLocalCommand", "yes")
		set("LocalCommand", strings.ReplaceAll(shell.Quote(l.c.helper), "%", "%%")+" ssh connected")
	}
	return args
}
