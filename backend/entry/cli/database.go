package cli

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"goalpost/backend/domain/goal"
	"goalpost/backend/lib/fault"
	"goalpost/backend/storage/config"
	"goalpost/backend/storage/store"
)

// databaseCommands bring a usable database back.
type databaseCommands struct{ program Program }

func (dc databaseCommands) database() *cobra.Command {
	return newCommandGroup("database", "Restore the database of the goals from a copy",
		dc.copies(), dc.restore(), dc.anew())
}

// copyLayout is how copies are named here: the local time.
const copyLayout = "2006-01-02T15:04:05"

func (dc databaseCommands) copies() *cobra.Command {
	type view struct {
		Copy  string `json:"copy"`
		Bytes int64  `json:"bytes"`
		Path  string `json:"path"`
	}
	return addJSON(&cobra.Command{
		Use: "copies", Short: "List the copies of the database, newest first",
		RunE: func(c *cobra.Command, _ []string) error {
			dir, err := config.StateDir(dc.program.Getenv)
			if err != nil {
				return fmt.Errorf("configuration: %w", err)
			}
			list, err := store.Copies(dir)
			views := []view{}
			for _, one := range list {
				views = append(views, view{one.At.Format(copyLayout), one.Bytes, one.Path})
			}
			return dc.program.printResult(c, views, err, func() error {
				if len(views) == 0 {
					return dc.program.printf("There is no copy yet. Goalpost makes one each day that it starts.\n")
				}
				lines := []string{"COPY\tSIZE\tFILE"}
				for _, v := range views {
					lines = append(lines, fmt.Sprintf("%s\t%.1f MiB\t%s", v.Copy, float64(v.Bytes)/(1<<20), singleLine(v.Path)))
				}
				return dc.program.printTable(lines)
			})
		},
	})
}

func (dc databaseCommands) restore() *cobra.Command {
	return &cobra.Command{
		Use: "restore [COPY]", Short: "Restore a copy of the database, the newest if none is named",
		Long: "Restore a copy of the database, the newest if none is named. Goals that are newer than the copy are listed " +
			"again with what their folders say; their journals are lost. The present file is kept.",
		Example: "  " + dc.program.Name + " database restore\n  " + dc.program.Name + " database restore 2026-11-28T09:12:05",
		RunE: func(c *cobra.Command, args []string) error {
			dir, err := config.StateDir(dc.program.Getenv)
			if err != nil {
				return fmt.Errorf("configuration: %w", err)
			}
			from, err := chooseCopy(dir, args)
			if err != nil {
				return err
			}
			if err := refuseSound(c.Context(), dir); err != nil {
				return err
			}
			aside, err := store.Restore(c.Context(), dir, from)
			if err != nil {
				return fmt.Errorf("restoring the database: %w", err)
			}
			return dc.program.printf("The copy of %s is restored.%s\n", from.At.Format("2006-01-02 15:04"), describeAside(aside))
		},
	}
}

// chooseCopy finds the copy that the arguments name, the newest without any.
func chooseCopy(dir string, args []string) (store.Copy, error) {
	list, err := store.Copies(dir)
	switch {
	case err != nil:
		return store.Copy{}, err
	case len(list) == 0:
		return store.Copy{}, fault.New(fault.NotFound, "there is no copy of the database",
			"goalctl database new begins without goals; the present file is kept")
	case len(args) == 0:
		return list[0], nil
	}
	for _, one := range list {
		if name := one.At.Format(copyLayout); name == args[0] || strings.HasPrefix(name, args[0]) && len(args[0]) >= len(
			time.DateOnly) {
			return one, nil
		}
	}
	return store.Copy{}, fault.Invalid("copy", "there is no copy "+args[0], "goalctl database copies lists them")
}

func (dc databaseCommands) anew() *cobra.Command {
	return &cobra.Command{
		Use: "new", Short: "Start with an empty database, and keep the present file",
		RunE: func(c *cobra.Command, _ []string) error {
			dir, err := config.StateDir(dc.program.Getenv)
			if err != nil {
				return fmt.Errorf("configuration: %w", err)
			}
			if err := refuseSound(c.Context(), dir); err != nil {
				return err
			}
			aside, err := store.StartAnew(c.Context(), dir)
			if err != nil {
				return fmt.Errorf("starting anew: %w", err)
			}
			return dc.program.printf("The database is new and has no goals.%s\n", describeAside(aside))
		},
	}
}

// refuseSound refuses to replace a database that can be read and has goals: nobody means that.
func refuseSound(ctx context.Context, dir string) error {
	s, err := store.OpenReadOnly(ctx, dir)
	if err != nil {
		return nil //nolint:nilerr // which is why it is replaced
	}
	_, n, err := s.Goals.List(ctx, store.Filter{Limit: 1})
	isSound := errors.Join(err, s.Backups.Check(ctx), s.Damage) == nil
	if err := s.Close(); err != nil || !isSound || n == 0 {
		return err
	}
	return fault.New(fault.Conflict, "the database is sound and has "+goal.FormatCount(n, "goal"),
		"it needs no repair; to replace it all the same, move "+filepath.Join(dir, "goalpost.db")+" away first")
}

func describeAside(path string) string {
	if path == "" {
		return ""
	}
	return " The former file is kept: " + singleLine(path)
}
