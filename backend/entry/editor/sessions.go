package editor

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"sync"

	sdk "github.com/coder/acp-go-sdk"

	"goalpost/backend/domain/goal"
)

// maxSessions bounds the list; the oldest session is dropped first.
const maxSessions = 500

// savedSession is a session of an editor with its newest goal.
type savedSession struct {
	ID   sdk.SessionId `json:"id"`
	Dir  string        `json:"dir"`
	Goal goal.ID       `json:"goal,omitempty"`
}

// sessionList stores the sessions in a file, so that an editor can continue them after a restart. Its methods may be
// called concurrently. If two processes write at once, one entry is lost, but never the file.
type sessionList struct {
	path string
	mu   sync.Mutex
	list []savedSession
}

func openSessions(path string) (*sessionList, error) {
	s := &sessionList{path: path}
	return s, s.read()
}

func (s *sessionList) read() error {
	b, err := os.ReadFile(s.path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("the sessions of editors: %w", err)
	}
	if err := json.Unmarshal(b, &s.list); err != nil {
		return fmt.Errorf("the sessions of editors in %s: %w", s.path, err)
	}
	return nil
}

func (s *sessionList) get(id sdk.SessionId) (savedSession, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, one := range s.list {
		if one.ID == id {
			return one, true
		}
	}
	return savedSession{}, false
}

// put adds or changes a session. It reads the file again first, because each editor has its own process.
func (s *sessionList) put(changed savedSession) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.read(); err != nil {
		return err
	}
	list := make([]savedSession, 0, len(s.list)+1)
	for _, one := range s.list {
		if one.ID != changed.ID {
			list = append(list, one)
		}
	}
	s.list = append(list, changed)
	s.list = s.list[max(0, len(s.list)-maxSessions):]
	b, err := json.Marshal(s.list)
	if err != nil {
		return fmt.Errorf("the sessions of editors: %w", err)
	}
	next := s.path + ".new"
	if err := errors.Join(os.WriteFile(next, b, 0o600), os.Rename(next, s.path)); err != nil {
		return fmt.Errorf("the sessions of editors: %w", err)
	}
	return nil
}
