package runner

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/bits"
	"strings"
	"time"

	"goalpost/backend/domain/event"
	"goalpost/backend/domain/goal"
	"goalpost/backend/domain/policy"
	"goalpost/backend/lib/text"
)

// maxLookText limits what the journal keeps of a look, in characters.
const maxLookText = 200

// conditionWait is the wait of a goal for a condition, between two runs. It holds no slot and asks no model. It belongs
// to one goroutine.
type conditionWait struct {
	*Runner

	goal   *goal.Goal
	active *active
	run    *Run // the stopped run whose session looks
	wait   goal.Wait
	looks  int           // in this process
	last   string        // what the last look found
	watch  stopwatch     // of the whole wait
	next   time.Duration // on the watch: when to look next
	sleep  *sleepWatch
	found  chan conditionLook // of the look in progress, nil if there is none
	// isLast says that no look follows the newest one: it began when the time of the wait was over.
	isLast bool
	// isRestarted says that the program has ended since the wait began.
	isRestarted bool
}

// conditionLook is what a look found, or why it was not possible.
type conditionLook struct {
	goal.Look

	err error
}

// waitEnd says why a wait is over.
type waitEnd struct {
	isMet   bool
	why     string // for the agent
	details string // for the agent, "" if there are none
	note    string // for the user
}

// waitForCondition waits after a run that stopped to wait. Its session stays open, with all that the goal started.
// opening are the first events of the next run; ok is false if the goal does not continue.
func (r *Runner) waitForCondition(
	ctx context.Context, g *goal.Goal, run *Run, w goal.Wait, a *active,
) (opening []event.Body, ok bool) {
	c := &conditionWait{Runner: r, goal: g, active: a, run: run, wait: w, watch: r.watchWait(w)}
	c.next = c.watch.before + w.Every()
	if w.EveryMS > 0 {
		c.looks = 1 // by the call
	}
	return c.await(ctx)
}

// resumeWait continues the wait of a goal whose process has ended.
func (r *Runner) resumeWait(ctx context.Context, g *goal.Goal, a *active) (opening []event.Body, ok bool) {
	w, err := r.cfg.Store.History.OpenWait(ctx, g.ID)
	switch {
	case err != nil:
		r.cfg.Log.Error("continue a wait", "goal", g.ID, "error", err)
		return nil, false
	case w == nil: // the process ended between the end of the wait and the next run
		return []event.Body{&event.Resumed{Note: "its wait is over"}}, true
	}
	run := newRun(r.cfg, *g, goal.Run{Goal: g.ID, ID: g.RunID}, a)
	a.pauser.detachRun()
	c := &conditionWait{Runner: r, goal: g, active: a, run: run, wait: *w, watch: r.watchWait(*w), isRestarted: true}
	if w.EveryMS > 0 {
		if stop := run.openForLooks(ctx); stop != nil && ctx.Err() == nil {
			return c.wake(ctx, c.unusable(stop.Reason))
		}
	}
	return c.await(ctx)
}

// openForLooks opens the session of a run that only looks at a condition.
func (r *Run) openForLooks(ctx context.Context) *Stop {
	if stop := r.openEnvironment(ctx); stop != nil {
		return stop
	}
	if stop := r.approvals.restoreRequests(ctx); stop != nil {
		return stop
	}
	r.approvals.grants.apply()
	return nil
}

// watchWait returns a stopwatch that shows how long a wait has taken so far.
func (r *Runner) watchWait(w goal.Wait) stopwatch {
	return r.cfg.startWatch(max(0, r.cfg.now().Sub(w.Since)))
}

// await looks until the wait is over.
func (c *conditionWait) await(ctx context.Context) (opening []event.Body, ok bool) {
	c.sleep = c.cfg.watchSleep()
	looking, cancel := context.WithCancel(goal.WithRun(ctx, c.run.id))
	exit := goal.WaitingForCondition
	defer func() {
		cancel()
		if c.found != nil {
			<-c.found
		}
		c.run.closeSession(context.WithoutCancel(ctx), exit)
	}()
	for {
		if end := c.takeRevocations(ctx); end != nil {
			return c.wake(ctx, *end)
		}
		resumed, stop := c.takeWaitOrders(ctx)
		switch {
		case stop != nil:
			exit = stop.Exit
			c.endWaiting(ctx, *c.goal, stop)
			return nil, false
		case resumed:
			return c.wake(ctx, waitEnd{why: "the user ended the wait", note: "the user ended the wait"})
		case c.left() <= 0 && (c.wait.EveryMS == 0 || c.isLast && c.found == nil):
			return c.wake(ctx, c.timeout())
		}
		c.beginLook(looking)
		select {
		case <-ctx.Done():
		case <-c.active.nudge:
		case <-c.cfg.Clock.After(c.untilNext()):
		case l := <-c.found:
			c.found = nil
			if end := c.judge(ctx, l); end != nil {
				return c.wake(ctx, *end)
			}
		}
		c.cfg.noteSleep(ctx, c.run.id, c.sleep.lap())
	}
}

// takeWaitOrders takes what the user ordered. resumed says that the user ended the wait.
func (c *conditionWait) takeWaitOrders(ctx context.Context) (resumed bool, stop *Stop) {
	if stop := stopCause(ctx); stop != nil {
		return false, stop
	}
	for _, o := range c.takeOrders(ctx, c.goal.ID, goal.OrderAbort, goal.OrderPause, goal.OrderResume) {
		if o.Kind != goal.OrderResume {
			return false, stopForOrder(o)
		}
		c.active.pauser.unpause()
		c.applyChange(ctx, c.goal, o.Text)
		resumed = true
	}
	return resumed, nil
}

// takeRevocations revokes what the user no longer allows. The wait is over if the call that waits needs it.
func (c *conditionWait) takeRevocations(ctx context.Context) *waitEnd {
	orders, err := c.cfg.Store.Orders.List(ctx, c.goal.ID, goal.OrderRevoke)
	if err != nil {
		if ctx.Err() == nil {
			c.cfg.Log.Warn("orders", "goal", c.goal.ID, "error", err)
		}
		return nil
	}
	for _, o := range orders {
		if stop := c.run.orders.revokeGrant(ctx, o); stop != nil {
			c.cfg.Log.Error("revoke", "goal", c.goal.ID, "error", stop.Reason)
		}
		if o.Request == c.wait.Grant {
			end := c.unusable("the user revoked what the wait needs")
			return &end
		}
	}
	return nil
}

// left returns how long the wait may still take.
func (c *conditionWait) left() time.Duration {
	if c.wait.ByClock {
		return c.wait.Until.Sub(c.cfg.now())
	}
	return c.wait.Until.Sub(c.wait.Since) - c.watch.elapsed()
}

// untilNext returns how long nothing has to be done.
func (c *conditionWait) untilNext() time.Duration {
	d := idleInterval
	if c.found == nil {
		d = min(d, c.left())
		if c.wait.EveryMS > 0 {
			d = min(d, c.next-c.watch.elapsed())
		}
	}
	return max(d, time.Millisecond)
}

// beginLook starts a look if it is time for one. The last one is when the time of the wait is over: the machine may
// have slept, or been off, while the condition was met.
func (c *conditionWait) beginLook(ctx context.Context) {
	isOver := c.left() <= 0
	if c.wait.EveryMS == 0 || c.found != nil || !isOver && c.watch.elapsed() < c.next || ctx.Err() != nil {
		return
	}
	c.isLast = isOver
	c.looks++
	found := make(chan conditionLook, 1)
	c.found = found
	go func() {
		l, err := c.run.look(ctx, c.wait)
		found <- conditionLook{l, err}
	}()
}

// judge decides whether a look ends the wait, and journals a few of the looks that do not.
func (c *conditionWait) judge(ctx context.Context, l conditionLook) *waitEnd {
	switch {
	case ctx.Err() != nil:
		return nil
	case l.err != nil:
		end := c.unusable(l.err.Error())
		return &end
	case l.IsMet:
		return &waitEnd{isMet: true, why: "the condition is met", details: l.Text, note: "what it waited for has happened"}
	}
	if end := c.askBlockedHosts(ctx); end != nil {
		return end
	}
	c.next = c.watch.elapsed() + c.wait.Every()
	if bits.OnesCount(uint(c.looks)) == 1 {
		found := text.Truncate(text.FirstLine(l.Text), maxLookText)
		if stop := c.run.journal.append(ctx, &event.Looked{StepID: c.wait.Step, N: c.looks, Text: found}); stop != nil {
			c.cfg.Log.Warn("journal a look", "goal", c.goal.ID, "error", stop.Reason)
		}
	}
	c.last = l.Text
	return nil
}

// askBlockedHosts ends the wait if a look contacted a host that is not open: each later look would be refused, too.
func (c *conditionWait) askBlockedHosts(ctx context.Context) *waitEnd {
	ap := c.run.approvals
	if stop := ap.askBlockedHosts(ctx, &resolvedCall{Call: c.wait.Call, step: c.wait.Step}); stop != nil {
		end := c.unusable(stop.Reason)
		return &end
	}
	if len(ap.notices) == 0 {
		return nil
	}
	end := c.unusable(strings.Join(ap.notices, " "))
	ap.notices = nil
	return &end
}

// unusable returns the end of a wait whose condition cannot be looked at.
func (*conditionWait) unusable(reason string) waitEnd {
	return waitEnd{
		why: "the condition cannot be looked at: " + reason, note: "its condition cannot be looked at",
	}
}

// timeout returns the end of a wait whose time is over.
func (c *conditionWait) timeout() waitEnd {
	if c.wait.EveryMS == 0 {
		return waitEnd{isMet: true, why: "the time has come", note: "the time has come"}
	}
	limit := goal.FormatDuration(c.wait.Until.Sub(c.wait.Since).Round(time.Second))
	return waitEnd{
		why:     "the condition was not met within " + limit,
		details: c.last,
		note:    fmt.Sprintf("what it waited for has not happened within %s", limit),
	}
}

// wake gives the call that waits its result, before anything can prevent the next run, so that it is given once.
func (c *conditionWait) wake(ctx context.Context, end waitEnd) (opening []event.Body, ok bool) {
	passed := c.watch.elapsed().Round(time.Second)
	words := fmt.Sprintf("%s. Waited %s", end.why, goal.FormatDuration(passed))
	if c.looks > 0 {
		words += ", with " + goal.FormatCount(c.looks, "look")
	}
	words += "."
	if c.isRestarted {
		words += " The program was restarted in between: terminals, pages and programs that you had started are gone."
	}
	preview := words
	if end.details != "" {
		words += "\n" + end.details
	}
	outcome := event.Failed
	if end.isMet {
		outcome = event.OK
	}
	result := goal.Result{OK: end.isMet, Text: words}
	bodies := []event.Body{
		&event.Step{
			StepID: c.wait.Step, Tool: c.wait.Call.Tool, Outcome: outcome, MS: passed.Milliseconds(), Preview: preview,
			Result: words,
		},
		&event.Message{Message: goal.Message{
			Role: goal.ToolRole, CallID: c.wait.Call.ID, Step: c.wait.Step, Text: result.Envelope(),
		}},
	}
	if c.goal.Options.Engine != "" { // its call has ended with the run
		bodies = append(bodies, &event.Message{Message: goal.Message{
			Role: goal.User, Text: "The wait that you asked for is over: " + words,
		}})
	}
	if stop := c.run.journal.append(ctx, bodies...); stop != nil {
		c.cfg.Log.Error("end a wait", "goal", c.goal.ID, "error", stop.Reason)
		return nil, false
	}
	return []event.Body{&event.Resumed{Note: end.note}}, true
}

// Waiter is a Tool whose calls may wait for a condition after their run has stopped.
type Waiter interface {
	Tool
	// Look looks at the condition of a call. mark is what the first look found. An error means that the condition
	// cannot be looked at.
	Look(ctx context.Context, args json.RawMessage, mark string) (goal.Look, error)
}

// look looks at the condition of a call, with the rights that the call had.
func (r *Run) look(ctx context.Context, w goal.Wait) (found goal.Look, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("the tool %s panicked: %v", w.Call.Tool, p)
		}
	}()
	if r.integrity.readiness != nil {
		if err := r.integrity.readiness.Ready(); err != nil {
			return found, err
		}
	}
	tool, ok := r.dispatcher.tools[w.Call.Tool].(Waiter)
	if !ok {
		return found, errors.New("there is no tool " + w.Call.Tool)
	}
	effect, err := r.secrets.computeEffect(ctx, tool, w.Call)
	if err != nil {
		return found, err
	}
	c := &resolvedCall{Call: w.Call, effect: effect}
	if d := r.approvals.evaluatePolicy(c.withEffect(effect)); d.Answer != policy.Allow && w.Grant == "" {
		return found, errors.New("the policy does not allow it: " + d.Reason)
	}
	filled, err := r.secrets.fillSecrets(ctx, tool, w.Call, effect)
	if err != nil {
		return found, err
	}
	defer r.dispatcher.grants.openFor(w.Call, effect, w.Grant)()
	found, err = tool.Look(ctx, json.RawMessage(filled.Arguments), w.Mark)
	found.Text = r.secrets.redact(found.Text)
	return found, err
}
