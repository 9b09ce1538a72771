package goals

import (
	"context"
	"fmt"
	"strings"

	"goalpost/backend/api"
	"goalpost/backend/app/session"
	"goalpost/backend/event"
	"goalpost/backend/fault"
	"goalpost/backend/goal"
	"goalpost/backend/verify"
)

// mayGoOn refuses to continue a goal if protected files were changed after it stopped, or after the user saw
// the changes, until the user decides what to do with them. It changes nothing.
func (rs *resumption) mayGoOn(ctx context.Context, g goal.Goal, decision string) error {
	switch decision {
	case "":
	case api.AcceptProtected, api.RestoreProtected:
		return nil
	default:
		return &fault.Error{
			Code: fault.Refused, Message: fmt.Sprintf("%q is no decision about protected files", decision),
			Hint: "use " + api.AcceptProtected + " or " + api.RestoreProtected, Field: "protected",
		}
	}
	held, err := verify.OpenProtection(session.WorkspaceOptions(g, rs.store.GoalDir(g.ID)))
	if err != nil {
		return fmt.Errorf("protected files: %w", err)
	}
	files, err := held.Undecided(ctx)
	if err != nil {
		return fmt.Errorf("compare the protected files: %w", err)
	}
	if len(files) == 0 {
		return nil
	}
	command := "resume"
	if g.Status == goal.Completed {
		command = "reopen"
	}
	return &fault.Error{
		Code: fault.ProtectedChanged, Field: "protected",
		Message: "protected files are not what the goal holds of them: " + nameSome(files),
		Hint: "look at them, then " + command + " the goal with --accept-protected to keep and protect them " +
			"as they are now, or with --restore-protected to put the old versions back",
	}
}

// nameSome lists the first files, for one line.
func nameSome(files []string) string {
	const most = 10
	if len(files) <= most {
		return strings.Join(files, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(files[:most], ", "), len(files)-most)
}

// decideProtected restores or accepts changed protected files, as the user decided, and leaves a note for the
// agent. The decision is in the journal before the run begins: if the files change again while the goal waits
// in the queue, nobody has decided about that.
func (rs *resumption) decideProtected(ctx context.Context, g goal.Goal, decision string) error {
	if decision == "" {
		return nil
	}
	held, err := verify.OpenProtection(session.WorkspaceOptions(g, rs.store.GoalDir(g.ID)))
	if err != nil {
		return fmt.Errorf("protected files: %w", err)
	}
	var files []string
	var told *event.Warning
	var note string
	if decision == api.AcceptProtected {
		versions, err := held.Accept(ctx)
		if err != nil {
			return &fault.Error{
				Code: fault.Refused, Message: "the changed files cannot become the protected ones: " + err.Error(),
				Hint: "correct that, or put the old versions back with --restore-protected", Field: "protected",
			}
		}
		var kept []string
		for _, v := range versions {
			files, kept = append(files, v.Path), append(kept, v.String())
		}
		told = event.ProtectedAccepted(kept)
		note = "I accept the changes to these protected files, and their present versions are the protected ones now: %s. " +
			"Do not change them."
	} else {
		var aside string
		if files, aside, err = held.PutBack(ctx); err != nil {
			return fmt.Errorf("restore the protected files: %w", err)
		}
		told = event.ProtectedRestored(files, aside)
		note = "I put these protected files back to what they were: %s. Do not change them."
	}
	if len(files) == 0 {
		return nil
	}
	row, err := rs.store.Goal(ctx, g.ID) // read again: a parked goal may have continued automatically
	if err == nil {
		err = rs.store.Append(ctx, goal.Run{Goal: g.ID, ID: row.RunID}, told)
	}
	if err != nil {
		return fmt.Errorf("note about the protected files: %w", err)
	}
	return rs.noteUserMessage(ctx, g.ID, fmt.Sprintf(note, strings.Join(files, ", ")))
}
