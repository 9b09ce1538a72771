package calls

import (
	"time"

	"goalpost/backend/core/verify/why"
	"goalpost/backend/domain/event"
	"goalpost/backend/domain/goal"
	"goalpost/backend/lib/text"
	"goalpost/backend/storage/store"
)

// activitySlices is the number of bars in the sparkline of a card.
const activitySlices = 24

func formatTime(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format(event.TimeLayout)
}

// cardFacts are the facts that a card shows in addition to the goal's row.
type cardFacts struct {
	activity []int
	asks     int // calls that wait for the user
	proof    goal.Proof
	owner    int       // pid of the process that has it, 0 if there is none
	parked   time.Time // since when it waits for its model
}

func goalCard(r store.GoalRow, f cardFacts) GoalCard {
	c := GoalCard{
		ID:        string(r.ID),
		Objective: r.Objective,
		Dir:       r.Policy.Dir,
		Status:    r.Status,
		Exit:      r.Exit,
		Verified:  r.Verified,
		Judged:    r.Judged,
		Scripted:  r.Scripted,
		Model:     r.Model,
		Engine:    r.Options.Engine,
		CreatedAt: formatTime(r.CreatedAt),
		StartedAt: formatTime(r.StartedAt),
		EndedAt:   formatTime(r.EndedAt),
		GoalUsage: GoalUsage{
			SpentMS:    r.Spent.WallClock.Milliseconds(),
			Steps:      r.Spent.Steps,
			Iterations: r.Spent.Iterations,
			TokensIn:   r.Spent.TokensIn,
			TokensOut:  r.Spent.TokensOut,
			USD:        r.Spent.USD,
		},
		ChecksPassed: r.ChecksPassed,
		Checks:       len(r.Criterion.Checks),
		ParkedUntil:  formatTime(r.ParkedUntil),
		ParkedSince:  formatTime(f.parked),
		Seq:          r.Seq,
		Activity:     f.activity,
		PID:          f.owner,
		Asks:         f.asks,
		Parent:       r.Origin.Parent,
	}
	if r.Origin.Worktree != nil {
		c.Dir = r.Origin.Worktree.Folder
	}
	if c.Race = r.Origin.Race; c.Race != nil {
		c.Dir = c.Race.Folder
	}
	if r.Exit == goal.Done {
		c.Proof, c.AssuranceWords = f.proof.After(r.Aftermath, r.JudgeName())
	}
	if c.Aftermath = r.Aftermath.Describe(); r.Aftermath.IsStale() {
		c.ChecksPassed = r.Aftermath.Passed
	}
	if f.owner != 0 {
		c.Queued = r.Queued
	}
	if len(r.Report) > 0 {
		c.Reason = r.Report[0]
	}
	return c
}

// goalFacts are the stored facts about a goal in addition to its row.
type goalFacts struct {
	claims    []store.Claim
	reviews   []store.ReviewRecord
	todos     []goal.Todo
	notes     []goal.Note
	card      cardFacts
	waits     bool
	subject   store.Subject
	protected []event.Event // warnings about protected files; only for a receipt
}

// goalView builds the view of a goal from its row and facts.
func goalView(r store.GoalRow, f goalFacts, panes []string) GoalView {
	return GoalView{
		GoalCard:        goalCard(r, f.card),
		CriterionSHA256: r.CriterionSHA256,
		Any:             r.Criterion.Any,
		CheckStates:     checkStates(r, f.claims),
		Policy:          r.Policy,
		Provider:        r.Provider,
		GoalLimits: GoalLimits{
			WallClockMS:   r.Limits.WallClock().Milliseconds(),
			MaxIterations: r.Limits.Iterations,
			MaxClaims:     r.Limits.ClaimsPerCheck,
			MaxTokens:     r.Limits.Tokens,
			MaxUSD:        r.Limits.USD,
		},
		Report:       reportNow(r),
		Account:      r.Account,
		Result:       resultOf(r, f),
		ReopenNote:   reopenNote(r, f),
		Checks:       append([]goal.Check{}, r.Criterion.Checks...),
		Require:      r.Criterion.Require,
		Options:      OptionsView{r.Options, r.Origin},
		MergeCommand: mergeCommand(r.Goal),
		Reviewed:     r.NeedsReview(),
		Waits:        f.waits,
		Tampered:     len(f.subject.Changed) > 0,
		AskedPane:    f.subject.Pane,
		Unlock:       f.subject.Unlock,
		Proposal:     f.subject.Show,
		Todos:        append([]goal.Todo{}, f.todos...),
		Notes:        append([]goal.Note{}, f.notes...),
		Panes:        append([]string{}, panes...),
		Marks:        buildTimeline(f, r.Status),
	}
}

// reportNow returns the report of the host, below a sentence about what became of the goal since.
func reportNow(r store.GoalRow) []string {
	report := append([]string{}, r.Report...)
	now := r.Aftermath.Describe()
	if now == "" || len(report) == 0 {
		return report
	}
	return append([]string{"Since then: " + now + ". The lines below are about the end of the goal."}, report...)
}

// reopenNote returns a note with which a doubted pass can go back to the agent, "" if the pass is not doubted.
func reopenNote(r store.GoalRow, f goalFacts) string {
	proof, _ := f.card.proof.After(r.Aftermath, "")
	if _, isOpen := proof.AcceptedByUser(); !isOpen || len(f.claims) == 0 {
		return ""
	}
	return why.ReopenNote(proof, f.claims[len(f.claims)-1].Verdicts)
}

// resultOf returns the result of the claim that was verified or waits for the user.
func resultOf(r store.GoalRow, f goalFacts) string {
	if len(f.claims) == 0 || r.Exit != goal.Done && !f.waits {
		return ""
	}
	return f.claims[len(f.claims)-1].Result
}

// checkStates adds the newest verdict to every check.
func checkStates(r store.GoalRow, claims []store.Claim) []CheckState {
	states := make([]CheckState, len(r.Criterion.Checks))
	for i, c := range r.Criterion.Checks {
		states[i] = CheckState{Type: c.Type, Name: c.Name(), Words: c.Describe()}
	}
	for _, claim := range claims {
		for _, v := range claim.Verdicts {
			if v.Check >= len(states) {
				continue
			}
			s := &states[v.Check]
			s.Outcome, s.Detail, s.Tail, s.MS, s.Claim = v.Outcome, v.Detail, v.Tail, v.TookMS, claim.N
			s.Proof, s.AssuranceWords, s.Evidence = v.Proof, v.Describe(r.JudgeOf(r.Criterion.Checks[v.Check])), v.Evidence
			s.Changes, s.Why = v.Changes, why.Explain(r.Criterion.Checks[v.Check], v, r.JudgeOf(r.Criterion.Checks[v.Check]))
		}
	}
	applyAftermath(states, r.Aftermath)
	return states
}

// applyAftermath replaces verdicts of the claim by what the checks say about the present folder.
func applyAftermath(states []CheckState, a goal.Aftermath) {
	for i := range states {
		if s := &states[i]; a.Undone.Count > 0 {
			*s = CheckState{Type: s.Type, Name: s.Name, Words: s.Words, Claim: s.Claim, Detail: "not run since the undo"}
		}
	}
	for _, v := range a.Verdicts {
		if v.Check >= len(states) {
			continue
		}
		s := &states[v.Check]
		if v.Outcome == goal.NotRepeatable {
			s.Detail = v.Detail
			continue
		}
		if v.Outcome != s.Outcome {
			s.Proof, s.AssuranceWords, s.Evidence, s.Why = goal.Proof{}, "", "", nil
		}
		s.Outcome, s.Detail, s.Tail, s.MS = v.Outcome, v.Detail, v.Tail, v.TookMS
	}
}

func stepRow(s store.Step) StepRow {
	const maxArguments = 2000 // characters
	return StepRow{
		N:           s.N,
		AtMS:        s.AtMS,
		Tool:        s.Tool,
		Arguments:   text.Truncate(s.Arguments, maxArguments),
		Outcome:     s.Outcome,
		MS:          s.MS,
		Preview:     s.Preview,
		ImageSHA256: s.ImageSHA256,
		Effect:      s.Risk,
	}
}
