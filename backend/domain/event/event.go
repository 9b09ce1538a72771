// Package event has the types of the journal's events and the broker that distributes them. An event with a Seq is in
// the journal before any subscriber receives it.
package event

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"goalpost/backend/domain/chat"
	"goalpost/backend/domain/goal"
	"goalpost/backend/domain/pane"
	"goalpost/backend/domain/policy"
)

// Body is one kind of event. In JSON, an event is one flat object with the header's fields and the body's.
type Body interface{ EventType() string }

// Event is a body with its place in the journal.
type Event struct {
	GoalID goal.ID
	RunID  string
	Seq    int64 // without gaps from 1 for each goal; 0 for bodies that are not journaled
	At     time.Time
	Body   Body
}

// The bodies, in their usual order in a goal.
type (
	// Created is the first event of every goal.
	Created struct {
		Objective string      `json:"objective"`
		Criterion string      `json:"criterion"` // as a sentence
		Dir       string      `json:"dir"`
		Risk      policy.Risk `json:"risk"`
		Provider  string      `json:"provider"`
		Model     string      `json:"model"`
		Effort    string      `json:"effort,omitempty"` // "" is the provider's default
		Scripted  bool        `json:"scripted"`
		Persona   string      `json:"persona,omitempty"`
		// PersonaWord is the word of the objective for which the persona was chosen, "" if the user chose it.
		PersonaWord string `json:"persona_word,omitempty"`
		// Roles are the models that do what the goal's own does not do, by role.
		Roles map[string]string `json:"roles,omitempty"`
	}
	// Queued says why a goal waits before a run begins: for a slot, a folder or another goal. With Left, the goal
	// has left the queue without a run, for that reason, and has its earlier status again.
	Queued struct {
		Reason string    `json:"reason"`
		Left   goal.Exit `json:"left,omitempty"` // user_aborted, user_paused, interrupted
		By     goal.ID   `json:"by,omitempty"`   // with Left, as in Paused
	}
	// Started opens a run.
	Started struct{}
	// Reopened continues a goal that was completed.
	Reopened struct {
		Note string `json:"note"`
		// NotDone means that the goal was not done, as the user sees it. Otherwise something is to be added.
		NotDone bool `json:"not_done,omitempty"`
	}
	// LimitsChanged has the user's new limits. The previous event of this type has the old ones.
	LimitsChanged struct {
		WallClockMS    int64   `json:"wall_clock_ms"` // 0 = none, as everywhere here
		Iterations     int     `json:"iterations"`
		ClaimsPerCheck int     `json:"claims_per_check"`
		Tokens         int64   `json:"tokens"`
		USD            float64 `json:"usd"`
	}
	// ModelChanged has the model that the user chose for the goal, and those for while it is away.
	ModelChanged struct {
		Provider  string   `json:"provider"`
		Model     string   `json:"model"`
		Fallbacks []string `json:"fallbacks,omitempty"`
	}
	// Iteration opens one pass of the loop.
	Iteration struct {
		N int `json:"n"`
	}
	// Message is an entry of the conversation.
	Message struct {
		Message goal.Message `json:"message"`
	}
	// StepStarted is a call's intent. It is stored before the call is executed.
	StepStarted struct {
		StepID    int           `json:"step_id"`
		Tool      string        `json:"tool"`
		Arguments string        `json:"arguments"` // JSON as the model wrote it
		Effect    policy.Effect `json:"effect"`
		Grant     string        `json:"grant,omitempty"` // the approval that allowed it
	}
	// ApprovalRequested says that a call waits for the user. It has not been executed, and no model is asked.
	ApprovalRequested struct{ goal.Approval }
	// ApprovalResolved is the answer. After a pause the call is not executed automatically: the agent is notified,
	// and may repeat it.
	ApprovalResolved struct {
		Request string `json:"request"`
		goal.Answer
	}
	// GrantEnded ends a grant: it was used up, or the user revoked it.
	GrantEnded struct {
		Request string `json:"request"`
		Why     string `json:"why"`
	}
	// Step is a call's result.
	Step struct {
		StepID  int     `json:"step_id"`
		Tool    string  `json:"tool"`
		Outcome Outcome `json:"outcome"`
		MS      int64   `json:"ms"`
		Preview string  `json:"preview"`
		Result  string  `json:"-"` // whole, stored in the step's row
		Image   []byte  `json:"-"` // stored as an artifact
		Whole   []byte  `json:"-"` // stored as an artifact if Result is only a part of it
		// ImageSHA256 names the artifact, "" if the step made no picture.
		ImageSHA256 string `json:"image_sha256,omitempty"`
		WholeSHA256 string `json:"whole_sha256,omitempty"`
		// Point is where the call acted on a page.
		Point *goal.Point `json:"point,omitempty"`
	}
	// Claim requests verification and proves nothing.
	Claim struct {
		N         int    `json:"n"`
		Rationale string `json:"rationale"`
		Result    string `json:"result,omitempty"`
		By        string `json:"by,omitempty"` // user; "" is the agent
		// OpenTodos is how many todos of the agent's plan were not done.
		OpenTodos int `json:"open_todos,omitempty"`
	}
	// Todos is the agent's whole plan with its notes, after each change.
	Todos struct {
		Items []goal.Todo `json:"items"`
		Notes []goal.Note `json:"notes,omitempty"`
		// Note is the number of the note that was changed or removed, 0 if the plan was changed.
		Note int `json:"note,omitempty"`
	}
	// Critic is the critic's comment on the last steps.
	Critic struct {
		Verdict CriticVerdict `json:"verdict"`
		Reason  string        `json:"reason"`
		Reply   string        `json:"reply,omitempty"` // whole
		Step    int           `json:"step"`            // the newest step that it saw
	}
	// Review is the reviewer's answer about a claim that passed its checks.
	Review struct {
		Claim int `json:"claim"`
		goal.Review
	}
	// Verdict is the outcome of one check for one claim.
	Verdict struct {
		Claim int `json:"claim"`
		goal.Verdict
	}
	// VerificationFailed is the message to the agent.
	VerificationFailed struct {
		Claim  int    `json:"claim"`
		Detail string `json:"detail"`
	}
	// Usage is what one model turn cost.
	Usage struct {
		goal.Usage
		By string `json:"by,omitempty"` // critic, judge, reviewer, summary; "" is the agent
		// Window is how many tokens the model's context holds, of a turn of the agent; 0 if that is not known.
		Window int `json:"window,omitempty"`
	}
	// Steered is a note from the user, from the goal that From names, or from goal.ExternalAgent.
	Steered struct {
		Text string  `json:"text"`
		From goal.ID `json:"from,omitempty"`
		// Order is the id of the order with the note, which this event settles.
		Order int64 `json:"-"`
	}
	// Lease gives a pane to the goal, or takes it back.
	Lease struct {
		Pane   string    `json:"pane"`
		Kind   pane.Kind `json:"kind"`
		Held   bool      `json:"held"`
		Shared bool      `json:"shared,omitempty"` // the pane is the user's own, and shared
	}
	// Warning reports that a limit is near, or an error that the run survived.
	Warning struct {
		// wall_clock, iterations, tokens, usd, daily_usd, model, fallback, critic, network, sandbox, secret, after,
		// protected, worktree, changed, damaged, mcp, slept
		What    string `json:"what"`
		Text    string `json:"text"`
		Percent int    `json:"percent,omitempty"` // of the limit that What names
	}
	// Paused ends a run without ending the goal.
	Paused struct {
		Exit    goal.Exit `json:"exit"`
		Reason  string    `json:"reason"`
		Report  []string  `json:"report"`
		Account string    `json:"account,omitempty"` // the agent's own summary, shown below the host's report
		Until   string    `json:"until,omitempty"`   // parked: RFC 3339
		Pane    string    `json:"pane,omitempty"`    // needs_user: where the user must act
		// needs_user: the protected file that the agent asks to change, and the change that it proposes, as a diff
		Unlock string `json:"unlock,omitempty"`
		Show   string `json:"show,omitempty"`
		// needs_user: files that decide about the goal and were changed; the user decides about them
		Changed []goal.DecidingFile `json:"changed,omitempty"`
		// user_paused: the goal that started it, or goal.ExternalAgent; "" is the user
		By goal.ID `json:"by,omitempty"`
		// Unanswered means that no model answered in the newest iteration. It does not count, and is repeated.
		Unanswered bool `json:"unanswered,omitempty"`
		// Result is what the agent handed over with the claim that was verified or waits for the user.
		Result string `json:"result,omitempty"`
		// Wait is the condition of a goal that waits for one.
		Wait *goal.Wait `json:"wait,omitempty"`
	}
	// Looked is one look at the condition of a waiting goal. Few of the looks are journaled: the second, the fourth, the
	// eighth and so on.
	Looked struct {
		StepID int    `json:"step_id"`
		N      int    `json:"n"` // looks so far
		Text   string `json:"text"`
	}
	// Resumed continues a goal with the same steps and numbers.
	Resumed struct {
		Note string `json:"note,omitempty"`
	}
	// Ended is the last event of a run that ended its goal.
	Ended struct {
		Status     goal.Status `json:"status"`
		Exit       goal.Exit   `json:"exit"`
		Verified   bool        `json:"verified"`
		Judged     bool        `json:"judged,omitempty"` // by a model, not by a program
		goal.Proof             // of a done goal
		Report     []string    `json:"report"`
		Account    string      `json:"account,omitempty"`
		By         goal.ID     `json:"by,omitempty"` // user_aborted: goal.ExternalAgent; "" is the user
		// Result is what the agent handed over with the claim that was verified.
		Result string `json:"result,omitempty"`
	}
	// Accepted reports that the user accepted the pass of a done goal. Proof is the goal's from then on.
	Accepted struct {
		goal.Proof
	}
	// ChangesUndone reports that the user restored an earlier state of the goal's folder, between runs.
	ChangesUndone struct {
		To      string   `json:"to"`    // as a phrase: "the start of the goal", "step 12"
		Count   int      `json:"count"` // files, links and folders
		Files   []string `json:"files"` // the first of them
		Skipped int      `json:"skipped,omitempty"`
		Redo    bool     `json:"redo,omitempty"` // it undid an undo
		// Undone is what is undone of the goal's changes from then on.
		Undone goal.Undone `json:"undone,omitzero"`
	}
	// Taken reports that the user took the changes of a race's goal into the folder of the race, or undid that.
	Taken struct {
		Folder string `json:"folder"`
		Count  int    `json:"count"` // files, links and folders
		Commit string `json:"commit,omitempty"`
		Branch string `json:"branch,omitempty"` // to which it was committed
		Undone bool   `json:"undone,omitempty"`
	}
	// RaceRanked has the order in which a reviewer put the runners of a race that passed. It is in the journal of the
	// race's first goal.
	RaceRanked struct {
		Reviewer string         `json:"reviewer"` // its model
		Asked    []int          `json:"asked"`    // the runners that it saw
		Ranked   []RankedRunner `json:"ranked"`   // the best first; empty if it gave no order
		Problem  string         `json:"problem,omitempty"`
	}
	// RankedRunner is a runner of a race in its place.
	RankedRunner struct {
		Runner int    `json:"runner"`
		Reason string `json:"reason"`
	}
	// Rechecked reports that the checks of a goal that has ended ran again in its folder. It does not change the verdicts
	// of the claim.
	Rechecked struct {
		Result   goal.RecheckResult `json:"result"`
		Passed   int                `json:"passed"`   // checks of the criterion that pass now
		Verdicts []goal.Verdict     `json:"verdicts"` // of the checks that a program decides
	}
	// Delta is streaming text or reasoning of the model. It is not journaled and may be lost.
	Delta struct {
		Text      string `json:"text"`
		Reasoning string `json:"reasoning,omitempty"`
	}
	// Egress is one request of a goal's programs or pages, with the proxy's decision. It is stored in its own log,
	// and subscribers may miss it.
	Egress struct {
		From    string `json:"from"`   // program, pane, shared page
		Method  string `json:"method"` // CONNECT for a tunnel, WEBSOCKET, NAME for a DNS query
		Host    string `json:"host"`
		Port    string `json:"port,omitempty"`
		Own     bool   `json:"own,omitempty"` // the goal's own loopback
		Allowed bool   `json:"allowed"`
		Reason  string `json:"reason,omitempty"` // why it was denied or failed
		Status  int    `json:"status,omitempty"` // of an unencrypted answer
		In      int64  `json:"in,omitempty"`     // bytes of an unencrypted answer, or received through a tunnel
		Out     int64  `json:"out,omitempty"`    // bytes of an unencrypted request's body, or sent through a tunnel
		MS      int64  `json:"ms"`
		More    bool   `json:"more,omitempty"`  // further bytes of a request that was reported before
		Times   int    `json:"times,omitempty"` // number of requests reported together because they came too fast; 0 is one
	}
	// SettingsChanged reports that the settings have changed, in any window, on the command line or in the file.
	SettingsChanged struct{}

	// SchedulesChanged reports that schedules, or what is known about their runs, have changed.
	SchedulesChanged struct {
		TurnedOff string `json:"turned_off,omitempty"` // why the schedule of the goal was turned off; "" if none was
	}
	// Pane reports that a pane was opened, changed or closed. It belongs to the workspace, not to a journal. Rev
	// grows by one with each.
	Pane struct {
		Rev    int64     `json:"rev"`
		Pane   pane.Info `json:"pane"`
		Closed bool      `json:"closed"`
		Focus  bool      `json:"focus,omitempty"` // the agent wants the user to see it
		// Workspaces is set, instead of Pane, when they changed.
		Workspaces *pane.Workspaces `json:"workspaces,omitempty"`
	}
	// Chat reports that a chat was begun, changed or deleted. Like the other events of chats, it belongs to no goal and
	// is not journaled: the page reads the chat again after a gap.
	Chat struct {
		Chat    chat.Chat `json:"chat"`
		Deleted bool      `json:"deleted"`
	}
	// ChatMessage has a message of a chat as it is now: when it was sent, when an answer begins, waits and ends.
	ChatMessage struct {
		ChatID  chat.ID      `json:"chat_id"`
		Message chat.Message `json:"message"`
	}
	// ChatPart has a part of an answer as it is now: a tool call that begins or ends, or a whole text.
	ChatPart struct {
		ChatID  chat.ID   `json:"chat_id"`
		Message int64     `json:"message"` // the answer
		Index   int       `json:"index"`   // of the part
		Part    chat.Part `json:"part"`
	}
	// ChatDelta is streaming text of an answer. It may be lost: ChatPart and ChatMessage have the whole text.
	ChatDelta struct {
		ChatID chat.ID `json:"chat_id"`
		chat.Delta
	}
)

// ChangedWarning is the Warning.What when files that the checks of a done goal used have changed since. Its text is
// about all of them, so the newest one counts.
const ChangedWarning = "changed"

// DamagedWarning is the Warning.What in the place of an event that is not what was written, because bits changed on the
// disk.
const DamagedWarning = "damaged"

// DailyLimitWarning is the Warning.What when most of the user's daily limit is used up.
const DailyLimitWarning = "daily_usd"

// The Warning.What of what a goal goes through without its user: a failed request to its model that is repeated, whose
// text begins with the kind of the failure and a colon; another model that takes the turns; an MCP server that does not
// do its part; the computer that slept.
const (
	RetryWarning    = "model"
	FallbackWarning = "fallback"
	ServerWarning   = "mcp"
	SleptWarning    = "slept"
)

// BySummary is the Usage.By of a request for the summary of a compaction.
const BySummary = "summary"

// CriticVerdict is the first line of a critic's reply.
type CriticVerdict string

// The verdicts. Unparsed is treated as progressing.
const (
	Progressing    CriticVerdict = "PROGRESSING"
	CriticStuck    CriticVerdict = "STUCK"
	Achieved       CriticVerdict = "ACHIEVED"
	CriticOffTrack CriticVerdict = "MISLED"
	CriticUnparsed CriticVerdict = "unparsed"
)

// Outcome is how a step ended.
type Outcome string

// The outcomes. OutcomeUnknown is an intent without a result.
const (
	OK             Outcome = "ok"
	Failed         Outcome = "failed"
	Denied         Outcome = "denied"
	OutcomeUnknown Outcome = "in_doubt"
)

// EventType names the body, in JSON and in SQL.
func (Created) EventType() string            { return "created" }
func (Queued) EventType() string             { return "queued" }
func (Started) EventType() string            { return "started" }
func (Reopened) EventType() string           { return "reopened" }
func (LimitsChanged) EventType() string      { return "limits_changed" }
func (ModelChanged) EventType() string       { return "model_changed" }
func (Todos) EventType() string              { return "todos" }
func (Critic) EventType() string             { return "critic" }
func (Review) EventType() string             { return "review" }
func (Iteration) EventType() string          { return "iteration" }
func (Message) EventType() string            { return "message" }
func (StepStarted) EventType() string        { return "step_started" }
func (Step) EventType() string               { return "step" }
func (ApprovalRequested) EventType() string  { return "approval_requested" }
func (ApprovalResolved) EventType() string   { return "approval_resolved" }
func (GrantEnded) EventType() string         { return "grant_ended" }
func (Claim) EventType() string              { return "claim" }
func (Verdict) EventType() string            { return "verdict" }
func (VerificationFailed) EventType() string { return "verification_failed" }
func (Usage) EventType() string              { return "usage" }
func (Steered) EventType() string            { return "steered" }
func (Lease) EventType() string              { return "lease" }
func (Warning) EventType() string            { return "warning" }
func (Paused) EventType() string             { return "paused" }
func (Looked) EventType() string             { return "looked" }
func (Resumed) EventType() string            { return "resumed" }
func (Ended) EventType() string              { return "ended" }
func (Accepted) EventType() string           { return "accepted" }
func (ChangesUndone) EventType() string      { return "changes_undone" }
func (Taken) EventType() string              { return "taken" }
func (RaceRanked) EventType() string         { return "race_ranked" }
func (Rechecked) EventType() string          { return "rechecked" }
func (Delta) EventType() string              { return "delta" }
func (Egress) EventType() string             { return "egress" }
func (Pane) EventType() string               { return "pane" }
func (SettingsChanged) EventType() string    { return "settings" }
func (SchedulesChanged) EventType() string   { return "schedules" }
func (Chat) EventType() string               { return "chat" }
func (ChatMessage) EventType() string        { return "chat_message" }
func (ChatPart) EventType() string           { return "chat_part" }
func (ChatDelta) EventType() string          { return "chat_delta" }

// Describe says what was taken, or given back.
func (t Taken) Describe() string {
	text := goal.FormatCount(t.Count, "file") + " put into " + t.Folder
	if t.Undone {
		text = goal.FormatCount(t.Count, "file") + " in " + t.Folder + " restored"
	}
	if t.Commit != "" {
		text += fmt.Sprintf(", committed to %s (%.12s)", t.Branch, t.Commit)
	}
	return text
}

// Describe says in which order the reviewer put the runners, and why.
func (r RaceRanked) Describe() string {
	if len(r.Ranked) == 0 {
		return "The reviewer gave no order: " + r.Problem
	}
	var places []string
	for i, one := range r.Ranked {
		places = append(places, fmt.Sprintf("%d. runner %d: %s", i+1, one.Runner, one.Reason))
	}
	return strings.Join(places, "\n")
}

// BodyTypes holds one empty body of every type, for decoding and for documents.
func BodyTypes() []Body {
	return []Body{
		&Created{}, &Queued{}, &Started{}, &Reopened{}, &LimitsChanged{}, &ModelChanged{}, &Iteration{}, &Message{},
		&StepStarted{}, &Step{},
		&ApprovalRequested{}, &ApprovalResolved{}, &GrantEnded{}, &Todos{}, &Critic{},
		&Claim{}, &Verdict{}, &Review{}, &VerificationFailed{}, &Usage{}, &Steered{}, &Lease{}, &Warning{}, &Paused{},
		&Looked{}, &Resumed{}, &Ended{}, &Accepted{}, &ChangesUndone{}, &Taken{}, &RaceRanked{}, &Rechecked{}, &Delta{},
		&Egress{}, &Pane{}, &SettingsChanged{}, &SchedulesChanged{},
		&Chat{}, &ChatMessage{}, &ChatPart{}, &ChatDelta{},
	}
}

// ResumeChanges returns the events for what the user changes of a goal, and the goal with the changes.
func ResumeChanges(g goal.Goal, c goal.ResumeChange) ([]Body, goal.Goal) {
	var bodies []Body
	if c.Limits != g.Limits {
		bodies = append(bodies, NewLimitsChanged(c.Limits))
		g.Limits = c.Limits
	}
	isOther := c.Provider != g.Provider || c.Model != g.Model || !slices.Equal(c.Fallbacks, g.Options.Fallbacks)
	if c.Provider != "" && isOther {
		bodies = append(bodies, &ModelChanged{Provider: c.Provider, Model: c.Model, Fallbacks: c.Fallbacks})
		g.Provider, g.Model, g.Options.Fallbacks = c.Provider, c.Model, c.Fallbacks
	}
	return bodies, g
}

// Describe names the models, in their order.
func (m *ModelChanged) Describe() string {
	return strings.Join(append([]string{m.Provider + " " + m.Model}, m.Fallbacks...), ", then ")
}

// NewLimitsChanged returns the event for new limits.
func NewLimitsChanged(l goal.Limits) *LimitsChanged {
	return &LimitsChanged{
		WallClockMS:    l.WallClock().Milliseconds(),
		Iterations:     l.Iterations,
		ClaimsPerCheck: l.ClaimsPerCheck,
		Tokens:         l.Tokens,
		USD:            l.USD,
	}
}

// TimeLayout is RFC 3339 in UTC with milliseconds, the format in the store and in JSON.
const TimeLayout = "2006-01-02T15:04:05.000Z"

type header struct {
	Type   string  `json:"type"`
	GoalID goal.ID `json:"goal_id,omitempty"`
	RunID  string  `json:"run_id,omitempty"`
	Seq    int64   `json:"seq,omitempty"`
	At     string  `json:"at"`
}

// MarshalJSON writes the flat object.
func (e Event) MarshalJSON() ([]byte, error) {
	head, err := json.Marshal(header{e.Body.EventType(), e.GoalID, e.RunID, e.Seq, e.At.UTC().Format(TimeLayout)})
	if err != nil {
		return nil, fmt.Errorf("event header: %w", err)
	}
	body, err := json.Marshal(e.Body)
	if err != nil {
		return nil, fmt.Errorf("event %s: %w", e.Body.EventType(), err)
	}
	if string(body) == "{}" {
		return head, nil
	}
	out := make([]byte, 0, len(head)+len(body))
	out = append(out, head[:len(head)-1]...)
	out = append(out, ',')
	return append(out, body[1:]...), nil
}

// UnmarshalJSON parses the flat object. An unknown type is an error that names it.
func (e *Event) UnmarshalJSON(b []byte) error {
	var h header
	if err := json.Unmarshal(b, &h); err != nil {
		return fmt.Errorf("event: %w", err)
	}
	body, err := Decode(h.Type, b)
	if err != nil {
		return err
	}
	at, err := time.Parse(TimeLayout, h.At)
	if err != nil {
		return fmt.Errorf("event time: %w", err)
	}
	*e = Event{GoalID: h.GoalID, RunID: h.RunID, Seq: h.Seq, At: at, Body: body}
	return nil
}

// Decode parses a body of the named type.
func Decode(kind string, b []byte) (Body, error) {
	for _, body := range BodyTypes() {
		if body.EventType() != kind {
			continue
		}
		if err := json.Unmarshal(b, body); err != nil {
			return nil, fmt.Errorf("event %s: %w", kind, err)
		}
		return body, nil
	}
	return nil, fmt.Errorf("unknown event type %q", kind)
}
