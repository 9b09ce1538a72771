package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"

	"github.com/oklog/ulid/v2"

	"goalpost/backend/domain/pane"
	"goalpost/backend/lib/text"
)

const serverColumns = "id, name, host, port, user, key_path, jump, folder, tmux"

// Servers lists the machines that terminals are opened on, by name.
func (wt *WorkspaceTables) Servers(ctx context.Context) ([]pane.SSHServer, error) {
	return readRows(ctx, wt.read, "servers", scanServer, "SELECT "+serverColumns+
		" FROM servers ORDER BY lower(CASE name WHEN '' THEN host ELSE name END), id")
}

// Server reads one server; the error wraps os.ErrNotExist if there is none.
func (wt *WorkspaceTables) Server(ctx context.Context, id string) (v pane.SSHServer, err error) {
	err = scanServer(wt.read.QueryRowContext(ctx, "SELECT "+serverColumns+" FROM servers WHERE id = ?", id), &v)
	if errors.Is(err, sql.ErrNoRows) {
		return v, fmt.Errorf("there is no server %q: %w", id, os.ErrNotExist)
	}
	if err != nil {
		return v, fmt.Errorf("servers: %w", err)
	}
	return v, nil
}

func scanServer(r scanner, v *pane.SSHServer) error {
	return r.Scan(&v.ID, &v.Name, &v.Host, &v.Port, &v.User, &v.KeyPath, &v.Jump, &v.Folder, &v.Tmux)
}

// SaveServer stores a server; one without an id is new and gets one.
func (wt *WorkspaceTables) SaveServer(ctx context.Context, v pane.SSHServer) (pane.SSHServer, error) {
	if err := v.Validate(); err != nil {
		return v, err
	}
	if v.ID == "" {
		v.ID = ulid.Make().String()
	}
	return v, wt.commitStatement(ctx, "save server",
		"INSERT OR REPLACE INTO servers ("+serverColumns+") VALUES (?,?,?,?,?,?,?,?,?)",
		v.ID, text.ToUTF8(v.Name), text.ToUTF8(v.Host), v.Port, text.ToUTF8(v.User), text.ToUTF8(v.KeyPath),
		text.ToUTF8(v.Jump), text.ToUTF8(v.Folder), v.Tmux)
}

// DeleteServer removes a server. Its open terminals stay open.
func (wt *WorkspaceTables) DeleteServer(ctx context.Context, id string) error {
	return wt.commitStatement(ctx, "delete server", "DELETE FROM servers WHERE id = ?", id)
}
