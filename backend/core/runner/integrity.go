package runner

import (
	"context"
	"errors"
	"fmt"
	"log/slog"

	"goalpost/backend/domain/goal"
)

// integrity checks before each iteration that the goal may continue: the criterion, the policy and the protected
// files are unchanged, the session is usable, and the disk has free space.
type integrity struct {
	goal     *goal.Goal
	log      *slog.Logger
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
	if stop := i.checkSession(ctx); stop != nil {
		return stop
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

// checkSession stops the run if the session is unusable.
func (i *integrity) checkSession(context.Context) *Stop {
	if i.readiness != nil {
		if err := i.readiness.Ready(); err != nil {
			return unusableSession(err)
		}
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

// pauseTampered pauses the goal until the user decides about the changed files, and records the changes that the user
// is shown. Nothing is put back before.
func (i *integrity) pauseTampered(ctx context.Context, diff string) *Stop {
	if i.folder == nil {
		return &Stop{Exit: goal.NeedsUser, Reason: changedReason(nil) + "\n" + diff}
	}
	files, err := i.folder.RecordShown(ctx)
	if err != nil {
		return i.pauser.stopForError(ctx, "recording the changed protected files", err)
	}
	return &Stop{Exit: goal.NeedsUser, Reason: changedReason(files) + "\n" + diff, Changed: files}
}

// changedReason is the first line of the reason of a goal that paused because of changed files.
func changedReason(files []goal.DecidingFile) string {
	switch len(files) {
	case 0: // it was changed for a moment, while a check ran
		return "what decides about the goal was changed while a check ran:"
	case 1:
		return files[0].Path + " decides about the goal and was changed: keep the change, put it back, or stop?"
	}
	return fmt.Sprintf("%s and %s decide about the goal and were changed: keep the changes, put them back, or stop?",
		files[0].Path, goal.FormatCount(len(files)-1, "other file"))
}
