package cli

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"goalpost/backend/app"
	"goalpost/backend/domain/event"
	"goalpost/backend/domain/goal"
	"goalpost/backend/domain/policy"
	"goalpost/backend/goals/api"
	"goalpost/backend/goals/calls"
	"goalpost/backend/lib/fault"
	"goalpost/backend/lib/shell"
	"goalpost/backend/storage/store"
)

// approvals shows the pending requests, and the permissions that the user has granted.
func (ac approvalCommands) approvals() *cobra.Command {
	return addJSON(&cobra.Command{
		Use:   "approvals [ID]",
		Short: "List pending approvals and questions, and the permissions of each goal",
		RunE: ac.program.runWithStore(func(c *cobra.Command, _ *calls.GoalAPI, s *store.Store, args []string) error {
			a := calls.NewApprovalAPI(c.Context(), nil, s)
			id := strings.Join(args, "")
			open, err := a.List(id)
			if err != nil {
				return err
			}
			grants, err := a.Grants(id)
			if err != nil {
				return err
			}
			questions, err := ac.pendingQuestions(c.Context(), s, id, open)
			switch {
			case err != nil:
				return err
			case isJSON(c):
				return ac.program.json(struct {
					Open      []calls.ApprovalView `json:"open"`
					Questions []pendingQuestion    `json:"questions"`
					Grants    []calls.GrantView    `json:"grants"`
				}{open, questions, grants})
			case len(open)+len(questions)+len(grants) == 0:
				return ac.program.printf("No pending requests, and no permissions granted.\n")
			}
			return ac.program.printf("%s%s%s", ac.formatApprovals(open), ac.formatQuestions(questions),
				formatGrants(grants, id == ""))
		}),
	})
}

func (ac approvalCommands) approve() *cobra.Command {
	var scope string
	return ac.answerCommand(&cobra.Command{
		Use:   "approve ID REQUEST",
		Short: "Approve a pending request, and resume the goal if it was paused",
	}, func(c *cobra.Command) {
		c.Flags().StringVar(&scope, "scope", "", "once, or a scope that the request offers for the whole goal: goal, "+
			"host, command, path, pane (default: the first offered)")
	}, func(in *calls.AnswerInput) { in.Allow, in.Scope = true, policy.Scope(scope) })
}

// defaultScope returns the scope of an approval that names none: the first one offered. Answer refuses requests that do
// not exist or offer nothing.
func defaultScope(open []calls.ApprovalView, request string) policy.Scope {
	for _, v := range open {
		if v.Request == request && len(v.Offers) > 0 {
			return v.Offers[0].Scope
		}
	}
	return policy.ScopeOnce
}

func (ac approvalCommands) deny() *cobra.Command {
	var why string
	return ac.answerCommand(&cobra.Command{
		Use:   "deny ID REQUEST",
		Short: "Deny a pending request, and resume the goal if it was paused",
	}, func(c *cobra.Command) {
		c.Flags().StringVar(&why, "why", "", "the reason, shown to the agent")
	}, func(in *calls.AnswerInput) { in.Why = why })
}

// answerCommand completes a command that answers a request. A run of the goal takes the answer; a paused goal without
// further requests continues.
func (ac approvalCommands) answerCommand(
	c *cobra.Command, flags func(*cobra.Command), fill func(*calls.AnswerInput),
) *cobra.Command {
	var o output
	var only bool
	c.RunE = func(c *cobra.Command, args []string) error {
		in := calls.AnswerInput{GoalID: args[0], Request: args[1]}
		fill(&in)
		ctx := c.Context()
		options := app.Options{Pace: demoPace, Attended: ac.program.isTerminal(0)}
		return ac.program.withApp(ctx, options, func(a *app.App) error {
			approvals := a.ApprovalAPI(ctx)
			if in.Allow && in.Scope == "" {
				open, err := approvals.List(in.GoalID)
				if err != nil {
					return err
				}
				in.Scope = defaultScope(open, in.Request)
			}
			row, err := a.Store().Goals.Find(ctx, in.GoalID)
			if err != nil {
				return fmt.Errorf("%s: %w", c.Name(), err)
			}
			if row, err = a.Goals.RecordAnswer(ctx, row.ID, in.Order()); err != nil {
				return err
			}
			if row.Status != goal.Paused || row.Exit != goal.NeedsUser {
				return nil
			}
			open, err := approvals.List(string(row.ID))
			if err != nil {
				return err
			}
			unanswered := slices.DeleteFunc(open, func(v calls.ApprovalView) bool { return v.Given != "" })
			switch {
			case len(unanswered) > 0:
				ac.program.errorf("The goal is paused; %d more requests are pending.\n", len(unanswered))
				return nil
			case only:
				ac.program.errorf("The goal is paused; %s resume %s resumes it.\n", ac.program.Name, row.ID.Short())
				return nil
			}
			return liveView(ac).follow(ctx, a, o, func(ctx context.Context) (runningGoal, error) {
				return runningGoal{id: row.ID, last: row.Seq}, a.Goals.Resumption.Resume(ctx, row.ID, api.ResumeInput{})
			})
		})
	}
	flags(c)
	c.Flags().BoolVar(&only, "only", false, "record the answer only; do not resume a paused goal")
	o.add(c.Flags())
	return c
}

func (ac approvalCommands) revoke() *cobra.Command {
	var yes bool
	c := &cobra.Command{
		Use: "revoke ID REQUEST", Short: "Revoke a permission; the next call asks again",
		Long: "Revoke a permission; the next call asks again. If programs may have the folder, file or socket open, " +
			"revoking ends the programs of the goal's agent. You are asked first.",
		RunE: ac.program.runWithApp(func(c *cobra.Command, a *app.App, args []string) error {
			approvals := a.ApprovalAPI(c.Context())
			if !yes {
				if err := ac.confirmKill(c.Context(), a, args[0], args[1]); err != nil {
					return err
				}
			}
			_, err := approvals.Revoke(args[0], args[1])
			return err
		}),
	}
	c.Flags().BoolVar(&yes, "yes", false, "do not ask before ending programs")
	return c
}

// confirmKill asks before a revocation that ends running programs.
func (ac approvalCommands) confirmKill(ctx context.Context, a *app.App, id, request string) error {
	row, err := a.Store().Goals.Find(ctx, id)
	if err != nil {
		return fmt.Errorf("revoke: %w", err)
	}
	owner, err := a.Store().Locks.LockOwner(row.ID)
	if err != nil {
		return fmt.Errorf("revoke: %w", err)
	}
	grants, err := a.Store().Approvals.Grants(ctx, row.ID)
	if err != nil {
		return fmt.Errorf("revoke: %w", err)
	}
	endsPrograms := slices.ContainsFunc(grants, func(g policy.Grant) bool {
		return g.ID == request && g.NeedsKilling()
	})
	if !endsPrograms || owner == 0 {
		return nil
	}
	const what = "programs of the goal may have it open, so revoking ends everything that its agent runs"
	if ac.program.isTerminal(0) && ac.program.confirmAtTerminal(what+". Revoke it? [y/N] ") {
		return nil
	}
	return &fault.Error{Code: fault.Refused, Message: "nothing was revoked: " + what, Hint: "pass --yes to revoke it"}
}

// approvalCommands show and answer what goals ask the user for.
type approvalCommands struct{ program Program }

// formatApprovals lists pending requests with everything that is needed to answer them.
func (ac approvalCommands) formatApprovals(open []calls.ApprovalView) string {
	var b strings.Builder
	for _, a := range open {
		if a.Objective != "" {
			fmt.Fprintf(&b, "%s  %s\n", goal.ID(a.GoalID).Short(), oneLine(a.Objective))
		}
		fmt.Fprintf(&b, "%s needs your approval: %s (%s)\n%s  why: %s\n", a.Request, singleLine(a.Tool), levelOf(a),
			argumentLines(a.Arguments), singleLine(a.Why))
		for line := range strings.Lines(a.Show) {
			fmt.Fprintf(&b, "    | %s\n", singleLine(strings.TrimRight(line, "\n")))
		}
		if a.Given != "" {
			fmt.Fprintf(&b, "  answered: %s; %s resume %s resumes the goal\n", a.Given, ac.program.Name,
				goal.ID(a.GoalID).Short())
			continue
		}
		for _, o := range a.Offers {
			fmt.Fprintf(&b, "  %s approve %s %s --scope %s   %s\n", ac.program.Name, goal.ID(a.GoalID).Short(), a.Request,
				o.Scope, singleLine(o.Covers))
		}
		fmt.Fprintf(&b, "  %s deny %s %s --why TEXT\n", ac.program.Name, goal.ID(a.GoalID).Short(), a.Request)
	}
	return b.String()
}

func levelOf(a calls.ApprovalView) string {
	if a.Always {
		return "always asks"
	}
	return string(a.Risk)
}

// formatGrants lists the permissions of one goal, or of several.
func formatGrants(grants []calls.GrantView, several bool) string {
	var b strings.Builder
	for _, g := range grants {
		if several {
			fmt.Fprintf(&b, "%s ", goal.ID(g.GoalID).Short())
		}
		fmt.Fprintf(&b, "%s allowed: %s\n", g.Request, singleLine(g.Covers))
	}
	return b.String()
}

// printPending prints the pending requests of one goal, or of all, for show and list.
func (ac approvalCommands) printPending(ctx context.Context, s *store.Store, id string) error {
	list, err := calls.NewApprovalAPI(ctx, nil, s).List(id)
	if err != nil {
		return err
	}
	questions, err := ac.pendingQuestions(ctx, s, id, list)
	if err != nil {
		return err
	}
	return ac.program.printf("%s%s", ac.formatApprovals(list), ac.formatQuestions(questions))
}

// pendingQuestions reads what goals need from the user besides the calls in open. id may be part of a goal's id; "" is
// all goals.
func (ac approvalCommands) pendingQuestions(
	ctx context.Context, s *store.Store, id string, open []calls.ApprovalView,
) ([]pendingQuestion, error) {
	var fullID goal.ID
	if id != "" {
		row, err := s.Goals.Find(ctx, id)
		if err != nil {
			return nil, fmt.Errorf("approvals: %w", err)
		}
		fullID = row.ID
	}
	waiting := map[string]bool{}
	for _, a := range open {
		waiting[a.GoalID] = true
	}
	return pendingQuestions(ctx, s, fullID, waiting)
}

// pendingQuestion is why a paused goal waits for the user, apart from calls to approve.
type pendingQuestion struct {
	GoalID    string `json:"goal_id"`
	Objective string `json:"objective"`
	At        string `json:"at"`
	// What is question: the agent asks; word: a manual check waits, or no model decided; changed: a file that decides
	// was changed; model: its model needs a key, a quota or another name; look: anything else.
	What   string `json:"what"`
	Reason string `json:"reason"` // the question, or why the goal paused
	Pane   string `json:"pane"`   // where the user is to act, "" if nowhere

	Unlock string `json:"unlock,omitempty"` // the protected file that the agent asks to change
	Show   string `json:"show,omitempty"`   // the change that it proposes, as a diff

	Changed []goal.DecidingFile `json:"changed,omitempty"`
	// AgentReason is why the agent made the change, in its own words; "" if it gave no reason.
	AgentReason string `json:"agent_reason,omitempty"`
	again       bool   // resuming asks the model again that gave no answer
}

// pendingQuestions reads what one goal, or all, need from the user. It leaves out goals in approvals that wait for
// nothing else.
func pendingQuestions(
	ctx context.Context, s *store.Store, id goal.ID, approvals map[string]bool,
) ([]pendingQuestion, error) {
	list, err := s.Questions.PendingQuestions(ctx, id)
	if err != nil {
		return nil, fmt.Errorf("approvals: %w", err)
	}
	out := []pendingQuestion{}
	for _, a := range list {
		v := pendingQuestion{
			GoalID:    string(a.ID),
			Objective: a.Objective,
			At:        a.At.UTC().Format(event.TimeLayout),
			What:      "look",
			Reason:    a.Reason,
			Pane:      a.Pane,
			Unlock:    a.Unlock,
			Show:      a.Show,
		}
		switch question, isQuestion := strings.CutPrefix(a.Reason, goal.QuestionPrefix); {
		case isQuestion:
			v.What, v.Reason = "question", question
		case strings.HasPrefix(a.Reason, goal.ModelPrefix):
			v.What = "model"
		case len(a.Changed) > 0:
			v.What, v.Changed, v.AgentReason = "changed", a.Changed, a.Account
		case a.Waits:
			v.What, v.again = "word", !a.Criterion.AsksUser()
		case approvals[v.GoalID]:
			continue
		}
		out = append(out, v)
	}
	return out, nil
}

// formatQuestions lists what goals need, each with the commands that answer it.
func (ac approvalCommands) formatQuestions(list []pendingQuestion) string {
	var b strings.Builder
	for _, a := range list {
		id := goal.ID(a.GoalID).Short()
		what := map[string]string{
			"question": "its agent asks you:",
			"word":     "needs your decision:",
			"changed":  "needs your decision:",
			"look":     "is paused and needs you:",
			"model":    "is paused, because its model needs you:",
		}[a.What]
		fmt.Fprintf(&b, "%s  %s\n%s\n", id, oneLine(a.Objective), what)
		for line := range strings.Lines(a.Reason) {
			fmt.Fprintf(&b, "    | %s\n", singleLine(strings.TrimRight(line, "\n")))
		}
		for line := range strings.Lines(a.Show) {
			fmt.Fprintf(&b, "    | %s\n", singleLine(strings.TrimRight(line, "\n")))
		}
		if a.Pane != "" {
			fmt.Fprintf(&b, "  in the pane %s\n", singleLine(a.Pane))
		}
		b.WriteString(ac.answerCommands(a))
	}
	return b.String()
}

// answerCommands lists the commands that answer a question.
func (ac approvalCommands) answerCommands(a pendingQuestion) string {
	id := goal.ID(a.GoalID).Short()
	switch a.What {
	case "changed":
		return ac.changedHelp(a)
	case "word":
		lines := fmt.Sprintf("  %s accept %s\n  %s reject %s --note TEXT\n", ac.program.Name, id, ac.program.Name, id)
		if a.again {
			lines += fmt.Sprintf("  %s resume %s   asks the model again\n", ac.program.Name, id)
		}
		return lines
	case "question":
		if a.Unlock != "" {
			resume := ac.program.Name + " resume " + id
			return fmt.Sprintf("  %s --unprotect %s   lets the agent change it\n  %s --note REASON   does not\n", resume,
				shell.QuoteIfNeeded(a.Unlock), resume)
		}
		return fmt.Sprintf("  %s resume %s --note ANSWER\n"+
			"  %s resume %s --unprotect PATH   also lets the agent change a protected file\n",
			ac.program.Name, id, ac.program.Name, id)
	}
	if a.What == "model" {
		return fmt.Sprintf("  %s providers test   tests the model\n  %s resume %s   continues it\n"+
			"  %s resume %s --model NAME   continues it with another model\n", ac.program.Name, ac.program.Name, id,
			ac.program.Name, id)
	}
	return fmt.Sprintf("  %s report %s   shows details\n  %s resume %s   resumes it\n", ac.program.Name, id,
		ac.program.Name, id)
}

// changedHelp says why each changed file decides, what the agent says about the change, and the commands that decide.
func (ac approvalCommands) changedHelp(a pendingQuestion) string {
	var b strings.Builder
	for _, f := range a.Changed {
		fmt.Fprintf(&b, "  %s: %s\n", singleLine(f.Path), singleLine(f.Why))
	}
	if a.AgentReason != "" {
		fmt.Fprintf(&b, "  the agent says: %s\n", oneLine(a.AgentReason))
	}
	id := goal.ID(a.GoalID).Short()
	for _, way := range [][2]string{
		{"resume " + id + " --accept-protected", "keep the change: it counts from now on, and the goal continues"},
		{"resume " + id + " --restore-protected", "put it back: only this is undone, and the goal continues"},
		{"abort " + id, "stop"},
	} {
		fmt.Fprintf(&b, "  %s %-36s %s\n", ac.program.Name, way[0], way[1])
	}
	if len(a.Changed) > 1 {
		fmt.Fprintf(&b, "  With --restore-protected, --accept-changes PATH keeps one of them.\n")
	}
	return b.String()
}

// printAnswerHelp prints, after a followed goal has stopped, how to answer it. The commands for calls to approve were
// already shown with the request.
func (ac approvalCommands) printAnswerHelp(ctx context.Context, s *store.Store, id goal.ID) error {
	open, err := s.Approvals.OpenApprovals(ctx, id)
	if err != nil {
		return fmt.Errorf("approvals: %w", err)
	}
	list, err := pendingQuestions(ctx, s, id, map[string]bool{string(id): len(open) > 0})
	if err != nil {
		return err
	}
	for _, a := range list {
		ac.program.errorf("%s", ac.answerCommands(a))
	}
	return nil
}
