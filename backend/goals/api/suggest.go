package api

import (
	"context"

	"goalpost/backend/agent/suggest"
	"goalpost/backend/domain/goal"
)

// CheckSuggester proposes checks for a goal that the user is entering.
type CheckSuggester interface {
	Suggest(ctx context.Context, in SuggestInput) (SuggestOutput, error)
	TrySuggested(ctx context.Context, in TryInput) (goal.Verdict, error)
}

// The types of GoalAPI.Suggest.
type (
	// SuggestInput describes the goal.
	SuggestInput struct {
		Objective string `json:"objective"`
		Dir       string `json:"dir"`      // "" = a new folder
		Provider  string `json:"provider"` // "" = the default
		Model     string `json:"model"`    // "" = the provider's
		NoModel   bool   `json:"no_model"` // ask no model
	}

	// SuggestOutput has the proposals, which have no effect until the user accepts them.
	SuggestOutput struct {
		Checks []SuggestedCheck `json:"checks"`
		Notes  []string         `json:"notes"` // why sources were not used
	}

	// SuggestedCheck is one proposal.
	SuggestedCheck struct {
		Check      goal.Check     `json:"check"`
		Reason     string         `json:"reason"`
		From       suggest.Source `json:"from"`
		AllowLocal []int          `json:"allow_local"` // ports of this computer that the goal needs access to
	}
)

// Suggest proposes checks from the objective, the folder, running servers and the model, if one is connected. It runs
// none of them.
func (ga *GoalAPI) Suggest(in SuggestInput) (out SuggestOutput, err error) {
	defer ga.recoverProblem(&err)
	return ga.goals.Suggester.Suggest(ga.ctx, in)
}

// TrySuggested runs a proposed check as pre-flight would, but in a copy of the folder, so that it cannot change the
// user's files.
func (ga *GoalAPI) TrySuggested(in TryInput) (out TryOutput, err error) {
	defer ga.recoverProblem(&err)
	v, err := ga.goals.Suggester.TrySuggested(ga.ctx, in)
	if err != nil {
		return out, err
	}
	return NewTryOutput(v), nil
}
