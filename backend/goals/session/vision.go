package session

import (
	"context"
	"errors"
	"fmt"

	"goalpost/backend/agent/tools"
	"goalpost/backend/core/verify/check"
	"goalpost/backend/core/verify/judge"
	"goalpost/backend/domain/goal"
)

// visionJudge lets a goal's tools ask the judge about pictures. The judge never sees the agent's conversation.
type visionJudge struct{ session *Session }

// Ask asks one question about a picture.
func (v visionJudge) Ask(ctx context.Context, system, question string, picture []byte) (goal.Reply, error) {
	var eye judge.Model
	switch m := v.session.models; {
	case m.vision != nil:
		eye = m.vision.Model
	case m.judge != nil:
		eye = m.judge
	default:
		return goal.Reply{}, errors.New("no vision model is configured for this goal")
	}
	m := goal.Message{Role: goal.User, Text: question}
	if picture != nil {
		m.Images = [][]byte{picture}
	}
	reply, err := eye.Turn(ctx, goal.Turn{System: system, Messages: []goal.Message{m}}, func(string) {})
	if err != nil {
		return reply, fmt.Errorf("ask the vision model: %w", err)
	}
	if reply.IsCutOff {
		reply.Text += "\n(This answer was cut off at the model's output limit.)"
	}
	return reply, nil
}

// Decide answers a question in the same way as a visual check.
func (v visionJudge) Decide(ctx context.Context, question string, s tools.Picture) (tools.VisionVerdict, error) {
	word, why, usage, err := v.session.checks.JudgePicture(ctx, question, check.PageCapture{
		PNG:   s.PNG,
		URL:   s.URL,
		Title: s.Title,
	})
	return tools.VisionVerdict{Word: word, Why: why, Usage: usage}, err
}
