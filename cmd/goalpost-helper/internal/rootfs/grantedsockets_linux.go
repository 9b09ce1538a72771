package rootfs

import (
	"sync"

	"golang.org/x/sys/unix"
)

// GrantedSockets are the machine's sockets that the user granted.
type GrantedSockets struct {
	mu sync.Mutex
	of map[uint64][]deviceInode // by grant; 0 means since the start
}

// deviceInode identifies a file of the machine.
type deviceInode struct{ dev, ino uint64 }

// add records a file if it is a socket.
func (g *GrantedSockets) add(grant uint64, info unix.Stat_t) {
	if info.Mode&unix.S_IFMT != unix.S_IFSOCK {
		return
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.of == nil {
		g.of = map[uint64][]deviceInode{}
	}
	g.of[grant] = append(g.of[grant], deviceInode{info.Dev, info.Ino})
}

// remove removes a grant's sockets.
func (g *GrantedSockets) remove(grant uint64) {
	g.mu.Lock()
	defer g.mu.Unlock()
	delete(g.of, grant)
}

// IsGranted reports whether the user granted the socket with these numbers.
func (g *GrantedSockets) IsGranted(dev, ino uint64) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	for _, list := range g.of {
		for _, one := range list {
			if one == (deviceInode{dev, ino}) {
				return true
			}
		}
	}
	return false
}
