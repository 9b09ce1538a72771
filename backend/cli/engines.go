package cli

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"goalpost/backend/app/goals"
	"goalpost/backend/app/session"
	"goalpost/backend/config"
	"goalpost/backend/engine"
	"goalpost/backend/fault"
)

// engineRow is an engine as `engines --json` prints it.
type engineRow struct {
	ID      string `json:"id"`
	Name    string `json:"name"`
	Default bool   `json:"default"`
	Path    string `json:"path"`    // "" if it is not installed
	Version string `json:"version"` // "" if it is not known
	Tested  bool   `json:"tested"`  // this version, with this version of Goalpost
	Note    string `json:"note"`
}

func (p Program) engines() *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use: "engines", Short: "List what can drive a goal; * is the default for new goals", Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			return p.withConfig(func(kept *config.Config) error {
				rows := engineRows(kept.Settings().Engine)
				if asJSON {
					return p.json(rows)
				}
				return p.engineTable(rows)
			})
		},
	}
	c.Flags().BoolVar(&asJSON, "json", false, "as JSON")
	c.AddCommand(p.useEngine())
	return c
}

func (p Program) useEngine() *cobra.Command {
	return &cobra.Command{
		Use: "use ID", Short: "Set the default for new goals", Args: cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			return p.withConfig(func(kept *config.Config) error {
				settings := kept.Settings()
				for _, row := range engineRows(settings.Engine) {
					if row.ID != args[0] {
						continue
					}
					if row.ID != goals.OwnLoop && row.Path == "" {
						return fault.Invalid("engine", row.Name+" is not installed", row.Note)
					}
					settings.Engine = row.ID
					return kept.SaveSettings(settings)
				}
				return fault.Invalid("engine", fmt.Sprintf("there is no engine %q", args[0]), p.Name+" engines lists them")
			})
		},
	}
}

// engineRows describe all engines, Goalpost's own loop first.
func engineRows(chosen string) []engineRow {
	rows := []engineRow{{
		ID:      goals.OwnLoop,
		Name:    "Goalpost",
		Default: chosen == "" || chosen == goals.OwnLoop,
		Tested:  true,
		Note:    "Goalpost's own loop",
	}}
	for _, profile := range engine.Profiles() {
		found := session.FindEngine(profile)
		row := engineRow{
			ID:      profile.ID,
			Name:    profile.Name,
			Default: chosen == profile.ID,
			Path:    found.Command,
			Version: found.Version,
			Tested:  found.IsTested(),
		}
		switch {
		case found.Program == "":
			row.Note = "not installed: " + profile.Install
		case !row.Tested:
			row.Note = "not tested with this version; tested: " + strings.Join(profile.Tested, ", ")
		default:
			row.Note = "ready"
		}
		rows = append(rows, row)
	}
	return rows
}

func (p Program) engineTable(rows []engineRow) error {
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
