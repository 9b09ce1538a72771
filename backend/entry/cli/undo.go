package cli

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"goalpost/backend/app"
	"goalpost/backend/domain/goal"
	"goalpost/backend/goals/api"
	"goalpost/backend/goals/calls"
)

func (cc changeCommands) undo() *cobra.Command {
	var in api.UndoInput
	var list bool
	c := &cobra.Command{
		Use:   "undo ID [PATH…]",
		Short: "Restore a goal's folder to its state before the goal",
		Long: "Restore a goal's folder, or some of its files, to the state before the goal, whatever changed them: " +
			"tools, shell commands or builds. Paths are relative to the goal's folder. Files that were edited later, not by " +
			"this goal, are listed and left alone, unless --force names them. The state before the undo is kept: " +
			"--redo restores it. Large ignored folders, folders that programs fill, and .git are not touched.",
		Example: "  " + cc.program.Name + " undo 01k3abcd --dry-run\n  " +
			cc.program.Name + " undo 01k3abcd src/cart.go\n  " +
			cc.program.Name + " undo 01k3abcd --redo",
		RunE: cc.program.runWithRescue(func(c *cobra.Command, a *app.App, args []string) error {
			in.Paths = args[1:]
			if list {
				return cc.listCheckpoints(a.ChangesAPI(c.Context()), args[0], isJSON(c))
			}
			return cc.undoChanges(c.Context(), a, args[0], in, isJSON(c))
		}),
	}
	fl := c.Flags()
	fl.IntVar(&in.Step, "to", 0, "restore the state after this step; 0 is the start of the goal")
	fl.BoolVar(&in.DryRun, "dry-run", false, "change nothing, list what would be done")
	fl.BoolVar(&in.Redo, "redo", false, "undo the last undo")
	fl.StringArrayVar(&in.Force, "force", nil,
		"overwrite this file even if it was edited later, not by this goal; repeatable")
	fl.BoolVar(&list, "list", false, "list the saved states of the folder")
	return addJSON(c)
}

// checkpointWords describe the kinds of checkpoints.
var checkpointWords = map[string]string{
	"start":       "start of the goal",
	"resume":      "start of a later run",
	"step":        "after step %d",
	"end":         "end of a run, step %d",
	"before_undo": "before an undo",
	"after_undo":  "after an undo",
}

func (cc changeCommands) listCheckpoints(g *calls.ChangesAPI, id string, asJSON bool) error {
	v, err := g.List(id, nil)
	switch {
	case err != nil:
		return err
	case asJSON:
		return cc.program.json(v.Checkpoints)
	case v.Unavailable != "":
		return cc.program.printf("%s\n", v.Unavailable)
	}
	var b strings.Builder
	for _, c := range v.Checkpoints {
		words := checkpointWords[c.Kind]
		if strings.Contains(words, "%d") {
			words = fmt.Sprintf(words, c.Step)
		}
		fmt.Fprintf(&b, "%s  %s\n", c.At, words)
	}
	return cc.program.printf("%s", b.String())
}

// undoResult is an undo with what the goal is since.
type undoResult struct {
	api.UndoOutput

	State   string             `json:"state,omitempty"`   // of a goal that is done: "Done, changes undone: checks fail"
	Recheck *api.RecheckOutput `json:"recheck,omitempty"` // of the checks, which ran again
}

func (cc changeCommands) undoChanges(ctx context.Context, a *app.App, id string, in api.UndoInput, asJSON bool) error {
	out := undoResult{}
	var err error
	if out.UndoOutput, err = a.ChangesAPI(ctx).Undo(id, in); err != nil {
		return err
	}
	if !in.DryRun && len(out.Done) > 0 && a.DatabaseProblem() == nil {
		cc.recheck(ctx, a, id, &out)
	}
	if asJSON {
		return cc.program.json(out)
	}
	var b strings.Builder
	b.WriteString(formatUndo(out.UndoOutput, in))
	if out.Recheck != nil {
		b.WriteString(formatRecheck(*out.Recheck))
	}
	if out.State != "" {
		fmt.Fprintf(&b, "The goal now: %s\n", oneLine(out.State))
	}
	err = cc.program.printf("%s", b.String())
	cc.noteLeftOut(out.LeftOut)
	return err
}

// recheck runs the checks of a done goal again after an undo or a redo.
func (cc changeCommands) recheck(ctx context.Context, a *app.App, id string, out *undoResult) {
	g := a.GoalAPI(ctx)
	card, err := g.Get(id)
	if err != nil || card.Exit != goal.Done {
		return
	}
	again, err := g.Recheck(id)
	switch {
	case err == nil:
		out.Recheck = &again
	case !api.IsConflict(err): // a conflict: no program decides the goal
		cc.program.errorf("%s: the checks did not run again: %v\n", cc.program.Name, err)
	}
	if card, err = g.Get(id); err == nil {
		out.State = card.AssuranceWords
	}
}

func formatUndo(out api.UndoOutput, in api.UndoInput) string {
	verbs := map[string]string{api.FileNew: "removed", api.FileChanged: "restored", api.FileDeleted: "brought back"}
	if in.DryRun {
		verbs = map[string]string{
			api.FileNew: "would remove", api.FileChanged: "would restore", api.FileDeleted: "would bring back",
		}
	}
	var b strings.Builder
	for _, c := range out.Done {
		note := ""
		if c.Note != "" {
			note = " (" + c.Note + ")"
		}
		fmt.Fprintf(&b, "%-12s %s%s\n", verbs[c.Change], singleLine(c.Path), note)
	}
	for _, s := range out.Skipped {
		hint := ""
		if s.CanForce {
			hint = "; --force overwrites it"
		}
		fmt.Fprintf(&b, "%-12s %s: %s%s\n", "left alone", singleLine(s.Path), singleLine(s.Why), hint)
	}
	files := goal.FormatCount(len(out.Done), "file")
	switch {
	case len(out.Done)+len(out.Skipped) == 0 && in.Redo:
		b.WriteString("Nothing to do: the folder is what it was before the undo.")
	case len(out.Done)+len(out.Skipped) == 0:
		b.WriteString("Nothing to undo: nothing has changed since " + out.To + inPaths(in.Paths) + ".")
	case in.DryRun:
		fmt.Fprintf(&b, "Nothing was changed. Without --dry-run, %s would be restored to %s.", files, out.To)
	default:
		fmt.Fprintf(&b, "%s restored to %s.", files, out.To)
		if out.CanRedo {
			b.WriteString(" --redo undoes that.")
		}
	}
	b.WriteString("\n")
	return b.String()
}
