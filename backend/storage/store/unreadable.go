package store

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"syscall"

	"github.com/mattn/go-sqlite3"

	"goalpost/backend/lib/fault"
)

// UnreadableError means that the database cannot be read or written now. It says why in one sentence, and what to do.
type UnreadableError struct {
	Path    string
	Problem string // completes a sentence that begins with the path
	Hint    string
	// Damaged reports that the content is not what was written, so that a copy or a new database is the way out.
	Damaged bool
	Copies  []Copy // newest first, if Damaged

	cause error
}

func (u *UnreadableError) Error() string { return "the database " + u.Path + " " + u.Problem }

func (u *UnreadableError) Unwrap() error { return u.cause }

// As lets fault.Of find the message and the hint.
func (u *UnreadableError) As(target any) bool {
	f, ok := target.(**fault.Error)
	if ok {
		*f = fault.New(fault.Internal, u.Error(), u.Hint)
	}
	return ok
}

// damageError means that a check of the database found something, in SQLite's words, which are for the log.
type damageError struct{ found string }

func (d *damageError) Error() string {
	return "the database is damaged: " + strings.Join(strings.Fields(d.found), " ")
}

// missingError means that the file is missing or empty although there were goals.
type missingError struct {
	isEmpty bool
	goals   int // that have a folder
}

func (m *missingError) Error() string {
	what := "is missing"
	if m.isEmpty {
		what = "is empty"
	}
	if m.goals == 0 {
		return what + ", but copies of it are in the folder backups"
	}
	return fmt.Sprintf("%s, but the data of %s is beside it", what, countGoals(m.goals))
}

func countGoals(n int) string {
	if n == 1 {
		return "one goal"
	}
	return fmt.Sprintf("%d goals", n)
}

// damagedEventsError means that events are not what was written. Everything else can be read.
type damagedEventsError struct{ events string }

func (d *damagedEventsError) Error() string { return "events of the journal are damaged: " + d.events }

// isDamage reports whether an error means that the content of the database is not what was written.
func isDamage(err error) bool {
	var found *damageError
	var missing *missingError
	var events *damagedEventsError
	return errors.As(err, &found) || errors.As(err, &missing) || errors.As(err, &events) || isMalformedJSON(err) ||
		hasCode(err, sqlite3.ErrCorrupt, sqlite3.ErrNotADB)
}

// isMalformedJSON reports whether SQLite found no JSON where only JSON was written.
func isMalformedJSON(err error) bool {
	return hasCode(err, sqlite3.ErrError) && strings.Contains(err.Error(), "malformed JSON")
}

func hasCode(err error, codes ...sqlite3.ErrNo) bool {
	var driver sqlite3.Error
	if !errors.As(err, &driver) {
		return false
	}
	for _, code := range codes {
		if driver.Code == code {
			return true
		}
	}
	return false
}

// explain converts an error of SQLite or of the file to an *UnreadableError. Other errors stay as they are.
func (c *connection) explain(err error) error {
	var known *fault.Error
	if err == nil || errors.As(err, &known) {
		return err
	}
	u := &UnreadableError{Path: c.path(), cause: err}
	info, statErr := os.Stat(u.Path)
	if statErr == nil && info.IsDir() {
		u.Damaged, u.Problem = true, "is a folder, not a file"
	} else if problem, hint, isDamaged, ok := describeError(err, whoLocks(err, u.Path)); ok {
		u.Problem, u.Hint, u.Damaged = problem, hint, isDamaged
	} else {
		return err
	}
	if u.Damaged {
		u.addWaysOut(c.dir)
	}
	return u
}

// Explain converts an error of SQLite, wherever it is in err's chain, to an error for users. Other errors stay as they
// are.
func Explain(err error) error {
	var known *fault.Error
	if err == nil || errors.As(err, &known) {
		return err
	}
	problem, hint, isDamaged, ok := describeError(err, "")
	switch {
	case !ok:
		return err
	case isDamaged:
		hint = "run goalctl doctor: it says what can be restored"
	}
	return fault.New(fault.Internal, "the database "+problem, hint)
}

// describeError completes a sentence that begins with the database, and says what to do. ok is false for errors that
// are not about the file.
func describeError(err error, locker string) (problem, hint string, isDamaged, ok bool) {
	const freeSpace = "free some space on the disk, then try again: nothing is lost"
	var missing *missingError
	var damaged *damagedEventsError
	var driver sqlite3.Error
	_ = errors.As(err, &driver)
	switch {
	case errors.As(err, &missing):
		return missing.Error(), "", true, true
	case errors.As(err, &damaged):
		return "has damaged entries: bits changed on the disk in " + damaged.events, "", true, true
	case isMalformedJSON(err):
		return "has a damaged entry: bits of it changed on the disk", "", true, true
	case hasCode(err, sqlite3.ErrFull), errors.Is(err, syscall.ENOSPC), driver.SystemErrno == syscall.ENOSPC,
		driver.SystemErrno == syscall.EDQUOT, errors.Is(err, syscall.EDQUOT):
		return "cannot be used: the disk is full", freeSpace, false, true
	case hasCode(err, sqlite3.ErrNotADB):
		return "is not a database: its beginning was overwritten", "", true, true
	case isDamage(err):
		return "is damaged: a part of it is missing or was overwritten", "", true, true
	case hasCode(err, sqlite3.ErrBusy, sqlite3.ErrLocked):
		return "is locked by " + locker, "end that program or wait until it is done, then try again", false, true
	case hasCode(err, sqlite3.ErrReadonly, sqlite3.ErrPerm, sqlite3.ErrCantOpen), errors.Is(err, fs.ErrPermission),
		errors.Is(err, syscall.EROFS):
		return "cannot be opened: its file or folder is read-only or belongs to another user",
			"change its permissions with chmod and chown, then try again: nothing is lost", false, true
	case hasCode(err, sqlite3.ErrIoErr):
		return "cannot be used: the disk reports an error", "look for the disk's error with journalctl -k or dmesg, " +
			"then try again; if the disk is broken, save the data folder first", false, true
	}
	return "", "", false, false
}

// addWaysOut looks for copies and adds the commands that make the data folder usable again.
func (u *UnreadableError) addWaysOut(dir string) {
	var err error
	if u.Copies, err = Copies(dir); err != nil {
		u.Copies = nil
	}
	const begin = "goalctl database new begins without goals; the damaged file is kept"
	if len(u.Copies) == 0 {
		u.Hint = "there is no copy of it yet. " + begin
		return
	}
	u.Hint = fmt.Sprintf("goalctl database restore brings back the copy of %s, and %s",
		u.Copies[0].At.Format("2006-01-02 15:04"), begin)
}
