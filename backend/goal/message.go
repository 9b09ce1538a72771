package goal

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"
)

// Role says who speaks in a conversation.
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
	Images [][]byte `json:"-"`                 // PNG or JPEG, for models that see; not kept in the journal
}

// Call is one tool call as the model wrote it. Arguments may be broken JSON:
// the door answers that, it is not repaired.
type Call struct {
	ID        string `json:"id"`
	Tool      string `json:"tool"`
	Arguments string `json:"arguments"`
}

// ToolSpec is what a model is told about a tool.
type ToolSpec struct {
	Name        string
	Description string
	Schema      json.RawMessage // JSON Schema of the arguments object
}

// Turn is what a model is asked.
type Turn struct {
	Model    string
	System   string
	Messages []Message
	Tools    []ToolSpec
}

// Reply is what a model answered, after its stream has ended.
type Reply struct {
	Text  string
	Calls []Call
	Usage Usage
}

// Usage is what one turn cost. USD is 0 where no price is known.
type Usage struct {
	TokensIn  int64   `json:"tokens_in"`
	TokensOut int64   `json:"tokens_out"`
	USD       float64 `json:"usd"`
	Guessed   bool    `json:"guessed,omitempty"` // by the length of what was sent: the provider did not say
}

// ErrPaused means that a model was not asked, or its answer not waited for, because the user paused the goal.
var ErrPaused = errors.New("the user paused the goal, so its model is not asked")

// ErrContextTooLong means that the conversation does not fit into the model's window.
var ErrContextTooLong = errors.New("the conversation is longer than the model's window")

// Unavailable means that the provider cannot answer before a moment, and said so
// or is down: the goal is parked and spends nothing. Models return it.
type Unavailable struct {
	Until time.Time
	Err   error
}

func (p *Unavailable) Error() string { return p.Err.Error() }
func (p *Unavailable) Unwrap() error { return p.Err }

// Result is what a tool gives back: OK false means denied, failed or not found,
// Text is the content for the model.
type Result struct {
	OK    bool
	Text  string
	Image []byte        // JPEG or PNG for the screen and the journal, nil if none
	More  *Continuation // where Text is a page of something longer, or can be read on from
	// Budget is how many bytes of Text may reach the model at once, 0 for the
	// door's own bound; the rest is kept and read by its handle.
	Budget int
	Usage  Usage // of a model that the tool asked
	// GoesOn says that what the call looked at still works and may show something
	// else next time: a command that runs, a goal, a page. Looking again is no loop.
	GoesOn bool
	// Took is said beside the content, not in it: the same outcome is the same text.
	Took time.Duration
}

// Continuation says what there is beyond a page. Cursors count bytes.
type Continuation struct {
	Has   bool  `json:"has_more"`
	Next  int64 `json:"next_cursor"`
	Total int64 `json:"total_bytes"`
}

// Envelope is the result as the model reads it, the same for every tool: a line
// of JSON that says whether it is fine and where it continues, and the content
// below. Inside the JSON the content would grow, and be cut again on its way.
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

// UnwrapEnvelope takes the content out of an envelope; what is in none is all content.
func UnwrapEnvelope(text string) string {
	head, content, found := strings.Cut(text, "\n")
	if found && strings.HasPrefix(head, `{"ok":`) && strings.HasSuffix(head, "}") {
		return content
	}
	return text
}
