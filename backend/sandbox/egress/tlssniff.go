package egress

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"net/http"
	"slices"
	"time"
)

// handshakeTimeout is how long a tunnel may take to say its first words.
const handshakeTimeout = 20 * time.Second

// allowsSending says whether anything may be sent where a request goes: then nobody looks
// at what a tunnel is for.
func (p *Proxy) allowsSending(q Request, opened []string) bool {
	if p.isInsideRequest(q) {
		return true
	}
	q.Method = http.MethodPost
	_, ok := p.Rules().withHosts(opened).Decide(q)
	return ok
}

// isBrowserTLS says whether a tunnel begins as Chromium's do in which it fetches: with
// TLS that offers HTTP/2. WebRTC, the one other thing that pages can send through a
// tunnel, offers none. first gives all that was sent from the beginning on.
func isBrowserTLS(ctx context.Context, here net.Conn, from io.Reader) (first io.Reader, ok bool) {
	_ = here.SetReadDeadline(time.Now().Add(handshakeTimeout))
	defer func() { _ = here.SetReadDeadline(time.Time{}) }()
	seen := &helloSniffer{Conn: here, from: from}
	_ = tls.Server(seen, &tls.Config{GetConfigForClient: func(h *tls.ClientHelloInfo) (*tls.Config, error) {
		ok = slices.Contains(h.SupportedProtos, "h2")
		return nil, errHelloRead
	}}).HandshakeContext(ctx)
	return io.MultiReader(&seen.received, from), ok
}

var errHelloRead = errors.New("enough was heard")

// helloSniffer lets a handshake hear the client, and the client hear nothing of it.
type helloSniffer struct {
	net.Conn
	from     io.Reader
	received bytes.Buffer
}

func (l *helloSniffer) Read(b []byte) (int, error) {
	n, err := l.from.Read(b)
	l.received.Write(b[:n])
	return n, err //nolint:wrapcheck // the handshake reads it
}

func (l *helloSniffer) Write(b []byte) (int, error) { return len(b), nil }

// Close leaves the connection to its tunnel.
func (l *helloSniffer) Close() error { return nil }
