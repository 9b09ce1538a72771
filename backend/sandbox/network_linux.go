package sandbox

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"slices"
	"strconv"
	"sync"

	"goalpost/backend/sandbox/wire"
)

// listening are the sockets that the helper opens on a goal's loopback, in the
// order in which network keeps them.
var listening = []string{"tcp " + ProxyAddress, "udp " + NameServer + ":53", "tcp " + NameServer + ":53"}

// listens adds the ports of the machine that appear there, too.
func listens(ports []int) []string {
	list := slices.Clone(listening)
	for _, port := range ports {
		list = append(list, "tcp "+net.JoinHostPort("127.0.0.1", strconv.Itoa(port)))
	}
	return list
}

// network is the app's end of a goal's own network: the sockets live there,
// although they are read here.
type network struct {
	mu    sync.Mutex
	files []*os.File
}

func (n *network) adopt(fds []int) {
	n.mu.Lock()
	defer n.mu.Unlock()
	for _, fd := range fds {
		n.files = append(n.files, adopt(fd, "goal's socket"))
	}
	closeFDs(fds)
}

func (n *network) close() {
	n.mu.Lock()
	defer n.mu.Unlock()
	for _, f := range n.files {
		if f != nil {
			_ = f.Close()
		}
	}
	n.files = nil
}

// take gives a socket to its first taker.
func (n *network) take(i int) (*os.File, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if i >= len(n.files) || n.files[i] == nil {
		return nil, errors.New("the goal has no network of its own, or its socket was taken already")
	}
	f := n.files[i]
	n.files[i] = nil
	return f, nil
}

// Network hands over the sockets. A set without walls has none.
func (s *Set) Network() (*Network, error) {
	var n Network
	var err error
	if n.Proxy, err = s.own.listener(0); err != nil {
		return nil, err
	}
	f, err := s.own.take(1)
	if err == nil {
		n.Names, err = net.FilePacketConn(f)
		err = errors.Join(err, f.Close())
	}
	if err == nil {
		n.NamesBy, err = s.own.listener(2)
	}
	for i := 0; err == nil && i < s.ports; i++ {
		var l net.Listener
		if l, err = s.own.listener(len(listening) + i); err == nil {
			n.Ports = append(n.Ports, l)
		}
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("the network of %s: %w", s.name, err), n.Close())
	}
	return &n, nil
}

func (n *network) listener(i int) (net.Listener, error) {
	f, err := n.take(i)
	if err != nil {
		return nil, err
	}
	l, err := net.FileListener(f)
	if err := errors.Join(err, f.Close()); err != nil {
		return nil, fmt.Errorf("taking the goal's socket: %w", err)
	}
	return l, nil
}

// dialed is what became of a dial.
type dialed struct {
	conn net.Conn
	err  error
}

// Dial connects to the goal's own loopback: the machine's is another one. Only
// "tcp" is dialed. A set without walls has no network of its own and refuses.
func (s *Set) Dial(ctx context.Context, network, address string) (net.Conn, error) {
	if !s.walled {
		return nil, fmt.Errorf("dialing %s: %w", address, errors.ErrUnsupported)
	}
	answer := make(chan dialed, 1)
	s.mu.Lock()
	if s.closed {
		s.mu.Unlock()
		return nil, fmt.Errorf("dialing %s: %w", address, ErrClosed)
	}
	s.next++
	id := s.next
	s.dials[id] = answer
	s.mu.Unlock()
	if err := s.post(wire.Request{ID: id, Op: wire.Dial, Network: network, Address: address}, nil); err != nil {
		s.forget(id)
		return nil, fmt.Errorf("dialing %s: %w", address, err)
	}
	select {
	case d := <-answer:
		return d.conn, d.err
	case <-ctx.Done():
		if s.forget(id) == nil { // answered just now
			if d := <-answer; d.conn != nil {
				_ = d.conn.Close()
			}
		}
		return nil, fmt.Errorf("dialing %s: %w", address, ctx.Err())
	}
}

// forget takes a dial out of the list; nil if somebody else did.
func (s *Set) forget(id uint64) chan dialed {
	s.mu.Lock()
	defer s.mu.Unlock()
	answer := s.dials[id]
	delete(s.dials, id)
	return answer
}

// dialed takes the answer to a dial; false if it answers something else.
func (s *Set) dialed(a wire.Answer, fds []int) bool {
	answer := s.forget(a.ID)
	if answer == nil {
		if a.Dialed { // nobody waits any more
			closeFDs(fds)
		}
		return a.Dialed
	}
	var d dialed
	if a.Error != nil {
		d.err = errors.New(a.Error.Text)
	} else if len(fds) == 1 {
		f := os.NewFile(uintptr(fds[0]), "connection")
		d.conn, d.err = net.FileConn(f)
		d.err = errors.Join(d.err, f.Close())
	} else {
		d.err = errors.New("the helper sent no connection")
		closeFDs(fds)
	}
	answer <- d
	return true
}

// hangUp ends the dials that nobody will answer.
func (s *Set) hangUp() {
	s.mu.Lock()
	left := s.dials
	s.dials = map[uint64]chan dialed{}
	changes := s.changes
	s.changes = map[uint64]chan rewalled{}
	s.mu.Unlock()
	for _, answer := range changes {
		answer <- rewalled{err: ErrClosed}
	}
	for _, answer := range left {
		answer <- dialed{err: ErrClosed}
	}
}
