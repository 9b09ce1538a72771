package store

import (
	"context"
	"database/sql"
	"fmt"
	"path/filepath"
	"time"

	"github.com/gofrs/flock"

	"goalpost/backend/lib/text"
)

// Terminal is the saved state of a terminal of the user.
type Terminal struct {
	ID, Title string
	Dir       string // where its shell was
	Server    string // id, "" for this machine
	Session   string // of tmux on the server
	Command   string // the running command, "" if none
	Profile   string // the terminal profile that it was opened with
	Output    []byte // the end of its scrollback
	SavedAt   time.Time
}

// Terminals reads what SaveTerminals last stored.
func (wt *WorkspaceTables) Terminals(ctx context.Context) ([]Terminal, error) {
	return readRows(ctx, wt.read, "terminals", func(r scanner, t *Terminal) error {
		return r.Scan(&t.ID, &t.Title, &t.Dir, &t.Server, &t.Session, &t.Command, &t.Profile, &t.Output,
			timeColumn{&t.SavedAt})
	}, "SELECT id, title, dir, server, session, command, profile, output, saved_at FROM terminals ORDER BY rowid")
}

// SaveTerminals replaces all stored terminals with these.
func (wt *WorkspaceTables) SaveTerminals(ctx context.Context, list []Terminal) error {
	return wt.tx(ctx, func(tx *sql.Tx) error {
		if err := execStatement(ctx, tx, "save terminals", "DELETE FROM terminals"); err != nil {
			return err
		}
		for _, t := range list {
			err := execStatement(ctx, tx, "save terminals",
				`INSERT INTO terminals (id, title, dir, server, session, command, profile, output, saved_at)
				VALUES (?,?,?,?,?,?,?,?,?)`,
				t.ID, text.ToUTF8(t.Title), text.ToUTF8(t.Dir), t.Server, text.ToUTF8(t.Session), text.ToUTF8(t.Command), t.Profile,
				append([]byte{}, t.Output...), formatTime(wt.now()))
			if err != nil {
				return err
			}
		}
		return nil
	})
}

// HoldWorkspace makes this process the one that restores and saves the user's terminals, until release. ok is false if
// another process is.
func (wt *WorkspaceTables) HoldWorkspace() (release func() error, ok bool, err error) {
	lock := flock.New(filepath.Join(wt.dir, "workspace.lock"))
	ok, err = lock.TryLock()
	if err != nil {
		err = fmt.Errorf("lock the workspace: %w", err)
	}
	if !ok || err != nil {
		return func() error { return nil }, false, err
	}
	return lock.Unlock, true, nil
}
