package calls

import (
	"context"

	"goalpost/backend/domain/pane"
	"goalpost/backend/goals/api"
	"goalpost/backend/goals/doctor"
	"goalpost/backend/goals/panes"
	"goalpost/backend/storage/config"
)

// SettingsAPI reads and saves the settings, and examines what this machine supports.
type SettingsAPI struct {
	cfg     *config.Config
	doctor  *doctor.Doctor
	panes   *panes.Registry
	connect func() Connection
	apiBase
}

// NewSettingsAPI makes the API; ctx is the program's life. connect returns what the page needs to reach the streams.
func NewSettingsAPI(ctx context.Context, d *doctor.Doctor, p *panes.Registry, connect func() Connection) *SettingsAPI {
	return &SettingsAPI{d.Config, d, p, connect, apiBase{ctx}}
}

// Get reads the settings.
func (sa *SettingsAPI) Get() (out Settings, err error) {
	defer sa.recoverProblem(&err)
	return Settings(sa.cfg.Settings()), nil
}

// Save saves the settings.
func (sa *SettingsAPI) Save(s Settings) (ok bool, err error) {
	defer sa.recoverProblem(&err)
	old := sa.cfg.Settings()
	if s.Toolchains != old.Toolchains {
		if err := sa.doctor.Access.ValidateToolchains(s.Toolchains); err != nil {
			return false, err
		}
	}
	if s.Shell != old.Shell {
		if err := panes.ValidateShell(s.Shell); err != nil {
			return false, err
		}
	}
	s.Engine = old.Engine
	return true, sa.cfg.SaveSettings(config.Settings(s))
}

// FileState returns where the settings file is, and what is wrong in it.
func (sa *SettingsAPI) FileState() (out config.FileState, err error) {
	defer sa.recoverProblem(&err)
	return sa.cfg.FileState(), nil
}

// OpenFile shows the settings file in a pane.
func (sa *SettingsAPI) OpenFile() (out pane.Info, err error) {
	defer sa.recoverProblem(&err)
	if err := sa.cfg.WriteIfMissing(); err != nil {
		return pane.Info{}, err
	}
	return sa.panes.OpenFile(sa.ctx, api.ArgsOpenFile{Path: sa.cfg.Path()})
}

// MoveFileAside keeps a settings file with errors under another name, and saves what is in effect in its place. It
// returns the path of the file that was kept.
func (sa *SettingsAPI) MoveFileAside() (kept string, err error) {
	defer sa.recoverProblem(&err)
	return sa.cfg.MoveAside()
}

// ColorSchemes lists the color schemes of terminals: the built-in ones, then those that the user imported.
func (sa *SettingsAPI) ColorSchemes() (out []config.ColorScheme, err error) {
	defer sa.recoverProblem(&err)
	return sa.cfg.ColorSchemes(), nil
}

// ImportColorScheme adds the color scheme of a file: a property list of iTerm2, or a base16 scheme in YAML.
func (sa *SettingsAPI) ImportColorScheme(fileName, content string) (out config.ColorScheme, err error) {
	defer sa.recoverProblem(&err)
	return sa.cfg.ImportColorScheme(fileName, []byte(content))
}

// DeleteColorScheme removes a color scheme that the user imported.
func (sa *SettingsAPI) DeleteColorScheme(name string) (ok bool, err error) {
	defer sa.recoverProblem(&err)
	return true, sa.cfg.DeleteColorScheme(name)
}

// TerminalProfiles lists the terminal profiles of the user by name.
func (sa *SettingsAPI) TerminalProfiles() (out []config.TerminalProfile, err error) {
	defer sa.recoverProblem(&err)
	return sa.cfg.TerminalProfiles(), nil
}

// SaveTerminalProfile adds a terminal profile, or replaces the one that was named so.
func (sa *SettingsAPI) SaveTerminalProfile(was string, p config.TerminalProfile) (ok bool, err error) {
	defer sa.recoverProblem(&err)
	if err := sa.panes.ValidateProfile(p); err != nil {
		return false, err
	}
	return true, sa.cfg.SaveTerminalProfile(was, p)
}

// DeleteTerminalProfile removes a terminal profile.
func (sa *SettingsAPI) DeleteTerminalProfile(name string) (ok bool, err error) {
	defer sa.recoverProblem(&err)
	return true, sa.cfg.DeleteTerminalProfile(name)
}

// Doctor examines what this machine supports.
func (sa *SettingsAPI) Doctor() (out []api.DoctorFinding, err error) {
	defer sa.recoverProblem(&err)
	return sa.doctor.Findings(), nil
}

// Connect returns the address and the token of the streams.
func (sa *SettingsAPI) Connect() (out Connection, err error) {
	defer sa.recoverProblem(&err)
	return sa.connect(), nil
}
