package api

import (
	"time"

	"goalpost/backend/event"
	"goalpost/backend/goal"
	"goalpost/backend/store"
)

// slices is how many bars the sparkline of a card has.
const slices = 24

func stamp(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format(event.TimeLayout)
}

func card(r store.Row, activity []int) GoalCard {
	c := GoalCard{
		ID: string(r.ID), Objective: r.Objective, Status: r.Status, Exit: r.Exit, Verified: r.Verified, Scripted: r.Scripted,
		CreatedAt: stamp(r.CreatedAt), StartedAt: stamp(r.StartedAt), EndedAt: stamp(r.EndedAt), SpentMS: r.Spent.WallClock.Milliseconds(),
		Steps: r.Spent.Steps, Iterations: r.Spent.Iterations, ChecksPassed: r.ChecksPassed, Checks: len(r.Criterion.Checks),
		TokensIn: r.Spent.TokensIn, TokensOut: r.Spent.TokensOut, USD: r.Spent.USD, Seq: r.Seq, Activity: activity,
	}
	if len(r.Report) > 0 {
		c.Reason = r.Report[0]
	}
	return c
}

func view(r store.Row, claims []store.Claim, activity []int, panes []string) GoalView {
	return GoalView{
		GoalCard: card(r, activity), CriterionSHA256: r.CriterionSHA256, Any: r.Criterion.Any, CheckStates: checkStates(r, claims),
		Policy: r.Policy, Provider: r.Provider, Model: r.Model, WallClockMS: r.Limits.WallClock.Milliseconds(),
		MaxIterations: r.Limits.Iterations, MaxTokens: r.Limits.Tokens, MaxUSD: r.Limits.USD,
		Report: append([]string{}, r.Report...), Panes: append([]string{}, panes...), Marks: marks(claims),
	}
}

// checkStates gives every check its newest verdict.
func checkStates(r store.Row, claims []store.Claim) []CheckState {
	states := make([]CheckState, len(r.Criterion.Checks))
	for i, c := range r.Criterion.Checks {
		states[i] = CheckState{Type: c.Type, Name: c.Name(), Words: c.Words()}
	}
	for _, claim := range claims {
		for _, v := range claim.Verdicts {
			if v.Check >= len(states) {
				continue
			}
			s := &states[v.Check]
			s.Outcome, s.Detail, s.Tail, s.MS, s.Claim = v.Outcome, v.Detail, v.Tail, v.TookMS, claim.N
		}
	}
	return states
}

func marks(claims []store.Claim) []Mark {
	list := []Mark{}
	for _, c := range claims {
		m := Mark{AtMS: c.AtMS, What: "verify:pass", Detail: c.Rationale, Claim: c.N}
		for _, v := range c.Verdicts {
			switch v.Outcome {
			case goal.Pass:
				continue
			case goal.CheckErr:
				m.What = "verify:error"
			case goal.Fail, goal.Tampered, goal.PassesNow, goal.FailsNow, goal.CannotRun:
				m.What = "verify:fail"
			}
			m.Detail = v.Name + ": " + v.Detail
		}
		if len(c.Verdicts) == 0 {
			m.What, m.Detail = "verify:fail", "nothing was done since the last failed claim"
		}
		list = append(list, m)
	}
	return list
}

func stepRow(s store.Step) StepRow {
	const most = 2000
	args := s.Arguments
	if runes := []rune(args); len(runes) > most {
		args = string(runes[:most]) + "…"
	}
	return StepRow{
		N: s.N, AtMS: s.AtMS, Tool: s.Tool, Arguments: args, Outcome: string(s.Outcome), MS: s.MS, Preview: s.Preview,
		ImageSHA256: s.ImageSHA256, Effect: s.Risk,
	}
}

func receipt(r store.Row, claims []store.Claim) ReceiptView {
	v := ReceiptView{
		GoalID: string(r.ID), Objective: r.Objective, Criterion: r.Criterion.Words(), CriterionSHA256: r.CriterionSHA256,
		PolicySHA256: r.PolicySHA256, Status: r.Status, Exit: r.Exit, Verified: r.Verified, Model: r.Model, Scripted: r.Scripted,
		Claims: []ReceiptClaim{},
	}
	for i, c := range claims {
		deciding := r.Exit == goal.Done && i == len(claims)-1
		v.Claims = append(v.Claims, ReceiptClaim{
			N: c.N, At: stamp(c.At), Rationale: c.Rationale, Deciding: deciding, Verdicts: append([]goal.Verdict{}, c.Verdicts...),
		})
	}
	return v
}
