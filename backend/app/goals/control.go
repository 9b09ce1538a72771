// Package goals contains what can be done with goals: intake, pause and resume, approvals, deletion.
package goals

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"

	"goalpost/backend/api"
	"goalpost/backend/app/access"
	"goalpost/backend/app/goalsandbox"
	"goalpost/backend/app/models"
	"goalpost/backend/app/network"
	"goalpost/backend/app/panes"
	"goalpost/backend/app/session"
	"goalpost/backend/config"
	"goalpost/backend/event"
	"goalpost/backend/fault"
	"goalpost/backend/goal"
	"goalpost/backend/model"
	"goalpost/backend/runner"
	"goalpost/backend/secret"
	"goalpost/backend/store"
)

// Service is what the page, the command line and other agents can do with goals. All methods may be called
// concurrently.
type Service struct {
	*runs
	*intake
	*resumption
	*recovery
	cfg          *config.Config
	store        *store.Store
	panes        *panes.Registry
	sandboxes    *goalsandbox.Factory
	sessions     *session.Registry
	followOthers bool // this process is long-lived, and goals continue in it automatically
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
	Sessions  *session.Registry
	// Unconfined makes every new goal run without a sandbox.
	Unconfined bool
	// FollowOthers says that this process is long-lived, and goals continue in it automatically.
	FollowOthers bool
}

// New makes the service and its runner. It sets Ended of the runner's configuration.
func New(d Deps, c runner.Config) *Service {
	handed := &runs{store: d.Store, log: d.Log, panes: d.Panes}
	s := &Service{
		runs: handed,
		intake: &intake{
			cfg:        d.Config,
			store:      d.Store,
			clock:      d.Clock,
			secrets:    d.Secrets,
			access:     d.Access,
			models:     d.Models,
			sandboxes:  d.Sandboxes,
			panes:      d.Panes,
			unconfined: d.Unconfined,
		},
		resumption:   &resumption{handed},
		recovery:     &recovery{handed},
		cfg:          d.Config,
		store:        d.Store,
		panes:        d.Panes,
		sandboxes:    d.Sandboxes,
		sessions:     d.Sessions,
		followOthers: d.FollowOthers,
	}
	c.Ended = s.cleanUpRun
	handed.runner = runner.New(c)
	return s
}

// Runner returns the runner of this process's goals.
func (s *Service) Runner() *runner.Runner { return s.runner }

// Start validates a goal, stores it and starts it. After an error nothing has changed.
func (s *Service) Start(ctx context.Context, in api.StartInput) (id goal.ID, err error) {
	return s.StartAs(ctx, in, func(*goal.Goal) error { return nil })
}

// StartAs is Start with a last change to the goal by shape, before its checks are tried.
func (s *Service) StartAs(
	ctx context.Context, in api.StartInput, shape func(*goal.Goal) error,
) (id goal.ID, err error) {
	g, made, err := s.prepareGoal(ctx, in, shape)
	if err != nil {
		return "", err
	}
	defer func() {
		if err != nil && made {
			err = errors.Join(err, os.RemoveAll(g.Policy.Dir))
		}
	}()
	if err := s.saveBaseline(ctx, *g); err != nil {
		return "", errors.Join(err, s.removeGoalState(g.ID))
	}
	own, err := s.store.LockGoal(g.ID) // before the goal becomes visible: an abort finds its owner
	if err != nil {
		return "", errors.Join(fmt.Errorf("goal %s: %w", g.ID.Short(), err), s.removeGoalState(g.ID))
	}
	if err := s.store.Create(ctx, g); err != nil {
		return "", errors.Join(fmt.Errorf("create goal: %w", err), own.Unlock(), s.removeGoalState(g.ID))
	}
	if err := s.startRunner(ctx, *g, own, &event.Started{}); err != nil {
		return "", errors.Join(err, s.store.Delete(context.WithoutCancel(ctx), g.ID), s.removeGoalState(g.ID))
	}
	return g.ID, nil
}

// Demo starts the built-in demonstration goal with its scripted model.
func (s *Service) Demo(ctx context.Context) (goal.ID, error) { return s.Start(ctx, s.DemoInput()) }

// DemoInput returns the demonstration goal. This program itself serves its page.
func (*Service) DemoInput() api.StartInput {
	return api.StartInput{
		Objective: model.DemoObjective(""), Provider: models.DemoProvider,
		Checks: []goal.Check{{Type: goal.Shell, Command: model.DemoCheck()}},
	}
}

// Pause stops a running goal after its current call.
func (s *Service) Pause(ctx context.Context, id goal.ID) error {
	return s.PauseWith(ctx, id, goal.Order{Kind: goal.OrderPause})
}

func (s *Service) PauseWith(ctx context.Context, id goal.ID, o goal.Order) error {
	row, err := s.store.Goal(ctx, id)
	if err == nil && row.Status == goal.Running { // its process may have died: then it is paused as interrupted
		if alive, err := s.store.IsLocked(id); err != nil || !alive {
			_, lost := s.store.InterruptOne(ctx, id)
			return errors.Join(err, lost)
		}
	}
	if err != nil {
		return fmt.Errorf("pause: %w", err)
	}
	return s.addOrderIf(ctx, id, s.pauseProblem, o)
}

// pauseProblem returns why a goal cannot be paused, nil if it can.
func (s *Service) pauseProblem(row store.GoalRow) error {
	queues, err := s.isQueued(row)
	switch {
	case err != nil:
		return err
	case row.Status == goal.Pending && queues:
		return &fault.Error{
			Code:    fault.Conflict,
			Message: "the goal waits in the queue and has not begun",
			Hint:    "abort takes it out of the queue; it can be continued later",
		}
	case row.Status != goal.Running && !queues:
		return &fault.Error{Code: fault.Conflict, Message: fmt.Sprintf("the goal is %s, not running", row.Status)}
	}
	return nil
}

// Steer stores a note of the user for a goal that has not ended.
func (s *Service) Steer(ctx context.Context, id goal.ID, text string) error {
	return s.SteerWith(ctx, id, goal.Order{Kind: goal.OrderSteer, Text: text})
}

func (s *Service) SteerWith(ctx context.Context, id goal.ID, o goal.Order) error {
	if o.Text == "" {
		return &fault.Error{Code: fault.Refused, Message: "the note is empty", Field: "text"}
	}
	return s.addOrderIf(ctx, id, func(row store.GoalRow) error {
		lives, err := s.isActive(row)
		if err != nil || lives {
			return err
		}
		return &fault.Error{
			Code:    fault.Conflict,
			Message: fmt.Sprintf("the goal is %s already", row.Status),
			Hint:    "resume it first, or start a new one",
		}
	}, o)
}

// Abort ends a goal, here or in another process, and waits until it has ended. A goal that waits to be
// reopened leaves the queue and keeps its former status.
func (s *Service) Abort(ctx context.Context, id goal.ID) error {
	return s.AbortWith(ctx, id, &runner.Stop{Exit: goal.AbortedByUser, Reason: "the user aborted the goal"})
}

func (s *Service) AbortWith(ctx context.Context, id goal.ID, stop *runner.Stop) error {
	row, err := s.store.Goal(ctx, id)
	lives := false
	if err == nil {
		lives, err = s.isActive(row)
	}
	if err != nil {
		return fmt.Errorf("abort: %w", err)
	}
	if !lives {
		return &fault.Error{Code: fault.Conflict, Message: fmt.Sprintf("the goal is %s already", row.Status)}
	}
	if s.runner.Cancel(id, stop) {
		select {
		case <-s.runner.Done(id):
		case <-ctx.Done():
			return fmt.Errorf("abort: %w", ctx.Err())
		}
		if row, err = s.store.Goal(ctx, id); err != nil || !row.Status.IsActive() {
			return err
		}
	}
	return s.abortHere(ctx, id, stop)
}

// abortHere ends a goal that this process does not run: it is pending or paused, or was just being paused. If
// another process owns the goal, that process gets an order.
func (s *Service) abortHere(ctx context.Context, id goal.ID, stop *runner.Stop) (err error) {
	own, err := s.store.LockGoal(id)
	if errors.Is(err, store.ErrGoalLocked) {
		if err := s.AddOrder(ctx, id, goal.Order{
			Kind:    goal.OrderAbort,
			Text:    stop.Reason,
			Request: string(stop.By),
		}); err != nil {
			return err
		}
		own, err = s.awaitRelease(ctx, id)
	}
	if err != nil {
		return fmt.Errorf("abort: %w", err)
	}
	defer func() { err = errors.Join(err, own.Unlock()) }()
	row, err := s.store.Goal(ctx, id)
	if err != nil || !row.Status.IsActive() {
		return err
	}
	err = s.store.Append(ctx, goal.Run{Goal: id, ID: row.RunID}, &event.Ended{
		Status: goal.Aborted, Exit: goal.AbortedByUser, Report: row.EndReport(stop.Reason), Account: row.Account, By: stop.By,
	})
	s.panes.EndShare(id, false) //nolint:contextcheck // likewise
	return errors.Join(err, s.cleanUpRun(ctx, id))
}

// cleanUpRun ends what a run leaves for the next one: the goal's programs, and the goals that it started.
func (s *Service) cleanUpRun(ctx context.Context, id goal.ID) error {
	return errors.Join(s.sessions.CloseGoal(ctx, id), s.endChildren(ctx, id))
}

// Panes lists the panes that a goal has.
func (s *Service) Panes(id goal.ID) []string {
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
