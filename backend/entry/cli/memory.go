package cli

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"goalpost/backend/app"
	"goalpost/backend/goals/api"
	"goalpost/backend/goals/calls"
	"goalpost/backend/lib/fault"
	"goalpost/backend/storage/store"
)

// memoryCommands manage the notes about folders that later goals and chats there read.
type memoryCommands struct {
	program Program
	dir     *string
}

func (p Program) memory() *cobra.Command {
	mc := memoryCommands{p, new(string)}
	list, add := mc.list(), inHost(mc.add(), useHost)
	for _, c := range []*cobra.Command{list, add} {
		c.Flags().StringVar(mc.dir, "dir", "", "the folder (default: the present one)")
	}
	return newCommandGroup("memory", "Manage notes about a folder, which later goals and chats there read",
		list, add, inHost(mc.edit(), useHost), inHost(mc.remove(), useHost))
}

func (mc memoryCommands) list() *cobra.Command {
	all := false
	c := addJSON(&cobra.Command{
		Use: "list", Short: "List the notes, the newest first",
		RunE: mc.program.runWithStore(func(c *cobra.Command, _ *calls.GoalAPI, s *store.Store, _ []string) error {
			dir := ""
			if !all {
				var err error
				if dir, err = mc.folder(); err != nil {
					return err
				}
			}
			notes, err := s.Memory.List(c.Context(), dir)
			views := make([]api.MemoryNote, len(notes))
			for i, n := range notes {
				views[i] = api.ViewMemory(n)
			}
			return mc.program.printResult(c, views, err, func() error { return mc.print(views, all) })
		}),
	})
	c.Flags().BoolVar(&all, "all", false, "those about all folders")
	return c
}

// print prints notes with who wrote them. With dirs, it prints the folder of each, too.
func (mc memoryCommands) print(notes []api.MemoryNote, dirs bool) error {
	if len(notes) == 0 {
		return mc.program.printf("No notes. Agents write them with remember; you can, too: %s memory add TEXT\n",
			mc.program.Name)
	}
	var b strings.Builder
	for _, n := range notes {
		writer := "you"
		if n.Goal != "" {
			writer = "goal " + string(n.Goal)
		}
		fmt.Fprintf(&b, "%s  %s, by %s\n", n.ID, n.WrittenAt.Local().Format("2006-01-02 15:04"), writer)
		if dirs {
			fmt.Fprintf(&b, "  in %s\n", oneLine(n.Dir))
		}
		for line := range strings.Lines(n.Text) {
			fmt.Fprintf(&b, "  | %s\n", oneLine(strings.TrimRight(line, "\n")))
		}
	}
	return mc.program.printf("%s", b.String())
}

// folder returns the folder that is meant, by the path under which goals there know it.
func (mc memoryCommands) folder() (string, error) {
	dir, err := mc.program.absolute(cmp.Or(*mc.dir, "."))
	if err != nil {
		return "", err
	}
	real, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return "", fault.Invalid("dir", fmt.Sprintf("there is no folder %s", oneLine(dir)), "give one that exists with --dir")
	}
	return real, nil
}

func (mc memoryCommands) add() *cobra.Command {
	return &cobra.Command{
		Use: "add [TEXT…]", Short: "Write a note; without a text, standard input is the note",
		Example: "  " + mc.program.Name + " memory add 'The tests need REDIS_URL; start them with make check.'",
		RunE: mc.program.runWithApp(func(c *cobra.Command, a *app.App, args []string) error {
			dir, err := mc.folder()
			if err != nil {
				return err
			}
			text, err := mc.readText(args)
			if err != nil {
				return err
			}
			dropped, err := a.MemoryAPI(c.Context()).Add(dir, text)
			return mc.report("Noted for goals and chats in "+oneLine(dir)+".", dropped, err)
		}),
	}
}

func (mc memoryCommands) edit() *cobra.Command {
	return &cobra.Command{
		Use: "edit ID [TEXT…]", Short: "Replace the text of a note",
		Example: "  " + mc.program.Name + " memory edit 01m8n34aeycnmqpags14s58n3x 'The tests start with make check.'",
		RunE: mc.program.runWithApp(func(c *cobra.Command, a *app.App, args []string) error {
			text, err := mc.readText(args[1:])
			if err != nil {
				return err
			}
			dropped, err := a.MemoryAPI(c.Context()).Edit(args[0], text)
			return mc.report("The note is changed.", dropped, err)
		}),
	}
}

func (mc memoryCommands) remove() *cobra.Command {
	return &cobra.Command{
		Use: "delete ID", Short: "Delete a note, and print it",
		RunE: mc.program.runWithApp(func(c *cobra.Command, a *app.App, args []string) error {
			memory := a.MemoryAPI(c.Context())
			notes, err := memory.List("")
			if err != nil {
				return err
			}
			if _, err := memory.Delete(args[0]); err != nil {
				return explainNoNote(mc.program.Name, err)
			}
			for _, n := range notes {
				if n.ID == args[0] {
					return mc.print([]api.MemoryNote{n}, true)
				}
			}
			return nil
		}),
	}
}

// readText returns the arguments as a text, or standard input if there are none.
func (mc memoryCommands) readText(args []string) (string, error) {
	if len(args) > 0 {
		return strings.Join(args, " "), nil
	}
	if mc.program.isTerminal(0) {
		mc.program.errorf("Type the note, and end it with Ctrl+D:\n")
	}
	b, err := io.ReadAll(io.LimitReader(mc.program.Stdin, store.MaxMemory+1))
	if err != nil {
		return "", fmt.Errorf("read standard input: %w", err)
	}
	return string(b), nil
}

// report prints what was done, and the notes that had to go for it.
func (mc memoryCommands) report(done string, dropped []api.MemoryNote, err error) error {
	if err != nil {
		return explainNoNote(mc.program.Name, err)
	}
	if err := mc.program.printf("%s\n", done); err != nil || len(dropped) == 0 {
		return err
	}
	return errors.Join(
		mc.program.printf("All notes about a folder have room for %d bytes. The oldest had to go:\n", store.MaxMemory),
		mc.print(dropped, false))
}

// explainNoNote says where the ids of notes are, if there is none with that id.
func explainNoNote(program string, err error) error {
	problem := api.ToProblem(err)
	if problem.Code == fault.NotFound {
		return fault.New(fault.NotFound, "there is no such note", program+" memory list --all shows the notes with their ids")
	}
	return err
}
