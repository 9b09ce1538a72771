package egress

import (
	"errors"
	"fmt"
	"io"
	"net"
	"strconv"
	"time"
)

// Forward forwards connections that l accepts on the goal's loopback to the same port of this machine, until Close.
// The caller has checked that the user allowed the port.
func (p *Proxy) Forward(l net.Listener, port int) {
	p.mu.Lock()
	closed := p.closed
	if !closed {
		p.closers = append(p.closers, l)
		p.work.Add(1)
	}
	p.mu.Unlock()
	if closed {
		_ = l.Close()
		return
	}
	go func() {
		defer p.work.Done()
		for {
			client, err := l.Accept()
			if errors.Is(err, net.ErrClosed) {
				return
			}
			if err != nil {
				p.cfg.Log.Warn("a forwarded port stopped", "port", port, "error", err)
				return
			}
			p.work.Go(func() { p.relay(client, strconv.Itoa(port)) })
		}
	}()
}

func (p *Proxy) relay(client net.Conn, port string) {
	e := Entry{At: time.Now(), From: SourceProgram, Method: "FORWARD", Host: "127.0.0.1", Port: port, Allowed: true}
	if p.isOwnPort(port) {
		_ = client.Close()
		e.Allowed, e.Reason = false, errOwnPort.Error()
		p.log.add(e)
		return
	}
	var d net.Dialer
	there, err := d.DialContext(p.ctx, "tcp", net.JoinHostPort("127.0.0.1", port))
	if err != nil {
		_ = client.Close()
		e.Reason = fmt.Sprintf("the port is allowed, but it did not answer: %v", err)
		p.log.add(e)
		return
	}
	if !p.open.trackTunnel(client, there) {
		return
	}
	defer p.open.untrackTunnel(client, there)
	m := p.meter(e, true)
	defer m.end()
	done := make(chan struct{})
	go func() {
		defer close(done)
		_, _ = io.Copy(countingWriter{there, &m.out}, client)
		closeWrite(there)
	}()
	_, _ = io.Copy(countingWriter{client, &m.in}, there)
	_ = client.Close() // ends the other direction
	<-done
}
