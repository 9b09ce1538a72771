package cli

import (
	"context"
	"fmt"
	"strings"

	"goalpost/backend/api"
	"goalpost/backend/event"
	"goalpost/backend/goal"
	"goalpost/backend/store"
)

// approvalCommands show and answer what goals ask the user for.
type approvalCommands struct{ Program }

// formatApprovals lists pending requests with everything that is needed to answer them.
func (p approvalCommands) formatApprovals(open []api.ApprovalView) string {
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
			fmt.Fprintf(&b, "  answered: %s; %s resume %s resumes the goal\n", a.Given, p.Name, goal.ID(a.GoalID).Short())
			continue
		}
		for _, o := range a.Offers {
			fmt.Fprintf(&b, "  %s approve %s %s --scope %s   %s\n", p.Name, goal.ID(a.GoalID).Short(), a.Request, o.Scope,
				singleLine(o.Covers))
		}
		fmt.Fprintf(&b, "  %s deny %s %s --why TEXT\n", p.Name, goal.ID(a.GoalID).Short(), a.Request)
	}
	return b.String()
}

func levelOf(a api.ApprovalView) string {
	if a.Always {
		return "always asks"
	}
	return string(a.Risk)
}

// formatGrants lists the permissions of one goal, or of several.
func formatGrants(grants []api.GrantView, several bool) string {
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
func (p approvalCommands) printPending(ctx context.Context, s *store.Store, id string) error {
	list, err := api.NewApprovalAPI(ctx, nil, s).List(id)
	if err != nil {
		return err
	}
	questions, err := p.pendingQuestions(ctx, s, id, list)
	if err != nil {
		return err
	}
	return p.printf("%s%s", p.formatApprovals(list), p.formatQuestions(questions))
}

// pendingQuestions are the questions of goals apart from the calls in open; id may be a part of one, or "".
func (p approvalCommands) pendingQuestions(
	ctx context.Context, s *store.Store, id string, open []api.ApprovalView,
) ([]pendingQuestion, error) {
	var whole goal.ID
	if id != "" {
		row, err := s.Find(ctx, id)
		if err != nil {
			return nil, fmt.Errorf("approvals: %w", err)
		}
		whole = row.ID
	}
	waiting := map[string]bool{}
	for _, a := range open {
		waiting[a.GoalID] = true
	}
	return pendingQuestions(ctx, s, whole, waiting)
}

// pendingQuestion is why a paused goal waits for the user, apart from calls to approve.
type pendingQuestion struct {
	GoalID    string `json:"goal_id"`
	Objective string `json:"objective"`
	At        string `json:"at"`
	What      string `json:"what"`   // question of the agent, decision about a manual check (word), or attention (look)
	Reason    string `json:"reason"` // the question, or why the goal paused
	Pane      string `json:"pane"`   // where the user is to act, "" if nowhere
}

// pendingQuestions reads what goals need from the user, or one of them, without those that wait for an approval:
// approvals are listed themselves.
func pendingQuestions(
	ctx context.Context, s *store.Store, id goal.ID, approvals map[string]bool,
) ([]pendingQuestion, error) {
	list, err := s.PendingQuestions(ctx, id)
	if err != nil {
		return nil, fmt.Errorf("approvals: %w", err)
	}
	out := []pendingQuestion{}
	for _, a := range list {
		v := pendingQuestion{string(a.ID), a.Objective, a.At.UTC().Format(event.TimeLayout), "look", a.Reason, a.Pane}
		switch question, asked := strings.CutPrefix(a.Reason, goal.QuestionPrefix); {
		case asked:
			v.What, v.Reason = "question", question
		case a.Waits:
			v.What = "word"
		case approvals[v.GoalID]:
			continue
		}
		out = append(out, v)
	}
	return out, nil
}

// formatQuestions lists what goals need, each with the commands that answer it.
func (p approvalCommands) formatQuestions(list []pendingQuestion) string {
	var b strings.Builder
	for _, a := range list {
		id := goal.ID(a.GoalID).Short()
		what := map[string]string{
			"question": "its agent asks you:",
			"word":     "needs your decision:",
			"look":     "is paused for you:",
		}[a.What]
		fmt.Fprintf(&b, "%s  %s\n%s\n", id, oneLine(a.Objective), what)
		for line := range strings.Lines(a.Reason) {
			fmt.Fprintf(&b, "    | %s\n", singleLine(strings.TrimRight(line, "\n")))
		}
		if a.Pane != "" {
			fmt.Fprintf(&b, "  in the pane %s\n", singleLine(a.Pane))
		}
		b.WriteString(p.answerCommands(a))
	}
	return b.String()
}

// answerCommands are the commands that answer a question.
func (p approvalCommands) answerCommands(a pendingQuestion) string {
	id := goal.ID(a.GoalID).Short()
	switch a.What {
	case "word":
		return fmt.Sprintf("  %s accept %s\n  %s reject %s --note TEXT\n", p.Name, id, p.Name, id)
	case "question":
		return fmt.Sprintf("  %s resume %s --note ANSWER\n"+
			"  %s resume %s --unprotect PATH   also lets the agent change a protected "+
			"file\n", p.Name, id, p.Name, id)
	}
	lines := fmt.Sprintf("  %s report %s   shows details\n  %s resume %s   resumes it\n", p.Name, id, p.Name, id)
	if strings.HasPrefix(a.Reason, goal.TamperedMark) {
		const keep = "  %s resume %s --accept-protected   accepts the changed files instead of restoring them\n" +
			"  %s resume %s --accept-changes PATH   accepts one of them and restores the others\n"
		lines += fmt.Sprintf(keep, p.Name, id, p.Name, id)
	}
	return lines
}

// printAnswerHelp says, after a followed goal has stopped, how to answer it. For calls to approve that was shown with
// the request.
func (p approvalCommands) printAnswerHelp(ctx context.Context, s *store.Store, id goal.ID) error {
	open, err := s.OpenApprovals(ctx, id)
	if err != nil {
		return fmt.Errorf("approvals: %w", err)
	}
	list, err := pendingQuestions(ctx, s, id, map[string]bool{string(id): len(open) > 0})
	if err != nil {
		return err
	}
	for _, a := range list {
		p.errorf("%s", p.answerCommands(a))
	}
	return nil
}
