package api

import (
	"context"

	"goalpost/backend/storage/config"
)

// SettingsService is the interface of SettingsAPI to the program.
type SettingsService interface {
	Doctor() []DoctorFinding
	StreamConnection() Connection
	// ValidateToolchains refuses folders that goals may not read.
	ValidateToolchains(list string) error
}

// SettingsAPI reads and saves the settings, and examines what this machine supports.
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
func (sa *SettingsAPI) Get() (out Settings, err error) {
	defer sa.recoverProblem(&err)
	return Settings(sa.cfg.Settings()), nil
}

// Save saves the settings.
func (sa *SettingsAPI) Save(s Settings) (ok bool, err error) {
	defer sa.recoverProblem(&err)
	saved := sa.cfg.Settings()
	if s.Toolchains != saved.Toolchains {
		if err := sa.host.ValidateToolchains(s.Toolchains); err != nil {
			return false, err
		}
	}
	s.Engine = saved.Engine
	return true, sa.cfg.SaveSettings(config.Settings(s))
}

// Doctor examines what this machine supports.
func (sa *SettingsAPI) Doctor() (out []DoctorFinding, err error) {
	defer sa.recoverProblem(&err)
	return sa.host.Doctor(), nil
}

// Connect returns the address and the token of the streams.
func (sa *SettingsAPI) Connect() (out Connection, err error) {
	defer sa.recoverProblem(&err)
	return sa.host.StreamConnection(), nil
}
