package calls

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"goalpost/backend/domain/event"
	"goalpost/backend/domain/goal"
	"goalpost/backend/lib/text"
	"goalpost/backend/storage/store"
)

// TranscriptInput selects a part of a goal's transcript.
type TranscriptInput struct {
	Search string `json:"search"` // only entries that contain this text, in any case; "" = all
	Offset int    `json:"offset"` // entries to skip, of those that match
	Limit  int    `json:"limit"`  // at most 500; 0 = 100
}

// TranscriptPage is a part of a transcript, oldest entry first.
type TranscriptPage struct {
	Entries []TranscriptEntry `json:"entries"`
	Total   int               `json:"total"` // entries that match
}

// TranscriptKind is what an entry of a transcript is.
type TranscriptKind string

// The kinds.
const (
	TranscriptAgent    TranscriptKind = "agent"
	TranscriptHost     TranscriptKind = "host" // what the agent was sent
	TranscriptStep     TranscriptKind = "step"
	TranscriptPlan     TranscriptKind = "plan"
	TranscriptCritic   TranscriptKind = "critic"
	TranscriptReview   TranscriptKind = "review"
	TranscriptClaim    TranscriptKind = "claim"
	TranscriptCheck    TranscriptKind = "check"
	TranscriptApproval TranscriptKind = "approval"
	TranscriptNote     TranscriptKind = "note"
	TranscriptWarning  TranscriptKind = "warning"
	TranscriptStatus   TranscriptKind = "status"
	TranscriptUsage    TranscriptKind = "usage"
)

// TranscriptEntry is a message, a step or another event of a goal. Secrets are hidden in its texts, which come from
// models, pages and programs, so the page must show them as plain text.
type TranscriptEntry struct {
	Seq       int64          `json:"seq"`   // of its event in the journal
	AtMS      int64          `json:"at_ms"` // since the goal started
	Kind      TranscriptKind `json:"kind"`
	Title     string         `json:"title"`               // "" for steps, which have a tool and arguments instead
	Text      string         `json:"text"`                // the result of a step
	Reasoning string         `json:"reasoning,omitempty"` // of the model before it
	Turn      int            `json:"turn"`                // of the agent; 0 = before the first
	Step      int            `json:"step,omitempty"`
	Tool      string         `json:"tool,omitempty"`
	Arguments string         `json:"arguments,omitempty"` // JSON as the model wrote it
	Outcome   string         `json:"outcome,omitempty"`   // of a step or a check; "" while it runs
	Preview   string         `json:"preview,omitempty"`   // of a step: the first line of its result
	Picture   bool           `json:"picture,omitempty"`   // the step stored a picture; GoalAPI.Step has it
	MS        int64          `json:"ms,omitempty"`
	// TokensIn, TokensOut and USD are the cost of a turn, or of a question to another model.
	TokensIn  int64   `json:"tokens_in,omitempty"`
	TokensOut int64   `json:"tokens_out,omitempty"`
	USD       float64 `json:"usd,omitempty"`
	Guessed   bool    `json:"guessed,omitempty"` // the cost is estimated
}

// Transcript reads a part of a goal's transcript: all messages, steps and other events.
func (ga *GoalAPI) Transcript(id string, in TranscriptInput) (TranscriptPage, error) {
	const defaultLimit, maxLimit = 100, 500
	if in.Limit <= 0 {
		in.Limit = defaultLimit
	}
	in.Limit, in.Offset = min(in.Limit, maxLimit), max(0, in.Offset)
	return withGoal(ga.apiBase, ga.store, id, func(g store.GoalRow) (out TranscriptPage, err error) {
		if in.Search != "" {
			return ga.searchTranscript(g.ID, in)
		}
		rows, err := ga.store.History.Transcript(ga.ctx, g.ID, in.Offset, in.Limit)
		if err != nil {
			return out, err
		}
		out.Entries = viewAll(rows, transcriptEntry)
		out.Total, err = ga.store.History.CountTranscript(ga.ctx, g.ID)
		return out, err
	})
}

func (ga *GoalAPI) searchTranscript(id goal.ID, in TranscriptInput) (TranscriptPage, error) {
	out := TranscriptPage{Entries: []TranscriptEntry{}}
	err := ga.store.History.SearchTranscript(ga.ctx, id, in.Search, func(r store.TranscriptRow) error {
		e := transcriptEntry(r)
		if !e.contains(in.Search) {
			return nil
		}
		if out.Total++; out.Total > in.Offset && len(out.Entries) < in.Limit {
			out.Entries = append(out.Entries, e)
		}
		return nil
	})
	return out, err
}

// contains reports whether a shown field of the entry contains the text, in any case.
func (t TranscriptEntry) contains(text string) bool {
	text = strings.ToLower(text)
	return slices.ContainsFunc([]string{t.Text, t.Arguments, t.Title, t.Reasoning, t.Tool}, func(s string) bool {
		return strings.Contains(strings.ToLower(s), text)
	})
}

func transcriptEntry(r store.TranscriptRow) TranscriptEntry {
	e := TranscriptEntry{Seq: r.Seq, AtMS: r.AtMS, Turn: r.Turn}
	switch b := r.Body.(type) {
	case *event.Message:
		e.Kind, e.Title = TranscriptHost, "To the agent"
		e.Text, e.Reasoning = b.Message.Text+b.Message.Facts, b.Message.Reasoning.DisplayText()
		switch {
		case b.Message.Role == goal.Assistant:
			e.Kind, e.Title = TranscriptAgent, "Agent"
		case b.Message.Compaction != nil:
			e.Title = "In place of older messages"
		}
		e.addUsage(r.Usage)
	case *event.StepStarted:
		e.Kind, e.Step, e.Tool, e.Arguments = TranscriptStep, b.StepID, b.Tool, b.Arguments
		e.Outcome, e.MS, e.Text = string(r.Step.Outcome), r.Step.MS, text.ToUTF8(r.Step.Result)
		e.Preview, e.Picture = r.Step.Preview, r.Step.ImageSHA256 != ""
	case *event.Usage:
		e.Kind, e.Title = TranscriptUsage, "Asked the "+b.By
		if b.By == event.BySummary {
			e.Title = "Asked the agent for a summary"
		}
		e.addUsage(&b.Usage)
	case *event.Todos:
		e.Kind, e.Title, e.Text = TranscriptPlan, "Plan", formatTodos(b.Items)
		if b.Note > 0 {
			e.Title, e.Text = "Notes", formatNotes(b.Notes)
		}
	case *event.Critic:
		e.Kind, e.Title, e.Text = TranscriptCritic, "Critic: "+strings.ToLower(string(b.Verdict)), cmp.Or(b.Reply, b.Reason)
	case *event.Review:
		e.Kind, e.Title, e.Text = TranscriptReview, "Review: "+string(reviewLabel(b)), cmp.Or(b.Reply, b.Reason)
		e.addUsage(&b.Usage)
	case *event.Claim:
		e.Kind, e.Title, e.Text = TranscriptClaim, fmt.Sprintf("Claim %d", b.N),
			joinParagraphs(goal.WithOpenTodos(b.Rationale, b.OpenTodos), b.Result)
	case *event.Verdict:
		e.Kind, e.Title, e.Outcome, e.MS = TranscriptCheck, "Check: "+b.Name, string(b.Outcome), b.TookMS
		e.Text = joinParagraphs(b.Detail, strings.TrimRight(b.Tail, "\n"), b.Reply)
		e.addUsage(&b.Usage)
	case *event.ApprovalRequested:
		e.Kind, e.Title, e.Tool, e.Arguments = TranscriptApproval, "Asked for approval", b.Tool, b.Arguments
		e.Text = joinParagraphs(b.Why, b.Show)
	case *event.ApprovalResolved:
		e.Kind, e.Title, e.Text = TranscriptApproval, "Denied", b.Why
		if b.Allowed {
			e.Title = "Allowed"
		}
	default:
		e.addStatus(r.Body)
	}
	return e
}

// addStatus describes an event of the goal itself.
func (t *TranscriptEntry) addStatus(body event.Body) {
	t.Kind = TranscriptStatus
	switch b := body.(type) {
	case *event.Steered:
		t.Kind, t.Text = TranscriptNote, b.Text
		switch b.From {
		case "":
			t.Title = "You"
		case goal.ExternalAgent:
			t.Title = "Another agent"
		default:
			t.Title = "Goal " + b.From.Short()
		}
	case *event.Warning:
		t.Kind, t.Title, t.Text = TranscriptWarning, "Warning", b.Text
	case *event.Paused:
		t.Title, t.Text = "Paused", cmp.Or(b.Reason, string(b.Exit))
	case *event.Resumed:
		t.Title, t.Text = "Resumed", b.Note
	case *event.Reopened:
		t.Title, t.Text = "Reopened", b.Note
	case *event.Queued:
		t.Title, t.Text = "Queued", b.Reason
	case *event.LimitsChanged:
		t.Title, t.Text = "Limits changed", formatNewLimits(b)
	case *event.ModelChanged:
		t.Title, t.Text = "Model changed", b.Describe()
	case *event.Accepted:
		t.Title, t.Text = b.Describe(""), b.AssuranceReason
	case *event.ChangesUndone:
		t.Title, t.Text = "Changes undone", goal.FormatCount(b.Count, "file")+" restored to "+b.To
		if b.Redo {
			t.Title, t.Text = "Changes restored", goal.FormatCount(b.Count, "file")+" undone before"
		}
	case *event.Taken:
		t.Title, t.Text = "Taken", b.Describe()
		if b.Undone {
			t.Title = "Take undone"
		}
	case *event.RaceRanked:
		t.Title, t.Text = "Race ranked by "+b.Reviewer, b.Describe()
	case *event.Rechecked:
		t.Title, t.Text = "Checks run again", goal.DescribeRecheck(b.Verdicts)
	case *event.Ended:
		t.Title, t.Text = "Ended: "+strings.ReplaceAll(string(b.Exit), "_", " "), strings.Join(b.Report, "\n")
	}
}

func (t *TranscriptEntry) addUsage(u *goal.Usage) {
	if u != nil {
		t.TokensIn, t.TokensOut, t.USD, t.Guessed = u.TokensIn, u.TokensOut, u.USD, u.Guessed
	}
}

func formatTodos(items []goal.Todo) string {
	lines := make([]string, len(items))
	for i, t := range items {
		lines[i] = map[bool]string{true: "[x] ", false: "[ ] "}[t.Done] + t.Text
	}
	return strings.Join(lines, "\n")
}

func formatNotes(notes []goal.Note) string {
	lines := make([]string, len(notes))
	for i, n := range notes {
		lines[i] = fmt.Sprintf("%d. %s", n.N, n.Text)
	}
	return strings.Join(lines, "\n")
}

func formatNewLimits(l *event.LimitsChanged) string {
	var parts []string
	add := func(isSet bool, text string) {
		if isSet {
			parts = append(parts, text)
		}
	}
	add(l.WallClockMS > 0, "time "+goal.FormatDuration(time.Duration(l.WallClockMS)*time.Millisecond))
	add(l.Iterations > 0, goal.FormatCount(l.Iterations, "turn"))
	add(l.ClaimsPerCheck > 0, goal.FormatCount(l.ClaimsPerCheck, "failed claim")+" per check")
	add(l.Tokens > 0, goal.FormatCount(l.Tokens, "token"))
	add(l.USD > 0, fmt.Sprintf("$%.2f", l.USD))
	return cmp.Or(strings.Join(parts, ", "), "no limits")
}

func joinParagraphs(parts ...string) string {
	return strings.Join(slices.DeleteFunc(parts, func(p string) bool { return p == "" }), "\n\n")
}
