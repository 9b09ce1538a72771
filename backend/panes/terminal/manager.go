package terminal

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"goalpost/backend/domain/pane"
	"goalpost/backend/domain/process"
)

// ErrNotFound means that no terminal has the given id.
var ErrNotFound = errors.New("there is no such terminal")

// Manager holds the open terminals by pane id. All methods may be called concurrently.
type Manager struct {
	onChange func(info pane.Info, closed bool)
	notifyMu sync.Mutex // so that changes are reported in order

	mu       sync.Mutex
	closed   bool
	sessions map[string]*Session // nil while it is being opened
}

// NewManager makes an empty manager. onChange, which may be nil, is called after every change of a terminal's Info,
// one at a time; it must not wait for a method of the Manager or of a Session that changes something.
func NewManager(onChange func(info pane.Info, closed bool)) *Manager {
	if onChange == nil {
		onChange = func(pane.Info, bool) {}
	}
	return &Manager{onChange: onChange, sessions: map[string]*Session{}}
}

// Open opens a terminal whose program the launcher starts. ctx limits the opening only.
func (m *Manager) Open(ctx context.Context, launcher process.Launcher, o Options) (*Session, error) {
	if err := m.reserve(o.ID); err != nil {
		return nil, err
	}
	opened := make(chan struct{}) // the program may end before the session is registered
	var s *Session
	s, err := openSession(ctx, launcher, o, func() {
		<-opened
		m.change(s)
	})
	m.mu.Lock()
	closed := m.closed
	if err != nil || closed {
		delete(m.sessions, o.ID)
	} else {
		m.sessions[o.ID] = s
	}
	m.mu.Unlock()
	close(opened)
	if err != nil {
		return nil, err
	}
	if closed {
		return nil, errors.Join(ErrClosed, s.close(context.WithoutCancel(ctx)))
	}
	m.change(s)
	return s, nil
}

func (m *Manager) reserve(id string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.closed {
		return ErrClosed
	}
	if _, ok := m.sessions[id]; ok {
		return fmt.Errorf("opening a terminal: the id %s is taken", id)
	}
	m.sessions[id] = nil
	return nil
}

func (m *Manager) change(s *Session) {
	m.notifyMu.Lock()
	defer m.notifyMu.Unlock()
	m.mu.Lock()
	there := m.sessions[s.id] == s
	m.mu.Unlock()
	if there {
		m.onChange(s.Info(), false)
	}
}

// Get returns the terminal with that id, or ErrNotFound.
func (m *Manager) Get(id string) (*Session, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if s := m.sessions[id]; s != nil {
		return s, nil
	}
	return nil, fmt.Errorf("terminal %q: %w", id, ErrNotFound)
}

// List lists all terminals, ordered by id.
func (m *Manager) List() []pane.Info {
	var all []pane.Info
	for _, s := range m.all() {
		all = append(all, s.Info())
	}
	slices.SortFunc(all, func(a, b pane.Info) int { return strings.Compare(a.ID, b.ID) })
	return all
}

func (m *Manager) all() []*Session {
	m.mu.Lock()
	defer m.mu.Unlock()
	var all []*Session
	for _, s := range m.sessions {
		if s != nil {
			all = append(all, s)
		}
	}
	return all
}

// Close ends a terminal's program (SIGHUP, then SIGKILL after the grace period, or as soon as ctx ends) and removes
// the terminal.
func (m *Manager) Close(ctx context.Context, id string) error {
	m.mu.Lock()
	s := m.sessions[id]
	if s != nil {
		delete(m.sessions, id)
	}
	m.mu.Unlock()
	if s == nil {
		return fmt.Errorf("terminal %q: %w", id, ErrNotFound)
	}
	err := s.close(ctx)
	m.notifyMu.Lock()
	defer m.notifyMu.Unlock()
	m.onChange(s.Info(), true)
	return err
}

// CloseAll closes all terminals in parallel; none can be opened afterwards.
func (m *Manager) CloseAll(ctx context.Context) error {
	m.mu.Lock()
	m.closed = true
	m.mu.Unlock()
	all := m.all()
	errs := make([]error, len(all))
	var wait sync.WaitGroup
	for i, s := range all {
		wait.Go(func() { errs[i] = m.Close(ctx, s.id) })
	}
	wait.Wait()
	// A terminal that another caller closes counts as closed.
	return errors.Join(slices.DeleteFunc(errs, func(err error) bool { return errors.Is(err, ErrNotFound) })...)
}
