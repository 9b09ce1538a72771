package store

import (
	"context"
	"fmt"
	"strings"

	"goalpost/backend/domain/event"
	"goalpost/backend/domain/goal"
	"goalpost/backend/lib/text"
)

// Background reads what the user said to a goal's agent, its plan and notes, and its claims with the host's
// answers.
func (h *History) Background(ctx context.Context, id goal.ID) (goal.Background, error) {
	var b goal.Background
	list, err := h.events(ctx, selectEvents+`WHERE goal_id = ?
		AND type IN ('steered','paused','claim','verification_failed') ORDER BY seq`, id)
	if err != nil {
		return b, err
	}
	addEvents(&b, list)
	approvals, err := (&ApprovalTable{h.connection}).List(ctx, id)
	if err != nil {
		return b, err
	}
	for _, a := range approvals {
		if a.Answer == nil || a.Answer.By != "user" {
			continue
		}
		answer := "no"
		if a.Answer.Allowed {
			answer = "yes"
		}
		b.Words = append(b.Words, goal.UserWord{
			Question: fmt.Sprintf("May it call %s %s?", a.Tool, text.Truncate(a.Arguments, 300)),
			Text:     text.JoinClauses(answer, a.Answer.Why),

			IsApproval: true,
		})
	}
	b.Plan, b.Notes, err = h.Plan(ctx, id)
	return b, err
}

// addEvents adds the user's notes, and the claims. The first note after a question is its answer.
func addEvents(b *goal.Background, list []event.Event) {
	question := ""
	for _, e := range list {
		switch body := e.Body.(type) {
		case *event.Paused:
			question = ""
			if asked, ok := strings.CutPrefix(body.Reason, goal.QuestionPrefix); ok {
				question = asked
			}
		case *event.Steered:
			if body.From == "" {
				b.Words = append(b.Words, goal.UserWord{Question: question, Text: body.Text})
				question = ""
			}
		case *event.Claim:
			b.Claims = append(b.Claims, goal.PastClaim{N: body.N, By: body.By, Rationale: body.Rationale})
		case *event.VerificationFailed:
			if n := len(b.Claims); n > 0 && b.Claims[n-1].N == body.Claim {
				b.Claims[n-1].Answer = body.Detail
			}
		}
	}
}
