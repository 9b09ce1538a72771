package api

import (
	"context"

	"goalpost/backend/goal"
)

// CheckSuggester proposes checks for a goal that is being entered.
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

	// SuggestOutput has proposals, which decide nothing until the user accepts them.
	SuggestOutput struct {
		Checks []SuggestedCheck `json:"checks"`
		Notes  []string         `json:"notes"` // what was not looked at, and why
	}

	// SuggestedCheck is one proposal.
	SuggestedCheck struct {
		Check      goal.Check `json:"check"`
		Reason     string     `json:"reason"`
		From       string     `json:"from"`        // objective, folder, server, model
		AllowLocal []int      `json:"allow_local"` // ports of this computer that the goal needs access to
	}
)

// Suggest proposes checks from the objective, the folder, running servers and, where one is connected, a model.
// Nothing is run.
func (a *GoalAPI) Suggest(in SuggestInput) (out SuggestOutput, err error) {
	defer a.recoverProblem(&err)
	return a.suggester.Suggest(a.ctx, in)
}

// TrySuggested runs a proposed check as pre-flight would, in a copy of the folder, so that it changes none of the
// user's files.
func (a *GoalAPI) TrySuggested(in TryInput) (out TryOutput, err error) {
	defer a.recoverProblem(&err)
	v, err := a.suggester.TrySuggested(a.ctx, in)
	if err != nil {
		return out, err
	}
	return NewTryOutput(v), nil
}
