package peers

import (
	"bytes"
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

	"goalpost/backend/api"
	"goalpost/backend/app/panes"
	"goalpost/backend/fault"
	"goalpost/backend/goal"
	"goalpost/backend/pane"
	"goalpost/backend/store"
	"goalpost/backend/stream"
)

// Client sends requests to other processes of this user. A pane lives in one process, and so does the run that
// drives it: a process without panes of the user, such as the command line, asks the process that has them to
// start the goal, and watches. The socket between processes admits the same user only.
type Client struct {
	Store *store.Store
	Log   *slog.Logger
}

// maxPeerMessage is the longest message between such processes, in bytes.
const maxPeerMessage = 8 << 20

// StartInOwnerProcess starts a goal in the process that owns the panes to share. They are named t1, or t1@4711
// where two processes have a pane of that name. ctx bounds the intake there; the goal outlives it. Refusals
// are those of that process.
func (p *Client) StartInOwnerProcess(ctx context.Context, in api.StartInput) (goal.ID, error) {
	process, err := p.findPaneOwner(ctx, in.Panes)
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
	if err := callPeer(ctx, dialPeer(p.Store, process), http.MethodPost, "/goals", body, &out); err != nil {
		return "", fmt.Errorf("start in the process %s: %w", process, err)
	}
	if out.Problem != nil {
		return "", out.Problem
	}
	return goal.ID(out.GoalID), nil
}

// findPaneOwner returns the process that owns all of the panes, or a refusal that lists the panes there are.
func (p *Client) findPaneOwner(ctx context.Context, ids []string) (string, error) {
	var holders, there []string
	for _, process := range p.Store.Peers() {
		var list []pane.Info
		if err := callPeer(ctx, dialPeer(p.Store, process), http.MethodGet, "/lendable", nil, &list); err != nil {
			p.Log.Debug("another process cannot be asked for its panes", "process", process, "error", err)
			continue
		}
		has := func(id string) bool {
			own, at, placed := panes.SplitPeerID(id)
			return (!placed || at == process) && slices.ContainsFunc(list, func(i pane.Info) bool { return i.ID == own })
		}
		if !slices.ContainsFunc(ids, func(id string) bool { return !has(id) }) {
			holders = append(holders, process)
		}
		for _, info := range list {
			there = append(there,
				fmt.Sprintf("%s%s%s (%s, %s)", info.ID, panes.PeerSeparator, process, info.Kind, describePanes(info)))
		}
	}
	refuse := func(reason, hint string) (string, error) {
		return "", &fault.Error{Field: "panes", Message: reason, Hint: hint}
	}
	wanted := strings.Join(ids, " and ")
	switch {
	case len(holders) == 1:
		return holders[0], nil
	case len(holders) > 1:
		return refuse(fmt.Sprintf("%d processes have a pane %s", len(holders), wanted), "say which: "+
			strings.Join(there, ", "))
	case len(there) == 0:
		return refuse(fmt.Sprintf("no process on this folder can share the pane %s", wanted),
			"open it in the window or in serve, or leave the pane out for new ones")
	}
	return refuse("no program has the pane "+wanted+" to lend", "there are "+strings.Join(there, ", "))
}

func describePanes(info pane.Info) string {
	const most = 40
	words := []rune(strings.Join(strings.Fields(info.Title), " "))
	if len(words) == 0 {
		words = []rune(info.URL)
	}
	if len(words) > most {
		words = append(words[:most-1], '…')
	}
	return string(words)
}

// callPeer sends a request to another process and decodes its JSON answer into out.
func callPeer(ctx context.Context, dial stream.Dial, method, path string, body []byte, out any) (err error) {
	transport := &http.Transport{
		DisableKeepAlives: true,
		DialContext:       func(ctx context.Context, _, _ string) (net.Conn, error) { return dial(ctx) },
	}
	r, err := http.NewRequestWithContext(ctx, method, "http://neighbour"+path, bytes.NewReader(body))
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

// DialPeerPane finds the pane of another process for the page's streams; false if the id names none.
func (p *Client) DialPeerPane(id string) (stream.RemotePane, bool) {
	own, process, ok := panes.SplitPeerID(id)
	return stream.RemotePane{Pane: own, Dial: dialPeer(p.Store, process)}, ok
}

func dialPeer(s *store.Store, process string) stream.Dial {
	return func(ctx context.Context) (net.Conn, error) { return s.DialPeer(ctx, process) }
}
