package session

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"goalpost/backend/agent/tools"
	"goalpost/backend/core/verify/protect"
	"goalpost/backend/domain/policy"
	"goalpost/backend/goals/goalsandbox"
	"goalpost/backend/lib/fault"
)

// accessRequester validates an agent's requests for access to this machine.
type accessRequester struct{ session *Session }

var _ tools.Access = accessRequester{}

// Validate refuses access that no goal may have. Its answer must not show the agent whether a path exists, which needs
// the user's approval.
func (ar accessRequester) Validate(ctx context.Context, want policy.MachineAccess) (policy.MachineAccess, error) {
	rules, p := ar.session.registry.Sandboxes.Access, ar.session.policy
	if want.Kind == policy.PortAccess {
		return want, agentRefusal(rules.ValidateGrants(&policy.Policy{
			Risk:       p.Risk,
			Dir:        p.Dir,
			AllowLocal: []int{want.Port},
		}))
	}
	// Decided by the name alone, so that the answer does not depend on whether the path exists.
	if want.Kind != policy.SocketAccess {
		if err := rules.ValidateForeignPath(filepath.Clean(want.Path)); err != nil {
			return want, agentRefusal(err)
		}
	}
	real, err := filepath.EvalSymlinks(want.Path)
	if err != nil || rules.ValidateAccess(policy.MachineAccess{Kind: want.Kind, Path: real}) != nil {
		return want, nil //nolint:nilerr // the user sees the path, and an approval has no effect
	}
	want.Path = real
	extends := want.Kind == policy.WriteAccess && len(p.Work) > 0 && real != p.Dir
	if policy.IsWithin(p.Dir, real) && !extends {
		return want, fmt.Errorf("%s is in the goal's own folder", real)
	}
	if policy.IsWithin(real, p.Dir) {
		return want, fmt.Errorf("%s contains the goal's folder; the user can start a goal in it, or with --allow-read",
			real)
	}
	with := policy.Policy{
		Risk:       p.Risk,
		Dir:        p.Dir,
		AllowWrite: p.AllowWrite,
		CheckDir:   p.CheckDir,
		Hidden:     p.Hidden,
	}
	switch want.Kind {
	case policy.ReadAccess:
		with.AllowRead = []string{real}
	case policy.SocketAccess:
		with.AllowSocket = []string{real}
	case policy.WriteAccess:
		with.AllowWrite = append(slices.Clone(p.AllowWrite), real)
		other, err := ar.session.registry.Store.Queue.ConflictingWriter(ctx, real, ar.session.goal)
		if err != nil || other != "" {
			return want, errors.Join(err, fmt.Errorf("goal %s may write there now; wait until it has ended", other.Short()))
		}
	case policy.PortAccess:
	}
	return want, agentRefusal(rules.ValidateGrants(&with))
}

// Unlockable returns the path of a protected file, or of a file that does not exist yet: it could decide, such as the
// settings of a test runner. Files that only the checks may read are never among them.
func (ar accessRequester) Unlockable(path string) string {
	p := ar.session.policy
	rel, err := filepath.Rel(p.Dir, filepath.Clean(path))
	isHidden := func(dir string) bool { return policy.FoldersOverlap(dir, filepath.Clean(path)) }
	if err != nil || rel == "." || !filepath.IsLocal(rel) || slices.ContainsFunc(goalsandbox.HiddenPaths(p), isHidden) {
		return ""
	}
	rel = filepath.ToSlash(rel)
	if slices.ContainsFunc(ar.session.workspace.Protected(), func(i protect.Item) bool { return i.Path == rel }) {
		return rel
	}
	if _, err := os.Lstat(path); errors.Is(err, fs.ErrNotExist) && len(p.Work) == 0 {
		return rel
	}
	return ""
}

// agentRefusal joins an error's message and its hint for the agent.
func agentRefusal(err error) error {
	var no *fault.Error
	if errors.As(err, &no) {
		return errors.New(no.MessageWithHint())
	}
	return err
}

func (ar accessRequester) Problem(a policy.MachineAccess) error {
	return ar.session.sandbox.MachineGrants.Problem(a)
}
