package serve

import (
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"fmt"
	"sync"
	"time"
)

const (
	sessionLife = 30 * 24 * time.Hour
	maxSessions = 256
)

// sessions are the issued cookies, stored by their hash and only in memory.
type sessions struct {
	now func() time.Time

	mu  sync.Mutex
	all map[[sha256.Size]byte]session
}

type session struct {
	since time.Time
	user  string // the user of this machine who logged in, "" if unknown
}

// begin makes a session for a user and returns its cookie. Above maxSessions the oldest session ends.
func (s *sessions) begin(user string) (string, error) {
	secret := make([]byte, 32)
	if _, err := rand.Read(secret); err != nil {
		return "", fmt.Errorf("making a session: %w", err)
	}
	id := hex.EncodeToString(secret)
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.all) >= maxSessions {
		var oldest [sha256.Size]byte
		at := s.now().Add(time.Hour)
		for k, one := range s.all {
			if one.since.Before(at) {
				oldest, at = k, one.since
			}
		}
		delete(s.all, oldest)
	}
	s.all[sha256.Sum256([]byte(id))] = session{s.now(), user}
	return id, nil
}

// isLive reports whether a session exists, has not expired and belongs to a user.
func (s *sessions) isLive(id, user string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	one, ok := s.all[sha256.Sum256([]byte(id))]
	return ok && one.user == user && s.now().Sub(one.since) < sessionLife
}

// sameSecret compares in constant time, also for different lengths.
func sameSecret(a, b string) bool {
	x, y := sha256.Sum256([]byte(a)), sha256.Sum256([]byte(b))
	return subtle.ConstantTimeCompare(x[:], y[:]) == 1
}
