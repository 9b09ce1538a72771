package api

import (
	"goalpost/backend/agent/suggest"
	"goalpost/backend/domain/goal"
)

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

// FolderOffer says what is known about a folder that the user types, and which ones to offer.
type FolderOffer struct {
	Dir       string   `json:"dir"`        // the typed folder as a whole path, "" if a goal cannot work there
	Problem   string   `json:"problem"`    // why not
	IsMissing bool     `json:"is_missing"` // it could be created
	Folders   []string `json:"folders"`    // whose paths begin with the typed text
	Recent    []string `json:"recent"`     // of the newest goals, the newest first
}
