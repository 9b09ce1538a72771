package cli

import (
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"goalpost/backend/app"
	"goalpost/backend/domain/goal"
	"goalpost/backend/goals/api"
)

func (cc changeCommands) worktree() *cobra.Command {
	return newCommandGroup("worktree", "List and remove the git worktrees of goals (run --worktree)",
		cc.listWorktrees(), cc.removeWorktree())
}

func (cc changeCommands) listWorktrees() *cobra.Command {
	return addJSON(&cobra.Command{
		Use: "list", Short: "List the git worktrees of goals, also of deleted ones",
		RunE: cc.program.runWithApp(func(c *cobra.Command, a *app.App, _ []string) error {
			list, err := a.Goals.Worktrees(c.Context())
			return cc.program.printResult(c, list, err, func() error { return cc.worktreeTable(list) })
		}),
	})
}

func (cc changeCommands) worktreeTable(list []api.WorktreeView) error {
	if len(list) == 0 {
		return cc.program.printf("No goal has a worktree. %s run --worktree creates one.\n", cc.program.Name)
	}
	lines := []string{"GOAL\tBRANCH\tSTATE\tFOLDER"}
	for _, w := range list {
		id := "(deleted)"
		if w.GoalID != "" {
			id = goal.ID(w.GoalID).Short()
		}
		lines = append(lines, strings.Join([]string{
			id, oneLine(w.Branch), oneLine(worktreeState(w)), oneLine(w.Path),
		}, "\t"))
	}
	return cc.program.printTable(lines)
}

// worktreeState describes what removing a worktree would lose.
func worktreeState(w api.WorktreeView) string {
	var parts []string
	switch {
	case w.Problem != "":
		return w.Problem
	case w.IsMerged:
		parts = append(parts, "merged")
	default:
		parts = append(parts, "not merged")
	}
	if w.Uncommitted > 0 {
		parts = append(parts, strconv.Itoa(w.Uncommitted)+" uncommitted")
	}
	return strings.Join(parts, ", ")
}

func (cc changeCommands) removeWorktree() *cobra.Command {
	var force bool
	c := &cobra.Command{
		Use: "remove ID|FOLDER", Short: "Remove the git worktree of a goal, and its branch",
		Long: "Remove the git worktree of a goal, and its branch. The goal must have ended. A worktree with uncommitted " +
			"files or with commits that no other branch has is not removed without --force.",
		Example: "  " + cc.program.Name + " worktree remove 01k3abcd",
		RunE: cc.program.runWithApp(func(c *cobra.Command, a *app.App, args []string) error {
			view, commit, err := a.Goals.RemoveWorktree(c.Context(), args[0], force)
			if err != nil {
				return err
			}
			if commit == "" {
				return cc.program.printf("%s removed.\n", singleLine(view.Path))
			}
			return cc.program.printf("%s removed. Its branch %s was at %.12s.\n", singleLine(view.Path),
				singleLine(view.Branch), commit)
		}),
	}
	c.Flags().BoolVar(&force, "force", false, "remove it even if work is lost that no other branch has")
	return c
}
