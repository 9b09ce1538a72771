package app

import (
	"net/url"
	"slices"
	"strconv"
	"sync"

	"goalpost/backend/sandbox"
)

// ownPorts are the ports that this program listens on, which no page and no goal
// reaches: its page, its streams, the proxies of its goals. All methods may be called
// concurrently.
type ownPorts struct {
	streamURL func() string // "" as long as there are no streams; nil: there never are
	processes func() []int  // of all programs on the same data folder

	mu    sync.Mutex
	ports []int
}

// Register adds a port that this program listens on.
func (o *ownPorts) Register(port int) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.ports = append(o.ports, port)
}

// Unregister takes back one Register.
func (o *ownPorts) Unregister(port int) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if i := slices.Index(o.ports, port); i >= 0 {
		o.ports = slices.Delete(o.ports, i, i+1)
	}
}

// List returns the ports of this process.
func (o *ownPorts) List() []int {
	o.mu.Lock()
	list := slices.Clone(o.ports)
	o.mu.Unlock()
	if o.streamURL == nil {
		return list
	}
	if u, err := url.Parse(o.streamURL()); err == nil {
		if port, err := strconv.Atoi(u.Port()); err == nil {
			list = append(list, port)
		}
	}
	return list
}

// Contains reports whether a port is one of this program's, in this process or in another
// one on the same data folder.
func (o *ownPorts) Contains(port int) bool {
	return slices.Contains(o.List(), port) || sandbox.IsListening(o.processes(), port)
}

// ContainsText is Contains for the text of a port.
func (o *ownPorts) ContainsText(port string) bool {
	n, err := strconv.Atoi(port)
	return err == nil && o.Contains(n)
}
