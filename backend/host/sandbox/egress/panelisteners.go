package egress

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
)

// ListenPanes opens the listeners for the goal's browser panes on this machine's loopback and returns them as a value
// for Chromium's --proxy-server, with their ports. Chromium cannot send a password there, so the kernel's socket
// tables identify the peer, and other users' connections are closed. WebSockets have their own listener, because
// within a tunnel, or within an existing HTTP/2 connection, they cannot be distinguished from reads. For WebSockets,
// Chromium prefers the SOCKS entry to the https entry.
func (p *Proxy) ListenPanes(ctx context.Context) (servers string, ports []int, err error) {
	plain, err := p.listen(ctx, false)
	if err != nil {
		return "", nil, err
	}
	sockets, err := p.listen(ctx, true)
	if err != nil {
		return "", nil, err
	}
	for _, at := range []*net.TCPAddr{plain, sockets} {
		ports = append(ports, at.Port)
	}
	return fmt.Sprintf("http=http://%[1]s;https=http://%[1]s;socks=http://%[2]s", plain, sockets), ports, nil
}

// Listen opens a listener with the rules for pages, for requests that this program makes like a page. It returns its
// URL.
func (p *Proxy) Listen(ctx context.Context) (address string, err error) {
	at, err := p.listen(ctx, false)
	if err != nil {
		return "", err
	}
	return "http://" + at.String(), nil
}

// ListenSockets opens a listener for WebSockets only and returns its address, HOST:PORT.
func (p *Proxy) ListenSockets(ctx context.Context) (address string, err error) {
	at, err := p.listen(ctx, true)
	if err != nil {
		return "", err
	}
	return at.String(), nil
}

func (p *Proxy) listen(ctx context.Context, sockets bool) (*net.TCPAddr, error) {
	var c net.ListenConfig
	l, err := c.Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("opening a proxy: %w", err)
	}
	at, ok := l.Addr().(*net.TCPAddr)
	if !ok {
		return nil, errors.Join(fmt.Errorf("opening a proxy: it listens at %s", l.Addr()), l.Close())
	}
	p.serve(&sameUserListener{Listener: l, uid: os.Getuid(), log: func(peer string) {
		p.cfg.Log.Warn("closed a connection of another user to a goal's proxy", "from", peer)
	}}, SourcePane, sockets)
	return at, nil
}

// sameUserListener accepts only one user's connections.
type sameUserListener struct {
	net.Listener
	uid int
	log func(peer string)
}

func (s *sameUserListener) Accept() (net.Conn, error) {
	for {
		c, err := s.Listener.Accept()
		if err != nil {
			return nil, err //nolint:wrapcheck // http.Server reads it
		}
		if isPeerUser(c, s.uid) {
			return c, nil
		}
		s.log(c.RemoteAddr().String())
		_ = c.Close()
	}
}
