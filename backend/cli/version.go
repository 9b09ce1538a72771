package cli

import (
	"runtime"

	"github.com/spf13/cobra"
)

// VersionInfo is what version --json prints.
type VersionInfo struct {
	Name    string `json:"name"`    // goalpost or goalctl
	Version string `json:"version"` // from the git tag: 1.2.3, or 1.2.3+4.gHASH four commits later
	Go      string `json:"go"`      // version of the compiler
	OS      string `json:"os"`
	Arch    string `json:"arch"`
}

func (p Program) version() *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use: "version", Short: "Print the version", Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			if asJSON {
				return p.json(VersionInfo{
					Name:    p.Name,
					Version: p.Version,
					Go:      runtime.Version(),
					OS:      runtime.GOOS,
					Arch:    runtime.GOARCH,
				})
			}
			return p.printf("%s %s\n", p.Name, p.Version)
		},
	}
	c.Flags().BoolVar(&asJSON, "json", false, "as JSON")
	return c
}
