package cli

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"goalpost/backend/app"
	"goalpost/backend/goals/api"
	"goalpost/backend/goals/calls"
	"goalpost/backend/storage/config"
)

// providerCommands manage the providers of models.
type providerCommands struct{ program Program }

func (p providerCommands) providers() *cobra.Command {
	return newCommandGroup("providers", "Manage the models that goals may use",
		p.listProviders(), p.addProvider(), p.removeProvider(), p.testProvider(), p.listModels())
}

func (p providerCommands) listProviders() *cobra.Command {
	return addJSON(&cobra.Command{
		Use: "list", Short: "List the providers; * is the default for new goals",
		RunE: p.program.runWithConfig(func(c *cobra.Command, cfg *config.Config, _ []string) error {
			list, err := calls.NewModelAPI(c.Context(), cfg, nil).List()
			return p.program.printResult(c, list, err, func() error { return p.providerTable(list) })
		}),
	})
}

func (p providerCommands) providerTable(list []api.Provider) error {
	lines := []string{"\tID\tKIND\tMODEL\tADDRESS\tNOTE"}
	for _, v := range list {
		if v.Note == "" && v.TestedAt != "" {
			v.Note = fmt.Sprintf("tested %s, %d ms", v.TestedAt, v.LatencyMS)
		}
		mark := " "
		if v.Active {
			mark = "*"
		}
		lines = append(lines, strings.Join([]string{
			mark, oneLine(v.ID), oneLine(v.Kind), oneLine(v.Model), oneLine(v.BaseURL), oneLine(v.Note),
		}, "\t"))
	}
	if !slices.ContainsFunc(list, func(v api.Provider) bool { return v.Kind != string(config.Demo) }) {
		defer p.program.errorf("No model is connected. Connect one: %s providers add ollama --model NAME, or "+
			"%s providers add openai --key-env OPENAI_API_KEY\n", p.program.Name, p.program.Name)
	}
	return p.program.printTable(lines)
}

// providerFlags describe how a model is reached. Omitted flags leave saved values unchanged.
type providerFlags struct {
	baseURL, kind, keyEnv, keySecret string
	window                           int
	isSet                            func(flag string) bool
}

func (pf *providerFlags) add(fl *pflag.FlagSet, address string) {
	fl.StringVar(&pf.baseURL, "base-url", "", address)
	fl.StringVar(&pf.kind, "kind", string(config.OpenAI), "protocol of the server: openai, openai-responses or anthropic")
	fl.StringVar(&pf.keyEnv, "api-key-env", "", "environment variable that contains the API key")
	fl.StringVar(&pf.keySecret, "api-key-secret", "", "name of a stored secret that contains the API key")
	fl.IntVar(&pf.window, "context-window", 0, "context window in tokens; 0 = the known value for the model")
	pf.isSet = fl.Changed
}

// applyTo overwrites saved values with the given ones. A key source replaces the other one; a new model without a
// window clears the window, because that belonged to another model.
func (pf *providerFlags) applyTo(p *config.Provider, model string) {
	if model != "" && model != p.Model {
		p.Model, p.ContextWindow = model, 0
	}
	if pf.isSet("base-url") {
		p.BaseURL = pf.baseURL
	}
	if pf.isSet("kind") || p.Kind == "" {
		p.Kind = config.Kind(pf.kind)
	}
	if pf.isSet("api-key-env") {
		p.APIKeyEnv, p.APIKeySecret = pf.keyEnv, ""
	}
	if pf.isSet("api-key-secret") {
		p.APIKeySecret = pf.keySecret
		if !pf.isSet("api-key-env") {
			p.APIKeyEnv = ""
		}
	}
	if pf.isSet("context-window") {
		p.ContextWindow = pf.window
	}
}

// addFlags holds the flags of providers add.
type addFlags struct {
	providerFlags
	preset, model           string
	use, shouldTest, stdin  bool
	inputPrice, outputPrice float64
}

func (p providerCommands) addProvider() *cobra.Command {
	var f addFlags
	c := &cobra.Command{
		Use:   "add ID",
		Short: "Connect or update a provider; omitted fields are unchanged",
		Long: "Connects a provider of models. If ID is the name of a preset, its address is known, and the connection is " +
			"tested before it is saved. Presets: " + config.PresetIDs() + ".",
		Example: "  " + p.program.Name + " providers add openai --key-env OPENAI_API_KEY\n" +
			"  " + p.program.Name + " providers add ollama --model qwen3-coder:30b\n" +
			"  " + p.program.Name + " providers add local --base-url http://127.0.0.1:9000/v1 --model qwen3",
		RunE: func(c *cobra.Command, args []string) error {
			isPreset := f.preset != ""
			if !f.isSet("base-url") && !isPreset {
				var preset config.Preset
				if preset, isPreset = config.FindPreset(args[0]); isPreset {
					f.preset = preset.ID
				}
			}
			if !f.isSet("test") {
				f.shouldTest = isPreset
			}
			if isPreset || f.shouldTest || f.stdin {
				return p.connectProvider(c.Context(), args[0], f)
			}
			return p.saveProvider(args[0], f)
		},
	}
	f.add(c.Flags(), "its address")
	c.Flags().StringVar(&f.keyEnv, "key-env", "", "environment variable that contains the API key")
	c.Flags().BoolVar(&f.stdin, "key-stdin", false,
		"read the API key from standard input and store it in the keyring or the encrypted file")
	c.Flags().StringVar(&f.preset, "preset", "", "take address and protocol from this preset (default: ID, if it is one)")
	c.Flags().StringVar(&f.model, "model", "", "the model's name, as the server calls it (default: one of its list)")
	c.Flags().BoolVar(&f.use, "use", false, "make it the default provider for new goals")
	c.Flags().BoolVar(&f.shouldTest, "test", false,
		"test it before it is saved (default for presets; --test=false saves it as it is)")
	c.Flags().Float64Var(&f.inputPrice, "input-price", 0, "USD per million tokens of input; 0 = the published price")
	c.Flags().Float64Var(&f.outputPrice, "output-price", 0, "USD per million tokens of output; 0 = the published price")
	return c
}

// applyTo is applyTo of the embedded flags, with the key variable and the prices.
func (a *addFlags) applyTo(p *config.Provider) {
	a.providerFlags.applyTo(p, a.model)
	if a.isSet("key-env") {
		p.APIKeyEnv, p.APIKeySecret = a.keyEnv, ""
	}
	if a.isSet("input-price") || a.isSet("output-price") {
		if p.Price = nil; a.inputPrice != 0 || a.outputPrice != 0 {
			p.Price = &config.Price{Input: a.inputPrice, Output: a.outputPrice}
		}
	}
}

// saveProvider saves the fields that the flags name, without a test.
func (p providerCommands) saveProvider(id string, f addFlags) error {
	return p.program.withConfig(func(c *config.Config) error {
		kept, err := c.ChangeProvider(id, func(provider *config.Provider) error {
			f.applyTo(provider)
			return nil
		})
		if err == nil && f.use {
			err = c.Use(kept.ID)
		}
		if err != nil {
			return fmt.Errorf("provider: %w", err)
		}
		return p.program.printf("%s is saved: %s\n  %s providers test %s tests it.\n", kept.ID, describeAddress(kept),
			p.program.Name,
			kept.ID)
	})
}

// connectProvider tests a connection and saves it. Without a source of the key it takes the preset's variable, or asks
// at the terminal.
func (p providerCommands) connectProvider(ctx context.Context, id string, f addFlags) error {
	in := api.ConnectInput{
		ID:            id,
		Preset:        f.preset,
		BaseURL:       f.baseURL,
		Model:         f.model,
		KeyEnv:        f.keyEnv,
		KeySecret:     f.keySecret,
		ContextWindow: f.window,
		InputPrice:    f.inputPrice,
		OutputPrice:   f.outputPrice,
		Use:           f.use,
		Untested:      !f.shouldTest,
	}
	if f.isSet("kind") {
		in.Kind = f.kind
	}
	return p.program.withApp(ctx, app.Options{}, func(a *app.App) (err error) {
		if in.Key, in.KeyEnv, err = p.findKey(ctx, a.ModelAPI(ctx), in, f); err != nil {
			return err
		}
		out, err := a.ModelAPI(ctx).Connect(in)
		if err != nil {
			return fmt.Errorf("provider: %w", err)
		}
		if err := p.printTest(out.Test); err != nil {
			return err
		}
		if !out.Saved {
			p.program.errorf("  %s\n  Nothing is saved. --test=false saves it without a test.\n", out.Test.Hint)
			return exitCode(exitError)
		}
		place := ""
		if out.Place != "" {
			place = "; its key is in the " + out.Place
		}
		return p.program.printf("%s is connected%s.\n", out.ID, place)
	})
}

// findKey returns the key, or the variable that contains it. Both are "" if the saved provider has a key or none is
// needed.
func (p providerCommands) findKey(
	ctx context.Context, models *calls.ModelAPI, in api.ConnectInput, f addFlags,
) (key, variable string, err error) {
	if f.stdin {
		key, err = secretCommands(p).readValue(ctx, "The API key")
		return key, "", err
	}
	list, err := models.List()
	if err != nil || in.KeyEnv != "" || in.KeySecret != "" ||
		slices.ContainsFunc(list, func(v api.Provider) bool { return v.ID == in.ID }) {
		return "", in.KeyEnv, err
	}
	preset, _ := config.FindPreset(in.Preset)
	variable = preset.FindVariable(os.Getenv)
	if variable != "" || len(preset.KeyVariables) == 0 || !isTerminal(os.Stdin) {
		return "", variable, nil
	}
	key, err = p.program.readHidden(ctx, "The API key of "+preset.Name+", from "+preset.KeyPage)
	return key, "", err
}

// printTest prints the steps of a test, nothing if there was none.
func (p providerCommands) printTest(t api.ConnectionTest) error {
	marks := map[api.FindingState]string{api.FindingOK: "✓", api.FindingWarn: "!", api.FindingBad: "✗"}
	var b strings.Builder
	for _, s := range t.Steps {
		fmt.Fprintf(&b, "  %s %-7s %s\n", marks[s.State], s.ID, oneLine(s.Detail))
	}
	for _, note := range t.Notes {
		b.WriteString("  " + oneLine(note) + "\n")
	}
	if t.Response != "" && !t.OK {
		defer p.program.errorf("  the server: %s\n", oneLine(t.Response))
	}
	return p.program.printf("%s", b.String())
}

func (p providerCommands) listModels() *cobra.Command {
	return addJSON(&cobra.Command{
		Use:   "models [ID]",
		Short: "List the models that a provider offers (default: the active one); prices are in USD per million tokens",
		RunE: p.program.runWithApp(func(c *cobra.Command, a *app.App, args []string) error {
			list, err := a.ModelAPI(c.Context()).Models(strings.Join(args, ""))
			return p.program.printResult(c, list, err, func() error {
				lines := []string{"MODEL\tCONTEXT\tINPUT\tOUTPUT\tIMAGES\tTOOLS\tREASONING"}
				for _, m := range list {
					lines = append(lines, strings.Join([]string{
						oneLine(m.ID), formatWindow(m), formatModelPrice(m, m.InputPrice), formatModelPrice(m, m.OutputPrice),
						formatAbility(m.Images), formatAbility(m.Tools), formatAbility(m.Reasoning),
					}, "\t"))
				}
				return p.program.printTable(lines)
			})
		}),
	})
}

func formatAbility(a api.Ability) string { return string(cmp.Or(a, "?")) }

func formatWindow(m api.ModelView) string {
	if m.WindowFrom == api.WindowAssumed {
		return fmt.Sprintf("%d (assumed)", m.ContextWindow)
	}
	return strconv.Itoa(m.ContextWindow)
}

func formatModelPrice(m api.ModelView, usd float64) string {
	switch {
	case m.Free:
		return "free"
	case usd == 0:
		return "?"
	}
	return fmt.Sprintf("$%.2f", usd)
}

// describeAddress describes in one line how a provider is reached.
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
		Use: "remove ID", Short: "Remove a provider, and the key that was stored for it",
		Example: "  " + p.program.Name + " providers remove openai",
		RunE: p.program.runWithApp(func(c *cobra.Command, a *app.App, args []string) error {
			if _, err := a.ModelAPI(c.Context()).Delete(args[0]); err != nil {
				return fmt.Errorf("provider: %w", err)
			}
			return nil
		}),
	}
}

func (p providerCommands) testProvider() *cobra.Command {
	return &cobra.Command{
		Use:   "test [ID]",
		Short: "Test a provider: server, key, model and a tool call (default: the active one)",
		RunE: p.program.runWithApp(func(c *cobra.Command, a *app.App, args []string) error {
			f, err := a.ModelAPI(c.Context()).Test(strings.Join(args, ""))
			if err != nil {
				return err
			}
			if f.State != api.FindingBad {
				return p.program.printf("%s: %s\n%s", f.State, oneLine(f.Detail), indentHint(f.Hint))
			}
			if err := p.program.printf("%s: %s: %s\n", f.State, f.Title, oneLine(f.Detail)); err != nil {
				return err
			}
			p.program.errorf("%s", indentHint(f.Hint))
			return exitCode(exitError)
		}),
	}
}

// indentHint formats a hint as an indented line, "" if there is none.
func indentHint(hint string) string {
	if hint == "" {
		return ""
	}
	return "  " + singleLine(hint) + "\n"
}
