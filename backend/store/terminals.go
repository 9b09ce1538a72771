package store

import (
	"context"
	"database/sql"
	"fmt"
	"path/filepath"
	"time"

	"github.com/gofrs/flock"
)

// Terminal is the saved state of a terminal of the user.
type Terminal struct {
	ID, Title string
	Dir       string // where its shell was
	Server    string // id, "" for this machine
	Session   string // of tmux on the server
	Command   string // the running command, "" if none
	Output    []byte // the end of its scrollback
	SavedAt   time.Time
}

// Terminals reads what SaveTerminals last stored.
func (s *workspaceTables) Terminals(ctx context.Context) ([]Terminal, error) {
	rows, err := s.read.QueryContext(ctx,
		"SELECT id, title, dir, server, session, command, output, saved_at FROM terminals ORDER BY rowid")
	if err != nil {
		return nil, fmt.Errorf("terminals: %w", err)
	}
	defer func() { _ = rows.Close() }()
	var list []Terminal
	for rows.Next() {
		var t Terminal
		var at string
		if err := rows.Scan(&t.ID, &t.Title, &t.Dir, &t.Server, &t.Session, &t.Command, &t.Output, &at); err != nil {
			return nil, fmt.Errorf("terminals: %w", err)
		}
		t.SavedAt = parseStamp(at)
		list = append(list, t)
	}
	if err := rows.Err(); err != nil {
		return nil, fmt.Errorf("terminals: %w", err)
	}
	return list, nil
}

// SaveTerminals replaces all stored terminals with these.
func (s *workspaceTables) SaveTerminals(ctx context.Context, list []Terminal) error {
	return s.tx(ctx, func(tx *sql.Tx) error {
		if _, err := tx.ExecContext(ctx, "DELETE FROM terminals"); err != nil {
			return fmt.Errorf("save terminals: %w", err)
		}
		for _, t := range list {
			output := t.Output
			if output == nil {
				output = []byte{}
			}
			_, err := tx.ExecContext(ctx,
				"INSERT INTO terminals (id, title, dir, server, session, command, output, saved_at) VALUES (?,?,?,?,?,?,?,?)",
				t.ID, toValidUTF8(t.Title), toValidUTF8(t.Dir), t.Server, toValidUTF8(t.Session), toValidUTF8(t.Command), output,
				formatTime(s.now()))
			if err != nil {
				return fmt.Errorf("save terminals: %w", err)
			}
		}
		return nil
	})
}

// HoldWorkspace makes this process the one that restores and saves the user's terminals; ok is false if another
// process does. release ends that.
func (s *workspaceTables) HoldWorkspace() (release func() error, ok bool, err error) {
	lock := flock.New(filepath.Join(s.dir, "workspace.lock"))
	ok, err = lock.TryLock()
	if err != nil || !ok {
		return func() error { return nil }, false, wrapLock(err)
	}
	return lock.Unlock, true, nil
}

func wrapLock(err error) error {
	if err != nil {
		return fmt.Errorf("releasing the workspace: %w", err)
	}
	return nil
}
