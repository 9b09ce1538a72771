package lifecycle

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"strings"
	"time"

	"goalpost/backend/domain/event"
	"goalpost/backend/domain/goal"
	"goalpost/backend/goals/api"
	"goalpost/backend/goals/models"
	"goalpost/backend/lib/fault"
	"goalpost/backend/storage/store"
)

// Resumption continues goals that stopped.
type Resumption struct {
	*Runs
	models    *models.Providers
	protected *ProtectedFiles
}

// Resume continues a goal that stopped. A parked goal continues at once, in the process that waits for its time.
func (r *Resumption) Resume(ctx context.Context, id goal.ID, in api.ResumeInput) error {
	row, err := r.Resumable(ctx, id)
	if err != nil {
		return err
	}
	change, err := r.changeOf(ctx, row.Goal, in)
	if err != nil {
		return err
	}
	if err := r.refuseDailyLimit(ctx, row); err != nil {
		return err
	}
	if err := r.protected.validate(ctx, row.Goal, decisionOf(in)); err != nil {
		return err
	}
	note := strings.TrimSpace(in.Note)
	if row.Exit.IsParked() {
		if isDone, err := r.wakeWaiting(ctx, row, change, note, decisionOf(in)); isDone || err != nil {
			return err
		}
	}
	return r.startResumed(ctx, id, func(g *goal.Goal) ([]event.Body, error) {
		if err := r.protected.decide(ctx, *g, decisionOf(in)); err != nil {
			return nil, err
		}
		return []event.Body{&event.Resumed{Note: note}},
			errors.Join(r.saveChange(ctx, g, change), r.noteUserMessage(ctx, id, note))
	})
}

// Reopen continues a completed goal. The input must raise limits that the goal has used up.
func (r *Resumption) Reopen(ctx context.Context, id goal.ID, in api.ResumeInput) error {
	note := strings.TrimSpace(in.Note)
	if note == "" {
		return fault.Invalid("note", "a completed goal needs a note to be reopened", "say what is missing")
	}
	row, err := r.store.Goals.Get(ctx, id)
	if err != nil {
		return fmt.Errorf("reopen: %w", err)
	}
	if row.Status != goal.Completed {
		return fault.New(fault.Conflict, fmt.Sprintf("the goal is %s, not done", row.Status),
			"resume continues a goal that stopped")
	}
	change, err := r.changeOf(ctx, row.Goal, in)
	if err != nil {
		return err
	}
	if err := r.protected.validate(ctx, row.Goal, decisionOf(in)); err != nil {
		return err
	}
	return r.startResumed(ctx, id, func(g *goal.Goal) ([]event.Body, error) {
		if g.Status != goal.Completed {
			return nil, fault.New(fault.Conflict, "the goal has already been reopened", "add a note to it instead")
		}
		if err := r.protected.decide(ctx, *g, decisionOf(in)); err != nil {
			return nil, err
		}
		return []event.Body{&event.Reopened{Note: note, NotDone: in.NotDone}},
			errors.Join(r.saveChange(ctx, g, change), r.noteUserMessage(ctx, id, note))
	})
}

// retryReopen reopens a goal that left the queue while it waited to be reopened. The user's notes since then are the
// reason.
func (r *Resumption) retryReopen(ctx context.Context, id goal.ID) error {
	return r.startResumed(ctx, id, func(g *goal.Goal) ([]event.Body, error) {
		orders, err := r.store.Orders.List(ctx, id, goal.OrderSteer)
		if err != nil || g.Status != goal.Completed || len(orders) == 0 {
			return nil, cmp.Or(err, error(fault.New(fault.Conflict, "the goal no longer waits to be reopened",
				"look at its state; nothing was changed")))
		}
		notes := make([]string, len(orders))
		for i, o := range orders {
			notes[i] = o.Text
		}
		return []event.Body{&event.Reopened{Note: strings.Join(notes, "\n")}}, nil
	})
}

// changeOf returns what the input changes of a goal. It refuses limits that are used up, and a model that cannot be
// used.
func (r *Resumption) changeOf(ctx context.Context, g goal.Goal, in api.ResumeInput) (goal.ResumeChange, error) {
	change := goal.ResumeChange{Limits: g.Limits.With(in.Limits)}
	if err := r.validateLimitsLeft(ctx, g, change.Limits); err != nil || in.Model == "" {
		return change, err
	}
	p, fallbacks, err := r.models.ChooseOther(ctx, g, in.Model)
	change.Provider, change.Model, change.Fallbacks = p.ID, p.Model, fallbacks
	return change, err
}

// saveChange changes a goal. It journals the change before the goal waits in the queue, so that it survives the end of
// the process.
func (r *Resumption) saveChange(ctx context.Context, g *goal.Goal, change goal.ResumeChange) error {
	bodies, changed := event.ResumeChanges(*g, change)
	if len(bodies) == 0 {
		return nil
	}
	if err := r.store.Journal.Append(ctx, goal.Run{Goal: g.ID, ID: g.RunID}, bodies...); err != nil {
		return fmt.Errorf("what you changed: %w", err)
	}
	*g = changed
	return nil
}

// Accept accepts the result of a goal that waits for a manual check, or the doubted pass of a done goal.
func (r *Resumption) Accept(ctx context.Context, id goal.ID) error {
	row, err := r.store.Goals.Get(ctx, id)
	if err != nil {
		return fmt.Errorf("accept: %w", err)
	}
	if row.Exit == goal.Done {
		return r.acceptPass(ctx, id)
	}
	return r.answerManualCheck(ctx, id, goal.Order{Kind: goal.OrderAccept})
}

// Reject rejects the result of such a goal, which continues with the note.
func (r *Resumption) Reject(ctx context.Context, id goal.ID, note string) error {
	note = strings.TrimSpace(note)
	if note == "" {
		return fault.Invalid("note", "a reason is required", "say in a sentence what the agent should do differently")
	}
	return r.answerManualCheck(ctx, id, goal.Order{Kind: goal.OrderReject, Text: note})
}

// answerManualCheck stores the user's answer to a manual check and continues the goal with it.
func (r *Resumption) answerManualCheck(ctx context.Context, id goal.ID, o goal.Order) error {
	row, err := r.waitingForManual(ctx, id)
	if err == nil {
		err = r.protected.validate(ctx, row.Goal, protectedDecision{})
	}
	if err != nil {
		return err
	}
	return r.startResumed(ctx, id, func(*goal.Goal) ([]event.Body, error) {
		if _, err := r.waitingForManual(ctx, id); err != nil { // check again, now that no other process can answer
			return nil, err
		}
		if err := r.store.Orders.Add(ctx, id, o); err != nil {
			return nil, fmt.Errorf("%s: %w", o.Kind, err)
		}
		return []event.Body{&event.Resumed{}}, nil
	})
}

// waitingForManual returns the goal, or an error if none of its checks waits for an answer.
func (r *Resumption) waitingForManual(ctx context.Context, id goal.ID) (store.GoalRow, error) {
	row, err := r.store.Goals.Get(ctx, id)
	if err != nil {
		return row, fmt.Errorf("answer: %w", err)
	}
	waits, err := r.store.Questions.WaitsForManual(ctx, row)
	if err != nil {
		return row, fmt.Errorf("answer: %w", err)
	}
	if !waits {
		return row, fault.New(fault.Conflict, "no check of this goal waits for your decision",
			"resume the goal to continue it, with a note if you like")
	}
	return row, nil
}

// wakeWaiting orders the process that waits with a parked goal to continue it now. It returns false if no process does.
func (r *Resumption) wakeWaiting(
	ctx context.Context, row store.GoalRow, change goal.ResumeChange, note string, decision protectedDecision,
) (bool, error) {
	watched, err := r.store.Locks.IsLocked(row.ID)
	if err != nil {
		return false, fmt.Errorf("resume: %w", err)
	}
	if !watched {
		return false, nil
	}
	if err := r.protected.decide(ctx, row.Goal, decision); err != nil {
		return false, err
	}
	o := goal.Order{Kind: goal.OrderResume}
	if bodies, _ := event.ResumeChanges(row.Goal, change); len(bodies) > 0 {
		b, err := json.Marshal(change)
		if err != nil {
			return false, fmt.Errorf("resume: %w", err)
		}
		o.Text = string(b)
	}
	orders := []goal.Order{o}
	if note != "" {
		orders = append(orders, goal.Order{Kind: goal.OrderSteer, Text: note})
	}
	return true, r.addOrderIf(ctx, row.ID, func(now store.GoalRow) error {
		if isParked(now) { // or is queued by now: its run begins with them
			return nil
		}
		return fault.New(fault.Conflict, "the goal has already continued, because its wait is over",
			"watch it; nothing else is needed")
	}, orders...)
}

// startResumed locks the goal and starts a run. It calls open with the lock held, for the events that the run begins
// with.
func (r *Resumption) startResumed(ctx context.Context, id goal.ID, open func(*goal.Goal) ([]event.Body, error)) error {
	// Orders until now are for the former run, later ones for this run.
	oldOrders, err := r.store.Orders.List(ctx, id, goal.OrderAbort, goal.OrderPause, goal.OrderResume)
	if err != nil {
		return fmt.Errorf("resume: %w", err)
	}
	lock, err := r.lockStopped(ctx, id)
	if err != nil {
		return err
	}
	opening, g, err := r.openingEvents(ctx, id, oldOrders, open)
	if err != nil {
		return errors.Join(err, lock.Unlock())
	}
	return r.startRunner(ctx, g, lock, opening...)
}

func (r *Resumption) openingEvents(
	ctx context.Context, id goal.ID, oldOrders []goal.Order, open func(*goal.Goal) ([]event.Body, error),
) ([]event.Body, goal.Goal, error) {
	row, err := r.store.Goals.Get(ctx, id) // read again: no other process can change it now
	if err == nil {
		err = runProblem(row)
	}
	if err != nil {
		return nil, row.Goal, err
	}
	// The user's answer to a manual check stays until the claim has been decided.
	if err := r.store.Orders.Settle(ctx, oldOrders...); err != nil {
		return nil, row.Goal, fmt.Errorf("resume: %w", err)
	}
	opening, err := open(&row.Goal)
	return opening, row.Goal, err
}

// Resumable returns a goal, or why it cannot be resumed.
func (r *Resumption) Resumable(ctx context.Context, id goal.ID) (store.GoalRow, error) {
	row, err := r.store.Goals.Get(ctx, id)
	if err == nil && row.Status == goal.Running { // its process may have died
		if _, err = r.store.Recovery.Interrupt(ctx); err == nil {
			row, err = r.store.Goals.Get(ctx, id)
		}
	}
	if err != nil {
		return row, fmt.Errorf("resume: %w", err)
	}
	if row.Status == goal.Completed {
		return row, fault.New(fault.Conflict, "the goal is already done",
			"reopen it with a note, or start a new goal from it")
	}
	return row, runProblem(row)
}

// runProblem returns why a goal cannot begin a run, nil if it can.
func runProblem(row store.GoalRow) error {
	if err := goal.Transition(row.Status, goal.Running); err != nil {
		return fault.New(fault.Conflict, "the goal is already running", "watch it, send it a note, or abort it")
	}
	if _, err := os.Stat(row.Policy.Dir); err != nil {
		return fault.New(fault.Conflict, "the goal's folder is gone: "+row.Policy.Dir, "restore it, then resume")
	}
	return nil
}

// validateLimitsLeft refuses limits that are invalid, or that the goal and its children have already used up: the run
// would stop before its first turn.
func (r *Resumption) validateLimitsLeft(ctx context.Context, g goal.Goal, l goal.Limits) error {
	if err := l.Validate(); err != nil {
		return err
	}
	shared, err := r.store.Goals.Shared(ctx, g.ID)
	if err != nil {
		return fmt.Errorf("resume: %w", err)
	}
	refuse := func(what, flag string) error {
		if shared != (goal.Spend{}) {
			what += ", with the goals that it started,"
		}
		return fault.Invalid("limits", what+" are used up", "raise the limit").OnCommandLine(
			"raise the limit, for example with " + flag)
	}
	s := g.Spent.Add(shared)
	switch tokens := s.TokensIn + s.TokensOut; {
	case l.Iterations > 0 && s.Iterations >= l.Iterations:
		return refuse(fmt.Sprintf("%d of %d turns", s.Iterations, l.Iterations),
			fmt.Sprintf("--max-iterations %d", s.Iterations+l.Iterations))
	case l.WallClock() > 0 && s.WallClock >= l.WallClock():
		return refuse(fmt.Sprintf("%s of %s", goal.FormatDuration(s.WallClock), goal.FormatDuration(l.WallClock())),
			"--wall-clock "+roundUpTime(s.WallClock+l.WallClock()).String())
	case l.Tokens > 0 && tokens >= l.Tokens:
		return refuse(fmt.Sprintf("%d of %d tokens", tokens, l.Tokens), fmt.Sprintf("--max-tokens %d", tokens+l.Tokens))
	case l.USD > 0 && s.USD >= l.USD:
		return refuse(fmt.Sprintf("$%.2f of $%.2f", s.USD, l.USD),
			fmt.Sprintf("--max-usd %.2f", math.Ceil((s.USD+l.USD)*100)/100))
	}
	return nil
}

// refuseDailyLimit refuses to resume a goal that waits for a new day while today's limit is used up. Other goals may
// start: they wait in the same way, and resume on the next day.
func (r *Resumption) refuseDailyLimit(ctx context.Context, row store.GoalRow) error {
	if row.Exit != goal.DailyLimitReached {
		return nil
	}
	return r.models.Budget.RefuseIfReached(ctx)
}

// roundUpTime rounds up to full seconds, or to full minutes above one minute.
func roundUpTime(d time.Duration) time.Duration {
	to := time.Second
	if d > time.Minute {
		to = time.Minute
	}
	return (d + to - 1).Truncate(to)
}
