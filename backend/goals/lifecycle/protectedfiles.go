package lifecycle

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"goalpost/backend/core/verify"
	"goalpost/backend/core/verify/protect"
	"goalpost/backend/domain/event"
	"goalpost/backend/domain/goal"
	"goalpost/backend/goals/api"
	"goalpost/backend/goals/session"
	"goalpost/backend/lib/fault"
)

// protectedDecision is what the user decided about the protected files of a stopped goal.
type protectedDecision struct {
	accept    []protect.Version // changes to accept
	all       string            // for all other changed files: api.AcceptProtected, api.RestoreProtected, "" for none
	unprotect []string          // files that the agent may change from now on
}

func decisionOf(in api.ResumeInput) protectedDecision {
	d := protectedDecision{all: in.Protected, unprotect: in.Unprotect}
	for _, v := range in.AcceptChanges {
		d.accept = append(d.accept, protect.Version{Path: v.Path, SHA256: v.SHA256})
	}
	return d
}

func (p protectedDecision) isEmpty() bool {
	return p.all == "" && len(p.accept) == 0 && len(p.unprotect) == 0
}

func (p protectedDecision) validate() error {
	switch {
	case p.all != "" && p.all != api.AcceptProtected && p.all != api.RestoreProtected:
		return fault.Invalid("protected", fmt.Sprintf("%q is not a decision about protected files", p.all),
			"use "+api.AcceptProtected+" or "+api.RestoreProtected)
	case p.all == api.AcceptProtected && len(p.accept) > 0:
		return fault.Invalid("protected", "all changes are accepted already, so none can be named",
			"accept all changed files, or some of them").OnCommandLine(
			"use --accept-protected for all changed files, or --accept-changes for some")
	}
	return nil
}

// covers reports whether the decision applies to a changed file.
func (p protectedDecision) covers(path string) bool {
	return p.all != "" || slices.Contains(p.unprotect, path) ||
		slices.ContainsFunc(p.accept, func(v protect.Version) bool { return v.Path == path })
}

// ProtectedFiles lists the protected files of goals, and applies the user's decisions about them.
type ProtectedFiles struct{ *Runs }

func (pf *ProtectedFiles) open(g goal.Goal) (*protect.State, error) {
	p, err := verify.OpenProtection(session.WorkspaceOptions(g, pf.store.GoalDir(g.ID)))
	if err != nil {
		return nil, fmt.Errorf("protected files: %w", err)
	}
	return p, nil
}

// State lists the protected files of a goal and their changes.
func (pf *ProtectedFiles) State(ctx context.Context, id goal.ID) (api.ProtectedState, error) {
	state := api.ProtectedState{Files: []api.ProtectedFile{}, Changes: []api.ProtectedChange{}}
	row, err := pf.store.Goals.Get(ctx, id)
	if err != nil {
		return state, fmt.Errorf("protected files: %w", err)
	}
	p, err := pf.open(row.Goal)
	if err != nil {
		return state, err
	}
	state.Files = viewProtected(p.Protected())
	changes, err := p.Changes(ctx)
	if err != nil {
		return state, fmt.Errorf("comparing protected files: %w", err)
	}
	for _, c := range changes {
		state.Changes = append(state.Changes, api.ProtectedChange{
			Path:   c.Path,
			Why:    c.Why,
			Diff:   c.Diff,
			SHA256: c.SHA256,
		})
	}
	return state, nil
}

func viewProtected(files []protect.Item) []api.ProtectedFile {
	views := make([]api.ProtectedFile, len(files))
	for i, f := range files {
		views[i] = api.ProtectedFile{Path: f.Path, Kind: f.Kind, Why: f.Why}
	}
	return views
}

// validate refuses to continue a goal if protected files have changed and d does not cover them. It changes nothing:
// no file is restored unless the user says so.
func (pf *ProtectedFiles) validate(ctx context.Context, g goal.Goal, d protectedDecision) error {
	if err := d.validate(); err != nil {
		return err
	}
	p, err := pf.open(g)
	if err != nil {
		return err
	}
	files, err := p.ChangedFiles()
	if err != nil {
		return fmt.Errorf("comparing protected files: %w", err)
	}
	if files = slices.DeleteFunc(files, d.covers); len(files) == 0 {
		return nil
	}
	hint := "keep the change, put it back, or stop the goal"
	command := "keep the change (--accept-protected), put it back (--restore-protected), or stop the goal (abort)"
	if g.Status == goal.Completed {
		hint = "reopen it and keep the change, or put it back"
		command = "reopen it with --accept-protected to keep the change, or with --restore-protected to put it back"
	}
	return &fault.Error{
		Code:        fault.ProtectedChanged,
		Field:       "protected",
		Message:     "files that decide about the goal have changed: " + joinSome(files) + ". Nothing was put back.",
		Hint:        hint,
		CommandHint: command,
	}
}

// joinSome joins the first names of files in one line.
func joinSome(files []string) string {
	const maxNames = 10
	if len(files) <= maxNames {
		return strings.Join(files, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(files[:maxNames], ", "), len(files)-maxNames)
}

// decide applies the user's decision about protected files and leaves notes for the agent. It journals the decision
// before a run begins, because the files may change again while the goal waits in the queue, and the decision does not
// cover those changes.
func (pf *ProtectedFiles) decide(ctx context.Context, g goal.Goal, d protectedDecision) error {
	if d.isEmpty() {
		return nil
	}
	p, err := pf.open(g)
	if err != nil {
		return err
	}
	for _, apply := range []func(context.Context, *protect.State, protectedDecision) (outcome, error){
		unprotectFiles, acceptChanges, restoreFiles,
	} {
		o, err := apply(ctx, p, d)
		if err != nil {
			return err
		}
		if err := pf.recordOutcome(ctx, g, o); err != nil {
			return err
		}
	}
	return nil
}

// outcome is the effect of a decision on protected files, with an event for the journal and a note for the agent.
// Without files, the decision changed nothing.
type outcome struct {
	files   []string
	warning *event.Warning
	note    string
}

func (pf *ProtectedFiles) recordOutcome(ctx context.Context, g goal.Goal, o outcome) error {
	if len(o.files) == 0 {
		return nil
	}
	row, err := pf.store.Goals.Get(ctx, g.ID) // read again, because a parked goal may have continued automatically
	if err == nil {
		err = pf.store.Journal.Append(ctx, goal.Run{Goal: g.ID, ID: row.RunID}, o.warning)
	}
	if err != nil {
		return fmt.Errorf("recording the decision about protected files: %w", err)
	}
	return pf.noteUserMessage(ctx, g.ID, fmt.Sprintf(o.note, strings.Join(o.files, ", ")))
}

func unprotectFiles(_ context.Context, p *protect.State, d protectedDecision) (outcome, error) {
	files, err := p.Unprotect(d.unprotect)
	var unknown *protect.NotProtectedError
	if errors.As(err, &unknown) {
		return outcome{}, fault.Invalid("unprotect", unknown.Error(),
			"give the path of a protected file in the goal's folder")
	}
	if err != nil {
		return outcome{}, fmt.Errorf("unprotecting files: %w", err)
	}
	return outcome{
		files:   files,
		warning: event.ProtectedFreed(files),
		note:    "These files are no longer protected, and you may change them: %s.",
	}, nil
}

func acceptChanges(ctx context.Context, p *protect.State, d protectedDecision) (outcome, error) {
	if d.all != api.AcceptProtected && len(d.accept) == 0 {
		return outcome{}, nil
	}
	versions, err := p.Accept(ctx, d.accept...)
	var staleErr *protect.StaleChangeError
	if errors.As(err, &staleErr) {
		return outcome{}, &fault.Error{
			Code:    fault.ProtectedChanged,
			Message: staleErr.Error(),
			Field:   "protected",
			Hint:    "review the change again, then accept or restore it",
		}
	}
	if err != nil {
		return outcome{}, fault.Invalid("protected", "the changes cannot be accepted: "+err.Error(),
			"correct that, or restore the old versions").OnCommandLine(
			"correct that, or restore the old versions with --restore-protected")
	}
	var files, names []string
	for _, v := range versions {
		files, names = append(files, v.Path), append(names, v.String())
	}
	return outcome{
		files:   files,
		warning: event.ProtectedAccepted(names),
		note: "I accept the changes to these protected files, and their present versions are the protected ones now: %s. " +
			askFirst,
	}, nil
}

// askFirst ends the notes about files that stay protected.
const askFirst = "If one of them has to change, ask first with request_access and a reason."

// restoreFiles restores the changed files that the user does not accept.
func restoreFiles(ctx context.Context, p *protect.State, d protectedDecision) (outcome, error) {
	if d.all != api.RestoreProtected {
		return outcome{}, nil
	}
	files, backup, err := p.RestoreAll(ctx)
	if err != nil {
		return outcome{}, fmt.Errorf("restoring protected files: %w", err)
	}
	return outcome{
		files:   files,
		warning: event.ProtectedRestored(files, backup),
		note:    "I put these protected files back to what they were: %s. " + askFirst,
	}, nil
}
