package calls

import (
	"context"
	"errors"
	"fmt"

	"goalpost/backend/domain/goal"
	"goalpost/backend/domain/policy"
	"goalpost/backend/goals/lifecycle"
	"goalpost/backend/lib/fault"
	"goalpost/backend/storage/store"
)

// ApprovalView is a call that waits for the user, with all its details.
type ApprovalView struct {
	GoalID    string         `json:"goal_id"`
	Objective string         `json:"objective"`
	Status    goal.Status    `json:"status"` // of the goal
	Request   string         `json:"request"`
	At        string         `json:"at"`
	Step      int            `json:"step"`
	Tool      string         `json:"tool"`
	Arguments string         `json:"arguments"` // all of them, JSON as the model wrote it
	Risk      policy.Risk    `json:"risk"`
	Hosts     []string       `json:"hosts"`
	Paths     []string       `json:"paths"`
	Show      string         `json:"show"` // a diff, or what a form would send; "" if the arguments say everything
	Why       string         `json:"why"`
	Always    bool           `json:"always"` // asked at every risk level
	Offers    []OfferView    `json:"offers"`
	Given     goal.OrderKind `json:"given"` // approve or deny: answered, but the goal has not continued yet
}

// OfferView is one thing that an approval may cover.
type OfferView struct {
	Scope  policy.Scope `json:"scope"`
	Covers string       `json:"covers"` // a description
}

// GrantView is an unrevoked grant of a goal.
type GrantView struct {
	GoalID  string       `json:"goal_id"`
	Request string       `json:"request"`
	Scope   policy.Scope `json:"scope"`
	Covers  string       `json:"covers"`
	Held    bool         `json:"held"` // programs may use it, so revoking it ends the programs of the goal's agent
}

// AnswerInput answers one approval.
type AnswerInput struct {
	GoalID  string `json:"goal_id"`
	Request string `json:"request"`
	Allow   bool   `json:"allow"`
	// of an approval: once, host, command, path or pane; goal is the widest scope that is offered
	Scope policy.Scope `json:"scope"`
	Why   string       `json:"why"` // reason of a denial
}

// ApprovalAPI lists and answers open approvals, and lists and revokes grants.
type ApprovalAPI struct {
	approvals *lifecycle.Service
	store     *store.Store
	apiBase
}

// NewApprovalAPI makes the API; ctx is the program's life. Without a service it only reads what is stored.
func NewApprovalAPI(ctx context.Context, a *lifecycle.Service, s *store.Store) *ApprovalAPI {
	return &ApprovalAPI{a, s, apiBase{ctx}}
}

// List reads the open approvals, oldest first; goalID "" means every goal.
func (a *ApprovalAPI) List(goalID string) (out []ApprovalView, err error) {
	defer a.recoverProblem(&err)
	id, err := a.find(goalID)
	if err != nil {
		return nil, err
	}
	list, err := a.store.Approvals.OpenApprovals(a.ctx, id)
	if err != nil {
		return nil, err
	}
	return viewAll(list, approvalView), nil
}

func (a *ApprovalAPI) find(goalID string) (goal.ID, error) {
	if goalID == "" {
		return "", nil
	}
	row, err := a.store.Goals.Find(a.ctx, goalID)
	if err != nil {
		return "", fmt.Errorf("approvals: %w", err)
	}
	return row.ID, nil
}

func approvalView(a store.Approval) ApprovalView {
	v := NewApprovalView(a.Goal, a.Approval)
	v.Objective, v.Status, v.At = a.Objective, a.Status, formatTime(a.At)
	if a.Given != nil {
		v.Given = a.Given.Kind
	}
	return v
}

// NewApprovalView makes the view of an approval, without the objective, the status, the time and the answer.
func NewApprovalView(id goal.ID, a goal.Approval) ApprovalView {
	return ApprovalView{
		GoalID:    string(id),
		Request:   a.ID,
		Step:      a.Step,
		Tool:      a.Tool,
		Arguments: a.Arguments,
		Risk:      a.Effect.Risk,
		Hosts:     append([]string{}, a.Effect.Hosts...),
		Paths:     append([]string{}, a.Effect.Paths...),
		Show:      a.Show,
		Why:       a.Why,
		Always:    a.Always,
		Offers:    viewAll(a.Offers, func(o policy.Grant) OfferView { return OfferView{o.Scope, o.Describe()} }),
	}
}

// Answer answers several approvals. If it cannot answer one, it still answers the others.
func (a *ApprovalAPI) Answer(list []AnswerInput) (ok bool, err error) {
	defer a.recoverProblem(&err)
	if len(list) == 0 {
		return false, fault.New(fault.Refused, "no approval is named", "name the approvals to answer")
	}
	var errs []error
	for _, in := range list {
		errs = append(errs, a.answer(in))
	}
	return true, errors.Join(errs...)
}

func (a *ApprovalAPI) answer(in AnswerInput) error {
	row, err := a.store.Goals.Find(a.ctx, in.GoalID)
	if err != nil {
		return fmt.Errorf("answer: %w", err)
	}
	return a.approvals.Answer(a.ctx, row.ID, in.Order())
}

// Order returns the order for the run of the goal.
func (in AnswerInput) Order() goal.Order {
	if in.Allow {
		return goal.Order{Kind: goal.OrderApprove, Request: in.Request, Scope: in.Scope}
	}
	return goal.Order{Kind: goal.OrderDeny, Request: in.Request, Text: in.Why}
}

// Grants reads the unrevoked grants of a goal; goalID "" means every goal that has not ended.
func (a *ApprovalAPI) Grants(goalID string) (out []GrantView, err error) {
	defer a.recoverProblem(&err)
	id, err := a.find(goalID)
	if err != nil {
		return nil, err
	}
	goals := []goal.ID{id}
	if id == "" {
		if goals, err = a.store.Approvals.Granted(a.ctx); err != nil {
			return nil, err
		}
	}
	out = []GrantView{}
	for _, id := range goals {
		list, err := a.store.Approvals.Grants(a.ctx, id)
		if err != nil {
			return nil, err
		}
		for _, g := range list {
			out = append(out, GrantView{string(id), g.ID, g.Scope, g.Describe(), g.NeedsKilling()})
		}
	}
	return out, nil
}

// Revoke revokes a grant: the next call that needs it asks again.
func (a *ApprovalAPI) Revoke(goalID, request string) (bool, error) {
	return withGoal(a.apiBase, a.store, goalID, func(g store.GoalRow) (bool, error) {
		return true, a.approvals.Revoke(a.ctx, g.ID, request)
	})
}
