package runner

import (
	"context"
	"fmt"
	"strings"
	"time"

	"goalpost/backend/event"
	"goalpost/backend/goal"
)

// settle writes the end of the run: the spent time, the host's report, and the
// event that ends or pauses the goal.
func (r *Run) settle(ctx context.Context, stop *Stop) error {
	if err := r.cfg.Journal.Heartbeat(ctx, r.id, r.spent()); err != nil {
		r.cfg.Log.Warn("spent time", "goal", r.goal.ID, "error", err)
	}
	report := r.report(stop)
	status := goal.StatusOf(stop.Exit)
	var body event.Body = &event.Ended{Status: status, Exit: stop.Exit, Verified: stop.Exit == goal.Done, Report: report}
	if status == goal.Paused {
		body = &event.Paused{Exit: stop.Exit, Reason: stop.Reason, Report: report}
	}
	if failure := r.append(ctx, body); failure != nil {
		return failure
	}
	return nil
}

// report is at most five bullets, written by the host from what it knows; the
// first one says why the run stopped.
func (r *Run) report(stop *Stop) []string {
	bullets := []string{r.why(stop)}
	if v := verdictBullet(r.last); v != "" {
		bullets = append(bullets, v)
	}
	s := r.goal.Spent
	bullets = append(bullets, fmt.Sprintf("%s, %s, %s in %s.", count(s.Steps, "step"), count(s.Iterations, "iteration"), count(r.claims, "claim"),
		r.spent().Round(100*time.Millisecond)))
	if s.TokensIn+s.TokensOut > 0 {
		spend := fmt.Sprintf("%d tokens in, %d out", s.TokensIn, s.TokensOut)
		if s.USD > 0 {
			spend += fmt.Sprintf(", $%.2f", s.USD)
		}
		bullets = append(bullets, spend+".")
	}
	switch {
	case stop.Exit == goal.Done:
		bullets = append(bullets, "The agent said: "+r.rationale)
	case r.gaveUp != nil:
		bullets = append(bullets, "What was learned: "+r.gaveUp.learned)
	}
	return bullets
}

func (r *Run) why(stop *Stop) string {
	switch stop.Exit {
	case goal.Done:
		return fmt.Sprintf("Done: the host verified claim %d. Not reviewed.", r.claims)
	case goal.GaveUp:
		return "The agent gave up: " + stop.Reason
	case goal.LimitReached, goal.Faulted, goal.Stuck, goal.NeedsOperator, goal.Parked, goal.UserPaused, goal.Interrupted, goal.UserAborted:
	}
	return "Stopped because " + strings.TrimSuffix(stop.Reason, ".") + "."
}

func verdictBullet(verdicts []goal.Verdict) string {
	if len(verdicts) == 0 {
		return ""
	}
	passed := 0
	var open []string
	for _, v := range verdicts {
		if v.Outcome == goal.Pass {
			passed++
			continue
		}
		open = append(open, v.Name+" ("+v.Detail+")")
	}
	s := fmt.Sprintf("%d of %s passed", passed, count(len(verdicts), "check"))
	if len(open) > 0 {
		s += "; open: " + strings.Join(open, "; ")
	}
	return s + "."
}

func count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
