package serve

import (
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"fmt"
	"net/http"
	"sync"
	"time"
)

const (
	sessionLife = 30 * 24 * time.Hour
	maxSessions = 256
)

// sessions are the cookies given out, kept by their hash and only in memory.
type sessions struct {
	now func() time.Time

	mu  sync.Mutex
	all map[[sha256.Size]byte]time.Time // when it was given out
}

// begin makes a session. Past the bound the oldest ends.
func (s *sessions) begin() (string, error) {
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
		for k, t := range s.all {
			if t.Before(at) {
				oldest, at = k, t
			}
		}
		delete(s.all, oldest)
	}
	s.all[sha256.Sum256([]byte(id))] = s.now()
	return id, nil
}

func (s *sessions) live(id string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	since, ok := s.all[sha256.Sum256([]byte(id))]
	return ok && s.now().Sub(since) < sessionLife
}

// sameSecret compares without telling how much was right, also of the length.
func sameSecret(a, b string) bool {
	x, y := sha256.Sum256([]byte(a)), sha256.Sum256([]byte(b))
	return subtle.ConstantTimeCompare(x[:], y[:]) == 1
}

// cookieName holds the port: cookies do not, and two programs on one machine
// would log each other out.
func (s *Server) cookieName() string { return "goalpost_" + s.port }

func (s *Server) setCookie(w http.ResponseWriter, id string) {
	http.SetCookie(w, &http.Cookie{
		Name: s.cookieName(), Value: id, Path: "/", MaxAge: int(sessionLife / time.Second),
		HttpOnly: true, Secure: s.o.TLS != nil, SameSite: http.SameSiteStrictMode,
	})
}

// loggedIn says whether a request carries a live session.
func (s *Server) loggedIn(r *http.Request) bool {
	c, err := r.Cookie(s.cookieName())
	return err == nil && s.sessions.live(c.Value)
}
