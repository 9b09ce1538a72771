package app

import (
	"fmt"
	"os"
	"runtime"
	"strings"
	"time"

	"goalpost/backend/api"
	"goalpost/backend/browser"
	"goalpost/backend/config"
	"goalpost/backend/sandbox/environ"
)

// Doctor looks at what this machine offers, from real state.
func (a *App) Doctor() []api.DoctorFinding {
	list := []api.DoctorFinding{a.helperFinding(), a.sandboxFinding(), chromiumFinding(), a.modelFinding(), a.dataFinding(), a.notificationFinding()}
	return append(append(list, a.toolchainFindings()...), a.mcpFindings()...)
}

func (a *App) helperFinding() api.DoctorFinding {
	f := api.DoctorFinding{ID: "helper", Title: "Programs start through the helper", State: "ok", Detail: a.helperPath}
	if err := a.userPrograms.Err(); err != nil {
		f.State, f.Detail, f.Hint = "bad", err.Error(), "restart Goalpost"
	}
	return f
}

func chromiumFinding() api.DoctorFinding {
	f := api.DoctorFinding{ID: "chromium", Title: "Chromium", State: "ok"}
	path, err := browser.Find()
	if err != nil {
		f.State, f.Detail, f.Hint = "warn", err.Error(), "terminals and commands work without it; browser panes and browser tools do not"
		return f
	}
	f.Detail = path
	if os.Geteuid() == 0 {
		f.State, f.Detail, f.Hint = "warn", path+" runs without its own sandbox, because this is root", "run Goalpost as an ordinary user"
	}
	return f
}

func (a *App) modelFinding() api.DoctorFinding {
	f := api.DoctorFinding{ID: "model", Title: "Model"}
	p, err := a.provider("")
	if err != nil {
		f.State, f.Detail, f.Hint = "warn", "none yet", "add one in the settings; the demonstration runs without (scripted, no AI)"
		return f
	}
	f.State, f.Detail = "ok", fmt.Sprintf("%s at %s", p.Model, p.BaseURL)
	if p.Kind == config.Demo {
		f.State, f.Detail = "warn", "the demonstration only (scripted, no AI)"
	}
	return f
}

func (a *App) dataFinding() api.DoctorFinding {
	return api.DoctorFinding{ID: "data", Title: "Data folder", State: "ok", Detail: a.cfg.State()}
}

// StreamConnection is how the page reaches the streams.
func (a *App) StreamConnection() api.Connection {
	a.log.Info("page connected", "elapsed_ms", time.Since(a.began).Milliseconds())
	c := api.Connection{Version: a.version, OS: runtime.GOOS, DataDir: a.cfg.State(), WorkDir: a.cfg.Work()}
	if !a.serve {
		c.URL, c.Token = a.stream.URL(), a.stream.Token()
	}
	return c
}

// staticServer is a command line that serves the current folder on a free port
// of the loopback and prints its address: this program itself, so that the
// demonstration needs nothing else on the machine.
func staticServer() string {
	self, err := os.Executable()
	if err != nil {
		self = "goalpost"
	}
	return shellQuote(self) + " static ."
}

// shellQuote makes one word of a POSIX shell.
func shellQuote(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }

// userEnv is the environment of the user's own terminals.
func (a *App) userEnv() []string { return environ.Base(os.Environ()) }

func (a *App) scrollback() int {
	const bytesPerLine = 800 // generous, colours included
	return a.cfg.Settings().Scrollback * bytesPerLine
}
