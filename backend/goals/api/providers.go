package api

import (
	"context"
	"os"

	"goalpost/backend/agent/model"
	"goalpost/backend/domain/event"
	"goalpost/backend/storage/config"
)

// ModelService is the interface of ModelAPI to the program.
type ModelService interface {
	TestProvider(ctx context.Context, id string) DoctorFinding
	TryConnection(ctx context.Context, in ConnectInput) (ConnectionTest, error)
	SaveConnection(ctx context.Context, in ConnectInput) (ConnectOutput, error)
	FindServers(ctx context.Context) []FoundServer
	ListModels(ctx context.Context, id string) ([]ModelView, error)
	RemoveProvider(ctx context.Context, id string) error
	// HasPrice reports whether the cost of a provider's model is counted.
	HasPrice(p config.Provider) bool
}

// WindowSource is where the size of a model's context window is from.
type WindowSource string

// The sources.
const (
	WindowFromUser    WindowSource = "user"
	WindowFromServer  WindowSource = "server"
	WindowFromCatalog WindowSource = "catalog"
	WindowAssumed     WindowSource = "assumed" // nothing is known
)

// Ability says whether a model can do something.
type Ability string

// The answers.
const (
	CanDo          Ability = "yes"
	CannotDo       Ability = "no"
	UnknownAbility Ability = ""
)

// The types of ModelAPI.
type (
	// Provider is a server that offers models.
	Provider struct {
		ID            string `json:"id"`
		Kind          string `json:"kind"` // openai, openai-responses, anthropic, demo
		BaseURL       string `json:"base_url"`
		Model         string `json:"model"`
		APIKeyEnv     string `json:"api_key_env"`    // name of the environment variable that contains the key
		APIKeySecret  string `json:"api_key_secret"` // name of the secret that is the key instead
		ContextWindow int    `json:"context_window"` // tokens; 0 = the known value for the model
		Active        bool   `json:"active"`
		Scripted      bool   `json:"scripted"`
		Ready         bool   `json:"ready"` // its last test, with exactly these values, succeeded
		Note          string `json:"note"`  // why it is not ready, or "scripted, no AI"
		// Efforts are its protocol's names for the reasoning effort. Save ignores them.
		Efforts []string `json:"efforts"`
		Preset  string   `json:"preset"` // id of the preset that it was made from; "" = another server
		// USD per million tokens, as the user entered them; 0 = the published price.
		InputPrice  float64 `json:"input_price"`
		OutputPrice float64 `json:"output_price"`
		HasPrice    bool    `json:"has_price"`  // money limits have an effect; Save ignores it
		TestedAt    string  `json:"tested_at"`  // RFC 3339, "" = never; Save ignores it and the next
		LatencyMS   int64   `json:"latency_ms"` // of the reply in the last test
		Models      int     `json:"models"`     // how many the server listed then
	}

	// PresetView is a known provider.
	PresetView struct {
		ID          string `json:"id"`
		Name        string `json:"name"`
		Kind        string `json:"kind"`
		BaseURL     string `json:"base_url"` // "" = the user has to give it
		KeyPage     string `json:"key_page"` // where users get a key; "" = it needs none
		KeyVariable string `json:"key_variable"`
		HasKey      bool   `json:"has_key"` // KeyVariable is set in the environment of this process
		Local       bool   `json:"local"`   // a server on this computer
	}

	// FoundServer is a model server that answers on this computer.
	FoundServer struct {
		Preset  string   `json:"preset"`
		Name    string   `json:"name"`
		BaseURL string   `json:"base_url"`
		Models  []string `json:"models"`
	}

	// ConnectInput describes a connection to try or to save. Empty fields keep the values of the provider ID, or get
	// those of the preset.
	ConnectInput struct {
		ID            string  `json:"id"`     // its name; "" is chosen from the preset
		Preset        string  `json:"preset"` // "" = another server
		Kind          string  `json:"kind"`
		BaseURL       string  `json:"base_url"`
		Model         string  `json:"model"`      // "" is chosen from the server's list
		Key           string  `json:"key"`        // stored in the keyring or the encrypted file, when it is saved
		KeyEnv        string  `json:"key_env"`    // environment variable with the key, instead
		KeySecret     string  `json:"key_secret"` // name of a stored secret that is the key, instead
		ContextWindow int     `json:"context_window"`
		InputPrice    float64 `json:"input_price"`
		OutputPrice   float64 `json:"output_price"`
		Use           bool    `json:"use"`      // make it the default for new goals
		Untested      bool    `json:"untested"` // save without a test
		New           bool    `json:"new"`      // refuse to change an existing provider of this name
	}

	// ConnectionTest is the outcome of a test of a connection. Its steps are reach, key, models and tools.
	ConnectionTest struct {
		OK      bool   `json:"ok"`
		Step    string `json:"step"`    // the step that failed
		Message string `json:"message"` // what failed, or what the user should know
		Hint    string `json:"hint"`    // what to do next
		// Response is the beginning of what the server answered, without secrets.
		Response  string      `json:"response"`
		Status    int         `json:"status"`     // of the response, 0 without one
		LatencyMS int64       `json:"latency_ms"` // of the model's reply, or of the failed step
		Steps     []TestStep  `json:"steps"`
		Models    []ModelView `json:"models"`
		Model     string      `json:"model"` // the tested model
		Notes     []string    `json:"notes"` // about an assumed context window or an unknown price
	}

	// TestStep is one step of a test.
	TestStep struct {
		ID     string       `json:"id"` // reach, key, models, tools
		State  FindingState `json:"state"`
		Detail string       `json:"detail"`
	}

	// ModelView is a model that a server offers. Prices are in USD per million tokens, 0 is unknown.
	ModelView struct {
		ID            string       `json:"id"`
		ContextWindow int          `json:"context_window"` // tokens
		WindowFrom    WindowSource `json:"window_from"`
		InputPrice    float64      `json:"input_price"`
		OutputPrice   float64      `json:"output_price"`
		CachedPrice   float64      `json:"cached_price"`
		Free          bool         `json:"free"` // runs on this computer
		Images        Ability      `json:"images"`
		Tools         Ability      `json:"tools"`
		Reasoning     Ability      `json:"reasoning"`
		Recommended   bool         `json:"recommended"`
		Other         bool         `json:"other"` // it is not in the provider's list of text models
	}

	// ConnectOutput is the result of a test, and of saving the provider.
	ConnectOutput struct {
		Saved bool           `json:"saved"`
		ID    string         `json:"id"`
		Place string         `json:"place"` // where a key was stored: keyring, file
		Test  ConnectionTest `json:"test"`  // has no steps without a test
	}
)

// ModelAPI connects, tests and lists model providers.
type ModelAPI struct {
	cfg  *config.Config
	host ModelService
	apiBase
}

// NewModelAPI makes the API; ctx is the program's life. Without h only List, Save and Use work.
func NewModelAPI(ctx context.Context, c *config.Config, h ModelService) *ModelAPI {
	return &ModelAPI{c, h, apiBase{ctx}}
}

// List lists the providers, the built-in demonstration last.
func (m *ModelAPI) List() (out []Provider, err error) {
	defer m.recoverProblem(&err)
	out = []Provider{}
	for _, p := range m.cfg.Providers() {
		out = append(out, m.viewProvider(p))
	}
	return append(out, Provider{
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

func (m *ModelAPI) viewProvider(p config.Provider) Provider {
	v := Provider{
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
	case p.APIKeyEnv != "" && os.Getenv(p.APIKeyEnv) == "":
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
func (m *ModelAPI) Save(p Provider) (ok bool, err error) {
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
func (m *ModelAPI) Test(id string) (out DoctorFinding, err error) {
	defer m.recoverProblem(&err)
	return m.host.TestProvider(m.ctx, id), nil
}

// Presets lists the known providers, and whether their keys are in the environment.
func (m *ModelAPI) Presets() (out []PresetView, err error) {
	defer m.recoverProblem(&err)
	for _, p := range config.Presets() {
		v := PresetView{
			ID:          p.ID,
			Name:        p.Name,
			Kind:        string(p.Kind),
			BaseURL:     p.BaseURL,
			KeyPage:     p.KeyPage,
			KeyVariable: p.FindVariable(os.Getenv),
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
func (m *ModelAPI) Discover() (out []FoundServer, err error) {
	defer m.recoverProblem(&err)
	return m.host.FindServers(m.ctx), nil
}

// Try tests a connection and saves nothing.
func (m *ModelAPI) Try(in ConnectInput) (out ConnectionTest, err error) {
	defer m.recoverProblem(&err)
	return m.host.TryConnection(m.ctx, in)
}

// Connect tests a connection and saves it if the test succeeds. A pasted key is stored as a secret.
func (m *ModelAPI) Connect(in ConnectInput) (out ConnectOutput, err error) {
	defer m.recoverProblem(&err)
	return m.host.SaveConnection(m.ctx, in)
}

// Models lists the models that a saved provider offers.
func (m *ModelAPI) Models(id string) (out []ModelView, err error) {
	defer m.recoverProblem(&err)
	return m.host.ListModels(m.ctx, id)
}
