package cli

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"goalpost/backend/app"
	"goalpost/backend/domain/goal"
	"goalpost/backend/goals/api"
	"goalpost/backend/lib/text"
)

// changeCommands show what a goal changed in its folder, and undo it.
type changeCommands struct{ program Program }

func (cc changeCommands) diff() *cobra.Command {
	var stat, patch bool
	c := &cobra.Command{
		Use:   "diff ID [PATH…]",
		Short: "Show what a goal changed in its folder",
		Long: "Compare a goal's folder, as it is now, with the start of the goal, also while the goal runs. Paths are " +
			"relative to the goal's folder. The output is a patch that git apply takes, without the values of your secrets.",
		Example: "  " + cc.program.Name + " diff 01k3abcd --stat\n  " + cc.program.Name + " diff 01k3abcd src/cart.go",
		RunE: func(c *cobra.Command, args []string) error {
			if err := excludeFlags(c, "stat", "patch"); err != nil {
				return err
			}
			return cc.program.withApp(c.Context(), app.Options{Rescue: true}, func(a *app.App) error {
				cc.program.noteRescue(a.DatabaseProblem())
				v, err := a.ChangesAPI(c.Context()).List(args[0], args[1:])
				switch {
				case err != nil:
					return err
				case isJSON(c):
					return cc.program.json(v)
				case v.Unavailable != "":
					return cc.program.printf("%s\n", v.Unavailable)
				case stat || len(v.Files) == 0:
					return cc.printStat(v, args[1:])
				}
				return cc.printPatch(c, a, v, args[1:])
			})
		},
	}
	c.Flags().BoolVar(&stat, "stat", false, "list the files, with the number of lines added and removed")
	c.Flags().BoolVar(&patch, "patch", false, "the differences line by line (the default)")
	return addJSON(c)
}

func (cc changeCommands) printPatch(c *cobra.Command, a *app.App, v api.ChangesView, paths []string) error {
	all := func(api.ChangedFile) bool { return true }
	err := a.Goals.History.EachDiff(c.Context(), goal.ID(v.GoalID), paths, all, func(d api.FileDiff) error {
		if d.Before.Type == "folder" || d.After.Type == "folder" {
			return cc.program.printf("%s\n", statLine(d.ChangedFile))
		}
		if cc.program.isTerminal(1) {
			return cc.program.printf("%s", text.Sanitize(d.Patch))
		}
		return cc.program.printf("%s", d.Patch)
	})
	cc.noteLeftOut(v.LeftOut)
	return err
}

// printStat lists the changed files.
func (cc changeCommands) printStat(v api.ChangesView, paths []string) error {
	var b strings.Builder
	added, removed := countLines(v.Files)
	for _, f := range v.Files {
		b.WriteString(statLine(f) + "\n")
	}
	since := "the start of the goal"
	if v.FromStep > 0 {
		since = fmt.Sprintf("step %d, where its first snapshot was taken", v.FromStep)
	}
	if len(v.Files) == 0 {
		err := cc.program.printf("Nothing has changed since %s%s.\n", since, inPaths(paths))
		cc.noteLeftOut(v.LeftOut)
		return err
	}
	err := cc.program.printf("%s%s changed since %s, +%d −%d\n", b.String(), goal.FormatCount(len(v.Files), "file"), since,
		added, removed)
	cc.noteLeftOut(v.LeftOut)
	return err
}

// countLines counts the added and the removed lines.
func countLines(files []api.ChangedFile) (added, removed int) {
	for _, f := range files {
		added, removed = added+max(0, f.Added), removed+max(0, f.Removed)
	}
	return added, removed
}

// inPaths names the paths that a comparison was limited to.
func inPaths(paths []string) string {
	if len(paths) == 0 {
		return ""
	}
	return " in " + singleLine(strings.Join(paths, ", "))
}

// statLine formats one changed file: "changed  +3 −1  src/a.go (edited later, not by this goal)".
func statLine(f api.ChangedFile) string {
	count := fmt.Sprintf("+%d −%d", f.Added, f.Removed)
	switch {
	case f.Before.Type == "folder" || f.After.Type == "folder":
		count = "folder"
	case f.Added < 0:
		count = fmt.Sprintf("%d → %d bytes", f.Before.Size, f.After.Size)
	}
	var notes []string
	if f.Before.Mode != f.After.Mode && f.Change == api.FileChanged {
		notes = append(notes, "mode "+f.Before.Mode+" → "+f.After.Mode)
	}
	if f.Ignored {
		notes = append(notes, "ignored by git")
	}
	if f.EditedSince {
		notes = append(notes, "edited later, not by this goal")
	}
	if f.RunsCheck {
		notes = append(notes, "a check runs it")
	}
	note := ""
	if len(notes) > 0 {
		note = " (" + strings.Join(notes, ", ") + ")"
	}
	return fmt.Sprintf("%-8s %-12s %s%s", f.Change, count, singleLine(f.Path), note)
}

// noteLeftOut names the paths that are not compared, on standard error.
func (cc changeCommands) noteLeftOut(list []api.LeftOutPath) {
	const maxListed = 10
	for i, l := range list {
		if i == maxListed {
			cc.program.errorf("%s: and %d more\n", cc.program.Name, len(list)-maxListed)
			break
		}
		cc.program.errorf("%s: not compared, not undone: %s (%s)\n", cc.program.Name, singleLine(l.Path), l.Why)
	}
}
