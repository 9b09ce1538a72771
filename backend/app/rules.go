package app

import (
	"fmt"
	"os"
	"time"

	"goalpost/backend/policy"
)

// ruleSet is what holds for every goal of this program. Its own folders are written by no goal.
func (a *App) ruleSet() (policy.RuleSet, error) {
	home, err := os.UserHomeDir()
	if err != nil {
		home = "" // then every folder may be it
	}
	law, err := policy.DefaultRules(home, a.cfg.State())
	if err != nil {
		return law, fmt.Errorf("the rules: %w", err)
	}
	return law, nil
}

// approvalTimeout is how long an approval waits for a user: not at all where there is
// no window and no terminal.
func (a *App) approvalTimeout() time.Duration {
	if !a.followOthers && !a.attended {
		return 0
	}
	return time.Duration(a.cfg.Settings().ApprovalMinutes) * time.Minute
}
