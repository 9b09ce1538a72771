package goals

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"
	"unicode"

	"goalpost/backend/api"
	"goalpost/backend/app/access"
	"goalpost/backend/app/goalsandbox"
	"goalpost/backend/app/models"
	"goalpost/backend/app/panes"
	"goalpost/backend/app/session"
	"goalpost/backend/config"
	"goalpost/backend/fault"
	"goalpost/backend/goal"
	"goalpost/backend/policy"
	"goalpost/backend/runner"
	"goalpost/backend/sandbox"
	"goalpost/backend/secret"
	"goalpost/backend/store"
	"goalpost/backend/verify"
	"goalpost/backend/verify/protect/detect"
)

// intake turns what the user filled in into a goal.
type intake struct {
	cfg        *config.Config
	store      *store.Store
	clock      runner.Clock
	secrets    *secret.Vault
	access     *access.Rules
	models     *models.Providers
	sandboxes  *goalsandbox.Factory
	panes      *panes.Registry
	unconfined bool // every new goal runs without a sandbox
}

// prepareGoal turns what the user filled in into a goal, or refuses with a reason
// and what to do. A folder that it made is taken back after a refusal, with
// what the checks left in it.
func (gi *intake) prepareGoal(
	ctx context.Context, in api.StartInput, shape func(*goal.Goal) error,
) (g *goal.Goal, made bool, err error) {
	g = &goal.Goal{
		ID:        goal.ID(store.NewID()),
		Objective: strings.TrimSpace(in.Objective),
		Criterion: goal.Criterion{Checks: in.Checks, Any: in.Any, Require: in.Require},
		Policy: policy.Policy{
			Risk:         in.Risk,
			AllowTools:   in.AllowTools,
			DenyTools:    in.DenyTools,
			AllowHosts:   in.AllowHosts,
			DenyHosts:    in.DenyHosts,
			RequireSteps: in.RequireSteps,
			Secrets:      in.Secrets,
			Unconfined:   gi.unconfined || in.Unconfined,
		},
		Limits: limitsOf(in),
	}
	if g.Policy.Risk == "" {
		g.Policy.Risk = policy.WriteLocal
	}
	if err := goal.ValidateInput(g.Objective, g.Criterion, g.Policy, g.Limits); err != nil {
		return nil, false, fmt.Errorf("intake: %w", err)
	}
	if err := gi.validateGoalSecrets(ctx, in.Secrets); err != nil {
		return nil, false, err
	}
	if g.Options, err = gi.optionsOf(ctx, in); err != nil {
		return nil, false, err
	}
	if err := gi.models.Choose(ctx, g, in); err != nil {
		return nil, false, err
	}
	dir, made, err := gi.resolveGoalDir(in.Dir, g.Objective)
	if err != nil {
		return nil, false, err
	}
	g.Policy.Dir = dir
	if err = gi.access.ValidateGrants(in, &g.Policy); err == nil {
		err = shape(g)
	}
	if err == nil { // as it is now: another agent's goal has a policy that was made for it
		err = goal.ValidateInput(g.Objective, g.Criterion, g.Policy, g.Limits)
	}
	if err == nil {
		err = validateToolNames(g.Policy)
	}
	if err == nil {
		err = gi.models.ValidateWindow(*g)
	}
	if err == nil {
		err = gi.runPreflight(ctx, g)
	}
	if err != nil {
		if made {
			err = errors.Join(err, os.RemoveAll(dir))
		}
		return nil, false, err
	}
	return g, made, nil
}

// limitsOf takes the defaults where nothing was said; a negative number is
// refused later, and the explicit "none" is api.NoLimit.
func limitsOf(in api.StartInput) goal.Limits {
	l := goal.DefaultLimits()
	if in.WallClockMS != 0 {
		l.WallClock = time.Duration(noneIfNegative(in.WallClockMS)) * time.Millisecond
	}
	if in.Iterations != 0 {
		l.Iterations = int(noneIfNegative(int64(in.Iterations)))
	}
	if in.ClaimsPerCheck != 0 {
		l.ClaimsPerCheck = int(noneIfNegative(int64(in.ClaimsPerCheck)))
	}
	l.Tokens, l.USD = noneIfNegative(in.Tokens), in.USD
	if in.USD == api.NoLimit {
		l.USD = 0
	}
	return l
}

func noneIfNegative(n int64) int64 {
	if n == api.NoLimit {
		return 0
	}
	return n
}

// Try runs one check as pre-flight would, in a folder that exists.
func (gi *intake) Try(ctx context.Context, in api.TryInput) (v goal.Verdict, err error) {
	if err := (goal.Criterion{Checks: []goal.Check{in.Check}}).Validate(); err != nil {
		return v, fmt.Errorf("try: %w", err)
	}
	dir := in.Dir
	if dir == "" { // a new goal begins in an empty folder
		if dir, err = os.MkdirTemp(gi.cfg.State(), "try-*"); err != nil {
			return v, fmt.Errorf("try: %w", err)
		}
		defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	} else if dir, err = gi.access.ValidateExistingDir(dir); err != nil {
		return v, err
	}
	p, err := gi.draftPolicy(in)
	if err != nil {
		return v, err
	}
	p.Dir = dir
	err = gi.sandboxes.WithTrial(ctx, p, gi.models.JudgeFor(ctx, "", ""), goalsandbox.CheckHosts([]goal.Check{in.Check}),
		func(h verify.CheckRunner) error {
			v = h.Preflight(ctx, in.Check)
			return nil
		})
	return v, err
}

// draftPolicy is the policy of the goal that is being written, without its folder.
func (gi *intake) draftPolicy(in api.TryInput) (policy.Policy, error) {
	p := policy.Policy{
		Risk:       cmp.Or(in.Risk, policy.WriteLocal),
		AllowHosts: in.AllowHosts,
		DenyHosts:  in.DenyHosts,
		Unconfined: gi.unconfined || in.Unconfined,
	}
	if !p.Risk.IsValid() {
		return p, &fault.Error{
			Field:   "risk",
			Message: fmt.Sprintf("unknown risk %q", p.Risk),
			Hint:    "use one of " + policy.RiskNames(),
		}
	}
	return p, gi.access.ValidateGrants(api.StartInput{
		AllowLocal:  in.AllowLocal,
		AllowWrite:  in.AllowWrite,
		AllowRead:   in.AllowRead,
		AllowSocket: in.AllowSocket,
	}, &p)
}

// resolveGoalDir is where the goal works: the given one, which must exist, or a new one.
func (gi *intake) resolveGoalDir(given, objective string) (dir string, made bool, err error) {
	if given != "" {
		dir, err = gi.access.ValidateExistingDir(given)
		return dir, false, err
	}
	base := filepath.Join(gi.cfg.Work(), gi.clock.Now().Format("2006-01-02")+"-"+folderSlug(objective))
	for n := 1; ; n++ {
		dir = base
		if n > 1 {
			dir = fmt.Sprintf("%s-%d", base, n)
		}
		err := os.MkdirAll(filepath.Dir(dir), 0o755)
		if err == nil {
			err = os.Mkdir(dir, 0o755)
		}
		if err == nil { // programs say where they are without links, and so do models
			dir, err = filepath.EvalSymlinks(dir)
		}
		switch {
		case err == nil:
			return dir, true, nil
		case !errors.Is(err, os.ErrExist):
			return "", false, &fault.Error{
				Field:   "dir",
				Message: "the goal's folder cannot be made: " + err.Error(),
				Hint:    "choose a folder with --dir",
			}
		}
	}
}

// folderSlug is the objective as part of a folder's name.
func folderSlug(objective string) string {
	const most = 40
	var b strings.Builder
	for _, r := range strings.ToLower(objective) {
		switch {
		case r < unicode.MaxASCII && (unicode.IsLetter(r) || unicode.IsDigit(r)):
			b.WriteRune(r)
		case b.Len() > 0 && !strings.HasSuffix(b.String(), "-"):
			b.WriteByte('-')
		}
		if b.Len() >= most {
			break
		}
	}
	if s := strings.Trim(b.String(), "-"); s != "" {
		return s
	}
	return "goal"
}

// validateGoalSecrets looks at the start that every secret of the goal can be opened.
func (gi *intake) validateGoalSecrets(ctx context.Context, names []string) error {
	for _, name := range names {
		if _, err := gi.secrets.Get(ctx, name); err != nil {
			return &fault.Error{
				Field:   "secrets",
				Message: err.Error(),
				Hint:    "goalctl secret list shows what is kept; the settings page unlocks it",
			}
		}
	}
	return nil
}

// saveBaseline keeps what decides about a goal as it is when the goal is made: another
// goal may work in its folder before it.
func (gi *intake) saveBaseline(ctx context.Context, g goal.Goal) error {
	if err := verify.RecordProtected(ctx, session.WorkspaceOptions(g, gi.store.GoalDir(g.ID))); err != nil {
		return &fault.Error{
			Field:   "protect",
			Message: "what decides about the goal cannot be kept: " + err.Error(),
			Hint:    "leave files out with --no-protect, or choose a smaller folder",
		}
	}
	return nil
}

// removeGoalState removes it.
func (gi *intake) removeGoalState(id goal.ID) error {
	if err := errors.Join(os.RemoveAll(gi.store.GoalDir(id)), sandbox.RemoveLayer(gi.sandboxes.Dir(id))); err != nil {
		return fmt.Errorf("removing what is kept of the goal: %w", err)
	}
	return nil
}

// runPreflight runs every gate once where it will later decide.
func (gi *intake) runPreflight(ctx context.Context, g *goal.Goal) (err error) {
	return gi.sandboxes.WithTrial(ctx, g.Policy, gi.models.JudgeFor(ctx, g.Provider, g.Options.JudgeProvider),
		goalsandbox.HostsOf(*g), func(h verify.CheckRunner) error {
			if r := session.PreflightProblem(ctx, h, g); r != nil {
				return r
			}
			return nil
		})
}

// Protected lists what of a folder would be protected. A new folder is empty.
func (gi *intake) Protected(ctx context.Context, in api.ProtectInput) ([]api.ProtectedFile, error) {
	list := []api.ProtectedFile{}
	if in.Dir == "" {
		return list, nil
	}
	dir, err := gi.access.ValidateExistingDir(in.Dir)
	if err != nil {
		return nil, err
	}
	found, err := detect.FindProtected(ctx, dir, goal.Criterion{Checks: in.Checks}, in.Protect, in.NoProtect)
	if err != nil {
		return nil, &fault.Error{
			Field:   "protect",
			Message: fmt.Sprintf("the protected files cannot be listed: %v", err),
			Hint:    "correct the patterns",
		}
	}
	for _, p := range found {
		list = append(list, api.ProtectedFile{Path: p.Path, Kind: string(p.Kind), Part: p.Part, Why: p.Why})
	}
	return list, nil
}

// Proposal reads what the folder proposes as its criterion. Nothing of it counts
// before the user has seen it and says so.
func (gi *intake) Proposal(dir string) (out api.ProposalView, err error) {
	if dir, err = gi.access.ValidateExistingDir(dir); err != nil {
		return out, err
	}
	file := filepath.Join(dir, filepath.FromSlash(config.ProposalFile))
	p, err := config.ReadCriterion(file)
	if err != nil {
		return out, fmt.Errorf("proposal: %w", err)
	}
	return api.ProposalView{
		Path:   file,
		Text:   p.Text,
		Checks: p.Criterion.Checks,
		Any:    p.Criterion.Any,
		Words:  p.Criterion.Describe(),
		Hosts:  append([]string{}, goalsandbox.CheckHosts(p.Criterion.Checks)...),
	}, nil
}
