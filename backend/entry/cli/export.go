package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"goalpost/backend/app"
	"goalpost/backend/lib/fault"
	"goalpost/backend/lib/text"
)

func (p Program) export() *cobra.Command {
	var output string
	var force bool
	c := &cobra.Command{
		Use: "export ID", Short: "Write a goal to one HTML file that opens without Goalpost",
		Long: "Write a goal to one HTML file: its result, checks, changes, activity, replay and receipt, without the " +
			"values of your secrets. A browser opens it without Goalpost and without a network. It has at most 20 MB: what is " +
			"too much is left out, the oldest pictures of pages first, then the middle of long outputs, and the file says so.",
		Example: "  " + p.Name + " export 01k3abcd\n  " + p.Name + " export 01k3abcd -o for-ann.html",
		RunE: func(c *cobra.Command, args []string) error {
			return p.withApp(c.Context(), app.Options{Rescue: true}, func(a *app.App) error {
				p.noteRescue(a.DatabaseProblem())
				out, err := a.ExportAPI(c.Context()).HTML(args[0])
				if err != nil {
					return err
				}
				if output == "" {
					output = out.Name
				}
				if err := p.writeNew(output, []byte(out.HTML), force); err != nil {
					return err
				}
				for _, what := range out.LeftOut {
					p.errorf("%s: left out, because the file would be too large: %s\n", p.Name, what)
				}
				return p.printf("%s written, %.1f MB\n", singleLine(output), float64(len(out.HTML))/1e6)
			})
		},
	}
	c.Flags().StringVarP(&output, "output", "o", "", "the file (default: goalpost-ID.html in this folder)")
	c.Flags().BoolVar(&force, "force", false, "overwrite the file")
	return c
}

// writeNew writes a private file whole or not at all. It overwrites one only with force.
func (p Program) writeNew(name string, content []byte, force bool) (err error) {
	path, err := p.absolute(name)
	if err != nil {
		return err
	}
	f, err := os.CreateTemp(filepath.Dir(path), ".new-*")
	if errors.Is(err, fs.ErrNotExist) {
		return fault.New(fault.NotFound, "the folder of "+name+" does not exist", "create it, or name another file with -o")
	}
	if err != nil {
		return fmt.Errorf("writing %s: %w", name, text.StripPathError(err))
	}
	defer func() {
		if removed := os.Remove(f.Name()); !errors.Is(removed, fs.ErrNotExist) {
			err = errors.Join(err, removed)
		}
	}()
	_, err = f.Write(content)
	if err = errors.Join(err, f.Close()); err == nil {
		err = putFile(f.Name(), path, force)
	}
	switch {
	case errors.Is(err, fs.ErrExist):
		return fault.Invalid("output", name+" exists", "choose another name, or overwrite it").
			OnCommandLine("-o FILE names another one, --force overwrites it")
	case err != nil:
		return fmt.Errorf("writing %s: %w", name, text.StripPathError(err))
	}
	return nil
}

// putFile gives a written file its name. A link, unlike renaming, never replaces another file.
func putFile(written, path string, force bool) error {
	if force {
		return os.Rename(written, path) //nolint:wrapcheck // the caller says what for
	}
	err := os.Link(written, path)
	if err == nil || errors.Is(err, fs.ErrExist) {
		return err //nolint:wrapcheck // the caller says what for
	}
	// Some file systems have no links.
	if _, err := os.Lstat(path); !errors.Is(err, fs.ErrNotExist) {
		return errors.Join(fs.ErrExist, err)
	}
	return os.Rename(written, path) //nolint:wrapcheck // the caller says what for
}
