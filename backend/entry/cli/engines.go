package cli

import (
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"goalpost/backend/app"
	"goalpost/backend/domain/goal"
	"goalpost/backend/goals/api"
	"goalpost/backend/goals/lifecycle"
	"goalpost/backend/storage/config"
)

// engineCommands manage what can drive a goal.
type engineCommands struct{ program Program }

func (e engineCommands) engines() *cobra.Command {
	c := &cobra.Command{
		Use: "engines", Short: "List what can drive a goal; * is the default for new goals",
		RunE: e.program.runWithConfig(func(c *cobra.Command, cfg *config.Config, _ []string) error {
			list := lifecycle.ListEngines(cfg.Settings().Engine)
			return e.program.printResult(c, list, nil, func() error { return e.engineTable(list) })
		}),
	}
	addJSON(c)
	c.AddCommand(e.useEngine(), e.testEngine())
	return c
}

func (e engineCommands) useEngine() *cobra.Command {
	return &cobra.Command{
		Use: "use ID", Short: "Set the default for new goals", Example: "  " + e.program.Name + " engines use codex",
		RunE: e.program.runWithConfig(func(_ *cobra.Command, cfg *config.Config, args []string) error {
			return lifecycle.SetEngine(cfg, args[0])
		}),
	}
}

func (e engineCommands) testEngine() *cobra.Command {
	return addJSON(&cobra.Command{
		Use: "test ID", Short: "Let an external agent write one file, with the active model",
		Example: "  " + e.program.Name + " engines test codex",
		Long: "Start an external agent in a sandbox, begin a session, and let it write one file in an empty folder with " +
			"the active model, which costs a few turns. The folder is deleted afterwards. The exit code is 7 if that failed.",
		RunE: e.program.runWithApp(func(c *cobra.Command, a *app.App, args []string) error {
			out, err := a.Goals.TestEngine(c.Context(), args[0])
			if err != nil {
				return err
			}
			if err := e.printEngineTest(out, isJSON(c)); err != nil || out.OK {
				return err
			}
			return exitCode(exitError)
		}),
	})
}

func (e engineCommands) printEngineTest(out api.EngineTest, asJSON bool) error {
	if asJSON {
		return e.program.json(out)
	}
	var b strings.Builder
	for _, stage := range out.Stages {
		word := "ok"
		if !stage.OK {
			word = "failed: " + oneLine(stage.Detail)
		}
		fmt.Fprintf(&b, "%-22s %s\n", stage.Name, word)
	}
	return e.program.printf("%s%-22s %s\n", b.String(), "time",
		goal.FormatDuration(time.Duration(out.MS)*time.Millisecond))
}

func (e engineCommands) engineTable(rows []api.EngineView) error {
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
	return e.program.printTable(lines)
}
