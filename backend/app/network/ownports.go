// Package network holds what goals and the user's pages may reach, and writes down what goals asked for:
// the log of a goal's requests, the ports of this program, the judging of pages' requests.
package network

import (
	"net/url"
	"slices"
	"strconv"
	"sync"

	"goalpost/backend/sandbox"
)

// OwnPorts are the ports that this program listens on, which no page and no goal
// reaches: its page, its streams, the proxies of its goals. All methods may be called
// concurrently.
type OwnPorts struct {
	StreamURL func() string // "" as long as there are no streams; nil: there never are
	Processes func() []int  // of all programs on the same data folder

	mu    sync.Mutex
	ports []int
}

// Register adds a port that this program listens on.
func (o *OwnPorts) Register(port int) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.ports = append(o.ports, port)
}

// Unregister takes back one Register.
func (o *OwnPorts) Unregister(port int) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if i := slices.Index(o.ports, port); i >= 0 {
		o.ports = slices.Delete(o.ports, i, i+1)
	}
}

// List returns the ports of this process.
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

// Contains reports whether a port is one of this program's, in this process or in another
// one on the same data folder.
func (o *OwnPorts) Contains(port int) bool {
	return slices.Contains(o.List(), port) || sandbox.IsListening(o.Processes(), port)
}

// ContainsText is Contains for the text of a port.
func (o *OwnPorts) ContainsText(port string) bool {
	n, err := strconv.Atoi(port)
	return err == nil && o.Contains(n)
}
