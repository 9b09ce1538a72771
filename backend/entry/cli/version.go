package cli

import (
	"runtime"

	"github.com/spf13/cobra"

	"goalpost/backend/host/update"
	"goalpost/backend/lib/fault"
	"goalpost/backend/storage/config"
)

// VersionInfo is what version --json prints.
type VersionInfo struct {
	Name    string          `json:"name"`    // goalpost or goalctl
	Version string          `json:"version"` // from the git tag: 1.2.3, or 1.2.3+4.gHASH four commits later
	Go      string          `json:"go"`      // version of the compiler
	OS      string          `json:"os"`
	Arch    string          `json:"arch"`
	Newest  *update.Release `json:"newest,omitempty"` // with --check
}

func (p Program) version() *cobra.Command {
	var check bool
	var feed string
	c := &cobra.Command{
		Use: "version", Short: "Print the version, and with --check if there is a newer one",
		RunE: func(c *cobra.Command, _ []string) error {
			v := VersionInfo{
				Name:    p.Name,
				Version: p.Version,
				Go:      runtime.Version(),
				OS:      runtime.GOOS,
				Arch:    runtime.GOARCH,
			}
			if check || feed != "" {
				address, err := p.releaseFeed(feed)
				if err != nil {
					return err
				}
				newest, err := update.Check(c.Context(), address, p.Version)
				if err != nil {
					return err
				}
				v.Newest = &newest
			}
			switch {
			case isJSON(c):
				return p.json(v)
			case v.Newest == nil:
				return p.printf("%s %s\n", p.Name, p.Version)
			case v.Newest.Newer:
				return p.printf("%s %s; %s is available: %s\n", p.Name, p.Version, v.Newest.Version, v.Newest.URL)
			}
			return p.printf("%s %s; nothing newer than %s is available\n", p.Name, p.Version, v.Newest.Version)
		},
	}
	addJSON(c)
	c.Flags().BoolVar(&check, "check", false,
		"ask the release feed of the settings for the newest version, with one request")
	c.Flags().StringVar(&feed, "feed", "", "ask this release feed (HTTPS address) instead")
	return c
}

// releaseFeed returns the given address, or that of the settings.
func (p Program) releaseFeed(address string) (feed string, err error) {
	if address != "" {
		return address, nil
	}
	err = p.withConfig(func(c *config.Config) error {
		if feed = c.Settings().UpdateFeed; feed == "" {
			return fault.Invalid("", "no release feed is set",
				"set update_feed in the settings, or give its address with --feed")
		}
		return nil
	})
	return feed, err
}
