package calls

import (
	"context"

	"goalpost/backend/agent/model"
	"goalpost/backend/domain/event"
	"goalpost/backend/goals/api"
	"goalpost/backend/goals/models"
	"goalpost/backend/host/sandbox/environ"
	"goalpost/backend/storage/config"
)

// ModelAPI connects, tests and lists model providers.
type ModelAPI struct {
	cfg  *config.Config
	host *models.Providers
	apiBase
}

// NewModelAPI makes the API; ctx is the program's life. Without h only List, Save and Use work.
func NewModelAPI(ctx context.Context, c *config.Config, h *models.Providers) *ModelAPI {
	return &ModelAPI{c, h, apiBase{ctx}}
}

// List lists the providers, the built-in demonstration last.
func (m *ModelAPI) List() (out []api.Provider, err error) {
	defer m.recoverProblem(&err)
	out = []api.Provider{}
	for _, p := range m.cfg.Providers() {
		out = append(out, m.viewProvider(p))
	}
	return append(out, api.Provider{
		ID:       "demo",
		Kind:     string(config.Demo),
		Model:    "demo",
		Scripted: true,
		Ready:    true,
		Note:     "scripted, no AI",
		Efforts:  []string{},
		HasPrice: true,
	}), nil
}

func (m *ModelAPI) viewProvider(p config.Provider) api.Provider {
	v := api.Provider{
		ID:            p.ID,
		Kind:          string(p.Kind),
		BaseURL:       p.BaseURL,
		Model:         p.Model,
		APIKeyEnv:     p.APIKeyEnv,
		APIKeySecret:  p.APIKeySecret,
		ContextWindow: p.ContextWindow,
		Active:        p.Active,
		Ready:         p.IsReady(),
		Efforts:       model.Protocol(p.Kind).Efforts(),
		Preset:        p.Preset,
		HasPrice:      m.host == nil || m.host.HasPrice(p),
	}
	if p.Price != nil {
		v.InputPrice, v.OutputPrice = p.Price.Input, p.Price.Output
	}
	switch {
	case p.APIKeyEnv != "" && environ.Get(m.ctx, p.APIKeyEnv) == "":
		v.Ready, v.Note = false, "the environment variable "+p.APIKeyEnv+" is not set"
	case p.Test == nil:
		v.Note = "not tested"
	case !p.Test.OK:
		v.Note = p.Test.Message
	}
	if p.Test != nil {
		v.TestedAt = p.Test.At.UTC().Format(event.TimeLayout)
		v.LatencyMS, v.Models = p.Test.LatencyMS, p.Test.Models
	}
	return v
}

// Save adds a provider or updates the one with the same id, without a test. The first provider becomes the default.
func (m *ModelAPI) Save(p api.Provider) (ok bool, err error) {
	defer m.recoverProblem(&err)
	_, err = m.cfg.ChangeProvider(p.ID, func(saved *config.Provider) error {
		saved.Kind, saved.BaseURL, saved.Model = config.Kind(p.Kind), p.BaseURL, p.Model
		saved.APIKeyEnv, saved.APIKeySecret, saved.ContextWindow = p.APIKeyEnv, p.APIKeySecret, p.ContextWindow
		saved.Preset = p.Preset
		if saved.Price = nil; p.InputPrice != 0 || p.OutputPrice != 0 {
			saved.Price = &config.Price{Input: p.InputPrice, Output: p.OutputPrice}
		}
		return nil
	})
	return err == nil, err
}

// Delete removes a provider and the key that was stored for it.
func (m *ModelAPI) Delete(id string) (ok bool, err error) {
	defer m.recoverProblem(&err)
	return true, m.host.RemoveProvider(m.ctx, id)
}

// Use makes a provider the default for new goals.
func (m *ModelAPI) Use(id string) (ok bool, err error) {
	defer m.recoverProblem(&err)
	return true, m.cfg.Use(id)
}

// Test tests a saved provider and stores the outcome.
func (m *ModelAPI) Test(id string) (out api.DoctorFinding, err error) {
	defer m.recoverProblem(&err)
	return m.host.TestProvider(m.ctx, id), nil
}

// Presets lists the known providers, and whether their keys are in the environment.
func (m *ModelAPI) Presets() (out []api.PresetView, err error) {
	defer m.recoverProblem(&err)
	for _, p := range config.Presets() {
		v := api.PresetView{
			ID:          p.ID,
			Name:        p.Name,
			Kind:        string(p.Kind),
			BaseURL:     p.BaseURL,
			KeyPage:     p.KeyPage,
			KeyVariable: p.FindVariable(func(name string) string { return environ.Get(m.ctx, name) }),
			Local:       p.IsLocal,
		}
		if v.HasKey = v.KeyVariable != ""; !v.HasKey && len(p.KeyVariables) > 0 {
			v.KeyVariable = p.KeyVariables[0]
		}
		out = append(out, v)
	}
	return out, nil
}

// Discover finds model servers on the usual ports of 127.0.0.1.
func (m *ModelAPI) Discover() (out []api.FoundServer, err error) {
	defer m.recoverProblem(&err)
	return m.host.FindServers(m.ctx), nil
}

// Try tests a connection and saves nothing.
func (m *ModelAPI) Try(in api.ConnectInput) (out api.ConnectionTest, err error) {
	defer m.recoverProblem(&err)
	return m.host.TryConnection(m.ctx, in)
}

// Connect tests a connection and saves it if the test succeeds. A pasted key is stored as a secret.
func (m *ModelAPI) Connect(in api.ConnectInput) (out api.ConnectOutput, err error) {
	defer m.recoverProblem(&err)
	return m.host.SaveConnection(m.ctx, in)
}

// Models lists the models that a saved provider offers.
func (m *ModelAPI) Models(id string) (out []api.ModelView, err error) {
	defer m.recoverProblem(&err)
	return m.host.ListModels(m.ctx, id)
}
