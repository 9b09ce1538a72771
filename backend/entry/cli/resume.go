package cli

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"goalpost/backend/app"
	"goalpost/backend/domain/goal"
	"goalpost/backend/goals/api"
	"goalpost/backend/goals/lifecycle"
	"goalpost/backend/lib/fault"
)

// resumeCommands continue goals that have stopped.
type resumeCommands struct{ program Program }

// resumeCommand completes a command that starts a run of a stopped goal, and shows it.
func (r resumeCommands) resumeCommand(
	c *cobra.Command, o *output, start func(context.Context, *app.App, goal.ID) error,
) *cobra.Command {
	c.RunE = func(c *cobra.Command, args []string) error {
		options := app.Options{Pace: demoPace, Attended: r.program.isTerminal(0)}
		return r.program.withApp(c.Context(), options, func(a *app.App) error {
			ctx := c.Context()
			if err := r.program.recover(ctx, a); err != nil {
				return err
			}
			row, err := a.Store().Goals.Find(ctx, args[0])
			if err != nil {
				return fmt.Errorf("%s: %w", c.Name(), err)
			}
			return liveView(r).follow(ctx, a, *o, func(ctx context.Context) (runningGoal, error) {
				// Earlier events of the goal are not shown again.
				return runningGoal{id: row.ID, last: row.Seq}, start(ctx, a, row.ID)
			})
		})
	}
	o.add(c.Flags())
	return c
}

func (r resumeCommands) resume() *cobra.Command {
	return r.resumeWith(&cobra.Command{
		Use: "resume ID", Short: "Resume a stopped goal with its history and counters",
		Long: "Resume a stopped goal with its history and counters. Omitted limits are unchanged; exhausted limits must " +
			"be raised.",
	}, "what the agent should know", (*lifecycle.Resumption).Resume)
}

func (r resumeCommands) reopen() *cobra.Command {
	var notDone bool
	c := r.resumeWith(&cobra.Command{
		Use: "reopen ID --note TEXT", Short: "Reopen a completed goal; the note says what is missing",
		Long: "Reopen a completed goal; the note says what is missing. Omitted limits are unchanged; exhausted limits " +
			"must be raised.",
		Example: "  " + r.program.Name + " reopen 01k3abcd --note 'the second page has no title'",
	}, "what is missing", func(re *lifecycle.Resumption, ctx context.Context, id goal.ID, in api.ResumeInput) error {
		in.NotDone = notDone
		return re.Reopen(ctx, id, in)
	})
	c.Flags().BoolVar(&notDone, "not-done", false,
		"say that the goal was not done: **How well does it work** in the page counts it")
	return c
}

// resumeWith adds the flags of a resumed goal to a command that resumes one; noteUsage describes --note.
func (r resumeCommands) resumeWith(
	c *cobra.Command, noteUsage string, do func(*lifecycle.Resumption, context.Context, goal.ID, api.ResumeInput) error,
) *cobra.Command {
	var o output
	var limits goal.Limits
	var note, model string
	var protected protectedFlags
	r.resumeCommand(c, &o, func(ctx context.Context, a *app.App, id goal.ID) error {
		in := api.ResumeInput{Limits: limits, Model: model}
		if err := protected.decide(&in); err != nil {
			return err
		}
		if in.Note = note; c.Name() == "reopen" && strings.TrimSpace(note) == "" {
			return usageError(c, "a goal that is done needs a note", "say what is missing; ")
		}
		return r.showChangesOnRefusal(ctx, a, id, do(a.Goals.Resumption, ctx, id, in))
	})
	bindFlags(c.Flags(), limits.Flags(goal.Limits{}))
	protected.add(c.Flags())
	c.Flags().StringVar(&note, "note", "", noteUsage)
	c.Flags().StringVar(&model, "model", "",
		"another model from now on: PROVIDER/MODEL, PROVIDER, or a model of its provider; after a comma, others for "+
			"while it is away")
	return c
}

// showChangesOnRefusal prints the changes of protected files, and how to decide about them, if a goal cannot continue
// because of them.
func (r resumeCommands) showChangesOnRefusal(ctx context.Context, a *app.App, id goal.ID, refusal error) error {
	var problem *fault.Error
	if !errors.As(refusal, &problem) || problem.Code != fault.ProtectedChanged {
		return refusal
	}
	state, err := a.Goals.ProtectedFiles.State(ctx, id)
	if err != nil {
		return errors.Join(refusal, err)
	}
	question := pendingQuestion{GoalID: string(id)}
	for _, c := range state.Changes {
		question.Changed = append(question.Changed, goal.DecidingFile{Path: c.Path, Why: c.Why})
		r.program.errorf("%s  sha256 %.12s\n", singleLine(c.Path), c.SHA256)
		for line := range strings.Lines(c.Diff) {
			r.program.errorf("  | %s\n", singleLine(strings.TrimRight(line, "\n")))
		}
	}
	row, err := a.Store().Goals.Get(ctx, id)
	if err != nil || row.Status == goal.Completed { // reopen has its own hint
		return errors.Join(refusal, err)
	}
	if subject, err := a.Store().Questions.Subject(ctx, row); err == nil && len(subject.Changed) > 0 {
		question.AgentReason = row.Account
	}
	r.program.errorf("%s", approvalCommands(r).changedHelp(question))
	return refusal
}

// protectedFlags holds the user's decision about protected files.
type protectedFlags struct {
	accept, restore  bool
	changes, release []string
}

func (p *protectedFlags) add(fl *pflag.FlagSet) {
	fl.BoolVar(&p.accept, "accept-protected", false,
		"keep the changes of protected files: their present versions are the protected ones from now on")
	fl.BoolVar(&p.restore, "restore-protected", false,
		"put changed protected files back; the changed versions are kept aside")
	fl.StringArrayVar(&p.changes, "accept-changes", nil,
		"keep the shown change of one protected file; --restore-protected puts the others back; repeatable")
	fl.StringArrayVar(&p.release, "unprotect", nil,
		"let the agent change a protected file for the rest of the goal; repeatable")
}

// decide fills the decision in.
func (p *protectedFlags) decide(in *api.ResumeInput) (err error) {
	for _, path := range p.changes {
		in.AcceptChanges = append(in.AcceptChanges, api.ProtectedVersion{Path: filepath.ToSlash(filepath.Clean(path))})
	}
	in.Unprotect = p.release
	in.Protected, err = p.decisionForAll()
	return err
}

func (p *protectedFlags) decisionForAll() (string, error) {
	switch {
	case p.accept && p.restore:
		return "", fault.Invalid("protected", "changed files are either accepted or restored",
			"give --accept-protected or --restore-protected, not both")
	case p.accept:
		return api.AcceptProtected, nil
	case p.restore:
		return api.RestoreProtected, nil
	}
	return "", nil
}

func (r resumeCommands) accept() *cobra.Command {
	var o output
	return r.resumeCommand(&cobra.Command{Use: "accept ID", Short: "Accept a pending manual check, or a doubted pass"}, &o,
		func(ctx context.Context, a *app.App, id goal.ID) error { return a.Goals.Resumption.Accept(ctx, id) })
}

func (r resumeCommands) reject() *cobra.Command {
	var o output
	var note string
	c := r.resumeCommand(&cobra.Command{
		Use:     "reject ID --note TEXT",
		Short:   "Reject a pending manual check and send the goal back to work",
		Example: "  " + r.program.Name + " reject 01k3abcd --note 'make it blue'",
	}, &o,
		func(ctx context.Context, a *app.App, id goal.ID) error {
			return a.Goals.Resumption.Reject(ctx, id, note)
		})
	c.Flags().StringVar(&note, "note", "", "what the agent should do differently")
	return c
}
