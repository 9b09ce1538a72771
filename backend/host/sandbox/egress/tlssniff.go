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

// handshakeTimeout limits how long a tunnel may take to send its first bytes.
const handshakeTimeout = 20 * time.Second

// allowsSending reports whether pages may send data to the request's host; then a tunnel's first bytes need no check.
func (p *Proxy) allowsSending(q Request, opened []string) bool {
	if p.isInsideRequest(q) {
		return true
	}
	q.Method = http.MethodPost
	_, ok := p.Rules().withHosts(opened).Decide(q)
	return ok
}

// isBrowserTLS reports whether a tunnel begins with a TLS handshake that offers HTTP/2, as Chromium's fetches do.
// WebRTC, the only other thing that pages can send through a tunnel, offers none. first replays everything from the
// first byte.
func isBrowserTLS(ctx context.Context, conn net.Conn, from io.Reader) (first io.Reader, ok bool) {
	_ = conn.SetReadDeadline(time.Now().Add(handshakeTimeout))
	defer func() { _ = conn.SetReadDeadline(time.Time{}) }()
	sniffer := &helloSniffer{Conn: conn, from: from}
	_ = tls.Server(sniffer, &tls.Config{GetConfigForClient: func(h *tls.ClientHelloInfo) (*tls.Config, error) {
		ok = slices.Contains(h.SupportedProtos, "h2")
		return nil, errHelloRead
	}}).HandshakeContext(ctx)
	return io.MultiReader(&sniffer.received, from), ok
}

var errHelloRead = errors.New("client hello was read")

// helloSniffer lets a TLS handshake read from the client without answering it.
type helloSniffer struct {
	net.Conn
	from     io.Reader
	received bytes.Buffer
}

func (h *helloSniffer) Read(b []byte) (int, error) {
	n, err := h.from.Read(b)
	h.received.Write(b[:n])
	return n, err //nolint:wrapcheck // the handshake reads it
}

func (h *helloSniffer) Write(b []byte) (int, error) { return len(b), nil }

// Close does nothing: the tunnel owns the connection.
func (h *helloSniffer) Close() error { return nil }
