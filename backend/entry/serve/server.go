package serve

import (
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	"goalpost/backend/panes/stream"
	"goalpost/backend/storage/devices"
)

func (s *Server) scheme() string {
	if s.o.TLS != nil {
		return "https"
	}
	return "http"
}

// Methods runs the methods that a page calls; a Registry does.
type Methods interface {
	Call(ctx context.Context, name string, args []json.RawMessage) (any, error)
}

// Options describe what is served and to which clients.
type Options struct {
	Listen string // host:port; "" is 127.0.0.1 and a free port
	// AllowRemote allows Listen to be an address that other machines can reach. Anyone with the token then works as
	// the user who started the program.
	AllowRemote bool
	// Hosts are further accepted values of the Host header, such as the name of a reverse proxy or of this machine;
	// with or without port.
	Hosts []string
	TLS   *tls.Config // nil is plain HTTP
	// Authority is the certificate that devices install to trust an own certificate, as PEM; nil if there is none.
	Authority []byte
	Assets    fs.FS // the built frontend, with index.html at its root
	Methods   Methods
	// Stream makes the handler of /v1/ from a function that checks requests; it is (*stream.Server).Handler. nil
	// serves no streams.
	Stream func(auth func(*http.Request) bool) http.Handler
	Token  string // "" generates one of 256 random bits; at least 12 characters otherwise
	// Devices keeps who is logged in, the password and the links; nil keeps the devices in memory.
	Devices *devices.List
	Log     *slog.Logger
	Now     func() time.Time // replaced in tests of the lock-out; nil is the real time
}

// Server is a running server. All methods may be called concurrently.
type Server struct {
	o        Options
	token    string
	port     string
	address  string
	http     *http.Server
	files    http.Handler
	lock     *lockout
	conns    *stream.Connections
	sockets  *sockets
	accepted chan struct{}
}

// URL is the address of the page, such as http://127.0.0.1:8080/. For a server on all addresses it is the loopback
// address.
func (s *Server) URL() string {
	host, _, err := net.SplitHostPort(s.address)
	if ip := net.ParseIP(host); err != nil || ip == nil || ip.IsUnspecified() {
		host = "127.0.0.1"
	}
	return s.scheme() + "://" + net.JoinHostPort(host, s.port) + "/"
}

// Port is the port that the server listens on.
func (s *Server) Port() string { return s.port }

// RemoteURL is the address of the page for other machines: for a server on all addresses, the first one of a local
// network, else the first one that is not this machine's alone.
func (s *Server) RemoteURL() string {
	host, _, err := net.SplitHostPort(s.address)
	if ip := net.ParseIP(host); err != nil || ip == nil || !ip.IsUnspecified() {
		return s.URL()
	}
	best := net.IP(nil)
	addresses, _ := net.InterfaceAddrs() // without them the loopback address is left
	for _, a := range addresses {
		n, ok := a.(*net.IPNet)
		if !ok || !n.IP.IsGlobalUnicast() {
			continue
		}
		if isBetter := n.IP.To4() != nil && n.IP.IsPrivate(); best == nil || (isBetter && !best.IsPrivate()) {
			best = n.IP
		}
	}
	if best == nil {
		return s.URL()
	}
	return s.scheme() + "://" + net.JoinHostPort(best.String(), s.port) + "/"
}

// AuthorityURL is where devices get the certificate that makes them trust this server.
func (s *Server) AuthorityURL() string { return strings.TrimSuffix(s.RemoteURL(), "/") + authorityPath }

// LoginURL is URL with the token in it, which logs in directly.
func (s *Server) LoginURL() string { return s.URL() + "?token=" + url.QueryEscape(s.token) }

// StopListening frees the address of the server. What is connected stays until Close.
func (s *Server) StopListening() {
	_ = s.http.Close() // the listener and idle connections; sockets are hijacked
	<-s.accepted
}

// Close ends every connection and waits for running calls. If ctx ends first, pages that do not answer are cut off;
// calls are still waited for. The owner of the stream server closes that before this server.
func (s *Server) Close(ctx context.Context) error {
	err := s.conns.Close(ctx, s.StopListening)
	if err = errors.Join(err, s.sockets.endWatch()); err != nil {
		return fmt.Errorf("closing the server: %w", err)
	}
	return nil
}
