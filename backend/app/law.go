package app

import (
	"fmt"
	"os"
	"time"

	"goalpost/backend/policy"
)

// law is what holds for every goal of this program. Its own folders are written by no goal.
func (a *App) law() (policy.RuleSet, error) {
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

// patience is how long an approval waits for a person: not at all where there is
// no window and no terminal.
func (a *App) patience() time.Duration {
	if !a.watch && !a.attended {
		return 0
	}
	return time.Duration(a.cfg.Settings().ApprovalMinutes) * time.Minute
}
