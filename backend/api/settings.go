package api

import (
	"context"

	"goalpost/backend/config"
)

// SettingsService is the interface of SettingsAPI to the program.
type SettingsService interface {
	Doctor() []DoctorFinding
	StreamConnection() Connection
	// ValidateToolchains refuses folders that goals may not read.
	ValidateToolchains(list string) error
}

// SettingsAPI is for the user's settings and for what this machine supports.
type SettingsAPI struct {
	cfg  *config.Config
	host SettingsService
	apiBase
}

// NewSettingsAPI makes the API; ctx is the program's life.
func NewSettingsAPI(ctx context.Context, c *config.Config, h SettingsService) *SettingsAPI {
	return &SettingsAPI{c, h, apiBase{ctx}}
}

// Get reads the settings.
func (a *SettingsAPI) Get() (out Settings, err error) {
	defer a.recoverProblem(&err)
	s := a.cfg.Settings()
	return Settings{
		Theme:            s.Theme,
		FontSize:         s.FontSize,
		Scrollback:       s.Scrollback,
		FontFamily:       s.FontFamily,
		WebGL:            s.WebGL,
		ScreenReader:     s.ScreenReader,
		Welcomed:         s.Welcomed,
		ApprovalMinutes:  s.ApprovalMinutes,
		TurnMinutes:      s.TurnMinutes,
		SecretsInFile:    s.SecretsInFile,
		Notifications:    s.Notifications,
		GoalsAtOnce:      s.GoalsAtOnce,
		KeepDays:         s.KeepDays,
		GraceMinutes:     s.GraceMinutes,
		GoalMemory:       s.GoalMemory,
		DailyLimitUSD:    s.DailyLimitUSD,
		Toolchains:       s.Toolchains,
		WorkDir:          s.WorkDir,
		HomePage:         s.HomePage,
		SearchPage:       s.SearchPage,
		UpdateFeed:       s.UpdateFeed,
		WebSearch:        s.WebSearch,
		WebSearchAddress: s.WebSearchAddress,
		WebSearchSecret:  s.WebSearchSecret,
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
	all.Toolchains, all.DailyLimitUSD = s.Toolchains, s.DailyLimitUSD
	all.Theme, all.FontSize, all.Scrollback, all.Welcomed = s.Theme, s.FontSize, s.Scrollback, s.Welcomed
	all.FontFamily, all.WebGL, all.ScreenReader = s.FontFamily, s.WebGL, s.ScreenReader
	all.ApprovalMinutes, all.SecretsInFile, all.Notifications = s.ApprovalMinutes, s.SecretsInFile, s.Notifications
	all.GoalsAtOnce, all.KeepDays, all.WorkDir, all.HomePage = s.GoalsAtOnce, s.KeepDays, s.WorkDir, s.HomePage
	all.SearchPage, all.GraceMinutes, all.GoalMemory, all.TurnMinutes = s.SearchPage, s.GraceMinutes, s.GoalMemory,
		s.TurnMinutes
	all.UpdateFeed = s.UpdateFeed
	all.WebSearch, all.WebSearchAddress, all.WebSearchSecret = s.WebSearch, s.WebSearchAddress, s.WebSearchSecret
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
