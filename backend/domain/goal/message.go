package goal

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"
)

// Role is the author of a message.
type Role string

// The roles, as the providers name them.
const (
	System    Role = "system"
	User      Role = "user"
	Assistant Role = "assistant"
	ToolRole  Role = "tool"
)

// Message is one entry of a goal's conversation with its model.
type Message struct {
	Role   Role     `json:"role"`
	Text   string   `json:"text"`
	Calls  []Call   `json:"calls,omitempty"`   // of an assistant message
	CallID string   `json:"call_id,omitempty"` // of a tool message
	Step   int      `json:"step,omitempty"`    // of a tool message: the step whose result it is
	Facts  string   `json:"facts,omitempty"`   // of the first message: what the host adds for the model
	Images [][]byte `json:"-"`                 // PNG or JPEG, for vision models; not kept in the journal
	// Reasoning is what the model thought before an assistant message; nil if it gave none.
	Reasoning *Reasoning `json:"reasoning,omitempty"`
	// Compaction is set in a user message of the host that takes the place of the older part of the conversation.
	Compaction *Compaction `json:"compaction,omitempty"`
}

// Compaction says what a message replaces: all messages between the first one of the conversation and the newest ones
// before it, of which Kept stay.
type Compaction struct {
	Kept int `json:"kept"`
	// Shortened is how many of those that stay, from the oldest, have less of their results and reasoning.
	Shortened int `json:"shortened,omitempty"`
	// Summary is the part of the text that the model wrote, or excerpts of the replaced messages.
	Summary string `json:"summary"`
}

// Call is one tool call as the model wrote it. Arguments may be broken JSON: the dispatcher does not repair it, but
// answers with an error.
type Call struct {
	ID        string `json:"id"`
	Tool      string `json:"tool"`
	Arguments string `json:"arguments"`
}

// ToolSpec describes a tool to a model.
type ToolSpec struct {
	Name        string
	Description string
	Schema      json.RawMessage // JSON Schema of the arguments object
	Group       ToolGroup       // not sent to the model
}

// Turn is one request to a model.
type Turn struct {
	Model    string
	System   string
	Messages []Message
	Tools    []ToolSpec
	// ReplyTokens is the longest useful reply, 0 for no limit. The client adds what a model needs for reasoning.
	ReplyTokens int
	// OnReasoning receives the model's reasoning as it arrives, on the goroutine that called Turn; nil if nobody
	// shows it. As with streaming text, discard what an attempt sent before an error.
	OnReasoning func(text string)
}

// Reply is the model's answer, complete after its stream has ended.
type Reply struct {
	Text      string
	Calls     []Call
	Usage     Usage
	Reasoning *Reasoning // nil if the model gave none
	// IsCutOff means that the reply ended at the model's output limit, so that the rest of it is missing.
	IsCutOff bool
}

// Usage is the cost of one turn. USD is 0 if the price is unknown.
type Usage struct {
	TokensIn  int64   `json:"tokens_in"`
	TokensOut int64   `json:"tokens_out"`
	USD       float64 `json:"usd"`
	Guessed   bool    `json:"guessed,omitempty"` // estimated from the length of the request and the reply
	// Fallback is the model that took the turn, nil if the model that was meant to take it did.
	Fallback *Fallback `json:"fallback,omitempty"`
}

// Fallback is a model that takes a turn of the goal's own.
type Fallback struct {
	Model string `json:"model"`
	Why   string `json:"why"` // the reason, as a clause in the past
}

// Plus adds the cost of another turn.
func (u Usage) Plus(other Usage) Usage {
	return Usage{
		TokensIn:  u.TokensIn + other.TokensIn,
		TokensOut: u.TokensOut + other.TokensOut,
		USD:       u.USD + other.USD,
		Guessed:   u.Guessed || other.Guessed,
	}
}

// ErrPaused means that a model was not asked, or that its answer was discarded, because the user paused the goal.
var ErrPaused = errors.New("the user paused the goal, so its model is not asked")

// ErrContextTooLong means that the conversation does not fit into the model's context window.
var ErrContextTooLong = errors.New("the conversation is longer than the model's window")

// ErrNoVision means that the model does not accept the pictures of a conversation.
var ErrNoVision = errors.New("the model does not accept pictures")

// ErrRequestRefused means that the provider refused a request for an unknown reason. The conversation may be too
// long.
var ErrRequestRefused = errors.New("the provider refused the request")

// ModelMistake means that the model answered with something that is not a reply, such as an unreadable call.
// Nothing was done; the model can be informed and asked again.
type ModelMistake struct {
	What    string
	Attempt string // what the model wrote, shortened; "" if the provider does not report it
	Usage   Usage  // of the turn
}

func (m *ModelMistake) Error() string { return m.What }

// Unavailable means that the model cannot be asked before a given time: its provider said so or is down, or the
// user's daily limit is reached. The goal is parked and spends nothing. Models return it.
type Unavailable struct {
	Until time.Time
	Err   error
	// DailyLimit means that the user's daily limit is the reason, not the provider.
	DailyLimit bool
}

// Exit returns why the goal is parked.
func (u *Unavailable) Exit() Exit {
	if u.DailyLimit {
		return DailyLimitReached
	}
	return WaitingForProvider
}

func (u *Unavailable) Error() string { return u.Err.Error() }
func (u *Unavailable) Unwrap() error { return u.Err }

// Result is the result of a tool call. OK false means denied, failed or not found; Text is the content for the model.
type Result struct {
	OK    bool
	Text  string
	Image []byte        // JPEG or PNG for the screen and the journal, nil if none
	Shown bool          // the model sees Image, too
	More  *Continuation // set if Text is one page of something longer, or reading can continue from there
	// Budget is how many bytes of Text the model may receive at once; 0 means the dispatcher's own limit. The rest
	// is stored and read by its handle.
	Budget int
	Usage  Usage // of a model that the tool used
	Point  *Point
	// IsOngoing means that the subject of the call (a running command, a goal, a page) is still active and may show
	// something different next time. The loop guard does not count repeated calls then.
	IsOngoing bool
	// Preview is a line for the user that says what the call did; "" means the first line of Text.
	Preview string
	// Took is reported separately from the content, so that equal outcomes have equal texts.
	Took time.Duration
}

// Point is where a call acted on a page, and when.
type Point struct {
	Words string    `json:"words,omitempty"` // the action and what it touched, from the page
	X     float64   `json:"x"`               // CSS pixels of the viewport
	Y     float64   `json:"y"`
	At    time.Time `json:"at"`
}

// Continuation describes what follows a page. Cursors count bytes.
type Continuation struct {
	Has   bool  `json:"has_more"`
	Next  int64 `json:"next_cursor"`
	Total int64 `json:"total_bytes"`
}

// Envelope formats the result for the model, the same for every tool: a line of JSON with the outcome and the
// position to continue from, then the content. Inside the JSON, the content would grow by escaping and be truncated
// again.
func (r Result) Envelope() string {
	head := fmt.Sprintf(`{"ok":%t`, r.OK)
	if r.Took > 0 {
		head += fmt.Sprintf(`,"ms":%d`, r.Took.Milliseconds())
	}
	if r.More != nil {
		head += fmt.Sprintf(`,"has_more":%t,"next_cursor":%d,"total_bytes":%d`, r.More.Has, r.More.Next, r.More.Total)
	}
	return head + "}\n" + r.Text
}

// UnwrapEnvelope returns the content of an envelope, or text if it has no envelope.
func UnwrapEnvelope(text string) string {
	head, content, found := strings.Cut(text, "\n")
	if found && strings.HasPrefix(head, `{"ok":`) && strings.HasSuffix(head, "}") {
		return content
	}
	return text
}
