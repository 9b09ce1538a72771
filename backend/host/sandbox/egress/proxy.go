// Package egress is a goal's only way to the network: a proxy for its programs and browser panes, and a DNS server
// that resolves nothing. The proxy decides by host name before it resolves, resolves itself, checks the address that
// it connects to, and keeps a log. It does not inspect the content of tunnels.
package egress

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"sync"
	"time"
)

const (
	dialTime   = 20 * time.Second
	headerTime = 30 * time.Second
	maxHeader  = 1 << 20
)

// DialInside dials the goal's own loopback.
type DialInside func(ctx context.Context, network, address string) (net.Conn, error)

// Config configures a Proxy.
type Config struct {
	Rules  Rules
	Inside DialInside // nil: the goal has no loopback, and this machine's is refused
	// Dial, if set, makes every connection; no loopback is then the goal's, and addresses are not checked here.
	Dial func(ctx context.Context, address string) (net.Conn, error)
	// OnEntry, if set, is called with every decided request, one call at a time.
	OnEntry func(Entry)
	Log     *slog.Logger
	// CountEvery is how often the byte counts of long transfers are logged; 0 means every ten seconds.
	CountEvery time.Duration
	// Ours reports whether a port of this machine now belongs to this program; such a port is refused even if the
	// user allowed it. nil means none does.
	Ours func(port string) bool
	// Resolver and Control let tests name their own servers.
	Resolver func(ctx context.Context, host string) ([]netip.Addr, error)
	Public   func(netip.Addr) error
}

// Proxy is one goal's proxy. All methods may be called concurrently.
type Proxy struct {
	cfg       Config
	log       *entryLog
	transport *http.Transport
	work      sync.WaitGroup
	ctx       context.Context // ends with Close
	cancel    context.CancelFunc

	mu      sync.Mutex
	rules   Rules
	passes  map[string][]string // the hosts that each pass opens
	servers []*http.Server
	closers []interface{ Close() error }
	out     map[*openRequest]struct{}
	closed  bool
	DNS     DNSServer
	open    tunnelSet
}

// New returns a proxy without listeners.
func New(cfg Config) *Proxy {
	if cfg.Log == nil {
		cfg.Log = slog.New(slog.DiscardHandler)
	}
	if cfg.Resolver == nil {
		cfg.Resolver = func(ctx context.Context, host string) ([]netip.Addr, error) {
			return net.DefaultResolver.LookupNetIP(ctx, "ip", host)
		}
	}
	if cfg.Public == nil {
		cfg.Public = CheckPublicAddress
	}
	p := &Proxy{
		cfg:   cfg,
		rules: cfg.Rules,
		log:   &entryLog{onEntry: cfg.OnEntry},
		out:   map[*openRequest]struct{}{},
	}
	p.DNS.proxy = p
	p.open = tunnelSet{proxy: p, tunnels: map[net.Conn]struct{}{}}
	p.ctx, p.cancel = context.WithCancel(context.Background())
	p.transport = &http.Transport{
		DialContext: func(ctx context.Context, _, address string) (net.Conn, error) {
			return p.dialHost(ctx, address)
		},
		ForceAttemptHTTP2:     false,
		DisableCompression:    true,
		MaxIdleConnsPerHost:   4,
		IdleConnTimeout:       30 * time.Second,
		ResponseHeaderTimeout: 0, // the program decides how long it waits
	}
	return p
}

// Rules returns the current rules.
func (p *Proxy) Rules() Rules {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.rules
}

// openRequest is an allowed request, plain or tunnel, that has not ended.
type openRequest struct {
	q     Request
	hosts []string // opened for it by a pass
	stop  context.CancelFunc
}

// beginRequest applies the rules to a request and, if it is allowed, registers it until leave is called, so that a
// change of the rules can end it.
func (p *Proxy) beginRequest(
	q Request, hosts []string, stop context.CancelFunc,
) (leave func(), reason string, ok bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if reason, ok := p.rules.withHosts(hosts).Decide(q); !ok {
		return nil, reason, false
	}
	one := &openRequest{q, hosts, stop}
	p.out[one] = struct{}{}
	return func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		delete(p.out, one)
	}, "", true
}

// SetRules replaces the rules for new requests and for open ones: a tunnel that the new rules refuse is closed.
func (p *Proxy) SetRules(r Rules) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.rules = r
	for one := range p.out {
		if _, ok := r.withHosts(one.hosts).Decide(one.q); !ok {
			one.stop()
		}
	}
}

// Serve serves a listener until Close, which closes it.
func (p *Proxy) Serve(l net.Listener, from Source) { p.serve(l, from, false) }

// serve is Serve; sockets marks a listener for WebSockets only.
func (p *Proxy) serve(l net.Listener, from Source, sockets bool) {
	server := &http.Server{
		Handler:           p.trackHandlers(func(w http.ResponseWriter, r *http.Request) { p.handle(w, r, from, sockets) }),
		ReadHeaderTimeout: headerTime,
		MaxHeaderBytes:    maxHeader,
		ErrorLog:          slog.NewLogLogger(p.cfg.Log.Handler(), slog.LevelDebug),
		BaseContext:       func(net.Listener) context.Context { return p.ctx },
	}
	p.mu.Lock()
	p.servers = append(p.servers, server)
	closed := p.closed
	p.mu.Unlock()
	if closed {
		_ = l.Close()
		return
	}
	p.work.Go(func() {
		if err := server.Serve(l); err != nil && !errors.Is(err, http.ErrServerClosed) && !errors.Is(err, net.ErrClosed) {
			p.cfg.Log.Warn("a proxy stopped", "error", err)
		}
	})
}

// trackHandlers wraps a handler so that Close waits for running calls and no call starts afterwards;
// http.Server.Close does not wait for handlers.
func (p *Proxy) trackHandlers(handle http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		p.mu.Lock()
		if p.closed {
			p.mu.Unlock()
			panic(http.ErrAbortHandler)
		}
		p.work.Add(1)
		p.mu.Unlock()
		defer p.work.Done()
		handle(w, r)
	}
}

// Close ends every connection and waits for the goroutines that serve them; nothing is logged afterwards.
func (p *Proxy) Close() error {
	p.mu.Lock()
	p.closed = true
	servers, closers := p.servers, p.closers
	p.servers, p.closers = nil, nil
	for c := range p.open.tunnels {
		_ = c.Close() // ends its copying
	}
	p.mu.Unlock()
	p.cancel()
	var errs []error
	for _, s := range servers {
		errs = append(errs, s.Close())
	}
	for _, c := range closers {
		errs = append(errs, c.Close())
	}
	p.work.Wait()
	p.transport.CloseIdleConnections()
	if err := errors.Join(errs...); err != nil && !errors.Is(err, net.ErrClosed) {
		return fmt.Errorf("closing a proxy: %w", err)
	}
	return nil
}

// dialHost resolves and connects. The goal's own loopback is dialed inside the sandbox.
func (p *Proxy) dialHost(ctx context.Context, address string) (net.Conn, error) {
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		return nil, fmt.Errorf("dialing: %w", err)
	}
	if p.cfg.Dial != nil {
		return p.cfg.Dial(ctx, address)
	}
	ctx, cancel := context.WithTimeout(ctx, dialTime)
	defer cancel()
	local := matchesHost(p.Rules().Local, Request{Host: host, Port: port})
	if isGoalLoopback(host) && !local {
		return p.dialInside(ctx, host, port)
	}
	if local && p.isOwnPort(port) {
		return nil, fmt.Errorf("dialing %s: %w", address, errOwnPort)
	}
	addrs, err := p.resolve(ctx, host)
	if err != nil {
		return nil, err
	}
	var errs []error
	for _, a := range addrs {
		// Dial the address, never the name, so that the address checked is the address connected to.
		err := p.checkDialAddress(a, Request{Host: host, Port: port}, local)
		if err == nil {
			var conn net.Conn
			if conn, err = new(net.Dialer).DialContext(ctx, "tcp", net.JoinHostPort(a.String(), port)); err == nil {
				return conn, nil
			}
		}
		errs = append(errs, err)
	}
	return nil, errors.Join(errs...)
}

// checkDialAddress checks a resolved address before a socket is created, so that the reason is the same on machines
// without IPv6.
func (p *Proxy) checkDialAddress(to netip.Addr, q Request, local bool) error {
	to = to.Unmap().WithZone("")
	switch {
	case local:
		return nil
	case p.Rules().isLiteralAllowed(q):
		return checkNotOwnAddress(to)
	}
	return p.cfg.Public(to)
}

// isInsideRequest reports whether a request is for the goal's own loopback.
func (p *Proxy) isInsideRequest(q Request) bool {
	return p.cfg.Dial == nil && isGoalLoopback(q.Host) && !matchesHost(p.Rules().Local, q)
}

var errOwnPort = errors.New("the port is Goalpost's own, which a goal never reaches")

func (p *Proxy) isOwnPort(port string) bool { return p.cfg.Ours != nil && p.cfg.Ours(port) }

func (p *Proxy) resolve(ctx context.Context, host string) ([]netip.Addr, error) {
	if a, err := netip.ParseAddr(host); err == nil {
		return []netip.Addr{a}, nil
	}
	addrs, err := p.cfg.Resolver(ctx, host)
	if err != nil {
		return nil, fmt.Errorf("resolving %s: %w", host, err)
	}
	return addrs, nil
}

// dialInside connects to a server of the goal, trying both families for localhost.
func (p *Proxy) dialInside(ctx context.Context, host, port string) (net.Conn, error) {
	if p.cfg.Inside == nil {
		return nil, fmt.Errorf("dialing %s: this goal has no loopback of its own", host)
	}
	addrs := []string{"127.0.0.1", "::1"}
	if a, err := netip.ParseAddr(host); err == nil && a.Unmap().IsLoopback() {
		addrs = []string{a.Unmap().String()}
	}
	var errs []error
	for _, a := range addrs {
		conn, err := p.cfg.Inside(ctx, "tcp", net.JoinHostPort(a, port))
		if err == nil {
			return conn, nil
		}
		errs = append(errs, err)
	}
	return nil, errors.Join(errs...)
}
