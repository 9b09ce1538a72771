package cli

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"goalpost/backend/app"
	"goalpost/backend/goals/api"
)

func (p Program) doctor() *cobra.Command {
	return addJSON(&cobra.Command{
		Use: "doctor", Short: "Check the setup of this machine",
		RunE: func(c *cobra.Command, _ []string) error {
			return p.withApp(c.Context(), app.Options{Rescue: true}, func(a *app.App) error {
				findings := a.Doctor()
				if isJSON(c) {
					return p.json(findings)
				}
				var b strings.Builder
				for _, f := range findings {
					fmt.Fprintf(&b, "%-5s %s: %s\n", f.State, f.Title, f.Detail)
					if f.Facts != "" {
						fmt.Fprintf(&b, "      %s\n", f.Facts)
					}
					if f.Hint != "" && f.State != api.FindingOK {
						fmt.Fprintf(&b, "      %s\n", f.Hint)
					}
				}
				return p.printf("%s", b.String())
			})
		},
	})
}
