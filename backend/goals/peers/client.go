package peers

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"slices"
	"strings"

	"goalpost/backend/domain/goal"
	"goalpost/backend/domain/pane"
	"goalpost/backend/goals/api"
	"goalpost/backend/goals/panes"
	"goalpost/backend/lib/fault"
	"goalpost/backend/lib/text"
	"goalpost/backend/panes/stream"
	"goalpost/backend/storage/store"
)

// Client sends requests to other processes of this user. A goal must run in the process that has its panes. So a
// process without panes, such as the command line, asks the one that has them to start the goal. The socket between
// processes admits only the same user.
type Client struct {
	Store *store.Store
	Log   *slog.Logger
}

// maxPeerMessage bounds a message between processes, in bytes.
const maxPeerMessage = 8 << 20

// StartInOwnerProcess starts a goal in the process that owns the panes to share. Panes have names such as t1, or
// t1@4711 if two processes have a pane of that name. ctx bounds the intake there; the goal outlives it. Refusals come
// from that process.
func (c *Client) StartInOwnerProcess(ctx context.Context, in goal.Request) (goal.ID, error) {
	process, err := c.findPaneOwner(ctx, in.Panes)
	if err != nil {
		return "", err
	}
	in.Panes = slices.Clone(in.Panes)
	for i, id := range in.Panes {
		in.Panes[i], _, _ = panes.SplitPeerID(id)
	}
	body, err := json.Marshal(in)
	if err != nil {
		return "", fmt.Errorf("start in the process %s: %w", process, err)
	}
	var out struct {
		api.StartOutput
		Problem *fault.Error `json:"problem"`
	}
	if err := callPeer(ctx, dialPeer(c.Store, process), http.MethodPost, "/goals", body, &out); err != nil {
		return "", fmt.Errorf("start in the process %s: %w", process, err)
	}
	if out.Problem != nil {
		return "", out.Problem
	}
	return goal.ID(out.GoalID), nil
}

// findPaneOwner returns the process that owns all of the panes. Its error lists the panes that can be shared.
func (c *Client) findPaneOwner(ctx context.Context, ids []string) (string, error) {
	var owners, available []string
	for _, process := range c.Store.Sockets.Peers() {
		var list []pane.Info
		if err := callPeer(ctx, dialPeer(c.Store, process), http.MethodGet, "/shareable", nil, &list); err != nil {
			c.Log.Debug("another process cannot be asked for its panes", "process", process, "error", err)
			continue
		}
		has := func(id string) bool {
			name, at, remote := panes.SplitPeerID(id)
			return (!remote || at == process) && slices.ContainsFunc(list, func(i pane.Info) bool { return i.ID == name })
		}
		if !slices.ContainsFunc(ids, func(id string) bool { return !has(id) }) {
			owners = append(owners, process)
		}
		for _, info := range list {
			available = append(available,
				fmt.Sprintf("%s%s%s (%s, %s)", info.ID, panes.PeerSeparator, process, info.Kind, describePane(info)))
		}
	}
	refuse := func(reason, hint string) (string, error) {
		return "", &fault.Error{Field: "panes", Message: reason, Hint: hint}
	}
	names := strings.Join(ids, " and ")
	switch {
	case len(owners) == 1:
		return owners[0], nil
	case len(owners) > 1:
		return refuse(fmt.Sprintf("%d processes have a pane %s", len(owners), names), "name one of "+
			strings.Join(available, ", "))
	case len(available) == 0:
		return refuse(fmt.Sprintf("no process on this data folder can share the pane %s", names),
			"open it in the window or in serve, or leave it out")
	}
	return refuse("no process has the pane "+names+" to share", "name one of "+strings.Join(available, ", "))
}

func describePane(info pane.Info) string {
	const maxTitle = 40
	return text.Truncate(cmp.Or(strings.Join(strings.Fields(info.Title), " "), info.URL), maxTitle)
}

// callPeer sends a request to another process and decodes its JSON answer into out.
func callPeer(ctx context.Context, dial stream.Dial, method, path string, body []byte, out any) (err error) {
	transport := &http.Transport{
		DisableKeepAlives: true,
		DialContext:       func(ctx context.Context, _, _ string) (net.Conn, error) { return dial(ctx) },
	}
	r, err := http.NewRequestWithContext(ctx, method, "http://peer"+path, bytes.NewReader(body))
	if err != nil {
		return fmt.Errorf("ask another process: %w", err)
	}
	resp, err := transport.RoundTrip(r)
	if err != nil {
		return fmt.Errorf("ask another process: %w", err)
	}
	defer func() { err = errors.Join(err, resp.Body.Close()) }()
	if resp.StatusCode != http.StatusOK {
		return fmt.Errorf("ask another process: it answered %s", resp.Status)
	}
	if err := json.NewDecoder(io.LimitReader(resp.Body, maxPeerMessage)).Decode(out); err != nil {
		return fmt.Errorf("ask another process: %w", err)
	}
	return nil
}

// DialPeerPane finds a pane of another process for the page's streams. It returns false if the id names no process.
func (c *Client) DialPeerPane(id string) (stream.RemotePane, bool) {
	name, process, ok := panes.SplitPeerID(id)
	return stream.RemotePane{Pane: name, Dial: dialPeer(c.Store, process)}, ok
}

func dialPeer(s *store.Store, process string) stream.Dial {
	return func(ctx context.Context) (net.Conn, error) { return s.Sockets.DialPeer(ctx, process) }
}
