package runner

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"goalpost/backend/domain/event"
	"goalpost/backend/domain/goal"
	"goalpost/backend/lib/text"
)

// finishRun records the end of the run: the spent time, the host's report, and the event that ends or pauses the
// goal.
func (r *Run) finishRun(ctx context.Context, stop *Stop) error {
	if err := r.cfg.Store.Lifecycle.Heartbeat(ctx, r.id, r.budget.elapsed()); err != nil {
		r.cfg.Log.Warn("spent time", "goal", r.goal.ID, "error", err)
	}
	if err := r.cfg.Store.History.SaveLoopState(ctx, r.id, r.loopState()); err != nil {
		r.cfg.Log.Warn("save the loop state", "goal", r.goal.ID, "error", err)
	}
	if stop.Exit == goal.LimitReached { // also if the run was cut off
		if failure := r.budget.warnLimits(ctx, r.budget.limitUsages()...); failure != nil {
			return failure
		}
	}
	report := r.reporter.report(ctx, stop)
	report[0] += r.unreadNotes(ctx, stop)
	r.ended.report = report
	status := goal.StatusForExit(stop.Exit)
	var body event.Body = &event.Ended{
		Status:   status,
		Exit:     stop.Exit,
		Verified: stop.Exit == goal.Done && r.verification.claims.isVerifiedByHost(),
		Judged:   stop.Exit == goal.Done && r.verification.claims.isJudgedByModel(),
		Report:   report,
		Account:  r.ended.finalStatement,
		By:       stop.By,
		Result:   r.verification.claims.result(),

		Proof: r.verification.proofAt(stop),
	}
	if status == goal.Paused {
		body = &event.Paused{
			Exit:       stop.Exit,
			Reason:     stop.Reason,
			Report:     report,
			Account:    cmp.Or(r.ended.finalStatement, r.verification.claimWords(stop)),
			Until:      formatUntil(stop),
			Wait:       stop.Wait,
			Pane:       stop.Question.Pane,
			Unlock:     stop.Question.Unlock,
			Show:       stop.Question.Show,
			Changed:    stop.Changed,
			By:         stop.By,
			Result:     r.verification.claims.result(),
			Unanswered: r.turns.uncounted,
		}
	}
	if failure := r.journal.append(ctx, body); failure != nil {
		return failure
	}
	return nil
}

// unreadNotes lists the notes that the agent has not read because the goal ended. They wait for the goal's next
// run, if there is one.
func (r *Run) unreadNotes(ctx context.Context, stop *Stop) string {
	if goal.StatusForExit(stop.Exit) == goal.Paused {
		return ""
	}
	notes, err := r.orders.store.List(ctx, r.goal.ID, goal.OrderSteer, goal.OrderNote)
	if err != nil {
		r.cfg.Log.Warn("read the unread notes", "goal", r.goal.ID, "error", err)
	}
	if len(notes) == 0 {
		return ""
	}
	quotes := make([]string, 0, len(notes))
	for _, o := range notes {
		quotes = append(quotes, fmt.Sprintf("%q", text.Truncate(o.Text, 200)))
	}
	it := "it"
	if len(notes) > 1 {
		it = "them"
	}
	return fmt.Sprintf(" %s arrived after the last turn; the agent reads %s if the goal continues: %s.",
		goal.FormatCount(len(notes), "note"), it, strings.Join(quotes, "; "))
}

func formatUntil(s *Stop) string {
	if s.Until.IsZero() {
		return ""
	}
	return s.Until.UTC().Format(event.TimeLayout)
}

// reporter writes the report of a run.
type reporter struct {
	goal     *goal.Goal
	claims   *claimHistory
	budget   *budget
	plan     *plan
	requests *agentRequests
	history  History // nil if nothing is recorded

	folder   FolderState      // nil if nothing can be compared
	autorun  LeftoverReporter // nil if the session reports none
	worktree WorktreeCommitter
}

// report returns at most eight bullets, written by the host: why the run stopped, the verdicts, what the agent said,
// what changed, the usage, at most two about what the goal went through, and what the user can do next.
func (r *reporter) report(ctx context.Context, stop *Stop) []string {
	bullets := []string{
		r.stopReasonText(stop), verdictBullet(r.goal.Criterion, r.claims.last), r.agentText(stop),
		r.describeChanges(ctx, stop.Exit), r.budget.usageText(r.claims.total),
	}
	bullets = append(bullets, r.interruptions(ctx)...)
	bullets = append(bullets, nextSteps(stop.Exit))
	return slices.DeleteFunc(bullets, func(bullet string) bool { return bullet == "" })
}

// interruptions says what the goal went through without its user.
func (r *reporter) interruptions(ctx context.Context) []string {
	if r.history == nil {
		return nil
	}
	i, err := r.history.Interruptions(context.WithoutCancel(ctx), r.goal.ID)
	if err != nil {
		return []string{"For what it waited is unknown: " + err.Error()}
	}
	return i.Describe()
}

// agentText returns what the agent last said about its work, or its open todos.
func (r *reporter) agentText(stop *Stop) string {
	switch {
	case stop.Exit == goal.Done:
		return goal.WithOpenTodos("The agent said: "+r.claims.accepted.rationale, r.claims.accepted.openTodos)
	case r.requests.gaveUp != nil:
		return "What was learned: " + r.requests.gaveUp.lessons
	case r.plan.openTodos() != "":
		return "Still open in its plan: " + strings.ReplaceAll(r.plan.openTodos(), "\n", "; ")
	}
	return ""
}

// nextSteps says what the user can do after a stop, "" if the reason already says it or nothing can be done.
func nextSteps(exit goal.Exit) string {
	switch exit {
	case goal.Done:
		return "Next: look at the changes. If something is missing, reopen the goal with a note."
	case goal.GaveUp:
		return "Next: resume it with a note that helps, or start a new goal with another objective or check."
	case goal.Stuck:
		return "Next: resume it with a note that says what to do differently."
	case goal.LimitReached:
		return "Next: resume it with higher limits, or start a new goal with a smaller objective."
	case goal.ExitError:
		return "Next: repair what the reason names, and resume it."
	case goal.Interrupted, goal.PausedByUser:
		return "Next: resume it; it continues where it stopped."
	case goal.NeedsUser, goal.WaitingForProvider, goal.DailyLimitReached, goal.WaitingForCondition, goal.AbortedByUser:
	}
	return ""
}

func (r *reporter) stopReasonText(stop *Stop) string {
	switch stop.Exit {
	case goal.Done:
		return r.decidedByText()
	case goal.GaveUp:
		return "The agent gave up: " + stop.Reason
	case goal.DailyLimitReached, goal.WaitingForCondition:
		return stop.Reason
	case goal.WaitingForProvider:
		return goal.EndSentence("Waiting for the model: " + strings.TrimPrefix(stop.Reason, goal.ModelPrefix))
	case goal.LimitReached, goal.ExitError, goal.Stuck, goal.NeedsUser, goal.PausedByUser, goal.Interrupted,
		goal.AbortedByUser:
	}
	return goal.DescribeStop(stop.Reason)
}

// decidedByText says who decided.
func (r *reporter) decidedByText() string {
	n, a := r.claims.total, r.claims.accepted
	byUser := a != nil && a.accepted != nil
	var s string
	switch {
	case r.claims.isJudgedByModel():
		s = fmt.Sprintf("Done: a model judged claim %d", n)
		if byUser {
			s += " and the user accepted it"
		}
		if r.claims.hasProgramPassed() {
			s += "; programs checked only what needs no judgement."
		} else {
			s += "; no program decided."
		}
	case r.claims.isVerifiedByHost():
		s = "Done. All checks passed."
		if r.goal.Criterion.Any && len(r.goal.Criterion.Checks) > 1 {
			s = "Done. A check passed, and one is enough."
		}
	case byUser:
		s = fmt.Sprintf("Done: the user accepted claim %d. Not verified by the host.", n)
	default:
		s = fmt.Sprintf("Done on the agent's word at claim %d: not verified by the host.", n)
	}
	s += assuranceText(r.goal.Criterion, r.claims.last)
	switch rv := r.claims.review; {
	case rv == nil:
		return s + " Not reviewed."
	case rv.Error:
		return s + " Not reviewed: the user accepted it instead."
	default:
		return s + " Reviewed: " + rv.Reason
	}
}

// describeChanges describes what changed, where it is, and what the session reports about leftovers.
func (r *reporter) describeChanges(ctx context.Context, exit goal.Exit) string {
	parts := []string{r.folderChanges(ctx)}
	if work := r.goal.Policy.DescribeWork(); work != "" {
		parts = append(parts, "Its agent could change only "+work)
	}
	if dir := r.goal.Policy.CheckDir; dir != "" {
		parts = append(parts, "Only the checks could read "+dir)
	}
	if r.worktree != nil {
		parts = append(parts, r.worktree.CommitWorktree(ctx, *r.goal, exit))
	}
	if r.autorun != nil {
		parts = append(parts, r.autorun.ThingsLeft(ctx)...)
	}
	return strings.Join(slices.DeleteFunc(parts, func(s string) bool { return s == "" }), ". ")
}

// folderChanges describes the changes in the goal's folder.
func (r *reporter) folderChanges(ctx context.Context) string {
	if r.folder == nil {
		return ""
	}
	ctx, cancel := context.WithTimeout(ctx, time.Minute) // 200,000 files on a slow disk
	defer cancel()
	s, err := r.folder.Changed(ctx)
	if err != nil {
		return "The changes in the folder are unknown: " + err.Error()
	}
	return s
}

// verdictBullet describes the verdicts of the last claim. A rejection by the reviewer follows those of the checks.
func verdictBullet(c goal.Criterion, verdicts []goal.Verdict) string {
	if len(verdicts) == 0 {
		return ""
	}
	passed := 0
	judged := map[int]bool{}
	var levels []string
	var open, silent, fewer []string
	for _, v := range verdicts {
		judged[v.Check] = true
		switch {
		case v.Outcome != goal.Pass:
			open = append(open, v.Name+" ("+v.Detail+")")
			continue
		case v.Fewer > 0:
			fewer = append(fewer,
				fmt.Sprintf("%s ran %s, %d fewer than before the goal began", v.Name, goal.FormatCount(v.Tests, "test"), v.Fewer))
		}
		if v.Assurance != "" && v.Check < len(c.Checks) {
			levels = append(levels, fmt.Sprintf("%s (%s)", text.Truncate(v.Name, 60), v.Assurance))
		}
		passed++
	}
	for i, k := range c.Checks {
		if !judged[i] {
			silent = append(silent, k.Name())
		}
	}
	s, label := fmt.Sprintf("%d of %s passed", passed, goal.FormatCount(len(c.Checks), "check")), "; open: "
	if c.Any && passed > 0 && passed < len(c.Checks) {
		s, label = s+", and one is enough", "; not passed: "
	}
	if len(levels) > 1 {
		s += ": " + strings.Join(firstEntries(levels, 5), ", ")
	}
	for _, part := range []struct {
		words string
		list  []string
	}{{label, open}, {"; not decided: ", silent}, {"; look: ", fewer}} {
		if len(part.list) > 0 {
			s += part.words + strings.Join(part.list, "; ")
		}
	}
	return goal.EndSentence(s)
}

// firstEntries returns the first entries of a list, and how many more there are.
func firstEntries(list []string, limit int) []string {
	if len(list) <= limit {
		return list
	}
	return append(slices.Clone(list[:limit]), fmt.Sprintf("and %d more", len(list)-limit))
}
