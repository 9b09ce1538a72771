package egress

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync"
)

// Transport returns a client of the proxy for requests that this process makes on behalf of a goal's program. The
// proxy applies the same rules to them and logs them in the same way. A refused request over http has the response
// 403; over https it fails with the proxy's words. The transport may be used concurrently until the proxy is closed.
func (p *Proxy) Transport() *http.Transport {
	l := &socketListener{accepted: make(chan net.Conn), done: make(chan struct{})}
	p.Serve(l, SourceProgram)
	return &http.Transport{
		Proxy:                  http.ProxyURL(&url.URL{Scheme: "http", Host: "goal-proxy"}),
		DialContext:            func(ctx context.Context, _, _ string) (net.Conn, error) { return l.dial(ctx) },
		TLSHandshakeTimeout:    dialTime,
		MaxResponseHeaderBytes: maxHeader,
		DisableKeepAlives:      true, // nobody would close idle connections
		OnProxyConnectResponse: func(_ context.Context, _ *url.URL, _ *http.Request, res *http.Response) error {
			if res.StatusCode == http.StatusOK {
				return nil
			}
			words, _ := io.ReadAll(io.LimitReader(res.Body, 4<<10)) // a part of it is enough
			return errors.New(strings.TrimSpace(string(words)))
		},
	}
}

// socketListener accepts connections of this process alone: each is a pair of connected sockets without an address.
type socketListener struct {
	accepted chan net.Conn
	done     chan struct{}
	once     sync.Once
}

func (s *socketListener) dial(ctx context.Context) (net.Conn, error) {
	near, there, err := socketPair()
	if err != nil {
		return nil, err
	}
	select {
	case s.accepted <- there:
		return near, nil
	case <-s.done:
		err = net.ErrClosed
	case <-ctx.Done():
		err = ctx.Err()
	}
	return nil, errors.Join(fmt.Errorf("connecting to the goal's proxy: %w", err), near.Close(), there.Close())
}

func (s *socketListener) Accept() (net.Conn, error) {
	select {
	case c := <-s.accepted:
		return c, nil
	case <-s.done:
		return nil, net.ErrClosed
	}
}

func (s *socketListener) Close() error {
	s.once.Do(func() { close(s.done) })
	return nil
}

func (s *socketListener) Addr() net.Addr { return &net.UnixAddr{Net: "unix"} }
