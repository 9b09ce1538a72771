package ssh

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"goalpost/backend/domain/pane"
	"goalpost/backend/lib/shell"
	"goalpost/backend/lib/text"
)

// Sessions lists the tmux sessions on a server, unattached ones first, over the connection of an open pane if there
// is one. Errors: ErrLogin, or ssh's message.
func (c *Client) Sessions(ctx context.Context, s pane.SSHServer) ([]Session, error) {
	if err := s.Validate(); err != nil {
		return nil, err
	}
	out, err := c.sideCommand(ctx, s,
		"tmux list-sessions -F '#{session_created} #{session_attached} #{session_windows} #{session_name}'")
	switch {
	case err != nil:
		return nil, err
	case out.Status.Code == notFound:
		return nil, fmt.Errorf("there is no tmux on %s: install it there, or turn sessions off for this server",
			s.DisplayName())
	case out.Status.Code == failed:
		return nil, connectError(s, out.Stderr)
	}
	// Without a running tmux server, tmux exits with 1: there are no sessions.
	var list []Session
	for line := range strings.Lines(string(out.Stdout)) {
		if one, ok := parseSessions(strings.TrimRight(line, "\r\n")); ok {
			list = append(list, one)
		}
	}
	slices.SortStableFunc(list, func(a, b Session) int {
		if free := min(a.Attached, 1) - min(b.Attached, 1); free != 0 {
			return free
		}
		return b.Created.Compare(a.Created)
	})
	return list, nil
}

func parseSessions(line string) (Session, bool) {
	fields := strings.SplitN(line, " ", 4)
	if len(fields) < 4 || fields[3] == "" {
		return Session{}, false
	}
	var n [3]int64
	for i := range n {
		var err error
		if n[i], err = strconv.ParseInt(fields[i], 10, 64); err != nil {
			return Session{}, false
		}
	}
	name := text.ToUTF8(fields[3])
	return Session{Name: name, Created: time.Unix(n[0], 0).UTC(), Attached: int(n[1]), Windows: int(n[2])}, true
}

// Destroy ends the session on the server, with all its programs.
func (c *Connection) Destroy(ctx context.Context) error {
	if !c.server.Tmux {
		return nil // the session ends with its connection
	}
	out, err := c.c.sideCommand(ctx, c.server, "tmux kill-session -t "+shell.Quote("="+c.session))
	switch {
	case err != nil:
		return err
	case out.Status.Code == failed:
		return connectError(c.server, out.Stderr)
	case out.Status.Code != 0 && !strings.Contains(string(out.Stderr), "find session") &&
		!strings.Contains(string(out.Stderr), "no server"):
		return fmt.Errorf("ending the session %s on %s: %s", c.session, c.server.DisplayName(),
			text.SanitizeLine(text.FirstLine(string(out.Stderr)), maxMessage))
	}
	return nil
}

// NewSession returns a new unique session name.
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
