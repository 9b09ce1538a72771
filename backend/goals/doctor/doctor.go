// Package doctor examines what this machine offers.
package doctor

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"goalpost/backend/goals/access"
	"goalpost/backend/goals/api"
	"goalpost/backend/goals/goalsandbox"
	"goalpost/backend/goals/mcpservers"
	"goalpost/backend/goals/models"
	"goalpost/backend/host/awake"
	"goalpost/backend/host/notify"
	"goalpost/backend/host/sandbox"
	"goalpost/backend/host/update"
	"goalpost/backend/lib/fault"
	"goalpost/backend/panes/browser"
	"goalpost/backend/storage/config"
	"goalpost/backend/storage/store"
)

// desktopTimeout bounds how long the desktop may take to answer.
const desktopTimeout = 5 * time.Second

// Doctor examines what this machine offers.
type Doctor struct {
	Config *config.Config
	Store  *store.Store
	// DatabaseProblem is why Store is not the database; nil if it is.
	DatabaseProblem error
	Access          *access.Rules
	Models          *models.Providers
	Sandboxes       *goalsandbox.Factory
	MCPServers      *mcpservers.Servers
	Programs        *sandbox.Supervisor // the user's
	Version         string              // of this program
	Updates         *update.Checker
}

// Findings examines everything, again each time.
func (do *Doctor) Findings() []api.DoctorFinding {
	return slices.Concat(
		[]api.DoctorFinding{do.helperFinding()},
		do.sandboxFindings(),
		programFindings(),
		[]api.DoctorFinding{
			chromiumFinding(), do.modelFinding(), do.dataFinding(), do.databaseFinding(), do.notificationFinding(),
			do.awakeFinding(), do.versionFinding(),
		},
		do.webhookFindings(),
		do.toolchainFindings(),
		do.MCPServers.Findings(),
	)
}

func (do *Doctor) helperFinding() api.DoctorFinding {
	f := api.DoctorFinding{
		ID:     "helper",
		Title:  "Helper",
		State:  api.FindingOK,
		Detail: do.Sandboxes.HelperPath,
	}
	if err := do.Programs.Err(); err != nil {
		f.State, f.Detail, f.Hint = api.FindingBad, err.Error(), "restart Goalpost"
	}
	return f
}

// programFindings names the usual programs that PATH does not have, if any.
func programFindings() []api.DoctorFinding {
	var missing []string
	for _, name := range []string{"sh", "ls", "cat", "grep", "sed"} {
		isThere := func(dir string) bool {
			info, err := os.Stat(filepath.Join(dir, name))
			return err == nil && info.Mode().IsRegular() && info.Mode()&0o111 != 0
		}
		if !slices.ContainsFunc(filepath.SplitList(os.Getenv("PATH")), isThere) {
			missing = append(missing, name)
		}
	}
	if len(missing) == 0 {
		return nil
	}
	return []api.DoctorFinding{{
		ID:     "programs",
		Title:  "Programs",
		State:  api.FindingWarn,
		Detail: "PATH has no " + strings.Join(missing, ", "),
		Hint: "goals start, but commands and checks that use them fail: add the folders of these programs to PATH, such " +
			"as /usr/bin and /bin",
	}}
}

func chromiumFinding() api.DoctorFinding {
	f := api.DoctorFinding{ID: "chromium", Title: "Chromium", State: api.FindingOK}
	path, err := browser.Find()
	if err != nil {
		f.State, f.Detail, f.Hint = api.FindingWarn, err.Error(),
			"terminals and commands work without it; browser panes and browser tools do not"
		return f
	}
	f.Detail = path
	if os.Geteuid() == 0 {
		f.State, f.Detail, f.Hint = api.FindingWarn, path+" runs without its own sandbox, because Goalpost runs as root",
			"run Goalpost as an ordinary user"
	}
	return f
}

func (do *Doctor) modelFinding() api.DoctorFinding {
	f := api.DoctorFinding{ID: "model", Title: "Model"}
	p, err := do.Models.Get("")
	if err != nil {
		f.State, f.Detail, f.Hint = api.FindingWarn, "none yet",
			"connect one in the settings or with goalctl providers add; the demonstration needs none (scripted, no AI)"
		return f
	}
	f.State, f.Detail = api.FindingOK, fmt.Sprintf("%s at %s", p.Model, p.BaseURL)
	if p.Kind == config.Demo {
		f.State, f.Detail = api.FindingWarn, "the demonstration only (scripted, no AI)"
	}
	return f
}

func (do *Doctor) dataFinding() api.DoctorFinding {
	return api.DoctorFinding{ID: "data", Title: "Data folder", State: api.FindingOK, Detail: do.Config.State()}
}

// databaseFinding reads the whole database.
func (do *Doctor) databaseFinding() api.DoctorFinding {
	f := api.DoctorFinding{ID: "database", Title: "Database", State: api.FindingOK}
	err := do.DatabaseProblem
	if err == nil {
		err = do.Store.Backups.Check(context.Background())
	}
	state, stateErr := store.DescribeFiles(do.Config.State())
	if err = errors.Join(err, stateErr); err != nil {
		problem := api.ToProblem(err)
		f.State, f.Detail, f.Hint, f.Facts = api.FindingBad, problem.Message, problem.Hint, state
		return f
	}
	f.Detail = "every page can be read"
	f.Facts = state
	return f
}

// versionFinding asks the release feed, if the user has set one.
func (do *Doctor) versionFinding() api.DoctorFinding {
	f := api.DoctorFinding{ID: "version", Title: "Version", State: api.FindingOK, Detail: do.Version}
	feed := do.Config.Settings().UpdateFeed
	if feed == "" {
		return f
	}
	release, err := do.Updates.Check(context.Background(), feed, do.Version)
	var problem *fault.Error
	switch {
	case errors.As(err, &problem):
		f.State, f.Detail, f.Hint = api.FindingWarn, do.Version+"; "+problem.Message, problem.Hint
	case release.Newer:
		f.State, f.Detail = api.FindingWarn, do.Version+"; "+release.Version+" is available"
		f.Hint = "get it from " + release.URL
	default:
		f.Detail += " is the newest"
	}
	return f
}

// toolchainFindings lists the additional folders that goals see, if any.
func (do *Doctor) toolchainFindings() []api.DoctorFinding {
	usable, problems := do.Access.Toolchains()
	f := api.DoctorFinding{
		ID:     "toolchains",
		Title:  "Extra tool folders",
		State:  api.FindingOK,
		Detail: strings.Join(usable, ", "),
	}
	if len(problems) > 0 {
		f.State, f.Detail = api.FindingWarn, "goals cannot use: "+errors.Join(problems...).Error()
		f.Hint = "change it in the settings"
	}
	if len(usable)+len(problems) == 0 {
		return nil
	}
	return []api.DoctorFinding{f}
}

// notificationFinding reports whether a desktop shows notifications.
func (do *Doctor) notificationFinding() api.DoctorFinding {
	f := api.DoctorFinding{ID: "notes", Title: "Notifications", State: api.FindingOK}
	ctx, cancel := context.WithTimeout(context.Background(), desktopTimeout)
	defer cancel()
	d, err := notify.Open(ctx)
	if err != nil {
		f.State, f.Detail, f.Hint = api.FindingWarn, "no desktop shows notifications here: "+err.Error(),
			"goals that need you are still listed under approvals"
		return f
	}
	f.Detail = "shown by " + d.Name()
	_ = d.Close()
	return f
}

// awakeFinding reports whether the computer can be kept awake, as the settings want it. It does that for a moment.
func (do *Doctor) awakeFinding() api.DoctorFinding {
	f := api.DoctorFinding{ID: "awake", Title: "Keep awake", State: api.FindingOK}
	setting := do.Config.Settings().KeepAwake
	if setting == config.AwakeOff {
		f.Detail = "off: the computer may suspend while goals run"
		return f
	}
	ctx, cancel := context.WithTimeout(context.Background(), desktopTimeout)
	defer cancel()
	lock, err := awake.Take(ctx, "goalctl doctor tries it", setting == config.AwakeLid)
	if err != nil {
		f.State, f.Detail = api.FindingWarn, "the computer may suspend while goals run: "+err.Error()
		f.Hint = "turn automatic suspending off in the system's settings, or keep_awake if this computer never suspends"
		return f
	}
	defer func() { _ = lock.Close() }()
	f.Detail = describeAwake(setting)
	if lock.Refused != "" {
		f.State, f.Detail = api.FindingWarn, f.Detail+", but logind does not let Goalpost prevent "+lock.Refused
		f.Hint = "start the host process in your desktop session, or allow org.freedesktop.login1.inhibit-* in polkit"
	}
	return f
}

// describeAwake says when the computer stays awake.
func describeAwake(setting config.KeepAwake) string {
	switch {
	case setting == config.AwakeAlways:
		return "the computer stays awake while goals run"
	case !awake.IsPluggedIn():
		return "the computer stays awake while goals run and it is plugged in; now it runs on battery"
	}
	return "the computer stays awake while goals run and it is plugged in"
}

// webhookFindings reports whether the last messages reached the webhooks, if there are any. It sends nothing.
func (do *Doctor) webhookFindings() []api.DoctorFinding {
	list := do.Config.Webhooks()
	if len(list) == 0 {
		return nil
	}
	f := api.DoctorFinding{ID: "webhooks", Title: "Webhooks", State: api.FindingOK}
	var names, failed []string
	for _, w := range list {
		names = append(names, w.Name)
		if w.Failed != nil {
			failed = append(failed, w.Name+": "+w.Failed.Message)
		}
	}
	f.Detail = strings.Join(names, ", ")
	if len(failed) > 0 {
		f.State, f.Detail = api.FindingWarn, "the last delivery failed: "+strings.Join(failed, "; ")
		f.Hint = "send a test in the settings (Notifications), or with goalctl notify test"
	}
	return []api.DoctorFinding{f}
}
