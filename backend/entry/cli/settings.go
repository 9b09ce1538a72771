package cli

import (
	"fmt"

	"github.com/spf13/cobra"

	"goalpost/backend/app"
	"goalpost/backend/lib/fault"
	"goalpost/backend/storage/config"
)

// settingsCommands are about the settings file as such.
type settingsCommands struct{ program Program }

func (s settingsCommands) settings() *cobra.Command {
	return newCommandGroup("settings", "Check the settings file", s.schema(), s.check(),
		inHost(s.moveAside(), useHost))
}

func (s settingsCommands) schema() *cobra.Command {
	return &cobra.Command{
		Use: "schema", Short: "Print the JSON Schema of settings.json, for editors and other programs",
		RunE: func(*cobra.Command, []string) error { return s.program.printf("%s", config.Schema()) },
	}
}

func (s settingsCommands) check() *cobra.Command {
	c := &cobra.Command{
		Use: "check", Short: "Name every error in settings.json, with its line and column",
		RunE: s.program.runWithConfig(func(c *cobra.Command, cfg *config.Config, _ []string) error {
			state := cfg.FileState()
			n := len(state.Problems)
			var err error
			switch {
			case isJSON(c):
				err = s.program.json(state)
			case n == 0:
				err = s.program.printf("%s has no errors.\n", state.Path)
			}
			if err == nil && n > 0 { // each of them is named already
				err = fault.Invalid("", fmt.Sprintf("settings.json has errors: %d", n),
					"correct them in the file, or move it aside with `settings move-aside`")
			}
			return err
		}),
	}
	addJSON(c)
	return c
}

func (s settingsCommands) moveAside() *cobra.Command {
	return &cobra.Command{
		Use: "move-aside", Short: "Keep a settings.json with errors under another name, and save what is in effect instead",
		RunE: s.program.runWithApp(func(_ *cobra.Command, a *app.App, _ []string) error {
			kept, err := a.Config().MoveAside()
			if err != nil {
				return err
			}
			return s.program.printf("The file with errors is now %s.\n", kept)
		}),
	}
}

// noteSettings says once on the error output what is wrong in the settings file, in the form in which editors find the
// place. What runs in the host has a caller that says it.
func (p Program) noteSettings(c *config.Config) {
	if p.caller != nil || p.own == nil || p.own.saidSettings {
		return
	}
	p.own.saidSettings = true
	state := c.FileState()
	for _, one := range state.Problems {
		p.errorf("%s:%d:%d: %s\n  %s.\n", state.Path, one.Line, one.Column, one.Message, one.Hint)
	}
}
