package app

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/url"
	"strconv"

	"goalpost/backend/sandbox/egress"
)

// nowhere is the proxy of what belongs to no goal that is open: what the goals'
// Chromium fetches beside their pages, and a page whose goal's room is closed. It
// refuses everything and tells the log, where a port that nobody holds could belong
// to any server of this machine.
type nowhere struct {
	app   *App
	proxy *egress.Proxy
	at    string // as Chromium's --proxy-server
	port  int
	times map[string]int // by host; egress tells of one request at a time
}

// apart is how many hosts are counted each for itself; the rest is counted together.
const apart = 200

func (a *App) openNowhere(ctx context.Context) (*nowhere, error) {
	n := &nowhere{app: a, times: map[string]int{}}
	n.proxy = egress.New(egress.Config{Rules: egress.Rules{Deny: []string{"*"}}, Dial: refused, OnEntry: n.heard, Log: a.log})
	var err error
	if n.at, err = n.proxy.Listen(ctx); err != nil {
		return n, fmt.Errorf("the proxy that refuses everything: %w", err)
	}
	at, err := url.Parse(n.at)
	if err == nil {
		n.port, err = strconv.Atoi(at.Port())
	}
	if err != nil {
		return n, fmt.Errorf("the proxy that refuses everything: %w", err)
	}
	a.Listens(n.port)
	return n, nil
}

func refused(context.Context, string) (net.Conn, error) {
	return nil, errors.New("nothing is reached from here")
}

// heard logs what was refused: of each host the first, the tenth, the hundredth.
func (n *nowhere) heard(e egress.Entry) {
	host := e.Host
	if _, known := n.times[host]; !known && len(n.times) >= apart {
		host = "others"
	}
	n.times[host]++
	if times := n.times[host]; round(times) {
		n.app.log.Warn("the goals' browser wanted out beside their pages, and was refused", "method", e.Method, "host", host, "port", e.Port, "times", times)
	}
}

// round says whether a count is 1, 10, 100 and so on.
func round(n int) bool {
	for n > 1 && n%10 == 0 {
		n /= 10
	}
	return n == 1
}

func (n *nowhere) close() error {
	n.app.listensNoMore(n.port)
	return n.proxy.Close()
}
