package store

import (
	"context"
	"database/sql"
	"fmt"
	"strings"
	"time"
)

// Limits of the browsing history.
const (
	maxVisits        = 5000
	visitDedupWindow = 30 * time.Second // repeated visits of an address within this time count once
)

// Bookmark is an address that the user saved.
type Bookmark struct {
	URL     string
	Title   string
	AddedAt time.Time
}

// Visit is an address that the user visited.
type Visit struct {
	URL       string
	Title     string
	VisitedAt time.Time
	Times     int // number of visits in the stored history
}

// Bookmarks lists all bookmarks, newest first.
func (wt *WorkspaceTables) Bookmarks(ctx context.Context) ([]Bookmark, error) {
	return readRows(ctx, wt.read, "bookmarks", func(r scanner, b *Bookmark) error {
		return r.Scan(&b.URL, &b.Title, timeColumn{&b.AddedAt})
	}, "SELECT url, title, added_at FROM bookmarks ORDER BY added_at DESC, url")
}

// SetBookmark saves an address, or changes its title; on = false removes it.
func (wt *WorkspaceTables) SetBookmark(ctx context.Context, url, title string, on bool) error {
	if !on {
		return wt.commitStatement(ctx, "bookmark", "DELETE FROM bookmarks WHERE url = ?", url)
	}
	return wt.commitStatement(ctx, "bookmark", "INSERT INTO bookmarks (url, title, added_at) VALUES (?,?,?) "+
		"ON CONFLICT (url) DO UPDATE SET title = excluded.title", url, title, formatTime(wt.now()))
}

// AddVisit records a visit of the user. It drops the oldest of more than 5,000.
func (wt *WorkspaceTables) AddVisit(ctx context.Context, profile, url, title string) error {
	now := wt.now()
	return wt.tx(ctx, func(tx *sql.Tx) error {
		done, err := tx.ExecContext(ctx,
			"UPDATE visits SET title = ? WHERE id = (SELECT max(id) FROM visits WHERE url = ? AND profile = ?) AND "+
				"visited_at > ?",
			title, url, profile, formatTime(now.Add(-visitDedupWindow)))
		if err != nil {
			return fmt.Errorf("visit: %w", err)
		}
		if n, err := done.RowsAffected(); err != nil || n > 0 {
			return err //nolint:wrapcheck // from a driver that never fails here
		}
		err = execStatement(ctx, tx, "visit", "INSERT INTO visits (profile, url, title, visited_at) VALUES (?,?,?,?)",
			profile, url, title, formatTime(now))
		if err != nil {
			return err
		}
		return execStatement(ctx, tx, "visit", "DELETE FROM visits WHERE id <= (SELECT max(id) FROM visits) - ?", maxVisits)
	})
}

// Visits finds addresses whose title or address contains every word, most recently visited first, each address once.
func (wt *WorkspaceTables) Visits(ctx context.Context, words string, limit int) ([]Visit, error) {
	query := "SELECT url, title, max(visited_at), count(*) FROM visits"
	var args []any
	for i, w := range strings.Fields(words) {
		query += map[bool]string{true: " WHERE", false: " AND"}[i == 0] + ` (url || ' ' || title) LIKE ? ESCAPE '\'`
		args = append(args, "%"+strings.NewReplacer(`\`, `\\`, "%", `\%`, "_", `\_`).Replace(w)+"%")
	}
	return readRows(ctx, wt.read, "history", func(r scanner, v *Visit) error {
		return r.Scan(&v.URL, &v.Title, timeColumn{&v.VisitedAt}, &v.Times)
	}, query+" GROUP BY url ORDER BY max(id) DESC LIMIT ?", append(args, limit)...)
}

// ForgetVisits clears the history, or one address of it if url is not "".
func (wt *WorkspaceTables) ForgetVisits(ctx context.Context, url string) error {
	return wt.commitStatement(ctx, "history", "DELETE FROM visits WHERE ?1 = '' OR url = ?1", url)
}
