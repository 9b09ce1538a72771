package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"

	"github.com/oklog/ulid/v2"

	"goalpost/backend/pane"
)

const serverColumns = "id, name, host, port, user, key_path, jump, folder, tmux"

// Servers lists the machines that terminals are opened on, by name.
func (s *workspaceTables) Servers(ctx context.Context) ([]pane.SSHServer, error) {
	rows, err := s.read.QueryContext(ctx, "SELECT "+serverColumns+
		" FROM servers ORDER BY lower(CASE name WHEN '' THEN host ELSE name END), id")
	if err != nil {
		return nil, fmt.Errorf("servers: %w", err)
	}
	defer func() { _ = rows.Close() }()
	var list []pane.SSHServer
	for rows.Next() {
		v, err := scanServer(rows)
		if err != nil {
			return nil, err
		}
		list = append(list, v)
	}
	if err := rows.Err(); err != nil {
		return nil, fmt.Errorf("servers: %w", err)
	}
	return list, nil
}

// Server reads one server; the error wraps os.ErrNotExist if there is none.
func (s *workspaceTables) Server(ctx context.Context, id string) (pane.SSHServer, error) {
	v, err := scanServer(s.read.QueryRowContext(ctx, "SELECT "+serverColumns+" FROM servers WHERE id = ?", id))
	if errors.Is(err, sql.ErrNoRows) {
		return v, fmt.Errorf("there is no server %q: %w", id, os.ErrNotExist)
	}
	return v, err
}

func scanServer(row interface{ Scan(...any) error }) (v pane.SSHServer, err error) {
	if err := row.Scan(&v.ID, &v.Name, &v.Host, &v.Port, &v.User, &v.KeyPath, &v.Jump, &v.Folder, &v.Tmux); err != nil {
		return v, fmt.Errorf("servers: %w", err)
	}
	return v, nil
}

// SaveServer stores a server; one without an id is new and gets one.
func (s *workspaceTables) SaveServer(ctx context.Context, v pane.SSHServer) (pane.SSHServer, error) {
	if err := v.Validate(); err != nil {
		return v, err
	}
	if v.ID == "" {
		v.ID = ulid.Make().String()
	}
	err := s.tx(ctx, func(tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, "INSERT OR REPLACE INTO servers ("+serverColumns+") VALUES (?,?,?,?,?,?,?,?,?)",
			v.ID, toValidUTF8(v.Name), toValidUTF8(v.Host), v.Port, toValidUTF8(v.User), toValidUTF8(v.KeyPath),
			toValidUTF8(v.Jump), toValidUTF8(v.Folder), v.Tmux)
		if err != nil {
			return fmt.Errorf("save server: %w", err)
		}
		return nil
	})
	return v, err
}

// DeleteServer removes a server. Its open terminals stay open.
func (s *workspaceTables) DeleteServer(ctx context.Context, id string) error {
	return s.tx(ctx, func(tx *sql.Tx) error {
		if _, err := tx.ExecContext(ctx, "DELETE FROM servers WHERE id = ?", id); err != nil {
			return fmt.Errorf("delete server: %w", err)
		}
		return nil
	})
}
