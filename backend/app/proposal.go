package app

import (
	"fmt"
	"path/filepath"

	"goalpost/backend/api"
	"goalpost/backend/config"
)

// Proposal reads what the folder proposes as its criterion. Nothing of it counts
// before the user has seen it and says so.
func (a *App) Proposal(dir string) (out api.ProposalView, err error) {
	if dir, err = a.validateExistingDir(dir); err != nil {
		return out, err
	}
	file := filepath.Join(dir, filepath.FromSlash(config.ProposalFile))
	p, err := config.ReadCriterion(file)
	if err != nil {
		return out, fmt.Errorf("proposal: %w", err)
	}
	return api.ProposalView{Path: file, Text: p.Text, Checks: p.Criterion.Checks, Any: p.Criterion.Any, Words: p.Criterion.Describe(), Hosts: append([]string{}, CheckHosts(p.Criterion.Checks)...)}, nil
}
