package egress

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync/atomic"
	"time"
)

// tunnelSet is the set of open tunnels, guarded by the proxy's mutex.
type tunnelSet struct {
	proxy *Proxy

	tunnels map[net.Conn]struct{}
}

// hopByHopHeaders are not forwarded (RFC 9110, section 7.6.1).
var hopByHopHeaders = []string{
	"Connection", "Proxy-Connection", "Keep-Alive", "Proxy-Authenticate",
	"Proxy-Authorization", "Te", "Trailer", "Transfer-Encoding", "Upgrade",
}

func (p *Proxy) handle(w http.ResponseWriter, r *http.Request, from Source, sockets bool) {
	began := time.Now()
	q, ok := readRequest(r, from)
	if sockets && q.Method == http.MethodConnect {
		q.Method = WebSocket
	} else if sockets {
		ok = false
	}
	if !ok {
		http.Error(w, "This is a goal's proxy: it accepts absolute addresses (http://host/path) and CONNECT.",
			http.StatusBadRequest)
		return
	}
	e := Entry{At: began, From: from, Method: q.Method, Host: q.Host, Port: q.Port, Allowed: true}
	ctx, stop := context.WithCancel(r.Context())
	defer stop()
	r = r.WithContext(ctx)
	if p.isInsideRequest(q) {
		e.Own = true
		if from == SourcePane && strings.HasPrefix(q.Host, "127.0.0.53") { // the programs' proxy applies other rules
			e.Allowed, e.Reason = false, "that address is the proxy of the goal's programs"
		}
	} else if leave, reason, ok := p.beginRequest(q, p.passHosts(r), stop); !ok {
		e.Allowed, e.Reason = false, reason
	} else {
		defer leave()
	}
	if !e.Allowed {
		p.refuseRequest(w, r, e)
		return
	}
	if r.Method == http.MethodConnect {
		p.openTunnel(w, r, q, e, p.passHosts(r))
		return
	}
	p.forwardRequest(w, r, e)
}

// readRequest reads the target of a request; ok is false if it has none.
func readRequest(r *http.Request, from Source) (Request, bool) {
	q := Request{From: from, Method: r.Method}
	host, port := r.URL.Hostname(), r.URL.Port()
	if r.Method == http.MethodConnect {
		var err error
		if host, port, err = net.SplitHostPort(r.Host); err != nil {
			return q, false
		}
	} else if r.URL.Scheme != "http" || host == "" {
		return q, false
	} else if port == "" {
		port = "80"
	}
	q.Host, q.Port = strings.TrimSuffix(strings.ToLower(host), "."), port
	return q, true
}

// refuseRequest responds with the refused request and the reason, for the model to read.
func (p *Proxy) refuseRequest(w http.ResponseWriter, r *http.Request, e Entry) {
	p.log.add(e)
	w.Header().Set("X-Goalpost", "refused")
	w.Header().Set("Connection", "close")
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.WriteHeader(http.StatusForbidden)
	if r.Method != http.MethodHead {
		_, _ = fmt.Fprintf(w, "Goalpost refused %s\n", e)
	}
}

// forwardRequest forwards a plain HTTP request.
func (p *Proxy) forwardRequest(w http.ResponseWriter, r *http.Request, e Entry) {
	out := r.Clone(r.Context())
	out.RequestURI = ""
	stripHopHeaders(out.Header)
	sent := &countingReader{r: r.Body}
	if r.Body != nil && r.Body != http.NoBody {
		out.Body = sent
	}
	res, err := p.transport.RoundTrip(out)
	if err != nil {
		p.writeError(w, e, err)
		return
	}
	defer func() { _ = res.Body.Close() }()
	stripHopHeaders(res.Header)
	for name, values := range res.Header {
		w.Header()[name] = values
	}
	w.WriteHeader(res.StatusCode)
	e.Status = res.StatusCode
	m := p.meter(e, false)
	copyAndFlush(w, res.Body, func(n int) {
		m.in.Add(int64(n))
		m.out.Store(sent.n.Load())
	})
	m.out.Store(sent.n.Load())
	m.end()
	if r.Context().Err() != nil { // a truncated response must not look complete
		panic(http.ErrAbortHandler)
	}
}

func stripHopHeaders(h http.Header) {
	for _, list := range h["Connection"] {
		for name := range strings.SplitSeq(list, ",") {
			h.Del(strings.TrimSpace(name))
		}
	}
	for _, name := range hopByHopHeaders {
		h.Del(name)
	}
}

// copyAndFlush copies until one side ends and flushes after each read, because event streams must not be delayed.
// onRead is called with the size of each piece.
func copyAndFlush(w http.ResponseWriter, r io.Reader, onRead func(n int)) {
	flush := http.NewResponseController(w)
	buf := make([]byte, 32<<10)
	for {
		n, err := r.Read(buf)
		if n > 0 {
			onRead(n)
			if _, err := w.Write(buf[:n]); err != nil {
				return
			}
			_ = flush.Flush()
		}
		if err != nil {
			return
		}
	}
}

// writeError responds that the host cannot be reached, or that its address is refused.
func (p *Proxy) writeError(w http.ResponseWriter, e Entry, err error) {
	e = p.logFailure(e, err)
	status := http.StatusBadGateway
	if !e.Allowed {
		status = http.StatusForbidden
	}
	w.Header().Set("Connection", "close")
	http.Error(w, "Goalpost cannot reach "+e.address()+": "+e.Reason, status)
}

// logFailure logs that e failed, and returns the entry.
func (p *Proxy) logFailure(e Entry, err error) Entry {
	e.Took, e.Reason = time.Since(e.At), err.Error()
	if !e.Own {
		e.Allowed = !strings.Contains(e.Reason, "is not an address of the open internet") &&
			!strings.Contains(e.Reason, "is an address of this machine") && !errors.Is(err, errOwnPort)
	}
	p.log.add(e)
	return e
}

// openTunnel connects both sides and copies until one of them ends.
func (p *Proxy) openTunnel(w http.ResponseWriter, r *http.Request, q Request, e Entry, opened []string) {
	ctx, cancel := context.WithCancel(r.Context())
	defer cancel()
	there, err := p.dialHost(ctx, net.JoinHostPort(q.Host, q.Port))
	if err != nil {
		p.writeError(w, e, err)
		return
	}
	client, buffered, err := http.NewResponseController(w).Hijack()
	if err != nil {
		_ = there.Close()
		p.writeError(w, e, err)
		return
	}
	if !p.open.trackTunnel(client, there) {
		return
	}
	defer p.open.untrackTunnel(client, there)
	defer context.AfterFunc(r.Context(), func() { _, _ = client.Close(), there.Close() })() // its host was closed
	if _, err := client.Write([]byte("HTTP/1.1 200 Connection established\r\n\r\n")); err != nil {
		return
	}
	out := io.Reader(buffered) // includes bytes read together with the request
	if q.From == SourcePane && q.Method == http.MethodConnect && !p.allowsSending(q, opened) {
		var ok bool
		if out, ok = isBrowserTLS(ctx, client, buffered); !ok {
			e.Allowed, e.Reason = false, "pages may only read from this host, and this tunnel is not an HTTPS fetch"
			p.log.add(e)
			return
		}
	}
	m := p.meter(e, true)
	defer m.end()
	done := make(chan struct{})
	p.work.Go(func() {
		defer close(done)
		_, _ = io.Copy(countingWriter{there, &m.out}, out)
		closeWrite(there)
	})
	_, _ = io.Copy(countingWriter{client, &m.in}, there)
	closeWrite(client)
	// One side has ended; give the other a bounded time to finish.
	_ = client.SetReadDeadline(time.Now().Add(headerTime))
	<-done
}

func closeWrite(c net.Conn) {
	if half, ok := c.(interface{ CloseWrite() error }); ok {
		_ = half.CloseWrite()
	}
}

// trackTunnel registers a tunnel for Close; it returns false after Close.
func (t *tunnelSet) trackTunnel(conns ...net.Conn) bool {
	t.proxy.mu.Lock()
	defer t.proxy.mu.Unlock()
	for _, c := range conns {
		if t.proxy.closed {
			_ = c.Close()
			continue
		}
		t.tunnels[c] = struct{}{}
	}
	if !t.proxy.closed {
		t.proxy.work.Add(1)
	}
	return !t.proxy.closed
}

func (t *tunnelSet) untrackTunnel(conns ...net.Conn) {
	t.proxy.mu.Lock()
	for _, c := range conns {
		delete(t.tunnels, c)
		_ = c.Close()
	}
	t.proxy.mu.Unlock()
	t.proxy.work.Done()
}

// countingReader counts the bytes that a program sends.
type countingReader struct {
	r io.ReadCloser
	n atomic.Int64
}

func (c *countingReader) Read(b []byte) (int, error) {
	n, err := c.r.Read(b)
	c.n.Add(int64(n))
	return n, err //nolint:wrapcheck // a reader's error is its own
}

func (c *countingReader) Close() error { return c.r.Close() } //nolint:wrapcheck // as above
