package lifecycle

import (
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"time"

	"goalpost/backend/core/runner"
	"goalpost/backend/core/verify"
	"goalpost/backend/domain/goal"
	"goalpost/backend/domain/policy"
)

const (
	maxTriedAge    = 2 * time.Minute // what a check reads besides files may change
	maxTriedChecks = 100
)

// triedChecks remembers the results of checks that were tried for a new goal, so that its start does not run them
// again. It may be used concurrently.
type triedChecks struct {
	clock runner.Clock

	mu      sync.Mutex
	results map[string]triedCheck
}

type triedCheck struct {
	verdict goal.Verdict
	at      time.Time
}

// add remembers the result of a check that ran in a folder. isCopy says that it ran in a copy of the folder: then it
// counts only if the check fails, and does not name the folder.
func (tc *triedChecks) add(p policy.Policy, dir string, c goal.Check, v goal.Verdict, isCopy bool) {
	key, err := triedKey(p, dir, c)
	if err != nil || isCopy && (v.Outcome != goal.FailsAsExpected || strings.Contains(c.Command, dir)) {
		return
	}
	tc.mu.Lock()
	defer tc.mu.Unlock()
	now := tc.clock.Now()
	for old, one := range tc.results {
		if now.Sub(one.at) > maxTriedAge || len(tc.results) >= maxTriedChecks {
			delete(tc.results, old)
		}
	}
	if tc.results == nil {
		tc.results = map[string]triedCheck{}
	}
	tc.results[key] = triedCheck{v, now}
}

// find returns the result of a check, if it was tried with the same permissions a moment ago and nothing that it used
// has changed since.
func (tc *triedChecks) find(p policy.Policy, dir string, c goal.Check) (goal.Verdict, bool) {
	key, err := triedKey(p, dir, c)
	if err != nil {
		return goal.Verdict{}, false
	}
	tc.mu.Lock()
	one, isKnown := tc.results[key]
	tc.mu.Unlock()
	if !isKnown || tc.clock.Now().Sub(one.at) > maxTriedAge || !verify.IsCurrent(dir, one.verdict.Observation) {
		return goal.Verdict{}, false
	}
	return one.verdict, true
}

// triedKey identifies a check with what its result depends on, apart from files.
func triedKey(p policy.Policy, dir string, c goal.Check) (string, error) {
	p.Dir, p.Work = dir, nil // Work limits the agent
	c.TimeoutMS = 0
	key, err := json.Marshal(struct {
		Policy policy.Policy
		Check  goal.Check
	}{p, c})
	if err != nil {
		return "", fmt.Errorf("tried check: %w", err)
	}
	return string(key), nil
}
