package runner

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"

	"goalpost/backend/domain/event"
	"goalpost/backend/domain/goal"
)

// integrity checks before each iteration that the goal may continue: the criterion, the policy and the protected
// files are unchanged, the session is usable, and the disk has free space.
type integrity struct {
	goal     *goal.Goal
	log      *slog.Logger
	journal  *journalWriter
	messages *messageLog
	pauser   *pauser
	freeDisk func() (uint64, error) // in bytes; nil if unknown

	folder    FolderState      // nil if nothing can be compared
	readiness ReadinessChecker // nil if the session is always ready
}

// checkIntegrity stops the run unless the criterion, the policy and the protected files are the frozen ones and the
// session is usable.
func (i *integrity) checkIntegrity(ctx context.Context) *Stop {
	c, err1 := goal.Hash(i.goal.Criterion)
	p, err2 := goal.Hash(i.goal.Policy)
	if err := errors.Join(err1, err2); err != nil {
		return &Stop{Exit: goal.ExitError, Reason: err.Error()}
	}
	if c != i.goal.CriterionSHA256 || p != i.goal.PolicySHA256 {
		return &Stop{Exit: goal.NeedsUser, Reason: "the criterion or the policy has changed since the start"}
	}
	if stop := i.checkDiskSpace(); stop != nil {
		return stop
	}
	if i.readiness != nil {
		if err := i.readiness.Ready(); err != nil {
			return unusableSession(err)
		}
	}
	if i.folder == nil {
		return nil
	}
	diff, err := i.folder.Tampered(ctx)
	if err != nil {
		return i.pauser.stopForError(ctx, "comparing the protected files", err)
	}
	if diff != "" {
		return i.pauseTampered(ctx, diff)
	}
	return nil
}

// unusableSession pauses a goal whose session is unusable.
func unusableSession(err error) *Stop {
	return &Stop{Exit: goal.NeedsUser, Reason: "the goal cannot work here: " + err.Error()}
}

// minFreeDisk is the minimum free space on the journal's disk, in bytes.
const minFreeDisk = 1 << 30

// checkDiskSpace pauses a goal before the disk of the journal is full.
func (i *integrity) checkDiskSpace() *Stop {
	if i.freeDisk == nil {
		return nil
	}
	free, err := i.freeDisk()
	if err != nil {
		i.log.Warn("free disk", "error", err)
		return nil
	}
	if free >= minFreeDisk {
		return nil
	}
	return &Stop{
		Exit: goal.NeedsUser,
		Reason: fmt.Sprintf("only %d MiB are free on the disk of the journal; free some (at least 1 GiB), then continue",
			free>>20),
	}
}

// pauseTampered pauses the goal and records the changes that the user is shown. Only those are restored when the
// goal continues, and no later ones.
func (i *integrity) pauseTampered(ctx context.Context, diff string) *Stop {
	if i.folder != nil {
		if err := i.folder.RecordShown(ctx); err != nil {
			return i.pauser.stopForError(ctx, "recording the changed protected files", err)
		}
	}
	return &Stop{Exit: goal.NeedsUser, Reason: goal.TamperedMark + "; when you continue, it is put back:\n" + diff}
}

// restoreProtected restores protected files when the user resumes a goal that was paused for them. Changes that the
// user was not shown stay: the goal pauses for them before the first turn.
func (i *integrity) restoreProtected(ctx context.Context) *Stop {
	if i.folder == nil || i.goal.Exit != goal.NeedsUser {
		return nil
	}
	open, err := i.folder.Undecided(ctx)
	if err != nil {
		return i.pauser.stopForError(ctx, "comparing the protected files", err)
	}
	if len(open) > 0 {
		return nil
	}
	files, backup, err := i.folder.RestoreProtected(ctx)
	if err != nil {
		return i.pauser.stopForError(ctx, "restoring the protected files", err)
	}
	if len(files) == 0 {
		return nil
	}
	i.messages.AddDeferred(
		"The user continued the goal. These files decide about it and were put back to what they were: " +
			strings.Join(files, ", ") + ". Do not change them.")
	return i.journal.append(ctx, event.ProtectedRestored(files, backup))
}
