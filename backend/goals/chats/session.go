package chats

import (
	"context"
	"fmt"
	"time"

	"goalpost/backend/agent/model"
	"goalpost/backend/core/runner"
	"goalpost/backend/domain/goal"
	"goalpost/backend/domain/policy"
	"goalpost/backend/goals/models"
)

// session is the environment of one answer: its model, and the tools that a chat may use.
type session struct {
	models runner.Models
	tools  []runner.Tool
	policy policy.Policy
}

func (se *session) Models() runner.Models                  { return se.models }
func (se *session) Tools() []runner.Tool                   { return se.tools }
func (se *session) Judge() runner.Verifier                 { return nil } // nothing is claimed
func (se *session) Folder() runner.FolderState             { return nil } // nothing changes
func (se *session) Close(context.Context, goal.Exit) error { return nil }

// openSession opens the environment of an answer.
func (s *Service) openSession(ctx context.Context, b begin, r *record) (*session, error) {
	client, err := s.Models.NewClient(ctx, models.Choice{Provider: b.provider, Effort: b.chat.Effort})
	if err != nil {
		return nil, err
	}
	retrying := model.Retry{Model: client, Clock: s.Clock, OnWait: func(err error, wait time.Duration) {
		r.onRetry(fmt.Sprintf("%v; trying again in %s", err, goal.FormatDuration(wait)))
	}}
	metered := s.Models.Budget.Meter(retrying, b.provider, models.Spender{Role: "chat"})
	return &session{
		models: runner.Models{Agent: metered, Window: s.Models.Window(ctx, b.provider)},
		policy: policy.Policy{Dir: b.chat.Dir, Risk: policy.ReadOnly},
	}, nil
}

const defaultRounds = 20

// rounds returns how many rounds of tools an answer may have.
func (s *Service) rounds() int { return defaultRounds }

// evidence reads the results of earlier calls, which an answer saw only in part.
type evidence struct{ messages []goal.Message }

func (evidence) ReadEvidence(_ context.Context, _ goal.ID, handle string) ([]byte, error) {
	return nil, fmt.Errorf("there is no stored result %q", handle)
}
