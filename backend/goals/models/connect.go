package models

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"goalpost/backend/goals/api"
	"goalpost/backend/host/sandbox/environ"
	"goalpost/backend/lib/fault"
	"goalpost/backend/storage/config"
)

// minMaskedKey is the length of a pasted key, in bytes, from which it is hidden everywhere before it is stored. A
// shorter one is often an ordinary word, for a server that ignores keys.
const minMaskedKey = 16

// connection is a provider as it would be saved, with its key.
type connection struct {
	provider config.Provider
	preset   config.Preset
	key      string
	isNewKey bool // key was pasted and is not stored yet
}

// TryConnection tests a connection and saves nothing. It returns an error only for invalid input; the result describes
// a test that failed.
func (pr *Providers) TryConnection(ctx context.Context, in api.ConnectInput) (api.ConnectionTest, error) {
	c, err := pr.readConnection(ctx, in)
	if err != nil {
		return api.ConnectionTest{}, err
	}
	if in.OnlyList {
		return pr.listConnection(ctx, &c), nil
	}
	return pr.testConnection(ctx, &c), nil
}

// SaveConnection tests a connection and saves it if the test succeeds or the user skips it. It stores a pasted key in
// the vault under the provider's name.
func (pr *Providers) SaveConnection(ctx context.Context, in api.ConnectInput) (out api.ConnectOutput, err error) {
	c, err := pr.readConnection(ctx, in)
	if err != nil {
		return out, err
	}
	out.ID = c.provider.ID
	if !in.Untested {
		if out.Test = pr.testConnection(ctx, &c); !out.Test.OK {
			return out, nil
		}
	}
	if c.isNewKey {
		if out.Place, err = pr.storeKey(ctx, &c.provider, c.key); err != nil {
			return out, err
		}
	}
	before, _ := pr.Get(c.provider.ID) // none if it is new
	if _, err = pr.Config.ChangeProvider(c.provider.ID, func(p *config.Provider) error {
		if in.New && p.BaseURL != "" {
			return fault.Invalid("id", fmt.Sprintf("there is already a provider %q", p.ID), "choose another name")
		}
		*p = c.provider
		return nil
	}); err != nil {
		return out, fmt.Errorf("save the provider: %w", err)
	}
	if before.APIKeySecret != c.provider.APIKeySecret {
		if err := pr.forgetKey(ctx, before); err != nil {
			return out, err
		}
	}
	if in.Use {
		if err := pr.Config.Use(c.provider.ID); err != nil {
			return out, fmt.Errorf("make it the default: %w", err)
		}
	}
	out.Saved = true
	return out, nil
}

// RemoveProvider removes a provider and the key that was stored for it.
func (pr *Providers) RemoveProvider(ctx context.Context, id string) error {
	var provider config.Provider
	for _, p := range pr.Config.Providers() {
		if p.ID == id {
			provider = p
		}
	}
	if err := pr.Config.DeleteProvider(id); err != nil {
		return fmt.Errorf("remove the provider: %w", err)
	}
	return pr.forgetKey(ctx, provider)
}

// readConnection completes the input from the saved provider of that name or from the preset, and reads the key.
func (pr *Providers) readConnection(ctx context.Context, in api.ConnectInput) (c connection, err error) {
	c.preset, _ = config.FindPreset(cmp.Or(in.Preset, config.CustomPreset))
	if in.Preset != "" {
		if c.preset, err = config.RequirePreset(in.Preset); err != nil {
			return c, fmt.Errorf("connect: %w", err)
		}
	}
	p := config.Provider{ID: in.ID}
	for _, provider := range pr.Config.Providers() {
		if provider.ID == in.ID && !in.New {
			p = provider
			if in.Preset == "" {
				c.preset, _ = config.FindPreset(cmp.Or(p.Preset, config.CustomPreset))
			}
		}
	}
	before := p
	p.Kind = config.Kind(cmp.Or(in.Kind, string(p.Kind), string(c.preset.Kind)))
	p.BaseURL = cmp.Or(completeAddress(in.BaseURL), p.BaseURL, c.preset.BaseURL)
	p.Preset = c.preset.ID
	if in.Model != "" && in.Model != p.Model {
		p.Model, p.ContextWindow, p.Price = in.Model, 0, nil
	}
	if in.ContextWindow > 0 {
		p.ContextWindow = in.ContextWindow
	}
	if in.InputPrice > 0 || in.OutputPrice > 0 {
		p.Price = &config.Price{Input: in.InputPrice, Output: in.OutputPrice}
	}
	if p.ID == "" {
		p.ID = pr.Config.FreeID(c.preset.ID)
	}
	p.Test = nil
	c.provider = p
	if err := p.Validate(); err != nil {
		return c, fmt.Errorf("connect: %w", err)
	}
	return c, pr.readKey(ctx, &c, in, before)
}

// readKey reads the key of a connection: the pasted one, or that of a variable, a secret or the saved provider.
func (pr *Providers) readKey(ctx context.Context, c *connection, in api.ConnectInput, before config.Provider) error {
	p := &c.provider
	switch pasted := strings.TrimSpace(in.Key); {
	case pasted != "":
		if strings.ContainsAny(pasted, " \t\r\n\x00") {
			return fault.Invalid("key", "the key contains a space or a line break", "copy only the key")
		}
		p.APIKeyEnv, p.APIKeySecret, c.key, c.isNewKey = "", "", pasted, true
		if len(pasted) >= minMaskedKey {
			pr.Mask.Add("[hidden: the key of the provider "+p.ID+"]", pasted)
		}
		return nil
	case in.KeyEnv != "":
		p.APIKeyEnv, p.APIKeySecret = in.KeyEnv, ""
		if err := p.Validate(); err != nil {
			return fmt.Errorf("connect: %w", err)
		}
		if environ.Get(ctx, in.KeyEnv) == "" {
			return fault.Invalid("key_env", "the environment variable "+in.KeyEnv+" is not set",
				"set it before Goalpost starts, or paste the key")
		}
	case in.KeySecret != "":
		p.APIKeyEnv, p.APIKeySecret = "", in.KeySecret
		if err := p.Validate(); err != nil {
			return fmt.Errorf("connect: %w", err)
		}
	case (p.APIKeyEnv != "" || p.APIKeySecret != "") && hostOf(before.BaseURL) != hostOf(p.BaseURL):
		return fault.Invalid("key", "the stored key belongs to "+hostOf(before.BaseURL),
			"enter the key for "+hostOf(p.BaseURL))
	case p.APIKeyEnv == "" && p.APIKeySecret == "" && len(c.preset.KeyVariables) > 0:
		return fault.Invalid("key", c.preset.Name+" needs an API key",
			"paste one from "+c.preset.KeyPage+", or name the environment variable that contains it")
	}
	key, err := pr.apiKey(ctx, *p)
	c.key = key
	return err
}

// secretName returns the name of the secret with the key of a provider.
func secretName(id string) string {
	safe := strings.Map(func(r rune) rune {
		if strings.ContainsRune("[]:", r) {
			return '-'
		}
		return r
	}, id)
	const prefix, maxLength = "provider-", 64
	return (prefix + safe)[:min(maxLength, len(prefix)+len(safe))]
}

// storeKey stores a key in the vault. Goals may send it only to the provider's host.
func (pr *Providers) storeKey(ctx context.Context, p *config.Provider, key string) (place string, err error) {
	p.APIKeyEnv, p.APIKeySecret = "", secretName(p.ID)
	where, err := pr.Secrets.Set(ctx, p.APIKeySecret, key, []string{hostOf(p.BaseURL)})
	if err != nil {
		found := fault.Of(err)
		return "", &fault.Error{Code: found.Code, Field: "key", Message: found.Message, Hint: found.Hint}
	}
	return string(where), nil
}

// forgetKey removes the key that was stored for a provider, unless another provider uses it.
func (pr *Providers) forgetKey(ctx context.Context, p config.Provider) error {
	if p.APIKeySecret == "" || p.APIKeySecret != secretName(p.ID) {
		return nil
	}
	for _, other := range pr.Config.Providers() {
		if other.APIKeySecret == p.APIKeySecret {
			return nil
		}
	}
	if _, err := pr.Secrets.Find(p.APIKeySecret); err != nil {
		return nil //nolint:nilerr // the user has already removed it
	}
	if err := pr.Secrets.Remove(ctx, p.APIKeySecret); err != nil {
		return fmt.Errorf("remove the key of %s: %w", p.ID, err)
	}
	return nil
}

// ListModels lists the models of a saved provider.
func (pr *Providers) ListModels(ctx context.Context, id string) ([]api.ModelView, error) {
	p, err := pr.Get(id)
	if err != nil {
		return nil, err
	}
	if p.Kind == config.Demo {
		return []api.ModelView{}, nil
	}
	key, err := pr.apiKey(ctx, p)
	if err != nil {
		return nil, err
	}
	list, err := server{p, key, pr.Transport}.listModels(ctx)
	if err != nil {
		c := connection{provider: p, key: key}
		c.preset, _ = config.FindPreset(cmp.Or(p.Preset, config.CustomPreset))
		f := pr.describeFailure(c, err)
		return nil, &fault.Error{Code: fault.Unavailable, Field: "provider", Message: f.message, Hint: f.hint}
	}
	return viewModels(p, list), nil
}

// TestProvider tests a saved provider, "" for the default, and stores the outcome.
func (pr *Providers) TestProvider(ctx context.Context, id string) api.DoctorFinding {
	f := api.DoctorFinding{ID: "model", Title: "The model answers"}
	p, err := pr.Get(id)
	if err == nil && p.Kind == config.Demo {
		f.State, f.Detail = api.FindingOK, "scripted, no AI: it only plays the demonstration"
		return f
	}
	var c connection
	if err == nil {
		c.provider = p
		c.preset, _ = config.FindPreset(cmp.Or(p.Preset, config.CustomPreset))
		c.key, err = pr.apiKey(ctx, p)
	}
	if err != nil {
		problem := api.ToProblem(err)
		f.State, f.Title, f.Detail, f.Hint = api.FindingBad, "The model cannot be tested", problem.Message, problem.Hint
		return f
	}
	t := pr.testConnection(ctx, &c)
	test := *c.provider.Test
	if p.Model != "" { // otherwise the test chose a model that is not the provider's
		if err := pr.Config.RecordTest(p, test); err != nil {
			t.Notes = append(t.Notes, "The result could not be saved: "+err.Error()+".")
		}
	}
	f.State, f.Detail, f.Hint = api.FindingOK, fmt.Sprintf("%s called a tool in %d ms", t.Model, t.LatencyMS),
		strings.Join(t.Notes, " ")
	if !t.OK {
		f.State, f.Title, f.Detail, f.Hint = api.FindingBad, failureTitle(t.Step), t.Message, t.Hint
	} else if t.Message != "" {
		f.State, f.Detail, f.Hint = api.FindingWarn, t.Message, t.Hint
	}
	return f
}

// failureTitle returns the title for a failed step of a test.
func failureTitle(step string) string {
	switch step {
	case stepReach:
		return "The server cannot be reached"
	case stepKey:
		return "The key was rejected"
	case stepModels:
		return "The model was not found"
	}
	return "The model does not work"
}
