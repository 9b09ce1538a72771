package app

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"
	"unicode"

	"goalpost/backend/api"
	"goalpost/backend/goal"
	"goalpost/backend/policy"
	"goalpost/backend/sandbox"
	"goalpost/backend/store"
	"goalpost/backend/verify"
	"goalpost/backend/verify/judge"
)

// intake turns what the user filled in into a goal, or refuses with a reason
// and what to do. A folder that it made is taken back after a refusal, with
// what the checks left in it.
func (a *App) intake(ctx context.Context, in api.StartInput, shape func(*goal.Goal) error) (g *goal.Goal, made bool, err error) {
	g = &goal.Goal{
		ID: goal.ID(store.NewID()), Objective: strings.TrimSpace(in.Objective), Criterion: goal.Criterion{Checks: in.Checks, Any: in.Any},
		Policy: policy.Policy{
			Risk: in.Risk, AllowTools: in.AllowTools, DenyTools: in.DenyTools, AllowHosts: in.AllowHosts, DenyHosts: in.DenyHosts, RequireSteps: in.RequireSteps, Secrets: in.Secrets, Unconfined: a.unconfined || in.Unconfined,
		},
		Limits: limitsOf(in),
	}
	if g.Policy.Risk == "" {
		g.Policy.Risk = policy.WriteLocal
	}
	if err := goal.ValidateInput(g.Objective, g.Criterion, g.Policy, g.Limits); err != nil {
		return nil, false, fmt.Errorf("intake: %w", err)
	}
	if err := a.validateGoalSecrets(ctx, in.Secrets); err != nil {
		return nil, false, err
	}
	if g.Options, err = a.optionsOf(ctx, in); err != nil {
		return nil, false, err
	}
	if err := a.chooseModel(ctx, g, in); err != nil {
		return nil, false, err
	}
	dir, made, err := a.resolveGoalDir(in.Dir, g.Objective)
	if err != nil {
		return nil, false, err
	}
	g.Policy.Dir = dir
	if err = a.grantsOf(in, &g.Policy); err == nil {
		err = shape(g)
	}
	if err == nil { // as it is now: another agent's goal has a policy that was made for it
		err = goal.ValidateInput(g.Objective, g.Criterion, g.Policy, g.Limits)
	}
	if err == nil {
		err = validateToolNames(g.Policy)
	}
	if err == nil {
		err = a.validateWindow(*g)
	}
	if err == nil {
		err = a.preflight(ctx, g)
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
func (a *App) Try(ctx context.Context, in api.TryInput) (v goal.Verdict, err error) {
	if err := (goal.Criterion{Checks: []goal.Check{in.Check}}).Validate(); err != nil {
		return v, fmt.Errorf("try: %w", err)
	}
	dir := in.Dir
	if dir == "" { // a new goal begins in an empty folder
		if dir, err = os.MkdirTemp(a.cfg.State(), "try-*"); err != nil {
			return v, fmt.Errorf("try: %w", err)
		}
		defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	} else if dir, err = a.validateExistingDir(dir); err != nil {
		return v, err
	}
	p, err := a.draftPolicy(in)
	if err != nil {
		return v, err
	}
	p.Dir = dir
	err = a.withTrialSandbox(ctx, p, a.judgeOf(ctx, "", ""), hostsInChecks([]goal.Check{in.Check}), func(h verify.CheckRunner) error {
		v = h.Preflight(ctx, in.Check)
		return nil
	})
	return v, err
}

// draftPolicy is the policy of the goal that is being written, without its folder.
func (a *App) draftPolicy(in api.TryInput) (policy.Policy, error) {
	p := policy.Policy{Risk: cmp.Or(in.Risk, policy.WriteLocal), AllowHosts: in.AllowHosts, DenyHosts: in.DenyHosts, Unconfined: a.unconfined || in.Unconfined}
	if !p.Risk.IsValid() {
		return p, &goal.InvalidError{Field: "risk", Reason: fmt.Sprintf("unknown risk %q", p.Risk), Hint: "use one of " + policy.RiskNames()}
	}
	return p, a.grantsOf(api.StartInput{AllowLocal: in.AllowLocal, AllowWrite: in.AllowWrite, AllowRead: in.AllowRead, AllowSocket: in.AllowSocket}, &p)
}

// withTrialSandbox lends a place for checks as the goal's own will be, with a private
// folder that is gone afterwards.
func (a *App) withTrialSandbox(ctx context.Context, p policy.Policy, model judge.Model, hosts []string, do func(verify.CheckRunner) error) (err error) {
	if err := os.MkdirAll(filepath.Join(a.cfg.State(), "rooms"), 0o700); err != nil {
		return fmt.Errorf("pre-flight: %w", err)
	}
	layer, err := os.MkdirTemp(filepath.Join(a.cfg.State(), "rooms"), "preflight-*")
	if err != nil {
		return fmt.Errorf("pre-flight: %w", err)
	}
	defer func() { err = errors.Join(err, sandbox.RemoveLayer(layer)) }()
	held, err := a.openSandbox(ctx, "pre-flight", p, layer)
	if errors.Is(err, sandbox.ErrRefused) {
		return &goal.InvalidError{Field: "sandbox", Reason: err.Error(), Hint: "goalctl doctor says what holds here; --unconfined runs this goal's programs with your own rights"}
	}
	if err != nil {
		return err
	}
	host := held.checkHost(a, p.Dir, hosts)
	host.Judge, host.Pages = model, a.checkPagesFor("") // nobody is asked before a claim, and nothing is opened
	err = do(host)
	return errors.Join(err, held.Close(context.WithoutCancel(ctx)))
}

// resolveGoalDir is where the goal works: the given one, which must exist, or a new one.
func (a *App) resolveGoalDir(given, objective string) (dir string, made bool, err error) {
	if given != "" {
		dir, err = a.validateExistingDir(given)
		return dir, false, err
	}
	base := filepath.Join(a.cfg.Work(), a.now().Format("2006-01-02")+"-"+slug(objective))
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
			return "", false, &goal.InvalidError{Field: "dir", Reason: "the goal's folder cannot be made: " + err.Error(), Hint: "choose a folder with --dir"}
		}
	}
}

// validateExistingDir refuses folders whose loss would hurt: the root, the home folder, this program's own.
func (a *App) validateExistingDir(given string) (string, error) {
	refuse := func(reason, hint string) (string, error) {
		return "", &goal.InvalidError{Field: "dir", Reason: reason, Hint: hint}
	}
	home, err := os.UserHomeDir()
	if err != nil {
		home = ""
	}
	if rest, ok := strings.CutPrefix(given, "~"); ok && home != "" && (rest == "" || rest[0] == '/') {
		given = home + rest
	}
	dir, err := filepath.Abs(given)
	if err != nil {
		return refuse(err.Error(), "")
	}
	info, err := os.Stat(dir)
	switch {
	case errors.Is(err, os.ErrNotExist):
		return refuse("the folder "+dir+" does not exist", "create it first, or choose another one")
	case err != nil:
		return refuse(err.Error(), "choose another folder")
	case !info.IsDir():
		return refuse(dir+" is not a folder", "choose a folder")
	}
	if dir, err = filepath.EvalSymlinks(dir); err != nil {
		return refuse(err.Error(), "choose another folder")
	}
	if _, err := os.ReadDir(dir); errors.Is(err, fs.ErrPermission) {
		return refuse("you may not read the folder "+dir, "choose a folder of your own")
	}
	if err := a.validateForeignPath(dir); err != nil {
		return "", withField(err, "dir")
	}
	return dir, nil
}

// slug is the objective as part of a folder's name.
func slug(objective string) string {
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
