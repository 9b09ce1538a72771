package cli

import (
	"github.com/spf13/cobra"

	"goalpost/backend/lib/fault"
	"goalpost/backend/storage/config"
)

// webSearchCommands manage the search engine of goals.
type webSearchCommands struct{ program Program }

func (w webSearchCommands) webSearch() *cobra.Command {
	return newCommandGroup("web-search", "Manage the search engine that goals may use",
		w.setEngine(), w.showEngine(), w.removeEngine())
}

func (w webSearchCommands) setEngine() *cobra.Command {
	var address, key string
	c := &cobra.Command{
		Use: "set searxng|brave|tavily", Short: "Choose the search engine",
		Example: "  " + w.program.Name + " web-search set searxng --address http://127.0.0.1:8888\n  " +
			w.program.Name + " secret set brave-key && " + w.program.Name + " web-search set brave --key-secret brave-key",
		RunE: w.program.runWithConfig(func(_ *cobra.Command, c *config.Config, args []string) error {
			s := c.Settings()
			s.WebSearch, s.WebSearchAddress, s.WebSearchSecret = args[0], address, key
			switch {
			case args[0] == "searxng" && address == "":
				return fault.Invalid("address", "SearXNG needs the address of your server", "add --address")
			case (args[0] == "brave" || args[0] == "tavily") && key == "":
				return fault.Invalid("key-secret", args[0]+" needs a key",
					"store it with `secret set NAME`, and add --key-secret NAME")
			case args[0] == "":
				return fault.Invalid("web_search", "no search engine is named", "use searxng, brave or tavily")
			}
			if err := c.SaveSettings(s); err != nil {
				return err
			}
			return w.program.printf("New goals can search the web with %s.\n", args[0])
		}),
	}
	c.Flags().StringVar(&address, "address", "", "base address of the server; Brave and Tavily have their own")
	c.Flags().StringVar(&key, "key-secret", "", "name of the secret with the key")
	return c
}

func (w webSearchCommands) showEngine() *cobra.Command {
	return &cobra.Command{
		Use: "show", Short: "Show the search engine",
		RunE: w.program.runWithConfig(func(_ *cobra.Command, c *config.Config, _ []string) error {
			s := c.Settings()
			if !s.HasWebSearch() {
				return w.program.printf("No search engine is set up. Choose one: %s web-search set --help shows how.\n",
					w.program.Name)
			}
			text := s.WebSearch
			if s.WebSearchAddress != "" {
				text += " at " + s.WebSearchAddress
			}
			if s.WebSearchSecret != "" {
				text += ", with the key in the secret " + s.WebSearchSecret
			}
			return w.program.printf("%s\n", text)
		}),
	}
}

func (w webSearchCommands) removeEngine() *cobra.Command {
	return &cobra.Command{
		Use: "remove", Short: "Disable web search for goals; the secret stays",
		RunE: w.program.runWithConfig(func(_ *cobra.Command, c *config.Config, _ []string) error {
			s := c.Settings()
			s.WebSearch, s.WebSearchAddress, s.WebSearchSecret = "", "", ""
			return c.SaveSettings(s)
		}),
	}
}
