package calls

import (
	"slices"
	"strings"

	"goalpost/backend/domain/event"
	"goalpost/backend/domain/goal"
	"goalpost/backend/storage/store"
)

// buildTimeline lists the results of checks, critic and reviewer in the order of time.
func buildTimeline(f goalFacts, status goal.Status) []TimelineEntry {
	list := []TimelineEntry{}
	for i, c := range f.claims {
		m := claimEntry(c)
		if i == len(f.claims)-1 && len(c.Verdicts) == 0 {
			switch {
			case f.waits:
				m.What, m.Detail = "verify:waits", "everything else passed"
			case status == goal.Running:
				m.What, m.Detail = "verify:running", "the checks are being run"
			}
		}
		list = append(list, m)
	}
	for _, o := range f.reviews {
		list = append(list, reviewEntry(o))
	}
	slices.SortStableFunc(list, func(a, b TimelineEntry) int { return int(a.AtMS - b.AtMS) })
	return list
}

func claimEntry(c store.Claim) TimelineEntry {
	m := TimelineEntry{AtMS: c.AtMS, What: "verify:pass", Detail: c.Rationale, Claim: c.N}
	for _, v := range c.Verdicts {
		switch v.Outcome {
		case goal.Pass:
			continue
		case goal.CheckErr:
			m.What = "verify:error"
		case goal.Tampered:
			m.What = "verify:tampered"
		case goal.Fail, goal.AlreadyPasses, goal.FailsAsExpected, goal.CheckUnrunnable, goal.NotRepeatable:
			m.What = "verify:fail"
		}
		m.Detail = v.Name + ": " + v.Detail
	}
	if len(c.Verdicts) == 0 {
		m.What, m.Detail = "verify:fail", "the checks were not run for this claim"
	}
	return m
}

func reviewEntry(o store.ReviewRecord) TimelineEntry {
	if o.Review != nil {
		return TimelineEntry{
			AtMS:   o.AtMS,
			What:   "review:" + string(reviewLabel(o.Review)),
			Detail: o.Review.Reason,
			Claim:  o.Review.Claim,
		}
	}
	return TimelineEntry{
		AtMS:   o.AtMS,
		What:   "critic:" + strings.ToLower(string(o.Critic.Verdict)),
		Detail: o.Critic.Reason,
		Step:   o.Critic.Step,
	}
}

func reviewLabel(r *event.Review) ReviewResult {
	switch {
	case r.Error:
		return ReviewError
	case r.Confirmed:
		return ReviewConfirmed
	}
	return ReviewRejected
}
