package egress

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
)

// ListenPanes opens the listeners for the goal's browser panes on this machine's
// loopback and returns them as Chromium's --proxy-server, and their ports. Chromium can name no
// password there, so the kernel is asked who connects: others than this user are
// turned away. WebSockets have a listener of their own: in a tunnel, and within an
// HTTP/2 connection that is there already, nothing tells them from reading. Chromium
// takes them to the proxy that is named for SOCKS before it looks at the one for https.
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

// Listen opens one such listener, for a part of this program that asks as a page
// would, and returns its address.
func (p *Proxy) Listen(ctx context.Context) (address string, err error) {
	at, err := p.listen(ctx, false)
	if err != nil {
		return "", err
	}
	return "http://" + at.String(), nil
}

// ListenSockets opens one for WebSockets alone, and returns its address, HOST:PORT.
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
		p.cfg.Log.Warn("another user knocked at a goal's proxy", "from", peer)
	}}, SourcePane, sockets)
	return at, nil
}

// sameUserListener accepts connections of one user only.
type sameUserListener struct {
	net.Listener
	uid int
	log func(peer string)
}

func (g *sameUserListener) Accept() (net.Conn, error) {
	for {
		c, err := g.Listener.Accept()
		if err != nil {
			return nil, err //nolint:wrapcheck // http.Server reads it
		}
		if isPeerUser(c, g.uid) {
			return c, nil
		}
		g.log(c.RemoteAddr().String())
		_ = c.Close()
	}
}
