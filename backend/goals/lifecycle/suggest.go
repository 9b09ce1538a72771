package lifecycle

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"goalpost/backend/agent/suggest"
	"goalpost/backend/core/verify"
	"goalpost/backend/domain/goal"
	"goalpost/backend/goals/api"
	"goalpost/backend/goals/goalsandbox"
	"goalpost/backend/goals/models"
	"goalpost/backend/goals/session"
	"goalpost/backend/host/procnet"
	"goalpost/backend/lib/fault"
	"goalpost/backend/storage/config"
)

// Suggester proposes checks for a goal that the user is entering.
type Suggester struct{ intake *Intake }

// maxTrySeconds bounds how long a proposed command may run when it is tried.
const maxTrySeconds = 60

// Suggest proposes checks. It runs none of them, and none decides a goal before the user accepts it.
func (s *Suggester) Suggest(ctx context.Context, in api.SuggestInput) (out api.SuggestOutput, err error) {
	objective := strings.TrimSpace(in.Objective)
	if objective == "" {
		return out, fault.Invalid("objective", "the objective is empty", "describe what should be true at the end")
	}
	var named, ours, servers []suggest.Proposal
	var files []string
	if in.Dir == "" {
		named = suggest.ReadObjective(objective, nil)
	} else {
		dir, err := s.intake.access.ValidateExistingDir(in.Dir)
		if err != nil {
			return out, err
		}
		folder, err := suggest.OpenFolder(dir)
		if err != nil {
			return out, err
		}
		defer func() { _ = folder.Close() }()
		named, ours, files = suggest.ReadObjective(objective, folder.FS()), folder.Proposals(), folder.Names(maxNames)
	}
	if suggest.IsAboutServer(objective) {
		servers = suggest.FindServers(ctx, s.userPorts())
	}
	found := suggest.Merge(named, ours, servers)
	out.Notes = []string{}
	answers, note := s.askModel(ctx, in, suggest.Prompt(objective, files, found))
	if note != "" {
		out.Notes = append(out.Notes, note)
	}
	out.Checks = []api.SuggestedCheck{}
	for _, p := range suggest.Merge(found, answers) {
		out.Checks = append(out.Checks, api.SuggestedCheck{
			Check:      p.Check,
			Reason:     p.Reason,
			From:       p.From,
			AllowLocal: append([]int{}, p.Ports...),
		})
	}
	return out, nil
}

const (
	maxNames       = 200             // of files that the prompt names
	maxPorts       = 32              // of running servers that are tried
	suggestTimeout = 3 * time.Minute // for the model's proposals, while the user waits
)

// userPorts lists the ports of the user's servers, without those of Goalpost and of model providers.
func (s *Suggester) userPorts() []int {
	ports := procnet.UserPorts(strconv.Itoa(os.Getuid()))
	providers := s.intake.cfg.Providers()
	ports = slices.DeleteFunc(ports, func(port int) bool {
		hasModel := func(p config.Provider) bool {
			u, err := url.Parse(p.BaseURL)
			return err == nil && u.Port() == strconv.Itoa(port)
		}
		return s.intake.access.Ports.Contains(port) || slices.ContainsFunc(providers, hasModel)
	})
	return ports[:min(len(ports), maxPorts)]
}

// askModel asks the goal's model for proposals. If there are none, note explains that to the user.
func (s *Suggester) askModel(
	ctx context.Context, in api.SuggestInput, prompt string,
) (list []suggest.Proposal, note string) {
	if in.NoModel {
		return nil, ""
	}
	ps := s.intake.models
	p, err := ps.Chosen(in.Provider, in.Model)
	if err != nil || p.Kind == config.Demo {
		return nil, "No model was asked, because none is connected."
	}
	client, err := ps.NewClient(ctx, models.Choice{Provider: p})
	if err != nil {
		return nil, "No model was asked: " + err.Error()
	}
	ctx, cancel := context.WithTimeout(ctx, suggestTimeout)
	defer cancel()
	reply, err := ps.Budget.Meter(client, p, models.Spender{Role: "suggest"}).Turn(ctx, goal.Turn{
		Model:    p.Model,
		System:   suggest.System,
		Messages: []goal.Message{{Role: goal.User, Text: prompt}},
	}, func(string) {})
	if err != nil {
		return nil, fmt.Sprintf("%s proposed nothing: %v", p.Model, err)
	}
	if list, err = suggest.ParseReply(reply.Text); err != nil {
		return nil, fmt.Sprintf("The proposals of %s cannot be used: %v", p.Model, err)
	}
	return list, ""
}

// TrySuggested runs a proposed check as pre-flight would, but in a copy of the folder: the user has not accepted it
// yet.
func (s *Suggester) TrySuggested(ctx context.Context, in api.TryInput) (v goal.Verdict, err error) {
	gi := s.intake
	if err := (goal.Criterion{Checks: []goal.Check{in.Check}}).Validate(); err != nil {
		return v, fmt.Errorf("try: %w", err)
	}
	if in.Check.Where != "" || in.Unconfined {
		return v, fault.Invalid("criterion", "a suggestion can only be tried in the sandbox", "add it first, then try it")
	}
	if in.Check.TimeoutMS == 0 || in.Check.TimeoutMS > maxTrySeconds*1000 {
		in.Check.TimeoutMS = maxTrySeconds * 1000
	}
	dir, err := os.MkdirTemp(gi.cfg.State(), "try-*")
	if err != nil {
		return v, fmt.Errorf("try: %w", err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	from := ""
	if in.Dir != "" {
		if from, err = gi.access.ValidateExistingDir(in.Dir); err != nil {
			return v, err
		}
		err = suggest.CopyFolder(ctx, from, dir)
		if errors.Is(err, suggest.ErrTooLarge) {
			return v, fault.Invalid("dir", "the folder is too large to try a suggestion in a copy of it",
				"add the suggestion, then try it in the folder")
		}
		if err != nil {
			return v, err
		}
	}
	p, err := gi.draftPolicy(in.Policy, dir)
	if err != nil {
		return v, err
	}
	p.Unconfined = false // also where goals run without a sandbox
	err = gi.sandboxes.WithTrial(
		ctx,
		p,
		gi.models.JudgeFor(ctx, goal.Request{}),
		goalsandbox.CheckHosts([]goal.Check{in.Check}),
		func(h verify.CheckRunner) error {
			if v = session.Preflight(ctx, h, in.Check); from != "" {
				gi.tried.add(p, from, in.Check, v, true)
			}
			return nil
		},
	)
	return v, err
}
