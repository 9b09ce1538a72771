package store

import (
	"database/sql"
	"log/slog"
	"time"

	"github.com/gofrs/flock"
)

// connection is the open database and its folder. Every part of a Store has it.
type connection struct {
	dir    string
	file   string // the database, "" for goalpost.db in dir
	write  *sql.DB
	read   *sql.DB
	shared *flock.Flock // held shared while open; exclusive for a migration
	now    func() time.Time
	log    *slog.Logger
}
