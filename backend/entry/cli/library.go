package cli

import (
	"cmp"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"goalpost/backend/goals/api"
	"goalpost/backend/lib/fault"
	"goalpost/backend/storage/config"
	"goalpost/backend/storage/library"
)

// libraryCommands manage one kind of files with which users teach agents.
type libraryCommands struct {
	program Program
	kind    library.Kind
	dir     *string // whose project's entries are meant
}

// libraryGroup returns the commands of a kind. about is a clause about what it is.
func (p Program) libraryGroup(kind library.Kind, about string) *cobra.Command {
	lc := libraryCommands{p, kind, new(string)}
	c := newCommandGroup(string(kind)+"s", "Manage "+string(kind)+"s ("+about+")",
		lc.list(), lc.show(), lc.validate(), lc.create(), lc.edit(), lc.duplicate(), lc.remove(), lc.trust())
	c.PersistentFlags().StringVar(lc.dir, "dir", "", "the project whose own are meant, too (default: the current folder)")
	return c
}

// command makes a command that works on the library of a folder.
func (lc libraryCommands) command(
	use, short, example string, do func(c *cobra.Command, l *library.Library, dir string, args []string) error,
) *cobra.Command {
	c := &cobra.Command{
		Use: use, Short: short,
		RunE: lc.program.runWithConfig(func(c *cobra.Command, cfg *config.Config, args []string) error {
			dir, err := filepath.Abs(cmp.Or(*lc.dir, "."))
			if err != nil {
				return fmt.Errorf("the folder: %w", err)
			}
			return do(c, library.Open(cfg.State(), cfg.Home()), dir, args)
		}),
	}
	if example != "" {
		c.Example = "  " + lc.program.Name + " " + string(lc.kind) + "s " + example
	}
	return c
}

func (lc libraryCommands) list() *cobra.Command {
	return addJSON(lc.command("list", "List them, with whose they are", "",
		func(c *cobra.Command, l *library.Library, dir string, _ []string) error {
			list, err := l.List(lc.kind, dir)
			if err != nil {
				return fmt.Errorf("list: %w", err)
			}
			views, lines := []api.LibraryEntry{}, []string{}
			for _, e := range list {
				views = append(views, api.ViewLibraryEntry(e))
				lines = append(lines, e.Name+"\t"+describeOwner(e)+"\t"+oneLine(cmp.Or(e.Problem, e.Description)))
			}
			switch {
			case isJSON(c):
				return lc.program.json(views)
			case len(lines) == 0:
				return lc.program.printf("No %ss. Make one: %s %ss new NAME\n", lc.kind, lc.program.Name, lc.kind)
			}
			return lc.program.printTable(lines)
		}))
}

// describeOwner says whose an entry is, and whether goals can use it.
func describeOwner(e library.Entry) string {
	owner := map[library.Owner]string{
		library.OwnerBuiltIn: "built in", library.OwnerUser: "yours", library.OwnerClaude: "yours, of Claude Code",
		library.OwnerProject: "the project's",
	}[e.Owner]
	switch {
	case e.Problem != "":
		return owner + ", cannot be used"
	case !e.Trusted:
		return owner + ", not trusted"
	}
	return owner
}

func (lc libraryCommands) show() *cobra.Command {
	return lc.command("show NAME", "Print one", "show "+lc.example(),
		func(_ *cobra.Command, l *library.Library, dir string, args []string) error {
			e, err := l.Get(lc.kind, args[0], dir)
			if err != nil {
				return fmt.Errorf("show: %w", err)
			}
			return lc.program.printf("%s", e.Text)
		})
}

// example is a name for the examples in the help.
func (lc libraryCommands) example() string {
	switch lc.kind {
	case library.Personas:
		return "researcher"
	case library.Templates:
		return "tests-pass"
	case library.Skills:
	}
	return "release-notes"
}

func (lc libraryCommands) validate() *cobra.Command {
	return lc.command("validate [NAME]", "Report what is wrong with one, or with all", "validate",
		func(_ *cobra.Command, l *library.Library, dir string, args []string) error {
			list, err := l.List(lc.kind, dir)
			if err != nil {
				return fmt.Errorf("validate: %w", err)
			}
			found, bad := false, 0
			for _, e := range list {
				if len(args) > 0 && e.Name != args[0] {
					continue
				}
				found = true
				notes := e.Notes
				if e.Problem != "" {
					bad, notes = bad+1, append([]string{e.Problem}, notes...)
				}
				for _, note := range notes {
					if err := lc.program.printf("%s: %s\n", cmp.Or(e.Path, e.Name), oneLine(note)); err != nil {
						return err
					}
				}
			}
			switch {
			case len(args) > 0 && !found:
				_, err := l.Get(lc.kind, args[0], dir)
				return fmt.Errorf("validate: %w", err)
			case bad > 0:
				return fault.New(fault.Refused, fmt.Sprintf("%d of the %ss cannot be used", bad, lc.kind), "correct the files")
			}
			return nil
		})
}

func (lc libraryCommands) create() *cobra.Command {
	return lc.command("new NAME", "Make one of yours and open it in $EDITOR", "new my-"+lc.example(),
		func(_ *cobra.Command, l *library.Library, _ string, args []string) error {
			if err := l.Save(lc.kind, args[0], library.Example(lc.kind, args[0]), true); err != nil {
				return fmt.Errorf("new: %w", err)
			}
			return lc.openOwn(l, args[0])
		})
}

func (lc libraryCommands) edit() *cobra.Command {
	return lc.command("edit NAME", "Open one of yours in $EDITOR", "edit my-"+lc.example(),
		func(_ *cobra.Command, l *library.Library, _ string, args []string) error {
			return lc.openOwn(l, args[0])
		})
}

// openOwn opens one of the user's own entries in the editor, or prints its path if there is none to open it in.
func (lc libraryCommands) openOwn(l *library.Library, name string) error {
	e, err := l.Get(lc.kind, name, "")
	if err != nil {
		return fmt.Errorf("edit: %w", err)
	}
	if e.Owner == library.OwnerBuiltIn {
		return fault.New(fault.Refused, fmt.Sprintf("the %s %s is built in", lc.kind, name),
			fmt.Sprintf("copy it first: %s %ss duplicate %s NAME", lc.program.Name, lc.kind, name))
	}
	editor := cmp.Or(lc.program.Getenv("VISUAL"), lc.program.Getenv("EDITOR"))
	if editor == "" || !isTerminal(os.Stdin) {
		return lc.program.printf("%s\n", e.Path)
	}
	signal.Reset() // the editor gets the signals of the terminal
	// EDITOR may have arguments, which only a shell splits as the user means them.
	err = syscall.Exec("/bin/sh", []string{"sh", "-c", editor + ` "$1"`, "sh", e.Path}, os.Environ())
	return fmt.Errorf("open %s: %w", editor, err)
}

func (lc libraryCommands) duplicate() *cobra.Command {
	return lc.command("duplicate NAME NEW", "Copy one, whosever it is, into yours", "duplicate "+lc.example()+" mine",
		func(_ *cobra.Command, l *library.Library, dir string, args []string) error {
			e, err := l.Get(lc.kind, args[0], dir)
			if err == nil {
				err = l.Duplicate(e, args[1])
			}
			if err != nil {
				return fmt.Errorf("duplicate: %w", err)
			}
			return lc.program.printf("%s is yours now; %s %ss edit %[1]s opens it\n", args[1], lc.program.Name, lc.kind)
		})
}

func (lc libraryCommands) remove() *cobra.Command {
	undo := false
	c := lc.command("delete NAME", "Delete one of yours", "delete my-"+lc.example(),
		func(_ *cobra.Command, l *library.Library, _ string, args []string) error {
			act := l.Delete
			if undo {
				act = l.Restore
			}
			if err := act(lc.kind, args[0]); err != nil || undo {
				return explainAction("delete", err)
			}
			return lc.program.printf("%s is deleted; %s %ss delete --undo %[1]s brings it back\n", args[0], lc.program.Name,
				lc.kind)
		})
	c.Flags().BoolVar(&undo, "undo", false, "bring back the one of this name that was deleted last")
	return c
}

func (lc libraryCommands) trust() *cobra.Command {
	yes := false
	c := lc.command("trust NAME", "Let goals use one of the project, as its text is now", "trust "+lc.example(),
		func(_ *cobra.Command, l *library.Library, dir string, args []string) error {
			e, err := lc.untrusted(l, args[0], dir)
			if err != nil {
				return err
			}
			lc.program.errorf("%s says:\n", e.Path)
			for line := range strings.Lines(e.Text) {
				lc.program.errorf("  | %s\n", strings.TrimRight(line, "\r\n"))
			}
			if !yes && !lc.program.confirmAtTerminal("Trust exactly this text? [y/N] ") {
				return fault.New(fault.Refused, "it was not confirmed, and is not trusted", "confirm it, or pass --yes")
			}
			return explainAction("trust", l.Trust(e))
		})
	c.Flags().BoolVar(&yes, "yes", false, "without a question")
	return c
}

// untrusted returns the project's entry with a name.
func (lc libraryCommands) untrusted(l *library.Library, name, dir string) (library.Entry, error) {
	list, err := l.List(lc.kind, dir)
	if err != nil {
		return library.Entry{}, fmt.Errorf("trust: %w", err)
	}
	for _, e := range list {
		if e.Name == name && e.Owner == library.OwnerProject {
			return e, nil
		}
	}
	return library.Entry{}, &fault.Error{
		Code: fault.NotFound, Field: "name",
		Message: fmt.Sprintf("the project in %s has no %s %q", dir, lc.kind, name),
		Hint:    "only a project's own need trust",
	}
}

// explainAction adds to an error what was being done.
func explainAction(what string, err error) error {
	if err != nil {
		return fmt.Errorf("%s: %w", what, err)
	}
	return nil
}
