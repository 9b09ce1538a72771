package store

import (
	"errors"
	"strings"

	"github.com/mattn/go-sqlite3"
)

// damageError means that a check of the database found something, in SQLite's words, which are for the log.
type damageError struct{ found string }

func (d *damageError) Error() string {
	return "the database is damaged: " + strings.Join(strings.Fields(d.found), " ")
}

// isDamage reports whether an error means that the content of the database is not what was written.
func isDamage(err error) bool {
	var found *damageError
	var driver sqlite3.Error
	return errors.As(err, &found) ||
		errors.As(err, &driver) && (driver.Code == sqlite3.ErrCorrupt || driver.Code == sqlite3.ErrNotADB)
}
