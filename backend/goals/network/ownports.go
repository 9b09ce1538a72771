// Package network filters the requests of goals and of the user's pages, and records those of goals: the log of a
// goal's requests, the ports of this program, the filter for pages' requests.
package network

import (
	"net/url"
	"slices"
	"strconv"
	"sync"
)

// OwnPorts are the ports that this program listens on, for its page, its streams and the proxies of its goals.
// No page and no goal may reach them. All methods may be called concurrently.
type OwnPorts struct {
	StreamURL func() string // returns "" while there are no streams; may be nil

	mu    sync.Mutex
	ports []int
}

// Register adds a port that this program listens on.
func (o *OwnPorts) Register(port int) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.ports = append(o.ports, port)
}

// Unregister reverts one call of Register.
func (o *OwnPorts) Unregister(port int) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if i := slices.Index(o.ports, port); i >= 0 {
		o.ports = slices.Delete(o.ports, i, i+1)
	}
}

// List returns the ports.
func (o *OwnPorts) List() []int {
	o.mu.Lock()
	list := slices.Clone(o.ports)
	o.mu.Unlock()
	if o.StreamURL == nil {
		return list
	}
	if u, err := url.Parse(o.StreamURL()); err == nil {
		if port, err := strconv.Atoi(u.Port()); err == nil {
			list = append(list, port)
		}
	}
	return list
}

// Contains reports whether a port belongs to this program.
func (o *OwnPorts) Contains(port int) bool { return slices.Contains(o.List(), port) }

// ContainsText does what Contains does for a port in a text.
func (o *OwnPorts) ContainsText(port string) bool {
	n, err := strconv.Atoi(port)
	return err == nil && o.Contains(n)
}
