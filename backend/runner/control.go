package runner

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"goalpost/backend/event"
	"goalpost/backend/goal"
	"goalpost/backend/runner/conversation"
)

// runControl is what a run's tools reach it by.
type runControl struct {
	*agentControl
	*plan
	run *Run
}

func (c runControl) ExecuteNested(ctx context.Context, call goal.Call) (step int, result goal.Result, err error) {
	return c.run.dispatcher.ExecuteNested(ctx, call)
}

// agentControl is the goal.RunControl of a run.
type agentControl struct {
	run *Run

	claim        *pendingClaim // made in this iteration
	gaveUp       *givenUp      // in this iteration
	question     string        // by ask_operator in this iteration
	questionPane string        // where the user is to do it
}

// Claim asks for verification.
func (c *agentControl) Claim(rationale, result string) {
	c.claim = &pendingClaim{rationale: rationale, result: result}
}

// GiveUp ends the run as gave_up.
func (c *agentControl) GiveUp(reason, learned string) { c.gaveUp = &givenUp{reason, learned} }

// AskUser pauses the run until the user has answered; pane is where they are to do
// something, "" if nowhere.
func (c *agentControl) AskUser(question, pane string) { c.question, c.questionPane = question, pane }

// WriteTodos replaces the plan.
func (p *plan) WriteTodos(ctx context.Context, todos []goal.Todo) error {
	const most = 20
	if len(todos) == 0 || len(todos) > most {
		return fmt.Errorf("a plan has 1 to %d todos, best 3 to 7; this one has %d", most, len(todos))
	}
	for i, t := range todos {
		if strings.TrimSpace(t.Text) == "" {
			return fmt.Errorf("todo %d is empty", i+1)
		}
	}
	return p.saveTodos(ctx, append([]goal.Todo{}, todos...))
}

// CompleteTodo ticks one entry of the plan off.
func (p *plan) CompleteTodo(ctx context.Context, n int) error {
	if n < 1 || n > len(p.todos) {
		return fmt.Errorf("there is no todo %d; the plan has %s", n, goal.FormatCount(len(p.todos), "todo"))
	}
	todos := append([]goal.Todo{}, p.todos...)
	todos[n-1].Done = true
	return p.saveTodos(ctx, todos)
}

func (p *plan) saveTodos(ctx context.Context, todos []goal.Todo) error {
	if stop := p.run.journal_.journal(ctx, &event.Todos{Items: todos}); stop != nil {
		return stop
	}
	p.todos = todos
	return nil
}

// openTodos says what of the plan is not done, "" if all is.
func (p *plan) openTodos() string {
	var open []string
	for i, t := range p.todos {
		if !t.Done {
			open = append(open, fmt.Sprintf("%d. %s", i+1, t.Text))
		}
	}
	return strings.Join(open, "\n")
}

// todoList is the whole plan in words: what is ticked off must not be done again.
func (p *plan) todoList() string {
	lines := make([]string, 0, len(p.todos))
	for i, t := range p.todos {
		mark := " "
		if t.Done {
			mark = "x"
		}
		lines = append(lines, fmt.Sprintf("%d. [%s] %s", i+1, mark, t.Text))
	}
	return strings.Join(lines, "\n")
}

// DeclareStep opens a step of the protocol.
func (p *plan) DeclareStep(s goal.StepDeclaration) error {
	if open := p.declared; open != nil {
		return fmt.Errorf("step %d (%s) is open: close it with verify_step first", open.Number, open.Title)
	}
	p.declared, p.stepUsed = &s, false
	return nil
}

// VerifyStep closes it.
func (p *plan) VerifyStep(o goal.StepObservation) error {
	switch open := p.declared; {
	case open == nil:
		return errors.New("no step is open: declare_step opens one")
	case open.Number != o.Number:
		return fmt.Errorf("the open step is %d (%s), not %d", open.Number, open.Title, o.Number)
	}
	p.declared = nil
	return nil
}

// Wait lets time pass. It ends early when the run is stopped or paused.
func (c *agentControl) Wait(ctx context.Context, d time.Duration) time.Duration {
	from := c.run.cfg.Clock.Now()
	select {
	case <-ctx.Done():
	case <-c.run.pause:
	case <-c.run.cfg.Clock.After(d):
	}
	return c.run.cfg.Clock.Now().Sub(from)
}

// PauseRequested is closed when the user pauses the run: a tool that waits long ends
// its wait then.
func (c *agentControl) PauseRequested() <-chan struct{} { return c.run.pause }

// evidencePageBytes is what one read_evidence gives at most, in bytes.
const evidencePageBytes = 16 << 10

// Evidence reads a page of something long that the host kept.
func (c *agentControl) Evidence(ctx context.Context, handle string, cursor int64) (goal.TextPage, error) {
	whole, err := c.run.history.Evidence(ctx, c.run.goal.ID, handle)
	if err != nil {
		return goal.TextPage{}, fmt.Errorf("evidence: %w", err)
	}
	return pageAt(whole, cursor, min(evidencePageBytes, int64(conversation.MaxResultBytes(c.run.session.Models().Window))))
}

// pageAt cuts between characters, so that pages put together are the whole.
func pageAt(whole []byte, cursor, most int64) (goal.TextPage, error) {
	size := int64(len(whole))
	if cursor < 0 || cursor > size {
		return goal.TextPage{}, fmt.Errorf("the cursor %d is outside of 0 to %d", cursor, size)
	}
	end := min(cursor+most, size)
	for back := 0; end < size && back < utf8.UTFMax && !utf8.RuneStart(whole[end]); back++ {
		end--
	}
	return goal.TextPage{
		Content: strings.ToValidUTF8(string(whole[cursor:end]), "\uFFFD"), HasMore: end < size, NextCursor: end, TotalBytes: size,
	}, nil
}

var _ goal.RunControl = runControl{}
