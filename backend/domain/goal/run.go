package goal

import (
	"context"
	"fmt"
	"time"
)

// Run names one run of one goal. It travels in the context of everything done for the goal, so that no code needs a
// "current goal".
type Run struct {
	Goal    ID
	ID      string // new for each start
	Control RunControl
}

// Question is what the agent asks the user.
type Question struct {
	Text   string
	Pane   string // where the user must act, "" if nowhere
	Unlock string // the protected file that the agent asks to change, relative to the goal's folder; "" if none
	Show   string // the change that it proposes for that file, as a diff; "" if it proposes none
}

// RunControl lets a tool call control the run that made it. Only the run's own tools call its methods, one at a
// time. Its errors are reported to the agent.
type RunControl interface {
	EndControl
	PlanControl
	// Wait waits at most d and returns how long it waited.
	Wait(ctx context.Context, d time.Duration) time.Duration
	// WaitUntil stops the run until the host finds that a condition is met, at most for limit. The call that asks for it
	// gets its result then. The caller sets For, EveryMS and Mark. An error means that the run cannot wait now.
	WaitUntil(w Wait, limit time.Duration) error
	// Evidence reads a page of a long text that the host stored: the result of a step or the output of a check.
	// cursor is a byte offset.
	Evidence(ctx context.Context, handle string, cursor int64) (TextPage, error)
	// FindTools describes the tools that match a need. The model is offered them from its next turn on.
	FindTools(need string) string
}

// EndControl lets the agent end or pause its run. The effect follows after the calls of its turn.
type EndControl interface {
	// Claim requests verification.
	Claim(rationale, result string)
	GiveUp(reason, lessons string)
	// AskUser pauses the run until the user answers.
	AskUser(q Question)
}

// PlanControl changes the agent's plan, its notes and its open step.
type PlanControl interface {
	WriteTodos(ctx context.Context, todos []Todo) error
	CompleteTodo(ctx context.Context, n int) error // n counts from 1
	// WriteNote adds a note, or replaces the note n if n is not 0; without a text it removes it. It returns what is kept
	// now, for the agent.
	WriteNote(ctx context.Context, n int, text string) (string, error)
	DeclareStep(s StepDeclaration) error
	VerifyStep(o StepObservation) error
}

// Todo is one entry of the agent's plan.
type Todo struct {
	Text string `json:"text"`
	Done bool   `json:"done"`
}

// Line formats the nth todo of a plan.
func (t Todo) Line(n int) string {
	mark := " "
	if t.Done {
		mark = "x"
	}
	return fmt.Sprintf("%d. [%s] %s", n, mark, t.Text)
}

// WithOpenTodos adds to a text about a claim that n todos of the plan were open; nothing if n is 0.
func WithOpenTodos(about string, n int) string {
	switch n {
	case 0:
		return about
	case 1:
		return EndSentence(about) + " 1 todo of the plan was open."
	}
	return EndSentence(about) + fmt.Sprintf(" %d todos of the plan were open.", n)
}

// Note is what the agent wants to keep.
type Note struct {
	N    int    `json:"n"` // counts from 1 over the life of the goal
	Text string `json:"text"`
}

// StepDeclaration opens a step of the step protocol.
type StepDeclaration struct {
	Number                         int
	Title, Action, SuccessCriteria string
}

// StepObservation closes a step of the step protocol.
type StepObservation struct {
	Number                  int
	Passed                  bool
	Observation, NextAction string
}

// TextPage is a part of a longer text, as the model sees it.
type TextPage struct {
	Content    string `json:"content"`
	HasMore    bool   `json:"has_more"`
	NextCursor int64  `json:"next_cursor"`
	TotalBytes int64  `json:"total_bytes"`
}

type runKey struct{}

// WithRun returns a context that carries r.
func WithRun(ctx context.Context, r Run) context.Context {
	return context.WithValue(ctx, runKey{}, r)
}

// RunOf returns the run that ctx belongs to; ok is false outside any run.
func RunOf(ctx context.Context) (r Run, ok bool) {
	r, ok = ctx.Value(runKey{}).(Run)
	return r, ok
}

// WithoutRun returns a context that belongs to no run, for what a run does with the rights of the user.
func WithoutRun(ctx context.Context) context.Context { return context.WithValue(ctx, runKey{}, nil) }

// NotReadyError says why a goal cannot start yet. It waits in the queue of its data folder.
type NotReadyError struct {
	Reason string
	Slots  bool // all slots are taken; otherwise it waits for another goal
}

func (n *NotReadyError) Error() string { return n.Reason }

// RunHistory is what a run needs to know about earlier runs.
type RunHistory struct {
	Todos  []Todo
	Notes  []Note
	Steps  []Step         // the newest, oldest first
	Claims []ClaimRecord  // since the goal was last stuck or needed its user, oldest first
	Last   ClaimRecord    // the newest claim, N 0 if there is none
	Warned map[string]int // by limit: the highest percentage with a warning since the limits were set
	Critic []string       // the critic's comments in the same period as Claims
	Looked int            // the newest step that the critic has seen
	// CriticTokens is the cost of the critic, in and out.
	CriticTokens int64
	TokensIn     int64 // of the agent's newest turn
	Memory       LoopState
	Filled       []Call // executed calls that may contain the value of a secret
}

// LoopState is the state of the loop guard and of the progress detector. Calls, results and fingerprints are stored
// as hexadecimal hashes. A missing entry was never seen, or too long ago.
type LoopState struct {
	Calls        map[string]RepeatCount `json:"calls,omitempty"`
	Warned       []string               `json:"warned,omitempty"`
	Failures     map[string]int         `json:"failures,omitempty"` // in a row, by tool
	Refusals     int                    `json:"refusals,omitempty"`
	Reading      int                    `json:"reading,omitempty"` // calls in a row that only read
	Results      []string               `json:"results,omitempty"`
	Fingerprints []string               `json:"fingerprints,omitempty"`
	Quiet        int                    `json:"quiet,omitempty"`  // iterations without progress
	Unmade       int                    `json:"unmade,omitempty"` // iterations in which nothing was changed
	Silent       int                    `json:"silent,omitempty"` // turns in a row in which nothing was called
	USD          float64                `json:"usd,omitempty"`    // spent at the last progress
	StallWarned  bool                   `json:"stall_warned,omitempty"`
}

// RepeatCount counts how many times in a row a call had the same result.
type RepeatCount struct {
	Result string `json:"result"`
	Times  int    `json:"times"`
}

// Unjudged returns the checks that no judge decided.
func (c ClaimRecord) Unjudged() (checks []int) {
	for _, v := range c.Verdicts {
		if v.JudgeFailed {
			checks = append(checks, v.Check)
		}
	}
	return checks
}

// IsJudgeFailed reports whether the claim was not decided because no judge or reviewer gave an answer that could be
// read.
func (c ClaimRecord) IsJudgeFailed() bool {
	return len(c.Unjudged()) > 0 || c.Review != nil && c.Review.Error
}

// ClaimRecord is a claim and its outcome.
type ClaimRecord struct {
	N                 int
	By                string
	Rationale, Result string
	// those of the previous claim, if a claim failed without checks because nothing was done since
	Verdicts []Verdict
	Review   *Review // as Verdicts; nil if there was none
}
