package egress

import (
	"context"
	"fmt"
	"net"
	"os"
)

// ListenPanes opens the listener for the goal's browser panes on this machine's
// loopback and returns its address for --proxy-server. Chromium can name no
// password there, so the kernel is asked who connects: others than this user are
// turned away.
func (p *Proxy) ListenPanes(ctx context.Context) (address string, err error) {
	var c net.ListenConfig
	l, err := c.Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return "", fmt.Errorf("opening the proxy of the goal's panes: %w", err)
	}
	p.Serve(&guarded{Listener: l, uid: os.Getuid(), log: func(peer string) {
		p.cfg.Log.Warn("another user knocked at a goal's proxy", "from", peer)
	}}, Pane)
	return "http://" + l.Addr().String(), nil
}

// guarded accepts connections of one user only.
type guarded struct {
	net.Listener
	uid int
	log func(peer string)
}

func (g *guarded) Accept() (net.Conn, error) {
	for {
		c, err := g.Listener.Accept()
		if err != nil {
			return nil, err //nolint:wrapcheck // http.Server reads it
		}
		if peerIs(c, g.uid) {
			return c, nil
		}
		g.log(c.RemoteAddr().String())
		_ = c.Close()
	}
}
