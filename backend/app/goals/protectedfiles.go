package goals

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"goalpost/backend/api"
	"goalpost/backend/app/session"
	"goalpost/backend/event"
	"goalpost/backend/fault"
	"goalpost/backend/goal"
	"goalpost/backend/verify"
	"goalpost/backend/verify/protect"
)

// protectedDecision is what the user decided about the protected files of a stopped goal.
type protectedDecision struct {
	all       string            // api.AcceptProtected or api.RestoreProtected, for all changed files; "" is no decision
	accept    []protect.Version // changes to accept; the other changed files are restored
	unprotect []string          // files that the agent may change from now on
}

func decisionOf(in api.ResumeInput) protectedDecision {
	d := protectedDecision{all: in.Protected, unprotect: in.Unprotect}
	for _, v := range in.AcceptChanges {
		d.accept = append(d.accept, protect.Version{Path: v.Path, SHA256: v.SHA256})
	}
	return d
}

func (d protectedDecision) isEmpty() bool {
	return d.all == "" && len(d.accept) == 0 && len(d.unprotect) == 0
}

func (d protectedDecision) validate() error {
	switch {
	case d.all != "" && d.all != api.AcceptProtected && d.all != api.RestoreProtected:
		return fault.Invalid("protected", fmt.Sprintf("%q is no decision about protected files", d.all),
			"use "+api.AcceptProtected+" or "+api.RestoreProtected)
	case d.all == api.AcceptProtected && len(d.accept) > 0:
		return fault.Invalid("protected", "all changes are accepted, and some of them are named, too",
			"give --accept-protected for all changed files, or --accept-changes for some")
	}
	return nil
}

// covers reports whether the decision says what to do with a changed file.
func (d protectedDecision) covers(path string) bool {
	return d.all != "" || slices.Contains(d.unprotect, path) ||
		slices.ContainsFunc(d.accept, func(v protect.Version) bool { return v.Path == path })
}

// protectedFiles shows the user what goals protect, and applies what the user decides about it.
type protectedFiles struct{ *runs }

func (pf *protectedFiles) open(g goal.Goal) (*protect.State, error) {
	p, err := verify.OpenProtection(session.WorkspaceOptions(g, pf.store.GoalDir(g.ID)))
	if err != nil {
		return nil, fmt.Errorf("what the goal protects: %w", err)
	}
	return p, nil
}

// ProtectedState lists what a goal protects and what of it changed.
func (pf *protectedFiles) ProtectedState(ctx context.Context, id goal.ID) (api.ProtectedState, error) {
	state := api.ProtectedState{Files: []api.ProtectedFile{}, Changes: []api.ProtectedChange{}}
	row, err := pf.store.Goal(ctx, id)
	if err != nil {
		return state, fmt.Errorf("what the goal protects: %w", err)
	}
	p, err := pf.open(row.Goal)
	if err != nil {
		return state, err
	}
	state.Files = viewProtected(p.Protected())
	changes, err := p.Changes(ctx)
	if err != nil {
		return state, fmt.Errorf("looking at the protected files: %w", err)
	}
	for _, c := range changes {
		state.Changes = append(state.Changes, api.ProtectedChange{
			Path: c.Path, Why: c.Why, Diff: c.Diff, SHA256: c.SHA256, Undecided: c.Undecided,
		})
	}
	return state, nil
}

func viewProtected(files []protect.Protected) []api.ProtectedFile {
	views := make([]api.ProtectedFile, len(files))
	for i, f := range files {
		views[i] = api.ProtectedFile{Path: f.Path, Kind: string(f.Kind), Part: f.Part, Why: f.Why}
	}
	return views
}

// validate refuses to continue a goal whose protected files were changed since it stopped, or since the user
// was shown what was changed, until the user decides what to do with them. It changes nothing.
func (pf *protectedFiles) validate(ctx context.Context, g goal.Goal, d protectedDecision) error {
	if err := d.validate(); err != nil {
		return err
	}
	p, err := pf.open(g)
	if err != nil {
		return err
	}
	files, err := p.Undecided(ctx)
	if err != nil {
		return fmt.Errorf("looking at the protected files: %w", err)
	}
	if files = slices.DeleteFunc(files, d.covers); len(files) == 0 {
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

// nameSome names files in one line.
func nameSome(files []string) string {
	const most = 10
	if len(files) <= most {
		return strings.Join(files, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(files[:most], ", "), len(files)-most)
}

// decide applies what the user decided about protected files and leaves notes for the agent. The decision is
// in the journal before a run begins: the files may change again while the goal waits in the queue, and nobody has
// decided about that.
func (pf *protectedFiles) decide(ctx context.Context, g goal.Goal, d protectedDecision) error {
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

// outcome is what a decision did to protected files: the event for the journal, and a note for the agent. If it has no
// files, the decision changed nothing.
type outcome struct {
	files   []string
	warning *event.Warning
	note    string
}

func (pf *protectedFiles) recordOutcome(ctx context.Context, g goal.Goal, o outcome) error {
	if len(o.files) == 0 {
		return nil
	}
	row, err := pf.store.Goal(ctx, g.ID) // again: a parked goal may have continued automatically
	if err == nil {
		err = pf.store.Append(ctx, goal.Run{Goal: g.ID, ID: row.RunID}, o.warning)
	}
	if err != nil {
		return fmt.Errorf("what was decided about the protected files: %w", err)
	}
	return pf.noteUserMessage(ctx, g.ID, fmt.Sprintf(o.note, strings.Join(o.files, ", ")))
}

func unprotectFiles(_ context.Context, p *protect.State, d protectedDecision) (outcome, error) {
	files, err := p.Unprotect(d.unprotect)
	var unknown *protect.NotProtectedError
	if errors.As(err, &unknown) {
		return outcome{}, fault.Invalid("unprotect", unknown.Error(),
			"give a protected file by its path in the goal's folder")
	}
	if err != nil {
		return outcome{}, fmt.Errorf("freeing protected files: %w", err)
	}
	return outcome{
		files: files, warning: event.ProtectedFreed(files),
		note: "These files are no longer protected, and you may change them: %s.",
	}, nil
}

func acceptChanges(ctx context.Context, p *protect.State, d protectedDecision) (outcome, error) {
	if d.all != api.AcceptProtected && len(d.accept) == 0 {
		return outcome{}, nil
	}
	versions, err := p.Accept(ctx, d.accept...)
	var stale *protect.StaleChangeError
	if errors.As(err, &stale) {
		return outcome{}, &fault.Error{
			Code: fault.ProtectedChanged, Message: stale.Error(), Field: "protected",
			Hint: "look at the change again, then accept or restore it",
		}
	}
	if err != nil {
		return outcome{}, fault.Invalid("protected", "the changed files cannot become the protected ones: "+err.Error(),
			"correct that, or put the old versions back with --restore-protected")
	}
	var files, kept []string
	for _, v := range versions {
		files, kept = append(files, v.Path), append(kept, v.String())
	}
	return outcome{
		files: files, warning: event.ProtectedAccepted(kept),
		note: "I accept the changes to these protected files, and their present versions are the protected ones now: %s. " +
			"Do not change them.",
	}, nil
}

// restoreFiles restores the changed files that are not accepted.
func restoreFiles(ctx context.Context, p *protect.State, d protectedDecision) (outcome, error) {
	if d.all != api.RestoreProtected && len(d.accept) == 0 {
		return outcome{}, nil
	}
	files, aside, err := p.RestoreAll(ctx)
	if err != nil {
		return outcome{}, fmt.Errorf("putting the protected files back: %w", err)
	}
	return outcome{
		files: files, warning: event.ProtectedRestored(files, aside),
		note: "I put these protected files back to what they were: %s. Do not change them.",
	}, nil
}
