// Package chat has the types of chats: conversations of the user with a model that reads what it is given and changes
// nothing.
package chat

import (
	"time"
	"unicode/utf16"

	"goalpost/backend/domain/goal"
	"goalpost/backend/lib/fault"
)

// ID is a lower-case ULID.
type ID string

// Chat is the head of one conversation.
type Chat struct {
	ID    ID     `json:"id"`
	Title string `json:"title"` // "" until the first message
	// the id of the workspace in whose panel it was begun, "" for the command line
	Workspace string `json:"workspace"`
	Dir       string `json:"dir"` // the folder that it may read, absolute; "" is none
	Provider  string `json:"provider"`
	Model     string `json:"model"`
	Effort    string `json:"effort"` // "" is the provider's default
	// the hosts that it may read from without asking; other ones are asked about
	AllowHosts []string `json:"allow_hosts"`
	GoalID     string   `json:"goal_id"` // the goal that it asks about, "" if none
	From       ID       `json:"from"`    // the chat that it was branched from, "" if none
	// an answer is being written in this process
	IsAnswering bool       `json:"is_answering"`
	Spent       goal.Usage `json:"spent"` // by all answers, also by those that others replaced
	// how many tokens of the model's window the newest turn used, 0 before the first answer
	WindowUsed int64     `json:"window_used"`
	Window     int       `json:"window"`
	CreatedAt  time.Time `json:"created_at"`
	UpdatedAt  time.Time `json:"updated_at"`
}

// Role is the author of a message.
type Role string

// The roles. A message of the role GoalNote says that the user started a goal from the chat.
const (
	User      Role = "user"
	Assistant Role = "assistant"
	GoalNote  Role = "goal"
)

// State says how an answer is, or how it ended.
type State string

// The states.
const (
	Answering   State = "answering"
	Done        State = "done"
	Stopped     State = "stopped"       // the user stopped it; its text so far stays
	Failed      State = "failed"        // Problem says why; its text so far stays
	OutOfRounds State = "out_of_rounds" // it used tools as often as it may before the user writes again
	Interrupted State = "interrupted"   // the program ended
)

// Message is one message of the user, or one whole answer.
type Message struct {
	ID   int64 `json:"id"` // grows within its chat
	Role Role  `json:"role"`
	// Text is what the user wrote. That of an answer is in Parts.
	Text        string       `json:"text"`
	Attachments []Attachment `json:"attachments"` // of the user's message
	Parts       []Part       `json:"parts"`       // of an answer, in their order
	State       State        `json:"state"`       // of an answer, "" otherwise
	// Problem says why an answer failed, and Hint what to do next.
	Problem string `json:"problem"`
	Hint    string `json:"hint"`
	// Waiting says why an answer waits for its provider, "" if it does not: the last attempt is being repeated.
	Waiting string     `json:"waiting"`
	Model   string     `json:"model"`   // that answered
	Usage   goal.Usage `json:"usage"`   // of an answer
	GoalID  string     `json:"goal_id"` // of a GoalNote; Text is the objective
	// Versions are the ids of the messages of which the conversation shows one, oldest first: an edited message and its
	// edits, or an answer and those that were written again. A message without others has only its own id.
	Versions []int64   `json:"versions"`
	At       time.Time `json:"at"`
}

// Part is a part of an answer: a text in Markdown, or a tool call if Call is set.
type Part struct {
	Text string `json:"text"`
	Call *Call  `json:"call"`
}

// CallState says how a tool call is.
type CallState string

// The states of calls.
const (
	CallRunning CallState = "running"
	CallOK      CallState = "ok"
	CallFailed  CallState = "failed"
	CallDenied  CallState = "denied" // a chat may not do that, or the user refused it
	CallAsking  CallState = "asking" // it waits for the user: Ask says for what
)

// Call is a tool call as a chip shows it. ChatAPI.Result returns the whole result.
type Call struct {
	ID        string    `json:"id"`
	Tool      string    `json:"tool"`
	Arguments string    `json:"arguments"` // JSON as the model wrote it
	State     CallState `json:"state"`
	Preview   string    `json:"preview"` // the first line of the result
	MS        int64     `json:"ms"`
	Ask       *Ask      `json:"ask"` // null if it waits for no answer of the user
}

// Ask is what the user is asked before a call: whether it may contact hosts.
type Ask struct {
	Request string `json:"request"` // names it in ChatAPI.AnswerAsk
	// Arguments are those that are used, JSON. An address can carry data out, so the user sees all of it.
	Arguments string   `json:"arguments"`
	Hosts     []string `json:"hosts"`
}

// AttachmentKind is what is attached to a message.
type AttachmentKind string

// The kinds.
const (
	AttachPane      AttachmentKind = "pane"      // the end of a terminal's output, or the text of a page
	AttachSelection AttachmentKind = "selection" // Text, that the user selected
	AttachCommand   AttachmentKind = "command"   // Text, a command of a terminal with its output
	AttachFile      AttachmentKind = "file"
	AttachImage     AttachmentKind = "image" // a picture: the file Path, or Image
	AttachGoal      AttachmentKind = "goal"  // the transcript, the changes and the checks of a goal
)

// Attachment is something that a message gives to the model as data. The host reads panes, files and goals when the
// message is sent. The model may read an attached pane again while the conversation lasts, also its scrollback.
type Attachment struct {
	Kind AttachmentKind `json:"kind"`
	// Title names it for the user. The host sets it where it reads the content; the page does for a selection.
	Title string `json:"title"`
	Pane  string `json:"pane"` // of a pane, and where a selection or a command comes from
	Path  string `json:"path"` // of a file or a picture: relative to the chat's folder, or absolute
	// Text is the content of a selection or a command. In a message that was sent, it is what the model was given.
	Text   string `json:"text"`
	Image  string `json:"image"` // base64 of a PNG or JPEG; only when a message is sent
	GoalID string `json:"goal_id"`
}

// Delta is streaming text of an answer.
type Delta struct {
	Message int64 `json:"message"` // the answer
	Part    int   `json:"part"`    // index of the part that grows; it may be a new one
	// Offset is the length of the part's text before this one, in UTF-16 code units, as JavaScript counts. A viewer that
	// has more text already has this delta; one that has less lost a delta, and reads the chat again.
	Offset    int    `json:"offset"`
	Text      string `json:"text"`
	Reasoning string `json:"reasoning"` // what the model thinks; shown while it streams, and not stored
}

// UTF16Len returns the length of a text in UTF-16 code units.
func UTF16Len(s string) int {
	n := 0
	for _, c := range s {
		n += utf16.RuneLen(c)
	}
	return n
}

// ErrNotFound means that there is no such chat.
var ErrNotFound error = fault.Kind(fault.NotFound, "", "no such chat", "goalctl chat --list shows all chats")
