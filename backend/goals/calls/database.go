package calls

import (
	"context"
	"errors"
	"time"

	"goalpost/backend/goals/api"
	"goalpost/backend/lib/fault"
	"goalpost/backend/storage/store"
)

// DatabaseCopy is a copy of the database that can be restored.
type DatabaseCopy struct {
	At    string `json:"at"` // RFC 3339, which names it
	Bytes int64  `json:"bytes"`
}

// DatabaseProblem is why the window has no goals to show, and what can be done.
type DatabaseProblem struct {
	Message string `json:"message"`
	Hint    string `json:"hint"`
	Damaged bool   `json:"damaged"` // a copy or a new database is the way out
	// OtherVersion reports that the host process of another version is the problem. Restart ends it.
	OtherVersion bool `json:"other_version"`
	// CanWait reports that Later can open the window of that version.
	CanWait bool           `json:"can_wait"`
	Copies  []DatabaseCopy `json:"copies"` // newest first
}

// DatabaseAPI brings a usable database back. The window binds it instead of everything else while the database cannot
// be read.
type DatabaseAPI struct {
	dir     string
	problem error
	damage  *store.UnreadableError // the problem, or an empty one
	ways    WaysOut
	apiBase
}

// WaysOut is what the window can do about its problem.
type WaysOut struct {
	Restart func() error // starts the program again
	Later   func() error // opens the window of the host process's version; nil if that cannot be done
}

// NewDatabaseAPI makes the API for a data folder; ctx is the program's life. problem is a store.UnreadableError, or
// that the host process has another version.
func NewDatabaseAPI(ctx context.Context, dir string, problem error, ways WaysOut) *DatabaseAPI {
	damage := &store.UnreadableError{}
	errors.As(problem, &damage)
	return &DatabaseAPI{dir, problem, damage, ways, apiBase{ctx}}
}

// Problem describes what is wrong with the database.
func (d *DatabaseAPI) Problem() (out DatabaseProblem, err error) {
	defer d.recoverProblem(&err)
	f := api.ToProblem(d.problem)
	view := func(c store.Copy) DatabaseCopy { return DatabaseCopy{c.At.UTC().Format(time.RFC3339), c.Bytes} }
	out = DatabaseProblem{
		Message: f.Message, Hint: f.Hint, Damaged: d.damage.Damaged, Copies: viewAll(d.damage.Copies, view),
		OtherVersion: f.Code == fault.Conflict, CanWait: d.ways.Later != nil,
	}
	if out.Damaged || out.CanWait { // the hint names commands, and here are buttons
		out.Hint = ""
	}
	return out, nil
}

// Restore restores the copy of a time, and returns the path under which the former file is kept.
func (d *DatabaseAPI) Restore(at string) (kept string, err error) {
	defer d.recoverProblem(&err)
	for _, c := range d.damage.Copies {
		if c.At.UTC().Format(time.RFC3339) == at {
			return store.Restore(d.ctx, d.dir, c)
		}
	}
	return "", fault.Invalid("copy", "there is no copy of "+at, "choose one of the list")
}

// StartAnew begins with an empty database, and returns the path under which the former file is kept.
func (d *DatabaseAPI) StartAnew() (kept string, err error) {
	defer d.recoverProblem(&err)
	return store.StartAnew(d.ctx, d.dir)
}

// Restart starts Goalpost again.
func (d *DatabaseAPI) Restart() (ok bool, err error) {
	defer d.recoverProblem(&err)
	return true, d.ways.Restart()
}

// Later opens the window of the host process's version, until that process ends.
func (d *DatabaseAPI) Later() (ok bool, err error) {
	defer d.recoverProblem(&err)
	if d.ways.Later == nil {
		return false, fault.New(fault.Unavailable, "this version cannot use the host process",
			"end it, and open this one")
	}
	return true, d.ways.Later()
}
