package cli

import (
	"strings"
	"time"

	"github.com/spf13/cobra"

	"goalpost/backend/api"
	"goalpost/backend/app"
	"goalpost/backend/app/goals"
	"goalpost/backend/config"
	"goalpost/backend/goal"
)

func (p Program) engines() *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use: "engines", Short: "List what can drive a goal; * is the default for new goals", Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			return p.withConfig(func(kept *config.Config) error {
				list := goals.ListEngines(kept.Settings().Engine)
				if asJSON {
					return p.json(list)
				}
				return p.engineTable(list)
			})
		},
	}
	c.Flags().BoolVar(&asJSON, "json", false, "as JSON")
	c.AddCommand(p.useEngine(), p.testEngine())
	return c
}

func (p Program) useEngine() *cobra.Command {
	return &cobra.Command{
		Use: "use ID", Short: "Set the default for new goals", Args: cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			return p.withConfig(func(kept *config.Config) error { return goals.SetEngine(kept, args[0]) })
		},
	}
}

func (p Program) testEngine() *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use: "test ID", Short: "Let an external agent write one file, with the active model", Args: cobra.ExactArgs(1),
		Long: "Start an external agent in a sandbox, begin a session, and let it write one file in an empty folder with " +
			"the active model, which costs a few turns. The folder is deleted afterwards. The exit code is 1 if that failed.",
		RunE: func(c *cobra.Command, args []string) error {
			return p.withApp(c.Context(), app.Options{}, func(a *app.App) error {
				out, err := a.TestEngine(c.Context(), args[0])
				if err != nil {
					return err
				}
				if err := p.printEngineTest(out, asJSON); err != nil || out.OK {
					return err
				}
				return exitCode(exitError)
			})
		},
	}
	c.Flags().BoolVar(&asJSON, "json", false, "as JSON")
	return c
}

func (p Program) printEngineTest(out api.EngineTest, asJSON bool) error {
	if asJSON {
		return p.json(out)
	}
	for _, stage := range out.Stages {
		word := "ok"
		if !stage.OK {
			word = "failed: " + oneLine(stage.Detail)
		}
		if err := p.printf("%-22s %s\n", stage.Name, word); err != nil {
			return err
		}
	}
	return p.printf("%-22s %s\n", "time", goal.FormatDuration(time.Duration(out.MS)*time.Millisecond))
}

func (p Program) engineTable(rows []api.EngineView) error {
	lines := []string{"\tID\tNAME\tVERSION\tPATH\tNOTE"}
	for _, r := range rows {
		mark := " "
		if r.Default {
			mark = "*"
		}
		lines = append(lines, strings.Join([]string{
			mark, r.ID, r.Name, oneLine(r.Version), oneLine(r.Path), oneLine(r.Note),
		}, "\t"))
	}
	return p.printTable(lines)
}
