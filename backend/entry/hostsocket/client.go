package hostsocket

import (
	"bufio"
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"os"
	"strings"
	"syscall"

	"goalpost/backend/lib/fault"
)

// Client speaks with the host process of a data folder. All methods may be called concurrently.
type Client struct {
	state, version string
	program        string // see programHeader
	transport      *http.Transport
}

// NewClient makes the client of a state folder. version is that of this program.
func NewClient(state, version string) *Client {
	return &Client{state: state, version: version, program: rand.Text(), transport: &http.Transport{
		DialContext:         func(ctx context.Context, _, _ string) (net.Conn, error) { return dial(ctx, state) },
		MaxIdleConnsPerHost: 8, // a page makes a few calls at the same time
	}}
}

// JoinOther returns a client that uses a host of another version as that version does. err is what Connect or Find
// returned. JoinOther returns nil if err is another error, or if the host has another protocol.
func (c *Client) JoinOther(err error) *Client {
	var other *OtherVersionError
	if !errors.As(err, &other) || other.Host.Protocol != protocol {
		return nil
	}
	return &Client{state: c.state, version: other.Host.Version, program: c.program, transport: c.transport}
}

// Close ends connections that are not in use.
func (c *Client) Close() { c.transport.CloseIdleConnections() }

// Status asks the host what it has. It returns ErrNone if there is no host.
func (c *Client) Status(ctx context.Context) (s Status, err error) {
	return s, c.ask(ctx, http.MethodGet, "/status", nil, &s)
}

// Stop ends the host: its goals pause, and its terminals and pages close. It returns when the host has ended.
func (c *Client) Stop(ctx context.Context) error { return c.end(ctx, nil) }

// stopRequest is what the host is told with /stop.
type stopRequest struct {
	Again bool `json:"again"`
}

// StopForNext ends the host as Stop does, but the host that is started next continues its goals. Attached programs
// start that as after a crash.
func (c *Client) StopForNext(ctx context.Context) error {
	body, err := json.Marshal(stopRequest{Again: true})
	if err != nil {
		return fmt.Errorf("end the host process: %w", err)
	}
	return c.end(ctx, body)
}

func (c *Client) end(ctx context.Context, body []byte) error {
	err := c.ask(ctx, http.MethodPost, "/stop", body, nil)
	if err != nil && fault.Of(err).Code != fault.Unavailable { // the end may cut off the answer
		return err
	}
	return WaitForEnd(ctx, c.state)
}

// WaitForEnd waits until no host runs on a state folder.
func WaitForEnd(ctx context.Context, state string) error {
	lock, err := waitForLock(ctx, state, lockName)
	if err == nil {
		err = lock.Close()
	}
	if err != nil {
		return fmt.Errorf("waiting for the end of the host process: %w", err)
	}
	return nil
}

// Call runs a method of the page's interface in the host. args are JSON values. It returns the result as JSON.
func (c *Client) Call(ctx context.Context, method string, args []json.RawMessage) (json.RawMessage, error) {
	body, err := json.Marshal(request{method, args})
	if err != nil {
		return nil, fmt.Errorf("call %s: %w", method, err)
	}
	var a answer
	if err := c.ask(ctx, http.MethodPost, "/call", body, &a); err != nil {
		return nil, err
	}
	if a.Problem != nil {
		return nil, a.Problem
	}
	return a.Result, nil
}

// Streams relays the streams of panes and events from the host. auth must check each request.
func (c *Client) Streams(auth func(*http.Request) bool) http.Handler {
	relay := c.relay("")
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !auth(r) {
			http.Error(w, "forbidden", http.StatusForbidden)
			return
		}
		relay.ServeHTTP(w, r)
	})
}

// Page serves the page of the host's version.
func (c *Client) Page() http.Handler { return c.relay(pagePath) }

// relay passes requests on to the host, below a path.
func (c *Client) relay(path string) http.Handler {
	return &httputil.ReverseProxy{
		Transport: c.transport,
		Rewrite: func(r *httputil.ProxyRequest) {
			r.SetURL(&url.URL{Scheme: "http", Host: "host", Path: path})
			c.sign(r.Out)
		},
		ErrorHandler: func(w http.ResponseWriter, _ *http.Request, _ error) { w.WriteHeader(http.StatusBadGateway) },
		ErrorLog:     slog.NewLogLogger(slog.DiscardHandler, slog.LevelDebug), // the page connects again
	}
}

// Attach says what a program does while it is connected to the host.
type Attach struct {
	Window bool   `json:"window"` // it shows the window; there is at most one
	GoalID string `json:"goalID"` // shown first in the window, "" for none
	Port   int    `json:"port"`   // it listens on this port, which no page may reach; 0 is none
	// Env is the environment for what its calls start; nil is that of the host.
	Env []string `json:"env"`
}

type attachRequest struct {
	Attach
	PID int `json:"pid"`
}

// WindowError means that another program shows the window, which is in front now.
type WindowError struct{ PID int }

func (e *WindowError) Error() string {
	return fmt.Sprintf("Goalpost already has a window open on this data folder (pid %d)", e.PID)
}

// Attachment is a connection that lasts as long as the host, or until it is closed.
type Attachment struct {
	body  io.Closer
	lines *bufio.Reader
}

// Attach connects a program, which keeps the host alive until it disconnects or ctx ends.
func (c *Client) Attach(ctx context.Context, a Attach) (*Attachment, error) {
	body, err := json.Marshal(attachRequest{a, os.Getpid()})
	if err != nil {
		return nil, fmt.Errorf("attach: %w", err)
	}
	resp, err := c.send(ctx, http.MethodPost, "/attach", body)
	if err != nil {
		return nil, err
	}
	if resp.StatusCode == http.StatusSeeOther {
		other := &WindowError{}
		if err := errors.Join(json.NewDecoder(resp.Body).Decode(other), resp.Body.Close()); err != nil {
			return nil, fmt.Errorf("the other window: %w", err)
		}
		return nil, other
	}
	if resp.StatusCode != http.StatusOK {
		return nil, errors.Join(decode(resp, nil), resp.Body.Close())
	}
	return &Attachment{resp.Body, bufio.NewReader(resp.Body)}, nil
}

// ErrStopped means that a user or a signal has ended the host.
var ErrStopped error = fault.Kind(fault.Unavailable, "", "the host process was stopped",
	"start Goalpost again; goals continue with Continue")

// Lines that the host writes to an attached program: the window is wanted in front, with a goal or "", and the host is
// about to end.
const (
	frontLine   = "front "
	stoppedLine = "stopped"
)

// Next waits until another program wants the window in front, and returns the goal to show there, "" for none. Once the
// host has ended it returns an error, which is ErrStopped if that was intended.
func (a *Attachment) Next() (goalID string, err error) {
	line, err := a.lines.ReadString('\n')
	line = strings.TrimSuffix(line, "\n")
	switch {
	case err != nil:
		return "", endedError(err)
	case line == stoppedLine:
		return "", ErrStopped
	}
	return strings.TrimPrefix(line, frontLine), nil
}

// Close disconnects.
func (a *Attachment) Close() error { return a.body.Close() } //nolint:wrapcheck // nothing is written to it

// send sends a request. It returns ErrNone if no host listens.
func (c *Client) send(ctx context.Context, method, path string, body []byte) (*http.Response, error) {
	return c.sendBody(ctx, method, path, bytes.NewReader(body))
}

func (c *Client) sendBody(ctx context.Context, method, path string, body io.Reader) (*http.Response, error) {
	r, err := http.NewRequestWithContext(ctx, method, "http://host"+path, body)
	if err != nil {
		return nil, fmt.Errorf("ask the host process: %w", err)
	}
	c.sign(r)
	resp, err := c.transport.RoundTrip(r)
	switch {
	case err == nil:
		return resp, nil
	case errors.Is(err, os.ErrNotExist), errors.Is(err, syscall.ECONNREFUSED):
		return nil, ErrNone
	case ctx.Err() != nil:
		return nil, fmt.Errorf("ask the host process: %w", err)
	}
	return nil, endedError(err)
}

// sign adds the headers of this program.
func (c *Client) sign(r *http.Request) {
	r.Header.Set(versionHeader, c.version)
	r.Header.Set(programHeader, c.program)
}

// ask sends a request, and decodes its answer into out unless that is nil.
func (c *Client) ask(ctx context.Context, method, path string, body []byte, out any) (err error) {
	resp, err := c.send(ctx, method, path, body)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, resp.Body.Close()) }()
	return decode(resp, out)
}

// endedError is the error of a connection that the host's end has cut off.
func endedError(err error) error {
	return fmt.Errorf("%w: %w", &fault.Error{
		Code: fault.Unavailable, Message: "the host process has ended", Hint: "it is started again; try again in a moment",
	}, err)
}

// decode reads the answer into out, unless that is nil. An answer without success contains a problem.
func decode(resp *http.Response, out any) error {
	if resp.StatusCode != http.StatusOK {
		var problem fault.Error
		if json.NewDecoder(resp.Body).Decode(&problem) != nil || problem.Message == "" {
			return fmt.Errorf("the host process answered %s", resp.Status)
		}
		return &problem
	}
	if out == nil {
		return nil
	}
	if err := json.NewDecoder(resp.Body).Decode(out); err != nil {
		return endedError(err)
	}
	return nil
}
