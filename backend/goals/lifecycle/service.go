// Package lifecycle contains the operations on goals: intake, start, pause, resume, approvals, undo, deletion.
package lifecycle

import (
	"context"
	"errors"
	"fmt"
	"log/slog"

	"goalpost/backend/core/runner"
	"goalpost/backend/domain/event"
	"goalpost/backend/domain/goal"
	"goalpost/backend/goals/access"
	"goalpost/backend/goals/api"
	"goalpost/backend/goals/goalsandbox"
	"goalpost/backend/goals/models"
	"goalpost/backend/goals/network"
	"goalpost/backend/goals/panes"
	"goalpost/backend/goals/session"
	"goalpost/backend/goals/worktrees"
	"goalpost/backend/storage/config"
	"goalpost/backend/storage/library"
	"goalpost/backend/storage/secret"
	"goalpost/backend/storage/store"
)

// Service offers the operations on goals to the page, the command line and other agents. All methods may be called
// concurrently.
type Service struct {
	Runs           *Runs
	Intake         *Intake
	Resumption     *Resumption
	ProtectedFiles *ProtectedFiles
	Recovery       *Recovery
	History        *FolderHistory
	Suggester      *Suggester
	Races          *Races
	cfg            *config.Config
	store          *store.Store
	panes          *panes.Registry
	sandboxes      *goalsandbox.Factory
	sessions       *session.Registry
	stays          bool // this process is long-lived, and goals continue in it automatically
}

// Deps are what a Service needs.
type Deps struct {
	Config    *config.Config
	Log       *slog.Logger
	Store     *store.Store
	Clock     runner.Clock
	Secrets   *secret.Vault
	Access    *access.Rules
	Models    *models.Providers
	Sandboxes *goalsandbox.Factory
	Panes     *panes.Registry
	Worktrees *worktrees.Worktrees
	Library   *library.Library
	Sessions  *session.Registry
	// Stays reports that this process is long-lived, and goals continue in it automatically.
	Stays bool
}

// New makes the service and its runner. It sets Ended in the runner's configuration.
func New(d Deps, c runner.Config) *Service {
	runs := &Runs{store: d.Store, log: d.Log, panes: d.Panes}
	protected := &ProtectedFiles{runs}
	s := &Service{
		Runs: runs,
		Intake: &Intake{
			cfg:       d.Config,
			store:     d.Store,
			clock:     d.Clock,
			secrets:   d.Secrets,
			access:    d.Access,
			models:    d.Models,
			sandboxes: d.Sandboxes,
			panes:     d.Panes,
			engines:   d.Sessions.Engines,
			worktrees: d.Worktrees,
			library:   d.Library,
			tried:     triedChecks{clock: d.Clock},
		},
		Resumption:     &Resumption{runs, d.Models, protected},
		ProtectedFiles: protected,
		Recovery:       &Recovery{runs},
		History: &FolderHistory{
			Runs:     runs,
			state:    d.Config.State(),
			mask:     d.Sessions.Mask,
			programs: d.Sandboxes.UserPrograms,
			panes:    d.Panes,
		},
		cfg:       d.Config,
		store:     d.Store,
		panes:     d.Panes,
		sandboxes: d.Sandboxes,
		sessions:  d.Sessions,
		stays:     d.Stays,
	}
	s.Suggester = &Suggester{s.Intake}
	s.Races = &Races{goals: s}
	c.Ended = s.cleanUpRun
	runs.runner = runner.New(c)
	return s
}

// Runner returns the runner of this process's goals.
func (s *Service) Runner() *runner.Runner { return s.Runs.runner }

// abortHere ends a goal that this process does not run: it is pending or paused, or was about to pause. If another
// process owns the goal, abortHere orders that process to abort it.
func (s *Service) abortHere(ctx context.Context, id goal.ID, stop *runner.Stop) (err error) {
	lock, err := s.store.Locks.LockGoal(id)
	if errors.Is(err, store.ErrGoalLocked) {
		if err := s.Runs.AddOrder(ctx, id, goal.Order{
			Kind:    goal.OrderAbort,
			Text:    stop.Reason,
			Request: string(stop.By),
		}); err != nil {
			return err
		}
		lock, err = s.Runs.awaitRelease(ctx, id)
	}
	if err != nil {
		return fmt.Errorf("abort: %w", err)
	}
	defer func() { err = errors.Join(err, lock.Unlock()) }()
	row, err := s.store.Goals.Get(ctx, id)
	if err != nil || !row.Status.IsActive() {
		return err
	}
	err = s.store.Journal.Append(ctx, goal.Run{Goal: id, ID: row.RunID}, &event.Ended{
		Status: goal.Aborted, Exit: goal.AbortedByUser, Report: row.EndReport(stop.Reason), Account: row.Account, By: stop.By,
	})
	s.panes.EndShare(id, false) //nolint:contextcheck // giving panes back outlives the call
	return errors.Join(err, s.cleanUpRun(ctx, id))
}

// cleanUpRun ends the goal's programs and the goals that it started.
func (s *Service) cleanUpRun(ctx context.Context, id goal.ID) error {
	return errors.Join(s.sessions.CloseGoal(ctx, id), s.endChildren(ctx, id))
}

// PaneIDs lists the panes of a goal.
func (s *Service) PaneIDs(id goal.ID) []string {
	var list []string
	for _, p := range s.panes.Snapshot().Panes {
		if p.GoalID == string(id) {
			list = append(list, p.ID)
		}
	}
	return list
}

// Network sums up the log of a goal's requests by host.
func (s *Service) Network(id goal.ID) (api.NetworkView, error) {
	if e := s.sandboxes.PageFilters.Get(string(id)); e != nil {
		e.NetworkLog().Flush()
	}
	return network.ReadLog(s.store.GoalDir(id))
}

// endChildren aborts every child of a goal that has not ended or waits to be reopened.
func (s *Service) endChildren(ctx context.Context, id goal.ID) error {
	rows, err := s.store.Goals.Children(ctx, id)
	stop := &runner.Stop{Exit: goal.AbortedByUser, Reason: "the goal that started this one has ended"}
	for _, r := range rows {
		isActive, e := s.Runs.isActive(r)
		err = errors.Join(err, e)
		if !isActive {
			continue
		}
		if s.Runs.runner.Cancel(r.ID, stop) {
			select {
			case <-s.Runs.runner.Done(r.ID):
			case <-ctx.Done():
				return fmt.Errorf("ending goal %s: %w", r.ID.Short(), ctx.Err())
			}
			if r, readErr := s.store.Goals.Get(ctx, r.ID); readErr != nil || !r.Status.IsActive() {
				continue
			}
		}
		if e := s.abortHere(ctx, r.ID, stop); e != nil && !api.IsConflict(e) {
			err = errors.Join(err, e)
		}
	}
	return err
}

// Engines describes all engines.
func (s *Service) Engines() []api.EngineView { return ListEngines(s.cfg.Settings().Engine) }

// UseEngine sets the engine of new goals.
func (s *Service) UseEngine(id string) error { return SetEngine(s.cfg, id) }
