package verify_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"goalpost/backend/domain/goal"
)

// agentPrograms are the programs of a goal's agent. If fault is not nil, they cannot be frozen.
type agentPrograms struct {
	fault           error
	frozen          bool
	listens, served bool
}

func (a *agentPrograms) Listens() bool { return a.listens }
func (a *agentPrograms) Served() bool  { return a.served }

func (a *agentPrograms) Freeze(context.Context) error {
	a.frozen = a.fault == nil
	return a.fault
}

func (a *agentPrograms) Thaw() { a.frozen = false }

// TestCriterion_AgentsPrograms_AreFrozenUntilResumed also covers a claim that passes, because the programs of a goal
// that may be done stay frozen.
func TestCriterion_AgentsPrograms_AreFrozenUntilResumed(t *testing.T) {
	for _, command := range []string{"true", "false"} {
		h, a := host(t), &agentPrograms{}
		h.Agent = a
		seen := false
		g := goal.Goal{Request: goal.Request{Criterion: goal.Criterion{Checks: []goal.Check{shell(command)}}}}
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

// TestCriterion_AgentsProgramsRun_LowersTheLevel: running programs of the agent can change a file for the moment of the
// check.
func TestCriterion_AgentsProgramsRun_LowersTheLevel(t *testing.T) {
	h := host(t)
	file := goal.Check{Type: goal.File, Path: "done.txt"}
	if v := one(t, h, file); v.Assurance != goal.Strong {
		t.Errorf("without an agent: %+v", v)
	}
	h.Agent = &agentPrograms{fault: errors.New("a program listens")}
	if v := one(t, h, file); v.Assurance != goal.Weakened || !strings.Contains(v.AssuranceReason, "a program listens") {
		t.Errorf("%+v", v)
	}
	h.Agent = &agentPrograms{listens: true}
	if v := one(t, h, file); v.Assurance != goal.Strong {
		t.Errorf("while a program listens that the check does not ask: %+v", v)
	}
	h.Agent = &agentPrograms{listens: true, served: true}
	if v := one(t, h, file); v.Assurance != goal.Tested || v.Basis != goal.BasisAnswers {
		t.Errorf("while a program listens that the check asks: %+v", v)
	}
}
