package store

import (
	"context"
	"database/sql"
	"fmt"
	"time"
)

// DigestTable stores for which days a digest was sent.
type DigestTable struct{ *connection }

// Claim reports whether this caller is the one that sends the digest of a day.
func (dt *DigestTable) Claim(ctx context.Context, day time.Time) (isMine bool, err error) {
	err = dt.tx(ctx, func(tx *sql.Tx) error {
		done, err := tx.ExecContext(ctx, "INSERT INTO digests (day, sent_at) VALUES (?,?) ON CONFLICT (day) DO NOTHING",
			day.Format(time.DateOnly), formatTime(dt.now()))
		if err != nil {
			return fmt.Errorf("claim a digest: %w", err)
		}
		n, err := done.RowsAffected()
		if err != nil {
			return fmt.Errorf("claim a digest: %w", err)
		}
		isMine = n > 0
		return nil
	})
	return isMine, err
}

// IsUsed reports whether a digest was ever sent.
func (dt *DigestTable) IsUsed(ctx context.Context) (bool, error) {
	return readValue[bool](ctx, dt.read, "read digests", "SELECT EXISTS (SELECT 1 FROM digests)")
}
