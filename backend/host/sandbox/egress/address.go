package egress

import (
	"fmt"
	"net"
	"net/netip"
)

// nonPublicPrefixes lists networks without public servers, beyond those that net/netip itself classifies as private,
// loopback, link-local or multicast.
var nonPublicPrefixes = parsePrefixes(
	"0.0.0.0/8", "100.64.0.0/10", "192.0.0.0/24", "192.0.2.0/24", "192.88.99.0/24", "198.18.0.0/15", "198.51.100.0/24",
	"203.0.113.0/24", "240.0.0.0/4",
	"::/96", "64:ff9b::/96", "64:ff9b:1::/48", "100::/64", "2001::/23", "2001:db8::/32", "2002::/16", "fec0::/10",
)

func parsePrefixes(texts ...string) []netip.Prefix {
	list := make([]netip.Prefix, len(texts))
	for i, text := range texts {
		list[i] = netip.MustParsePrefix(text)
	}
	return list
}

// CheckPublicAddress refuses addresses outside the public internet, and this machine's own: a goal must not reach the
// user's network.
func CheckPublicAddress(addr netip.Addr) error {
	addr = addr.Unmap().WithZone("")
	switch {
	case !addr.IsGlobalUnicast(), addr.IsPrivate(), addr.IsLinkLocalUnicast(), addr.IsLoopback():
		return fmt.Errorf("%s is not an address of the open internet", addr)
	}
	for _, p := range nonPublicPrefixes {
		if p.Contains(addr) {
			return fmt.Errorf("%s is not an address of the open internet", addr)
		}
	}
	return checkNotOwnAddress(addr)
}

// checkNotOwnAddress refuses this machine's own addresses.
func checkNotOwnAddress(addr netip.Addr) error {
	mine, err := net.InterfaceAddrs()
	if err != nil {
		return fmt.Errorf("this machine's addresses: %w", err)
	}
	for _, a := range mine {
		if n, ok := a.(*net.IPNet); ok {
			if ip, ok := netip.AddrFromSlice(n.IP); ok && ip.Unmap() == addr {
				return fmt.Errorf("%s is an address of this machine", addr)
			}
		}
	}
	return nil
}
