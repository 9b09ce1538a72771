package runner

import (
	"slices"
	"testing"

	"goalpost/backend/domain/goal"
)

// TestClaims_PassOrOtherError_RestartsTheCount checks that failures are counted for each check.
func TestClaims_PassOrOtherError_RestartsTheCount(t *testing.T) {
	v := func(check int, o goal.Outcome, detail string) goal.Verdict {
		return goal.Verdict{Check: check, Name: "c", Outcome: o, Detail: detail}
	}
	try := func(rounds ...[]goal.Verdict) *Stop {
		c := newClaims(0)
		for _, verdicts := range rounds {
			c.last = verdicts
			c.record(verdicts)
		}
		return c.stopReason(5)
	}
	fail, pass, broken, other := []goal.Verdict{v(0, goal.Fail, "d")}, []goal.Verdict{v(0, goal.Pass, "")},
		[]goal.Verdict{v(0, goal.CheckErr, "e")}, []goal.Verdict{v(0, goal.CheckErr, "f")}
	for name, c := range map[string]struct {
		rounds [][]goal.Verdict
		want   goal.Exit
	}{
		"four failures":              {[][]goal.Verdict{fail, fail, fail, fail}, ""},
		"five failures":              {[][]goal.Verdict{fail, fail, fail, fail, fail}, goal.Stuck},
		"a pass between":             {[][]goal.Verdict{fail, fail, pass, fail, fail, fail}, ""},
		"the same error three times": {[][]goal.Verdict{broken, broken, broken}, goal.NeedsUser},
		"another error between":      {[][]goal.Verdict{broken, broken, other, broken}, ""},
		"errors and failures mixed":  {[][]goal.Verdict{broken, fail, broken, fail, broken}, goal.Stuck},
	} {
		stop := try(c.rounds...)
		if (stop == nil) != (c.want == "") || stop != nil && stop.Exit != c.want {
			t.Errorf("%s: %v", name, stop)
		}
	}
}

// TestClaims_ResumedGoal_CountsEarlierOnes covers earlier claims that the reviewer rejected or could not review.
func TestClaims_ResumedGoal_CountsEarlierOnes(t *testing.T) {
	pass := []goal.Verdict{{Check: 0, Outcome: goal.Pass}}
	rejected := goal.ClaimRecord{Verdicts: pass, Review: &goal.Review{Reason: "no"}}
	undecided := goal.ClaimRecord{Verdicts: pass, Review: &goal.Review{Error: true, Reason: "broken"}}
	for name, c := range map[string]struct {
		past []goal.ClaimRecord
		now  goal.Verdict // the verdict of the next claim
		want goal.Exit
	}{
		"four rejections": {
			[]goal.ClaimRecord{rejected, rejected, rejected, rejected},
			reviewRejection(1, *rejected.Review),
			goal.Stuck,
		},
		"three": {[]goal.ClaimRecord{rejected, rejected, rejected}, reviewRejection(1, *rejected.Review), ""},
		"four that were not decided": {
			[]goal.ClaimRecord{undecided, undecided, undecided, undecided}, reviewRejection(1, *rejected.Review), "",
		},
		"a confirmed one": {[]goal.ClaimRecord{{
			Verdicts: pass,
			Review:   &goal.Review{Confirmed: true},
		}}, reviewRejection(1, *rejected.Review), ""},
	} {
		k := newClaims(len(c.past))
		k.restore(goal.RunHistory{Claims: c.past}, 1)
		k.last = append(slices.Clone(pass), c.now)
		k.record(k.last)
		if stop := k.stopReason(5); (stop == nil) != (c.want == "") || stop != nil && stop.Exit != c.want {
			t.Errorf("%s: %v", name, stop)
		}
	}
}

// TestClaims_SameErrorWithOtherNumbers_CountsAsSame: ports, times and ids in an error differ each time.
func TestClaims_SameErrorWithOtherNumbers_CountsAsSame(t *testing.T) {
	for _, c := range []struct {
		details []string
		asks    bool
	}{
		{[]string{"dial 127.0.0.1:43122: refused", "dial 127.0.0.1:51000: refused", "dial 127.0.0.1:9: refused"}, true},
		{[]string{
			"asking the judge: request id 7f3ab9", "asking the judge: request id 0011cd",
			"asking the judge: request id 9",
		}, true},
		{
			[]string{"overloaded (req_011CSHoEeqs5C35K)", "overloaded (req_022DTIpFfrt6D46L)", "overloaded (req_99xzX8aaaaaa)"},
			true,
		},
		{[]string{"dial 127.0.0.1:43122: refused", "it did not end within 2 s", "dial 127.0.0.1:9: refused"}, false},
	} {
		k := newClaims(0)
		for _, d := range c.details {
			k.last = []goal.Verdict{{Outcome: goal.CheckErr, Detail: d}}
			k.record(k.last)
		}
		if stop := k.stopReason(0); (stop != nil) != c.asks || stop != nil && stop.Exit != goal.NeedsUser {
			t.Errorf("%q: %v", c.details, stop)
		}
	}
}
