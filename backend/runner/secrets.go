package runner

import (
	"context"
	"errors"
	"fmt"

	"goalpost/backend/goal"
	"goalpost/backend/policy"
)

// effectOf is what a call would do, with the secrets that it refers to. Control
// tools get no secrets: what they are told is journaled.
func (r *Run) effectOf(ctx context.Context, tool Tool, c goal.Call) (policy.Effect, error) {
	e, err := tool.Effect(ctx, arguments(c))
	s, knows := r.room.(Secrets)
	if err != nil || e.Control || !knows {
		return e, err
	}
	uses, err := s.Uses(c)
	e.Secrets = append(e.Secrets, uses...) // a tool may use one by itself, as a saved login is
	return e, err
}

// fill makes the call that is executed. A secret does not decide what a call
// touches: that was judged with the reference in its place.
func (r *Run) fill(ctx context.Context, tool Tool, c goal.Call, judged policy.Effect) (goal.Call, error) {
	s, knows := r.room.(Secrets)
	if !knows || len(judged.Secrets) == 0 {
		return c, nil
	}
	filled, err := s.Fill(ctx, c)
	if err != nil {
		return c, fmt.Errorf("filling in a secret: %w", err)
	}
	e, err := tool.Effect(ctx, arguments(filled))
	if err != nil {
		return c, fmt.Errorf("with its secret filled in, the call does not fit: %w", err)
	}
	e.Secrets = judged.Secrets
	if !withoutLine(e).Same(withoutLine(judged)) {
		return c, errors.New("a secret decides here which host or which file is touched, and nobody could be asked about that. Use it in what is sent, not in where it goes")
	}
	return filled, nil
}

// hide takes secrets out of a result before anything else sees it.
func (r *Run) hide(text string) string {
	if s, knows := r.room.(Secrets); knows {
		return s.Hide(text)
	}
	return text
}
