package sandbox

import (
	"errors"
	"net"
)

// Network has the sockets on a goal's own loopback through which its programs reach the network: for a proxy at
// ProxyAddress and a name server at NameServer. The caller serves and closes them.
type Network struct {
	Proxy   net.Listener
	Names   net.PacketConn
	NamesBy net.Listener   // the same over TCP
	Ports   []net.Listener // in the order of Spec.Ports
}

// Close closes all of them.
func (n *Network) Close() error {
	var errs []error
	for _, c := range []interface{ Close() error }{n.Proxy, n.Names, n.NamesBy} {
		if c != nil {
			errs = append(errs, c.Close())
		}
	}
	for _, l := range n.Ports {
		errs = append(errs, l.Close())
	}
	return errors.Join(errs...)
}
