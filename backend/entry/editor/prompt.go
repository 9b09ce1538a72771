package editor

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	sdk "github.com/coder/acp-go-sdk"

	"goalpost/backend/core/runner"
	"goalpost/backend/domain/event"
	"goalpost/backend/domain/goal"
	"goalpost/backend/domain/policy"
	"goalpost/backend/goals/api"
	"goalpost/backend/lib/fault"
)

const eventBuffer = 4096

// Prompt starts a goal, or continues the goal of the session with a note, and returns when the goal stops. Cancelling
// the prompt pauses the goal; the next prompt continues it.
func (a *Agent) Prompt(ctx context.Context, r sdk.PromptRequest) (out sdk.PromptResponse, err error) {
	s, err := a.findSession(r.SessionId)
	if err != nil {
		return out, err
	}
	if !a.beginTurn(r.SessionId) {
		return out, requestError(fault.Kind(fault.Conflict, "", "the goal is still working on the last prompt",
			"cancel it first"))
	}
	defer a.endTurn(r.SessionId)
	ctx, end := a.withLife(ctx)
	defer end()
	p := parsePrompt(r.Prompt)
	sub := a.deps.Broker.SubscribeReliable(eventBuffer) // before the goal begins
	defer sub.Close()
	continued, err := a.continueGoal(ctx, s, p)
	if err == nil && !continued {
		s.Goal, err = a.startGoal(ctx, s, p)
	}
	if err != nil {
		a.say(ctx, r.SessionId, "Not started: "+door.Explain(err))
	}
	if err != nil || s.Goal == "" {
		return sdk.PromptResponse{StopReason: sdk.StopReasonEndTurn}, nil
	}
	return a.follow(ctx, s, sub)
}

// startGoal starts the goal of a prompt. If it cannot, it gives the user the reason and returns "".
func (a *Agent) startGoal(ctx context.Context, s savedSession, p prompt) (goal.ID, error) {
	in, ok, err := a.newGoal(ctx, s, p)
	if err != nil || !ok {
		return "", err
	}
	if s.Goal, err = a.deps.Goals.Start(ctx, in); err != nil {
		return "", err
	}
	return s.Goal, a.sessions.put(s)
}

func (a *Agent) beginTurn(id sdk.SessionId) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.working[id] || a.hasEnded() {
		return false
	}
	a.working[id] = true
	a.prompts.Add(1)
	return true
}

func (a *Agent) endTurn(id sdk.SessionId) {
	a.mu.Lock()
	defer a.mu.Unlock()
	delete(a.working, id)
	a.prompts.Done()
}

// continueGoal continues the goal of a session with a note. It returns false if the prompt needs a new goal: the
// session has none, its goal was deleted or aborted, or the prompt has checks.
func (a *Agent) continueGoal(ctx context.Context, s savedSession, p prompt) (bool, error) {
	if s.Goal == "" || len(p.checks) > 0 {
		return false, nil
	}
	row, err := a.deps.Store.Goals.Get(ctx, s.Goal)
	if errors.Is(err, goal.ErrNotFound) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("the goal of the session: %w", err)
	}
	if row.Status == goal.Aborted {
		return false, nil
	}
	if p.worktree || p.risk != "" {
		a.say(ctx, s.ID, "/worktree and /risk are not used: they are for a new goal, and this prompt continues the last "+
			"one. Add a line with /check to begin another.")
	}
	switch row.Status {
	case goal.Completed:
		return true, a.deps.Goals.Resumption.Reopen(ctx, row.ID, api.ResumeInput{Note: p.objective})
	case goal.Running, goal.Pending: // in another process
		return true, a.deps.Goals.Steer(ctx, row.ID, p.objective)
	case goal.Paused, goal.Failed, goal.Aborted:
	}
	waits, err := a.deps.Store.Questions.WaitsForManual(ctx, row)
	switch {
	case err != nil:
		return false, fmt.Errorf("the goal of the session: %w", err)
	case waits && strings.EqualFold(p.objective, "accept"):
		return true, a.deps.Goals.Resumption.Accept(ctx, row.ID)
	case waits:
		return true, a.deps.Goals.Resumption.Reject(ctx, row.ID, p.objective)
	}
	about, err := a.deps.Store.Questions.Subject(ctx, row)
	if err != nil {
		return false, fmt.Errorf("the goal of the session: %w", err)
	}
	return true, a.deps.Goals.Resumption.Resume(ctx, row.ID, resumeInput(p.objective, about))
}

// newGoal makes the input of a goal. If it has no check, newGoal gives the user the reason, and ok is false.
func (a *Agent) newGoal(ctx context.Context, s savedSession, p prompt) (in goal.Request, ok bool, err error) {
	in = goal.Request{
		Objective: p.objective,
		Criterion: goal.Criterion{Checks: p.checks},
		Policy:    policy.Policy{Dir: s.Dir, Risk: a.deps.Risk},
		Options:   goal.Options{Engine: a.deps.Engine, NewWorktree: p.worktree},
	}
	if p.risk != "" {
		if p.risk.IsValid() && p.risk.Exceeds(a.deps.Risk) {
			return in, false, fault.Invalid("risk", fmt.Sprintf("the risk %s is higher than %s", p.risk, a.deps.Risk),
				"start goalctl acp with --risk "+string(p.risk))
		}
		in.Risk = p.risk
	}
	if len(in.Checks) == 0 {
		proposal, err := a.deps.Goals.Intake.Proposal(s.Dir)
		var missing *fault.Error
		switch {
		case err != nil && !errors.As(err, &missing):
			return a.explainChecks(ctx, s)
		case err != nil:
			if missing.Field == "criterion" {
				return in, false, err
			}
			return a.explainChecks(ctx, s)
		case !a.acceptProposal(ctx, s.ID, proposal):
			a.say(ctx, s.ID, "Not started: the checks of "+proposal.Path+" were not accepted.")
			return in, false, nil
		}
		in.Checks, in.Any = proposal.Checks, proposal.Any
	}
	if in.Objective == "" {
		in.Objective = "Make the checks pass"
	}
	return in, true, nil
}

func (a *Agent) explainChecks(ctx context.Context, s savedSession) (goal.Request, bool, error) {
	a.say(ctx, s.ID,
		"Not started: the goal has no check that decides when it is reached. Add a line with a command that must pass, "+
			"such as `/check go test ./...`, or put checks into `.goalpost/done.yaml` of the folder.")
	return goal.Request{}, false, nil
}

// acceptProposal shows the user the checks that a folder proposes, and reports whether the user accepts them.
func (a *Agent) acceptProposal(ctx context.Context, id sdk.SessionId, p api.ProposalView) bool {
	answer, err := a.conn.RequestPermission(ctx, sdk.RequestPermissionRequest{
		SessionId: id,
		Options: []sdk.PermissionOption{
			{OptionId: allowOption, Name: "Use these checks", Kind: sdk.PermissionOptionKindAllowOnce},
			{OptionId: denyOption, Name: "Do not start", Kind: sdk.PermissionOptionKindRejectOnce},
		},
		ToolCall: sdk.ToolCallUpdate{
			ToolCallId: "criterion",
			Title:      sdk.Ptr("Done when " + p.Words + " (" + p.Path + ")"),
			Kind:       sdk.Ptr(sdk.ToolKindOther),
			Content:    []sdk.ToolCallContent{sdk.ToolContent(sdk.TextBlock(fence(p.Text)))},
		},
	})
	return err == nil && answer.Outcome.Selected != nil && answer.Outcome.Selected.OptionId == allowOption
}

// follow sends the editor what the goal does, until the goal stops.
func (a *Agent) follow(ctx context.Context, s savedSession, sub *event.Subscription) (sdk.PromptResponse, error) {
	row, err := a.deps.Store.Goals.Get(ctx, s.Goal)
	if err != nil {
		return sdk.PromptResponse{}, requestError(err)
	}
	asking, stopAsking := context.WithCancel(ctx)
	defer stopAsking()
	cancelled := ctx.Done()
	sending := context.WithoutCancel(ctx) // also sends what happens after a cancel
	for {
		select {
		case <-cancelled:
			if a.hasEnded() {
				a.interrupt(sending, s.Goal)
				return sdk.PromptResponse{StopReason: sdk.StopReasonCancelled}, nil
			}
			cancelled = nil
			if err := a.pause(sending, s.Goal); err != nil {
				return sdk.PromptResponse{StopReason: sdk.StopReasonCancelled}, nil //nolint:nilerr // it has stopped already
			}
		case e, ok := <-sub.C:
			if !ok {
				return sdk.PromptResponse{}, requestError(errors.New("too many events at once; send a note to see the state"))
			}
			if e.GoalID != s.Goal {
				continue
			}
			for _, u := range describeEvent(row.Policy.Dir, e.Body) {
				a.update(sending, s.ID, u)
			}
			switch b := e.Body.(type) {
			case *event.ApprovalRequested:
				go a.ask(asking, s, b.Approval)
			case *event.Ended:
				a.showChanges(sending, s)
				return sdk.PromptResponse{StopReason: stopReason(ctx, b.Exit)}, nil
			case *event.Paused:
				a.showChanges(sending, s)
				a.explainManual(sending, s)
				a.explainPause(sending, s)
				return sdk.PromptResponse{StopReason: stopReason(ctx, b.Exit)}, nil
			}
		}
	}
}

// explainManual explains how to decide a manual check, if the goal waits for one.
func (a *Agent) explainManual(ctx context.Context, s savedSession) {
	row, err := a.deps.Store.Goals.Get(ctx, s.Goal)
	waits := false
	if err == nil {
		waits, err = a.deps.Store.Questions.WaitsForManual(ctx, row)
	}
	switch {
	case err != nil:
		a.deps.Log.Warn("cannot find out whether the goal waits for the user", "goal", s.Goal, "error", err)
	case waits:
		a.say(ctx, s.ID, "Write `accept` to accept the result. Anything else sends it back to the agent with your words.")
	}
}

// pause stops the goal at once; the next prompt continues it.
func (a *Agent) pause(ctx context.Context, id goal.ID) error {
	stop := &runner.Stop{Exit: goal.PausedByUser, Reason: "cancelled in the editor"}
	if a.deps.Goals.Runner().Cancel(id, stop) {
		return nil
	}
	return a.deps.Goals.Pause(ctx, id)
}

// interrupt pauses the goal of an editor that is gone, as interrupted.
func (a *Agent) interrupt(ctx context.Context, id goal.ID) {
	const interruptTimeout = 4 * time.Second
	ctx, cancel := context.WithTimeout(ctx, interruptTimeout)
	defer cancel()
	if err := a.deps.Goals.Runner().Interrupt(ctx, id); err != nil {
		a.deps.Log.Warn("the goal of an editor was not paused in time", "goal", id, "error", err)
	}
}

func stopReason(ctx context.Context, exit goal.Exit) sdk.StopReason {
	switch {
	case ctx.Err() != nil:
		return sdk.StopReasonCancelled
	case exit == goal.LimitReached:
		return sdk.StopReasonMaxTurnRequests
	}
	return sdk.StopReasonEndTurn
}

// prompt is what the user wrote.
type prompt struct {
	objective string
	checks    []goal.Check
	worktree  bool
	risk      policy.Risk
}

// attachment replaces an attached file in the text of a prompt while its commands are read.
const attachment = "\x00"

// parsePrompt reads the commands of a prompt: lines that begin with /check, /worktree or /risk. It does not look for
// commands in attached files, which somebody else may have written.
func parsePrompt(blocks []sdk.ContentBlock) prompt {
	var p prompt
	var text strings.Builder
	var files []string
	for _, b := range blocks {
		switch {
		case b.Text != nil:
			text.WriteString(strings.ReplaceAll(b.Text.Text, attachment, ""))
		case b.ResourceLink != nil:
			text.WriteString(removeLineBreaks(b.ResourceLink.Uri))
		case b.Resource != nil && b.Resource.Resource.TextResourceContents != nil:
			r := b.Resource.Resource.TextResourceContents
			text.WriteString("\n" + attachment + "\n")
			files = append(files, removeLineBreaks(r.Uri)+"\n"+fence(r.Text))
		}
	}
	var rest []string
	for line := range strings.Lines(text.String()) {
		line = strings.TrimRight(line, "\r\n")
		word, value, _ := strings.Cut(strings.TrimSpace(line), " ")
		switch value = strings.TrimSpace(value); {
		case word == "/check" && value != "":
			p.checks = append(p.checks, goal.Check{Type: goal.Shell, Command: value})
		case word == "/worktree":
			p.worktree = true
			rest = append(rest, value)
		case word == "/risk" && value != "":
			p.risk = policy.Risk(value)
		case line == attachment:
			rest = append(rest, files[0])
			files = files[1:]
		default:
			rest = append(rest, line)
		}
	}
	p.objective = strings.TrimSpace(strings.Join(rest, "\n"))
	return p
}

// removeLineBreaks removes line breaks from an address, so that no part of it can become a command.
func removeLineBreaks(address string) string {
	return strings.NewReplacer("\n", "", "\r", "", attachment, "").Replace(address)
}
