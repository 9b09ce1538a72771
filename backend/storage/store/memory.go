package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"
	"time"

	"goalpost/backend/domain/goal"
	"goalpost/backend/lib/fault"
)

// MaxMemory limits the notes about one folder, in bytes. All of them are in the first message of each goal there.
const MaxMemory = 4 << 10

// ErrNoMemory means that a note does not exist, or no longer.
var ErrNoMemory = errors.New("there is no such note")

// MemoryTable stores notes about folders for later goals and chats there.
type MemoryTable struct {
	*connection

	redact func([]byte) []byte // removes secrets from a text before it is stored; may be nil
}

// Memory is one note about a folder.
type Memory struct {
	ID        string
	Dir       string // absolute
	Text      string
	Goal      goal.ID // that wrote it, "" for the user
	WrittenAt time.Time
}

// List reads the notes about a folder, "" for those about all folders, sorted by folder, the newest first.
func (mt *MemoryTable) List(ctx context.Context, dir string) ([]Memory, error) {
	return listMemory(ctx, mt.read, dir)
}

func listMemory(ctx context.Context, q querier, dir string) ([]Memory, error) {
	return readRows(ctx, q, "read notes", func(r scanner, m *Memory) error {
		return r.Scan(&m.ID, &m.Dir, &m.Text, &m.Goal, timeColumn{&m.WrittenAt})
	}, "SELECT id, dir, body, goal_id, written_at FROM memory WHERE ? IN ('', dir) ORDER BY dir, written_at DESC, id DESC",
		dir)
}

// Add stores a note with the present time, or brings one with the same text up to date. If the notes about the folder
// then exceed MaxMemory, it deletes the oldest of them and returns these.
func (mt *MemoryTable) Add(ctx context.Context, m Memory) (dropped []Memory, err error) {
	if m.Text, err = mt.clean(m.Text); err != nil {
		return nil, err
	}
	return dropped, mt.tx(ctx, func(tx *sql.Tx) error {
		dropped = nil
		err := execStatement(ctx, tx, "note", "INSERT INTO memory (id, dir, body, goal_id, written_at) VALUES (?,?,?,?,?) "+
			"ON CONFLICT (dir, body) DO UPDATE SET id = excluded.id, written_at = excluded.written_at", // ids sort by time
			NewID(), m.Dir, m.Text, m.Goal, formatTime(mt.now()))
		if err != nil {
			return err
		}
		dropped, err = dropOldest(ctx, tx, m.Dir)
		return err
	})
}

// clean checks a text and removes secrets from it.
func (mt *MemoryTable) clean(text string) (string, error) {
	text = strings.TrimSpace(text)
	if mt.redact != nil {
		text = string(mt.redact([]byte(text)))
	}
	if text == "" || len(text) > MaxMemory {
		return "", fault.Invalid("text", fmt.Sprintf("the note has %d bytes", len(text)),
			fmt.Sprintf("write 1 to %d", MaxMemory))
	}
	return text, nil
}

// dropOldest deletes what exceeds the limit of a folder.
func dropOldest(ctx context.Context, tx *sql.Tx, dir string) (dropped []Memory, err error) {
	list, err := listMemory(ctx, tx, dir)
	if err != nil {
		return nil, err
	}
	bytes := 0
	for _, m := range list {
		if bytes += len(m.Text); bytes <= MaxMemory {
			continue
		}
		if err := execStatement(ctx, tx, "drop a note", "DELETE FROM memory WHERE id = ?", m.ID); err != nil {
			return nil, err
		}
		dropped = append(dropped, m)
	}
	return dropped, nil
}

// Edit replaces the text of a note, which counts as the user's from then on. Its error is ErrNoMemory if it is gone.
func (mt *MemoryTable) Edit(ctx context.Context, id, text string) (dropped []Memory, err error) {
	if text, err = mt.clean(text); err != nil {
		return nil, err
	}
	return dropped, mt.tx(ctx, func(tx *sql.Tx) error {
		dropped = nil
		dir, err := takeMemory(ctx, tx, id)
		if err != nil {
			return err
		}
		err = execStatement(ctx, tx, "note", "INSERT INTO memory (id, dir, body, goal_id, written_at) VALUES (?,?,?,'',?) "+
			"ON CONFLICT (dir, body) DO UPDATE SET goal_id = '', written_at = excluded.written_at",
			id, dir, text, formatTime(mt.now()))
		if err != nil {
			return err
		}
		dropped, err = dropOldest(ctx, tx, dir)
		return err
	})
}

// Delete deletes a note. Its error is ErrNoMemory if it is gone.
func (mt *MemoryTable) Delete(ctx context.Context, id string) error {
	return mt.tx(ctx, func(tx *sql.Tx) error {
		_, err := takeMemory(ctx, tx, id)
		return err
	})
}

// takeMemory deletes a note and returns its folder.
func takeMemory(ctx context.Context, tx *sql.Tx, id string) (dir string, err error) {
	err = tx.QueryRowContext(ctx, "DELETE FROM memory WHERE id = ? RETURNING dir", id).Scan(&dir)
	if errors.Is(err, sql.ErrNoRows) {
		return "", fmt.Errorf("%w: %q", ErrNoMemory, id)
	}
	if err != nil {
		return "", fmt.Errorf("delete a note: %w", err)
	}
	return dir, nil
}
