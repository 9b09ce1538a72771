package cli

import (
	"cmp"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"goalpost/backend/api"
	"goalpost/backend/app"
	"goalpost/backend/config"
)

// providerCommands manage where models are.
type providerCommands struct{ Program }

func (p providerCommands) providers() *cobra.Command {
	return newCommandGroup("providers", "Manage the models that goals may use",
		p.listProviders(), p.addProvider(), p.removeProvider(), p.testProvider())
}

func (p providerCommands) listProviders() *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use: "list", Short: "List the providers; * is the default for new goals", Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			return p.withConfig(func(kept *config.Config) error {
				list, err := api.NewModelAPI(c.Context(), kept, nil).List()
				if err != nil || asJSON {
					return errors.Join(err, p.printJSONIf(err == nil, list))
				}
				return p.providerTable(list)
			})
		},
	}
	c.Flags().BoolVar(&asJSON, "json", false, "as JSON")
	return c
}

func (p providerCommands) providerTable(list []api.Provider) error {
	lines := []string{"\tID\tKIND\tMODEL\tADDRESS\tNOTE"}
	for _, v := range list {
		mark := " "
		if v.Active {
			mark = "*"
		}
		lines = append(lines, strings.Join([]string{
			mark, oneLine(v.ID), oneLine(v.Kind), oneLine(v.Model), oneLine(v.BaseURL), oneLine(v.Note),
		}, "\t"))
	}
	return p.printTable(lines)
}

// providerFlags describe how a model is reached. Omitted flags leave saved values unchanged.
type providerFlags struct {
	baseURL, kind, keyEnv, keySecret string
	window                           int
	given                            func(flag string) bool
}

func (f *providerFlags) add(fl *pflag.FlagSet, address string) {
	fl.StringVar(&f.baseURL, "base-url", "", address)
	fl.StringVar(&f.kind, "kind", string(config.OpenAI), "protocol of the server: openai or anthropic")
	fl.StringVar(&f.keyEnv, "api-key-env", "", "environment variable that contains the API key")
	fl.StringVar(&f.keySecret, "api-key-secret", "", "name of a stored secret that contains the API key")
	fl.IntVar(&f.window, "context-window", 0, "context window in tokens; 0 = the known value for the model")
	f.given = fl.Changed
}

// applyTo overwrites saved values with the given ones. A key source replaces the other one; a new model without a
// window clears the window, because that belonged to another model.
func (f *providerFlags) applyTo(p *config.Provider, model string) {
	if model != "" && model != p.Model {
		p.Model, p.ContextWindow = model, 0
	}
	if f.given("base-url") {
		p.BaseURL = f.baseURL
	}
	if f.given("kind") || p.Kind == "" {
		p.Kind = config.Kind(f.kind)
	}
	if f.given("api-key-env") {
		p.APIKeyEnv, p.APIKeySecret = f.keyEnv, ""
	}
	if f.given("api-key-secret") {
		p.APIKeySecret = f.keySecret
		if !f.given("api-key-env") {
			p.APIKeyEnv = ""
		}
	}
	if f.given("context-window") {
		p.ContextWindow = f.window
	}
}

func (p providerCommands) addProvider() *cobra.Command {
	var f providerFlags
	var model string
	var use bool
	c := &cobra.Command{
		Use: "add ID", Short: "Add or update a provider; omitted fields are unchanged", Args: cobra.ExactArgs(1),
		Example: "  " + p.Name + " providers add local --base-url http://127.0.0.1:11434/v1 --model qwen3",
		RunE: func(_ *cobra.Command, args []string) error {
			return p.withConfig(func(c *config.Config) error {
				kept, err := c.ChangeProvider(args[0], func(kept *config.Provider) error {
					f.applyTo(kept, model)
					return nil
				})
				if err == nil && use {
					err = c.Use(kept.ID)
				}
				if err != nil {
					return fmt.Errorf("provider: %w", err)
				}
				return p.printf("%s is saved: %s\n  %s providers test %s tests it.\n", kept.ID, describeAddress(kept), p.Name,
					kept.ID)
			})
		},
	}
	f.add(c.Flags(), "its address")
	c.Flags().StringVar(&model, "model", "", "the model's name, as the server calls it")
	c.Flags().BoolVar(&use, "use", false, "make it the default provider for new goals")
	return c
}

// describeAddress says in a line how a provider is reached.
func describeAddress(v config.Provider) string {
	words := []string{cmp.Or(v.Model, "no model yet"), "at " + v.BaseURL, "with the protocol " + string(v.Kind)}
	if key := cmp.Or(v.APIKeyEnv, v.APIKeySecret); key != "" {
		words = append(words, "key from "+key)
	}
	if v.ContextWindow > 0 {
		words = append(words, fmt.Sprintf("context window %d", v.ContextWindow))
	}
	return strings.Join(words, ", ")
}

func (p providerCommands) removeProvider() *cobra.Command {
	return &cobra.Command{
		Use: "remove ID", Short: "Remove a provider", Args: cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			return p.withConfig(func(c *config.Config) error {
				if err := c.DeleteProvider(args[0]); err != nil {
					return fmt.Errorf("provider: %w", err)
				}
				return nil
			})
		},
	}
}

func (p providerCommands) testProvider() *cobra.Command {
	return &cobra.Command{
		Use:   "test [ID]",
		Short: "Ask a provider's model one short question (default: the active one)",
		Args:  cobra.MaximumNArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			id := ""
			if len(args) > 0 {
				id = args[0]
			}
			return p.withApp(c.Context(), app.Options{}, func(a *app.App) error {
				f := a.TestProvider(c.Context(), id)
				if err := p.printf("%s: %s\n", f.State, f.Detail); err != nil || f.State == "ok" {
					return err
				}
				if f.Hint != "" {
					p.errorf("  %s\n", f.Hint)
				}
				return exitCode(exitError)
			})
		},
	}
}
