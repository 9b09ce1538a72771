package api

import (
	"context"
	"os"

	"goalpost/backend/config"
	"goalpost/backend/model"
)

// ProviderService is the interface of ModelAPI and SettingsAPI to the program.
type ProviderService interface {
	Doctor() []DoctorFinding
	StreamConnection() Connection
	TestProvider(ctx context.Context, id string) DoctorFinding
	// ValidateToolchains refuses folders that goals may not read.
	ValidateToolchains(list string) error
}

// ModelAPI is for the providers.
type ModelAPI struct {
	cfg  *config.Config
	host ProviderService
	apiBase
}

// NewModelAPI makes the API; ctx is the program's life.
func NewModelAPI(ctx context.Context, c *config.Config, h ProviderService) *ModelAPI {
	return &ModelAPI{c, h, apiBase{ctx}}
}

// List lists the providers, the built-in demonstration last.
func (a *ModelAPI) List() (out []Provider, err error) {
	defer a.recoverProblem(&err)
	out = []Provider{}
	active := false
	for _, p := range a.cfg.Providers() {
		v := Provider{
			ID:            p.ID,
			Kind:          string(p.Kind),
			BaseURL:       p.BaseURL,
			Model:         p.Model,
			APIKeyEnv:     p.APIKeyEnv,
			APIKeySecret:  p.APIKeySecret,
			ContextWindow: p.ContextWindow,
			Active:        p.Active,
			Ready:         true,
			Efforts:       model.Protocol(p.Kind).Efforts(),
		}
		if p.APIKeyEnv != "" && os.Getenv(p.APIKeyEnv) == "" {
			v.Ready, v.Note = false, "the environment variable "+p.APIKeyEnv+" is not set"
		}
		active = active || p.Active
		out = append(out, v)
	}
	return append(out, Provider{
		ID:       "demo",
		Kind:     string(config.Demo),
		Model:    "demo",
		Scripted: true,
		Ready:    true,
		Note:     "scripted, no AI",
		Efforts:  []string{},
	}), nil
}

// Save adds a provider or updates the one with the same id. The first one becomes the default.
func (a *ModelAPI) Save(p Provider) (ok bool, err error) {
	defer a.recoverProblem(&err)
	return true, a.cfg.SaveProvider(config.Provider{
		ID:            p.ID,
		Kind:          config.Kind(p.Kind),
		BaseURL:       p.BaseURL,
		Model:         p.Model,
		APIKeyEnv:     p.APIKeyEnv,
		APIKeySecret:  p.APIKeySecret,
		ContextWindow: p.ContextWindow,
	})
}

// Delete removes a provider.
func (a *ModelAPI) Delete(id string) (ok bool, err error) {
	defer a.recoverProblem(&err)
	return true, a.cfg.DeleteProvider(id)
}

// Use makes a provider the default for new goals.
func (a *ModelAPI) Use(id string) (ok bool, err error) {
	defer a.recoverProblem(&err)
	return true, a.cfg.Use(id)
}

// Test asks the provider's model one short question.
func (a *ModelAPI) Test(id string) (out DoctorFinding, err error) {
	defer a.recoverProblem(&err)
	return a.host.TestProvider(a.ctx, id), nil
}

// SettingsAPI is for the user's settings and for what this machine supports.
type SettingsAPI struct {
	cfg  *config.Config
	host ProviderService
	apiBase
}

// NewSettingsAPI makes the API; ctx is the program's life.
func NewSettingsAPI(ctx context.Context, c *config.Config, h ProviderService) *SettingsAPI {
	return &SettingsAPI{c, h, apiBase{ctx}}
}

// Get reads the settings.
func (a *SettingsAPI) Get() (out Settings, err error) {
	defer a.recoverProblem(&err)
	s := a.cfg.Settings()
	return Settings{
		Theme:           s.Theme,
		FontSize:        s.FontSize,
		Scrollback:      s.Scrollback,
		FontFamily:      s.FontFamily,
		WebGL:           s.WebGL,
		ScreenReader:    s.ScreenReader,
		Welcomed:        s.Welcomed,
		ApprovalMinutes: s.ApprovalMinutes,
		TurnMinutes:     s.TurnMinutes,
		SecretsInFile:   s.SecretsInFile,
		Notifications:   s.Notifications,
		GoalsAtOnce:     s.GoalsAtOnce,
		KeepDays:        s.KeepDays,
		GraceMinutes:    s.GraceMinutes,
		GoalMemory:      s.GoalMemory,
		Toolchains:      s.Toolchains,
		WorkDir:         s.WorkDir,
		HomePage:        s.HomePage,
		SearchPage:      s.SearchPage,
	}, nil
}

// Save saves the settings.
func (a *SettingsAPI) Save(s Settings) (ok bool, err error) {
	defer a.recoverProblem(&err)
	all := a.cfg.Settings() // settings that the page does not know are unchanged
	if s.Toolchains != all.Toolchains {
		if err := a.host.ValidateToolchains(s.Toolchains); err != nil {
			return false, err
		}
	}
	all.Toolchains = s.Toolchains
	all.Theme, all.FontSize, all.Scrollback, all.Welcomed = s.Theme, s.FontSize, s.Scrollback, s.Welcomed
	all.FontFamily, all.WebGL, all.ScreenReader = s.FontFamily, s.WebGL, s.ScreenReader
	all.ApprovalMinutes, all.SecretsInFile, all.Notifications = s.ApprovalMinutes, s.SecretsInFile, s.Notifications
	all.GoalsAtOnce, all.KeepDays, all.WorkDir, all.HomePage = s.GoalsAtOnce, s.KeepDays, s.WorkDir, s.HomePage
	all.SearchPage, all.GraceMinutes, all.GoalMemory, all.TurnMinutes = s.SearchPage, s.GraceMinutes, s.GoalMemory,
		s.TurnMinutes
	return true, a.cfg.SaveSettings(all)
}

// Doctor checks what this machine supports.
func (a *SettingsAPI) Doctor() (out []DoctorFinding, err error) {
	defer a.recoverProblem(&err)
	return a.host.Doctor(), nil
}

// Connect returns how the page reaches the streams.
func (a *SettingsAPI) Connect() (out Connection, err error) {
	defer a.recoverProblem(&err)
	return a.host.StreamConnection(), nil
}
