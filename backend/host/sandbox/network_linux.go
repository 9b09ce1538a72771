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

	"goalpost/backend/host/sandbox/spec"
	"goalpost/backend/host/sandbox/wire"
)

// networkSockets are the sockets that the helper opens on a goal's loopback, in the order of network.files.
var networkSockets = []string{"tcp " + spec.ProxyAddress, "udp " + spec.NameServer + ":53", "tcp " + spec.NameServer +
	":53"}

// withMachinePorts returns networkSockets and the granted ports of the machine.
func withMachinePorts(ports []int) []string {
	list := slices.Clone(networkSockets)
	for _, port := range ports {
		list = append(list, "tcp "+net.JoinHostPort("127.0.0.1", strconv.Itoa(port)))
	}
	return list
}

// network has the sockets that the helper opened in a goal's network namespace, and that this process serves.
type network struct {
	mu    sync.Mutex
	files []*os.File
}

func (n *network) adopt(fds []int) {
	n.mu.Lock()
	defer n.mu.Unlock()
	for _, fd := range fds {
		n.files = append(n.files, adoptFile(fd, "goal's socket"))
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

// take returns a socket to its first caller.
func (n *network) take(i int) (*os.File, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if i >= len(n.files) || n.files[i] == nil {
		return nil, errors.New("the goal has no network of its own, or its socket was already taken")
	}
	f := n.files[i]
	n.files[i] = nil
	return f, nil
}

// Network hands over the sockets, once. A Supervisor without a sandbox has none.
func (s *Supervisor) Network() (*Network, error) {
	var n Network
	var err error
	if n.Proxy, err = s.network.listener(0); err != nil {
		return nil, err
	}
	f, err := s.network.take(1)
	if err == nil {
		n.Names, err = net.FilePacketConn(f)
		err = errors.Join(err, f.Close())
	}
	if err == nil {
		n.NamesBy, err = s.network.listener(2)
	}
	for i := 0; err == nil && i < s.ports; i++ {
		var l net.Listener
		if l, err = s.network.listener(len(networkSockets) + i); err == nil {
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

// Dial connects to the goal's own loopback, which is not the machine's. network must be "tcp". A Supervisor without a
// sandbox refuses.
func (s *Supervisor) Dial(ctx context.Context, network, address string) (net.Conn, error) {
	if !s.sandboxed {
		return nil, fmt.Errorf("dialing %s: %w", address, errors.ErrUnsupported)
	}
	_, fds, err := s.call(ctx, wire.Request{Op: wire.Dial, Network: network, Address: address})
	if wireErr := (*wire.Error)(nil); errors.As(err, &wireErr) {
		closeFDs(fds)
		return nil, errors.New(wireErr.Text) // it names the address
	}
	switch {
	case err != nil:
		return nil, fmt.Errorf("dialing %s: %w", address, err)
	case len(fds) != 1:
		closeFDs(fds)
		return nil, fmt.Errorf("dialing %s: the helper sent no connection", address)
	}
	f := os.NewFile(uintptr(fds[0]), "connection")
	conn, err := net.FileConn(f)
	if err := errors.Join(err, f.Close()); err != nil {
		return nil, fmt.Errorf("dialing %s: %w", address, err)
	}
	return conn, nil
}
