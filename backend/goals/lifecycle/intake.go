package lifecycle

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"unicode"

	"goalpost/backend/agent/engine"
	"goalpost/backend/core/runner"
	"goalpost/backend/core/runner/startfacts"
	"goalpost/backend/core/verify"
	"goalpost/backend/core/verify/protect"
	"goalpost/backend/domain/goal"
	"goalpost/backend/domain/policy"
	"goalpost/backend/goals/access"
	"goalpost/backend/goals/api"
	"goalpost/backend/goals/goalsandbox"
	"goalpost/backend/goals/models"
	"goalpost/backend/goals/panes"
	"goalpost/backend/goals/session"
	"goalpost/backend/goals/worktrees"
	"goalpost/backend/host/sandbox"
	"goalpost/backend/lib/fault"
	"goalpost/backend/storage/config"
	"goalpost/backend/storage/library"
	"goalpost/backend/storage/secret"
	"goalpost/backend/storage/store"
)

// Intake makes a goal from what the user entered.
type Intake struct {
	cfg       *config.Config
	store     *store.Store
	clock     runner.Clock
	secrets   *secret.Vault
	access    *access.Rules
	models    *models.Providers
	sandboxes *goalsandbox.Factory
	panes     *panes.Registry
	worktrees *worktrees.Worktrees
	library   *library.Library
	engines   []engine.Profile // external agents that may drive goals

	tried triedChecks
}

// prepareGoal makes a goal from what the user entered, or refuses it. If it refuses, it removes a folder that it made,
// with everything that the checks left there.
func (it *Intake) prepareGoal(
	ctx context.Context, in goal.Request, shape func(*goal.Goal) error,
) (g *goal.Goal, isNewDir bool, err error) {
	if g, err = it.draftGoal(ctx, in); err != nil {
		return nil, false, err
	}
	if isNewDir, err = it.setGoalDir(ctx, g); err != nil {
		return nil, false, err
	}
	err = it.validateWorktreeAccess(ctx, g)
	if err == nil {
		err = shape(g)
	}
	if err == nil { // validates again, because shape may have changed the policy
		err = g.Validate()
	}
	if err == nil {
		err = validateToolNames(g.Policy)
	}
	if err == nil && !g.EngineLogin { // the agent's own model is not known
		err = it.models.ValidateWindow(ctx, *g)
	}
	if err == nil {
		err = access.ValidateWritable(g.Policy)
	}
	if err == nil {
		err = it.runPreflight(ctx, g)
	}
	if err != nil {
		if isNewDir {
			err = errors.Join(err, it.removeGoalDir(ctx, *g))
		}
		return nil, false, err
	}
	return g, isNewDir, nil
}

// draftGoal makes a goal without a folder, whose checks are not tried yet, or refuses it.
func (it *Intake) draftGoal(ctx context.Context, in goal.Request) (g *goal.Goal, err error) {
	g = &goal.Goal{ID: goal.ID(store.NewID()), Request: in}
	if err := it.takePersona(g); err != nil {
		return nil, err
	}
	if err := g.Complete(); err != nil {
		return nil, fmt.Errorf("intake: %w", err)
	}
	if err := it.validateGoalSecrets(ctx, g.Secrets); err != nil {
		return nil, err
	}
	if err := it.validateOptions(ctx, &g.Options); err != nil {
		return nil, err
	}
	noModel := it.models.Choose(ctx, g)
	// A missing engine is said first: the user would get a key for a model in vain.
	if g.Options.Engine, err = chooseEngine(it.engines, g.Engine, it.cfg.Settings().Engine, *g); err != nil {
		return nil, err
	}
	if err := it.validateLogin(ctx, *g); err != nil {
		return nil, err
	}
	if noModel != nil && g.EngineLogin {
		noModel = it.doWithoutModel(g, noModel)
	}
	if noModel != nil {
		return nil, explainEngineModel(noModel, g.Options.Engine)
	}
	return g, nil
}

// ValidateRequest refuses a goal that could not start, without trying its checks.
func (it *Intake) ValidateRequest(ctx context.Context, in goal.Request) error {
	_, err := it.draftGoal(ctx, in)
	return err
}

// draftPolicy completes and validates the policy of a goal that the user is still entering.
func (it *Intake) draftPolicy(p policy.Policy, dir string) (policy.Policy, error) {
	p.Work = nil // it limits the agent
	p.Dir, p.Risk = dir, cmp.Or(p.Risk, policy.WriteLocal)
	if !p.Risk.IsValid() {
		return p, fault.Invalid("risk", fmt.Sprintf("unknown risk %q", p.Risk), "use one of "+policy.RiskNames())
	}
	return p, it.access.ValidateGrants(&p)
}

// resolveGoalDir returns the folder of a goal: the given one, which must exist, or a new one.
func (it *Intake) resolveGoalDir(choice, objective string) (dir string, isNew bool, err error) {
	if choice != "" {
		dir, err = it.access.ValidateExistingDir(choice)
		return dir, false, err
	}
	base := filepath.Join(it.cfg.Work(), it.clock.Now().Format("2006-01-02")+"-"+folderSlug(objective))
	for n := 1; ; n++ {
		dir = base
		if n > 1 {
			dir = fmt.Sprintf("%s-%d", base, n)
		}
		err := os.MkdirAll(filepath.Dir(dir), 0o755)
		if err == nil {
			err = os.Mkdir(dir, 0o755)
		}
		if err == nil { // resolve links, because programs and models report paths without links
			dir, err = filepath.EvalSymlinks(dir)
		}
		switch {
		case err == nil:
			return dir, true, nil
		case !errors.Is(err, os.ErrExist):
			return "", false, fault.Invalid("dir", "the goal's folder cannot be created: "+err.Error(),
				"choose a folder").OnCommandLine("choose a folder with --dir")
		}
	}
}

// folderSlug makes a part of a folder's name from the objective.
func folderSlug(objective string) string {
	const maxLength = 40
	var b strings.Builder
	for _, r := range strings.ToLower(objective) {
		switch {
		case r < unicode.MaxASCII && (unicode.IsLetter(r) || unicode.IsDigit(r)):
			b.WriteRune(r)
		case b.Len() > 0 && !strings.HasSuffix(b.String(), "-"):
			b.WriteByte('-')
		}
		if b.Len() >= maxLength {
			break
		}
	}
	if s := strings.Trim(b.String(), "-"); s != "" {
		return s
	}
	return "goal"
}

// validateGoalSecrets checks that every secret of the goal can be opened.
func (it *Intake) validateGoalSecrets(ctx context.Context, names []string) error {
	for _, name := range names {
		if _, err := it.secrets.Get(ctx, name); err != nil {
			return fault.Invalid("secrets", err.Error(), "unlock the secrets in the settings").OnCommandLine(
				"goalctl secret list shows the secrets; unlock them in the settings")
		}
	}
	return nil
}

// saveBaseline saves the state of the goal's folder when the goal is created, because another goal may change it before
// this one starts.
func (it *Intake) saveBaseline(ctx context.Context, g goal.Goal) error {
	if err := verify.RecordProtected(ctx, session.WorkspaceOptions(g, it.store.GoalDir(g.ID))); err != nil {
		return fault.Invalid("protect", "the protected files cannot be saved: "+err.Error(),
			"exclude some files from protection, or choose a smaller folder").OnCommandLine(
			"exclude files with --protect '!PATTERN', or choose a smaller folder")
	}
	return nil
}

// removeGoalState removes a goal's private folders, which contain its baseline.
func (it *Intake) removeGoalState(id goal.ID) error {
	layer := it.sandboxes.PrivateDir(id)
	if err := errors.Join(os.RemoveAll(it.store.GoalDir(id)), sandbox.RemoveLayer(layer)); err != nil {
		return fmt.Errorf("remove the goal's data: %w", err)
	}
	return nil
}

// Protected lists the files of a folder that would be protected. A new folder has none.
func (it *Intake) Protected(ctx context.Context, in api.ProtectInput) ([]api.ProtectedFile, error) {
	if in.Dir == "" {
		return []api.ProtectedFile{}, nil
	}
	dir, err := it.access.ValidateExistingDir(in.Dir)
	if err != nil {
		return nil, err
	}
	found, err := protect.Find(ctx, protect.Options{
		Dir:       dir,
		Criterion: goal.Criterion{Checks: in.Checks},
		Protect:   in.Protect,
		NoProtect: in.NoProtect,
	})
	if err != nil {
		return nil, fault.Invalid("protect", fmt.Sprintf("the protected files cannot be listed: %v", err),
			"correct the patterns")
	}
	return viewProtected(found), nil
}

// Instructions lists the files in which the folder tells agents how to work in it.
func (it *Intake) Instructions(dir string) ([]api.InstructionFile, error) {
	dir, err := it.access.ValidateExistingDir(dir)
	if err != nil {
		return nil, err
	}
	files := []api.InstructionFile{}
	for _, one := range startfacts.ReadInstructions(dir) {
		files = append(files, api.InstructionFile{Path: one.Path, Bytes: one.Bytes})
	}
	return files, nil
}

// Proposal reads the criterion that the folder proposes. It has no effect until the user sees and accepts it.
func (it *Intake) Proposal(dir string) (out api.ProposalView, err error) {
	if dir, err = it.access.ValidateExistingDir(dir); err != nil {
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

// validateOptions refuses options that the parts of this program cannot follow, and replaces parts of ids by ids.
func (it *Intake) validateOptions(ctx context.Context, o *goal.Options) (err error) {
	for _, glob := range slices.Concat(o.Protect, o.NoProtect) {
		if err := validateGlob(glob); err != nil {
			return err
		}
	}
	if o.After, err = it.resolveDependencies(ctx, o.After); err != nil {
		return err
	}
	return it.panes.ValidateShareable(o.Panes)
}

// validateGlob refuses a pattern that cannot match a file in the folder.
func validateGlob(glob string) error {
	refuse := func(reason string) error {
		return fault.Invalid("protect", fmt.Sprintf("the pattern %q %s", glob, reason),
			"write one relative to the goal's folder, such as tests/**")
	}
	switch clean := path.Clean(glob); {
	case strings.TrimSpace(glob) == "":
		return refuse("is empty")
	case path.IsAbs(glob), clean == "..", strings.HasPrefix(clean, "../"):
		return refuse("leaves the goal's folder")
	}
	if _, err := path.Match(glob, ""); err != nil {
		return refuse("cannot be read")
	}
	return nil
}

// resolveDependencies finds the goals that must be completed first. There can be no cycles: dependencies are
// older than the goal, and their own lists are frozen.
func (it *Intake) resolveDependencies(ctx context.Context, parts []goal.ID) ([]goal.ID, error) {
	var ids []goal.ID
	for _, part := range parts {
		row, err := it.store.Goals.Find(ctx, string(part))
		if err != nil {
			return nil, &fault.Error{Field: "after", Message: err.Error(), Hint: "choose a goal of the list"}
		}
		if !slices.Contains(ids, row.ID) {
			ids = append(ids, row.ID)
		}
	}
	return ids, nil
}
