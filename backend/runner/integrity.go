package runner

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"goalpost/backend/event"
	"goalpost/backend/goal"
)

// integrity checks what must not have changed.
type integrity struct {
	run *Run
}

// checkIntegrity is the pre-check: the criterion, the policy and the protected files
// must still be the ones that were frozen, and the room fit to work in.
func (i *integrity) checkIntegrity(ctx context.Context) *Stop {
	c, err1 := goal.Hash(i.run.goal.Criterion)
	p, err2 := goal.Hash(i.run.goal.Policy)
	if err := errors.Join(err1, err2); err != nil {
		return &Stop{Exit: goal.ExitError, Reason: err.Error()}
	}
	if c != i.run.goal.CriterionSHA256 || p != i.run.goal.PolicySHA256 {
		return &Stop{Exit: goal.NeedsUser, Reason: "the criterion or the policy is not the one that was frozen at the start"}
	}
	if stop := i.checkDiskSpace(); stop != nil {
		return stop
	}
	if room, ok := i.run.session.(ReadinessChecker); ok {
		if err := room.Ready(); err != nil {
			return unusableSession(err)
		}
	}
	world := i.run.session.World()
	if world == nil {
		return nil
	}
	diff, err := world.Tampered(ctx)
	if err != nil {
		return i.run.stopForError(ctx, "looking at the protected files", err)
	}
	if diff != "" {
		return i.tampered(ctx, diff)
	}
	return nil
}

// unusableSession pauses a goal that has no place to work in.
func unusableSession(err error) *Stop {
	return &Stop{Exit: goal.NeedsUser, Reason: "the goal cannot work here: " + err.Error()}
}

// minFreeDisk is what must be free where the journal is kept, in bytes.
const minFreeDisk = 1 << 30

// checkDiskSpace pauses a goal before its journal cannot be written any more.
func (i *integrity) checkDiskSpace() *Stop {
	if i.run.cfg.Disk == nil {
		return nil
	}
	free, err := i.run.cfg.Disk()
	if err != nil {
		i.run.cfg.Log.Warn("free disk", "error", err)
		return nil
	}
	if free >= minFreeDisk {
		return nil
	}
	return &Stop{Exit: goal.NeedsUser, Reason: fmt.Sprintf("only %d MiB are free on the disk of the journal; make room (at least 1 GiB), then continue", free>>20)}
}

// tampered pauses the goal and keeps what the user is shown: that is put back when the
// goal continues, and nothing that is changed later.
func (i *integrity) tampered(ctx context.Context, diff string) *Stop {
	if world := i.run.session.World(); world != nil {
		if err := world.RecordShown(ctx); err != nil {
			return i.run.stopForError(ctx, "keeping which protected files were changed", err)
		}
	}
	return &Stop{Exit: goal.NeedsUser, Reason: goal.TamperedMark + "; when you continue, it is put back:\n" + diff}
}

// restoreProtected repairs protected files when the user continues a goal that was paused for
// them. What the user was not shown is left as it is: the goal pauses for it before
// the first turn.
func (i *integrity) restoreProtected(ctx context.Context) *Stop {
	world := i.run.session.World()
	if world == nil || i.run.goal.Exit != goal.NeedsUser {
		return nil
	}
	if open, err := world.Undecided(ctx); err != nil || len(open) > 0 {
		return i.run.faultIf(ctx, "looking at the protected files", err)
	}
	files, aside, err := world.RestoreProtected(ctx)
	if err != nil {
		return i.run.stopForError(ctx, "putting the protected files back", err)
	}
	if len(files) == 0 {
		return nil
	}
	i.run.messages.conversation.AddDeferred("The user continued the goal. These files decide about it and were put back to what they were: " +
		strings.Join(files, ", ") + ". Do not change them.")
	return i.run.journal_.journal(ctx, event.ProtectedRestored(files, aside))
}

func (r *Run) faultIf(ctx context.Context, doing string, err error) *Stop {
	if err == nil {
		return nil
	}
	return r.stopForError(ctx, doing, err)
}
