package serve

import (
	"bufio"
	"fmt"
	"net"
	"net/http"
	"sync"

	"goalpost/backend/storage/devices"
)

// sockets are the open WebSockets of each device, which are cut off when its login ends.
type sockets struct {
	list     *devices.List
	endWatch func() error

	mu   sync.Mutex
	open map[string]map[net.Conn]bool // by the ID of the device
}

// watchSockets makes an empty set that follows the list of devices.
func watchSockets(list *devices.List) (*sockets, error) {
	s := &sockets{list: list, open: map[string]map[net.Conn]bool{}}
	end, err := list.Watch(s.cutOff)
	if err != nil {
		return nil, fmt.Errorf("devices: %w", err)
	}
	s.endWatch = end
	return s, nil
}

// cutOff closes the sockets of devices that are not logged in any more.
func (s *sockets) cutOff() {
	all, err := s.list.All()
	if err != nil {
		return // a list that cannot be read ends no login
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	loggedIn := map[string]bool{}
	for _, d := range all {
		loggedIn[d.ID] = true
	}
	for id, conns := range s.open {
		for c := range conns {
			if !loggedIn[id] {
				_ = c.Close()
			}
		}
	}
}

// ofDevice passes on a request so that its socket belongs to the device that it comes from. Requests without a login
// are passed on, too: the handler refuses them.
func (s *Server) ofDevice(next http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		d, ok := s.device(r)
		if !ok {
			next(w, r)
			return
		}
		next(&deviceWriter{ResponseWriter: w, sockets: s.sockets, device: d.ID}, r)
	}
}

// deviceWriter notes the connection that a handler takes over.
type deviceWriter struct {
	http.ResponseWriter

	sockets *sockets
	device  string
}

// Unwrap gives http.ResponseController what this type does not have.
func (d *deviceWriter) Unwrap() http.ResponseWriter { return d.ResponseWriter }

// Hijack takes over the connection of the request.
func (d *deviceWriter) Hijack() (net.Conn, *bufio.ReadWriter, error) {
	conn, buffer, err := http.NewResponseController(d.ResponseWriter).Hijack()
	if err != nil {
		return nil, nil, fmt.Errorf("taking over a connection: %w", err)
	}
	noted := &deviceConn{Conn: conn, remove: d.sockets.add(d.device, conn)}
	d.sockets.cutOff() // the login may have ended since it was checked
	return noted, buffer, nil
}

// add notes a connection, and returns what removes it.
func (s *sockets) add(device string, c net.Conn) (remove func()) {
	s.mu.Lock()
	if s.open[device] == nil {
		s.open[device] = map[net.Conn]bool{}
	}
	s.open[device][c] = true
	s.mu.Unlock()
	return func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		delete(s.open[device], c)
		if len(s.open[device]) == 0 {
			delete(s.open, device)
		}
	}
}

// deviceConn removes itself when it is closed.
type deviceConn struct {
	net.Conn

	remove func()
}

// Close closes the connection.
func (d *deviceConn) Close() error {
	d.remove()
	return d.Conn.Close() //nolint:wrapcheck // it is the connection's own
}
