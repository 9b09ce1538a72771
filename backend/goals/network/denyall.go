package network

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/url"
	"strconv"

	"goalpost/backend/host/sandbox/egress"
)

// DenyAllProxy refuses and logs every request. The goals' Chromium uses it for its own requests outside of pages, and
// for the pages of a goal whose session is closed. An unused port instead would not be safe, because any server on this
// machine could open it.
type DenyAllProxy struct {
	log     *slog.Logger
	ports   *OwnPorts
	proxy   *egress.Proxy
	Address string // as Chromium's --proxy-server
	port    int
	times   map[string]int // by host; egress serializes the calls of OnEntry
}

// maxCountedHosts is how many hosts are counted separately. Further hosts share one count.
const maxCountedHosts = 200

// OpenDenyAll starts the proxy that refuses everything.
func OpenDenyAll(ctx context.Context, log *slog.Logger, ports *OwnPorts) (*DenyAllProxy, error) {
	n := &DenyAllProxy{log: log, ports: ports, times: map[string]int{}}
	n.proxy = egress.New(egress.Config{
		Rules:   egress.Rules{Deny: []string{"*"}},
		Dial:    refuseDial,
		OnEntry: n.onRefused,
		Log:     log,
	})
	var err error
	if n.Address, err = n.proxy.Listen(ctx); err != nil {
		return n, fmt.Errorf("the proxy that refuses everything: %w", err)
	}
	at, err := url.Parse(n.Address)
	if err == nil {
		n.port, err = strconv.Atoi(at.Port())
	}
	if err != nil {
		return n, fmt.Errorf("the proxy that refuses everything: %w", err)
	}
	ports.Register(n.port)
	return n, nil
}

func refuseDial(context.Context, string) (net.Conn, error) {
	return nil, errors.New("this proxy refuses everything")
}

// onRefused logs the first, tenth, hundredth … refused request of each host.
func (d *DenyAllProxy) onRefused(e egress.Entry) {
	host := e.Host
	if _, isCounted := d.times[host]; !isCounted && len(d.times) >= maxCountedHosts {
		host = "others"
	}
	d.times[host]++
	if times := d.times[host]; isPowerOfTen(times) {
		d.log.Warn("the goals' browser made a request outside of their pages, which was refused",
			"method", e.Method, "host", host,
			"port", e.Port, "times", times)
	}
}

// isPowerOfTen reports whether n is 1, 10, 100 and so on.
func isPowerOfTen(n int) bool {
	for n > 1 && n%10 == 0 {
		n /= 10
	}
	return n == 1
}

func (d *DenyAllProxy) Close() error {
	d.ports.Unregister(d.port)
	return d.proxy.Close()
}
