package verify_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"goalpost/backend/goal"
)

// agentPrograms are those of a goal that cannot be frozen if fault is not nil.
type agentPrograms struct {
	fault  error
	frozen bool
}

func (a *agentPrograms) Freeze(context.Context) error {
	a.frozen = a.fault == nil
	return a.fault
}

func (a *agentPrograms) Thaw() { a.frozen = false }

// TestCriterion_AgentsPrograms_AreFrozenUntilResumed: also after a claim that passes, because the goal may be done.
func TestCriterion_AgentsPrograms_AreFrozenUntilResumed(t *testing.T) {
	for _, command := range []string{"true", "false"} {
		h, a := host(t), &agentPrograms{}
		h.Agent = a
		seen := false
		g := goal.Goal{Criterion: goal.Criterion{Checks: []goal.Check{shell(command)}}}
		_, err := h.DecideClaim(t.Context(), g, goal.Claim{}, func(goal.Verdict) error {
			seen = a.frozen
			return nil
		})
		if err != nil || !seen || !a.frozen {
			t.Errorf("%s: frozen at the verdict %v, afterwards %v, %v", command, seen, a.frozen, err)
		}
		if h.ResumeAgent(); a.frozen {
			t.Errorf("%s: still frozen", command)
		}
	}
}

// TestCriterion_AgentsProgramsRun_LowersTheLevel of what they could have changed for a moment, but not of an answer
// over HTTP, which they may give.
func TestCriterion_AgentsProgramsRun_LowersTheLevel(t *testing.T) {
	h := host(t)
	file := goal.Check{Type: goal.File, Path: "done.txt"}
	if v := one(t, h, file); v.Assurance != goal.Strong {
		t.Errorf("without an agent: %+v", v)
	}
	h.Agent = &agentPrograms{fault: errors.New("a program listens")}
	if v := one(t, h, file); v.Assurance != goal.Shared || !strings.Contains(v.AssuranceReason, "a program listens") {
		t.Errorf("%+v", v)
	}
}
