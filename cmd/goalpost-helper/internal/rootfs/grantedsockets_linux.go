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
func (s *GrantedSockets) add(grant uint64, info unix.Stat_t) {
	if info.Mode&unix.S_IFMT != unix.S_IFSOCK {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.of == nil {
		s.of = map[uint64][]deviceInode{}
	}
	s.of[grant] = append(s.of[grant], deviceInode{info.Dev, info.Ino})
}

// remove removes a grant's sockets.
func (s *GrantedSockets) remove(grant uint64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.of, grant)
}

// IsGranted reports whether the user granted the socket with these numbers.
func (s *GrantedSockets) IsGranted(dev, ino uint64) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, list := range s.of {
		for _, one := range list {
			if one == (deviceInode{dev, ino}) {
				return true
			}
		}
	}
	return false
}
