package inputs

import (
	"slices"

	"goalpost/backend/domain/goal"
)

// maxGrounds limits each list of a goal.Grounds.
const maxGrounds = 20

// Grounds returns what the pass rests on, nil if the check was not observed.
func (c PassedCheck) Grounds() *goal.Grounds {
	if c.After == nil {
		return nil
	}
	g := &goal.Grounds{LostTests: c.lostTests()}
	if c.Before != nil {
		g.Start, g.PassedAtStart = c.Before.Result, c.Before.HasPassed
	}
	for _, p := range c.After.Programs {
		if p.File != "" && !slices.Contains(g.Programs, p.File) {
			g.Programs = append(g.Programs, p.File)
		}
	}
	g.Same = c.unchangedJudges()
	g.Programs = g.Programs[:min(len(g.Programs), maxGrounds)]
	g.LostTests = g.LostTests[:min(len(g.LostTests), maxGrounds)]
	g.Same = g.Same[:min(len(g.Same), maxGrounds)]
	return g
}

// unchangedJudges lists the used files that decide how the check ends, and that are as at the start, tests first.
func (c PassedCheck) unchangedJudges() []goal.KeptFile {
	made := slices.Concat(c.After.Written, c.After.Rewritten)
	for _, f := range c.Changes {
		made = append(made, f.Path)
	}
	var tests, others []goal.KeptFile
	for _, u := range c.After.Files {
		kept := goal.KeptFile{Path: u.Path, Role: u.Role}
		switch {
		case !u.Role.Decides(), slices.Contains(made, u.Path), slices.Contains(tests, kept), slices.Contains(others, kept):
		case u.Role == goal.RoleTest:
			tests = append(tests, kept)
		default:
			others = append(others, kept)
		}
	}
	return slices.Concat(tests, others)
}

// lostTests lists the tests that ran in pre-flight and did not run now, nil if that is unknown.
func (c PassedCheck) lostTests() []string {
	if c.Before == nil || c.After == nil || len(c.After.Tests) == 0 {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(c.Before.Tests), func(name string) bool {
		return slices.Contains(c.After.Tests, name)
	})
}
