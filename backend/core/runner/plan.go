package runner

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"goalpost/backend/core/runner/loopguard"
	"goalpost/backend/domain/event"
	"goalpost/backend/domain/goal"
)

// plan holds the agent's todos and notes, and the open step of the step protocol.
type plan struct {
	journal *journalWriter
	window  int // of the agent's model, in tokens; 0 if unknown

	todos    []goal.Todo
	notes    []goal.Note           // oldest first
	declared *goal.StepDeclaration // the open step of the protocol
	stepUsed bool                  // a changing call was made in it
}

// WriteTodos replaces the plan.
func (p *plan) WriteTodos(ctx context.Context, todos []goal.Todo) error {
	const maxTodos = 20
	if len(todos) == 0 || len(todos) > maxTodos {
		return fmt.Errorf("a plan has 1 to %d todos, best 3 to 7; this one has %d", maxTodos, len(todos))
	}
	for i, t := range todos {
		if strings.TrimSpace(t.Text) == "" {
			return fmt.Errorf("todo %d is empty", i+1)
		}
	}
	return p.save(ctx, append([]goal.Todo{}, todos...), p.notes, 0)
}

// CompleteTodo marks one todo as done.
func (p *plan) CompleteTodo(ctx context.Context, n int) error {
	if n < 1 || n > len(p.todos) {
		return fmt.Errorf("there is no todo %d; the plan has %s", n, goal.FormatCount(len(p.todos), "todo"))
	}
	todos := append([]goal.Todo{}, p.todos...)
	todos[n-1].Done = true
	return p.save(ctx, todos, p.notes, 0)
}

// save journals the plan. note is the number of the note that was changed, 0 if the todos were.
func (p *plan) save(ctx context.Context, todos []goal.Todo, notes []goal.Note, note int) error {
	if stop := p.journal.append(ctx, &event.Todos{Items: todos, Notes: notes, Note: note}); stop != nil {
		return stop
	}
	p.todos, p.notes = todos, notes
	return nil
}

// countOpen returns the number of todos that are not done.
func (p *plan) countOpen() int {
	n := 0
	for _, t := range p.todos {
		if !t.Done {
			n++
		}
	}
	return n
}

// openTodos lists the todos that are not done, "" if all are.
func (p *plan) openTodos() string {
	var open []string
	for i, t := range p.todos {
		if !t.Done {
			open = append(open, fmt.Sprintf("%d. %s", i+1, t.Text))
		}
	}
	return strings.Join(open, "\n")
}

// todoList formats the whole plan, with completed todos, so that the agent does not repeat them.
func (p *plan) todoList() string {
	lines := make([]string, 0, len(p.todos))
	for i, t := range p.todos {
		lines = append(lines, t.Line(i+1))
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

// VerifyStep closes the open step.
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

// hasFreshStep reports whether a step is open in which nothing has changed yet.
func (p *plan) hasFreshStep() bool { return p.declared != nil && !p.stepUsed }

// restoreStep restores the open step from the calls of earlier runs. succeeded holds the ids of the calls that
// succeeded.
func (p *plan) restoreStep(messages []goal.Message, succeeded map[string]bool) {
	for _, m := range messages {
		for _, c := range m.Calls {
			var s goal.StepDeclaration
			switch {
			case !succeeded[c.ID]:
			case c.Tool == "verify_step":
				p.declared = nil
			case c.Tool == loopguard.DeclareStepTool && json.Unmarshal([]byte(c.Arguments), &struct {
				N *int    `json:"step_number"`
				T *string `json:"title"`
			}{&s.Number, &s.Title}) == nil:
				p.declared, p.stepUsed = &s, true // a call may have been made in it
			}
		}
	}
}
