package cli

import (
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"goalpost/backend/app"
	"goalpost/backend/domain/goal"
	"goalpost/backend/goals/api"
	"goalpost/backend/lib/fault"
)

func (cc changeCommands) commit() *cobra.Command {
	var in api.CommitInput
	var patch string
	c := &cobra.Command{
		Use:   "commit ID [PATH…]",
		Short: "Commit what a goal changed to a branch, or write it as a patch",
		Long: "Commit what a goal changed in its folder, as it is now, on top of the commit that is checked out. " +
			"The commit goes to a new branch; the checked-out branch, the index and stashes stay as they are. If --branch " +
			"names the checked-out branch, that branch advances, and the index gets these files. Git's hooks, filters and " +
			"signing do not run: run your hooks before you push. Ignored files, files with a filter (git-lfs) and files " +
			"of other repositories are left out and listed. Paths are relative to the goal's folder.",
		Example: "  " + cc.program.Name + " commit 01k3abcd\n  " + cc.program.Name +
			" commit 01k3abcd --branch fix-cart -m 'Count items' src\n  " + cc.program.Name +
			" commit 01k3abcd --patch cart.patch",
		RunE: func(c *cobra.Command, args []string) error {
			in.Paths = args[1:]
			if err := excludeFlags(c, "patch", "branch"); err != nil {
				return err
			}
			return cc.program.withApp(c.Context(), app.Options{}, func(a *app.App) error {
				var out api.CommitOutput
				var err error
				if patch != "" {
					out, err = cc.writePatch(c, a, args[0], in, patch)
				} else {
					out, err = a.ChangesAPI(c.Context()).Commit(args[0], in)
				}
				switch {
				case err != nil:
					return err
				case isJSON(c):
					return cc.program.json(out)
				}
				return cc.printCommit(out, patch)
			})
		},
	}
	fl := c.Flags()
	fl.StringVar(&in.Branch, "branch", "",
		"a new branch, or the one that is checked out (default: goalpost/ and the first words of the objective)")
	fl.StringVar(&patch, "patch", "", "write a patch for git am to this file, which must not exist, and create no branch")
	fl.StringVarP(&in.Message, "message", "m", "", "the message (default: the objective)")
	return addJSON(c)
}

// writePatch writes the patch to a new file, which is removed if that fails.
func (cc changeCommands) writePatch(
	c *cobra.Command, a *app.App, id string, in api.CommitInput, path string,
) (out api.CommitOutput, err error) {
	v, err := a.ChangesAPI(c.Context()).List(id, nil)
	if err != nil {
		return out, err
	}
	if path, err = cc.program.absolute(path); err != nil {
		return out, err
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return out, fault.Invalid("patch", "the patch cannot be written: "+err.Error(), "name a file that does not exist")
	}
	out, err = a.Goals.History.WriteCommitPatch(c.Context(), goal.ID(v.GoalID), in, f)
	if err = errors.Join(err, f.Close()); err != nil {
		return out, errors.Join(err, os.Remove(path))
	}
	return out, nil
}

func (cc changeCommands) printCommit(out api.CommitOutput, patch string) error {
	var b strings.Builder
	for _, f := range out.Files {
		fmt.Fprintf(&b, "%-8s %s\n", f.Change, singleLine(f.Path))
	}
	for _, s := range out.Skipped {
		cc.program.errorf("%s: left out: %s: %s\n", cc.program.Name, singleLine(s.Path), singleLine(s.Why))
	}
	for _, path := range out.Mixed {
		cc.program.errorf("%s: %s had uncommitted changes before the goal; they are included\n", cc.program.Name,
			singleLine(path))
	}
	count := goal.FormatCount(len(out.Files), "file")
	if patch != "" {
		return cc.program.printf("%s%s written to %s. No hook ran.\n", b.String(), count, singleLine(patch))
	}
	return cc.program.printf("%s%s committed to %s (%.12s). No hook ran.\n", b.String(), count, out.Branch, out.Commit)
}
