package cli

import (
	"context"
	"errors"
	"fmt"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"goalpost/backend/api"
	"goalpost/backend/app"
	"goalpost/backend/config"
)

func (p Program) providers() *cobra.Command {
	c := &cobra.Command{Use: "providers", Short: "The models that goals may use", Args: cobra.NoArgs}
	c.RunE = func(c *cobra.Command, _ []string) error { return c.Help() }
	c.AddCommand(p.listProviders(), p.addProvider(), p.testProvider())
	return c
}

// models lends the providers to a command.
func (p Program) models(ctx context.Context, do func(*api.ModelAPI) error) (err error) {
	c, err := p.config()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, c.Close()) }()
	return do(api.NewModelAPI(ctx, c, nil))
}

func (p Program) listProviders() *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use: "list", Short: "List the providers; * is the one that new goals get", Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			return p.models(c.Context(), func(m *api.ModelAPI) error {
				list, err := m.List()
				if err != nil || asJSON {
					return errors.Join(err, p.jsonIf(err == nil, list))
				}
				return p.providerTable(list)
			})
		},
	}
	c.Flags().BoolVar(&asJSON, "json", false, "as JSON")
	return c
}

func (p Program) jsonIf(ok bool, v any) error {
	if !ok {
		return nil
	}
	return p.json(v)
}

func (p Program) providerTable(list []api.Provider) error {
	w := tabwriter.NewWriter(p.Stdout, 0, 2, 2, ' ', 0)
	_, err := fmt.Fprintln(w, "\tID\tKIND\tMODEL\tADDRESS\tNOTE")
	for _, v := range list {
		mark := " "
		if v.Active {
			mark = "*"
		}
		_, e := fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t%s\n", mark, oneLine(v.ID), oneLine(v.Kind), oneLine(v.Model), oneLine(v.BaseURL), oneLine(v.Note))
		err = errors.Join(err, e)
	}
	if err = errors.Join(err, w.Flush()); err != nil {
		return fmt.Errorf("write: %w", err)
	}
	return nil
}

func (p Program) addProvider() *cobra.Command {
	var v api.Provider
	var use bool
	c := &cobra.Command{
		Use: "add ID", Short: "Add a provider, or change the one with this id", Args: cobra.ExactArgs(1),
		Example: "  " + p.Name + " providers add local --base-url http://127.0.0.1:11434/v1 --model qwen3",
		RunE: func(c *cobra.Command, args []string) error {
			v.ID = args[0]
			return p.models(c.Context(), func(m *api.ModelAPI) error {
				if _, err := m.Save(v); err != nil {
					return err
				}
				if use {
					if _, err := m.Use(v.ID); err != nil {
						return err
					}
				}
				return p.print("%s is kept; %s providers test %s asks it.\n", v.ID, p.Name, v.ID)
			})
		},
	}
	c.Flags().StringVar(&v.Kind, "kind", string(config.OpenAI), "what the server speaks: openai or anthropic")
	c.Flags().StringVar(&v.BaseURL, "base-url", "", "its address")
	c.Flags().StringVar(&v.Model, "model", "", "the model's name, as the server calls it")
	c.Flags().StringVar(&v.APIKeyEnv, "api-key-env", "", "environment variable that holds the key")
	c.Flags().StringVar(&v.APIKeySecret, "api-key-secret", "", "secret that is the key instead")
	c.Flags().BoolVar(&use, "use", false, "new goals get it")
	return c
}

func (p Program) testProvider() *cobra.Command {
	return &cobra.Command{
		Use: "test [ID]", Short: "Ask a provider's model one short question (default: the active one)", Args: cobra.MaximumNArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			id := ""
			if len(args) > 0 {
				id = args[0]
			}
			return p.started(c.Context(), app.Options{}, func(a *app.App) error {
				f := a.TestProvider(c.Context(), id)
				if err := p.print("%s: %s\n", f.State, f.Detail); err != nil || f.State == "ok" {
					return err
				}
				if f.Hint != "" {
					p.say("  %s\n", f.Hint)
				}
				return exitCode(exitError)
			})
		},
	}
}
