package modeltest

import (
	"encoding/json"
	"fmt"
	"iter"
	"unicode/utf8"

	"goalpost/backend/domain/goal"
)

// Answer is one reply of the server: text and calls, or an error.
type Answer struct {
	Thinking string      // before the text, not in OpenAI's chat protocol
	Text     string      // streamed in pieces
	Calls    []goal.Call // an empty ID gets one
	Usage    goal.Usage  // sent if it was requested; zero means 10 in, 5 out
	Cached   int64       // how many of the tokens in came from the cache
	Stop     string      // why the reply ended, in the protocol's word; "" means the usual one

	// Errors. A Status other than 0 answers with that code, Body and RetryAfter (the header's value). Raw is sent as
	// the whole stream, byte for byte.
	Status      int
	RetryAfter  string
	Header      map[string]string // more headers, with any status
	Body        string
	Raw         string
	ContentType string // default text/event-stream, or application/json with Status

	Hang     bool            // after text and calls: nothing more, and no end
	KeepOpen bool            // a whole reply, but the connection stays open after it
	Wait     <-chan struct{} // nothing is sent before it is closed
	Break    string          // after text and calls: an error of this type, and the end
	CutAfter int             // the connection breaks after that many events; 0 means never

	Quirks Quirks
}

// Quirks are deviations of real servers.
type Quirks struct {
	NoIndex         bool // tool calls without index
	RepeatID        bool // the id and the name are in every piece
	NoID            bool // tool calls without id
	ObjectArguments bool // arguments as an object instead of a string
	NoFinish        bool // no finish_reason
	NoDone          bool // no [DONE]
	NoUsage         bool // no usage
	CRLF            bool // lines end with CR LF
	Comments        bool // ": keep-alive" between events
	WholeInput      bool // Anthropic's protocol: a call's input is complete at the start
	OtherEvents     bool // Anthropic's protocol: events and parts of unknown types
}

// Say is an answer with text only.
func Say(text string) Answer { return Answer{Text: text} }

// Call is an answer that calls one tool. args is marshalled, a string is used as it is.
func Call(tool string, args any) Answer {
	if s, ok := args.(string); ok {
		return Answer{Calls: []goal.Call{{Tool: tool, Arguments: s}}}
	}
	b, err := json.Marshal(args)
	if err != nil {
		panic(fmt.Sprintf("modeltest: arguments of %s: %v", tool, err)) // a mistake in the test
	}
	return Answer{Calls: []goal.Call{{Tool: tool, Arguments: string(b)}}}
}

// Fail is an answer with an HTTP error.
func Fail(status int, message string) Answer {
	return Answer{Status: status, Body: `{"error":{"message":` + quoteJSON(message) + `}}`}
}

// frame is one server-sent event; name may be empty.
type frame struct{ name, data string }

// frames are the events that send is called with. After the client has gone, send does nothing.
func frames(produce func(send func(frame))) iter.Seq[frame] {
	return func(yield func(frame) bool) {
		isOver := false
		produce(func(f frame) { isOver = isOver || !yield(f) })
	}
}

func (a Answer) usage() goal.Usage {
	if a.Usage == (goal.Usage{}) {
		return goal.Usage{TokensIn: 10, TokensOut: 5}
	}
	return a.Usage
}

// splitPieces splits s between characters into about n bytes each, very long text into larger pieces.
func splitPieces(s string, n int) iter.Seq[string] {
	n = max(n, len(s)/1000)
	return func(yield func(string) bool) {
		for len(s) > 0 {
			end := min(n, len(s))
			for end < len(s) && !utf8.RuneStart(s[end]) {
				end++
			}
			if !yield(s[:end]) {
				return
			}
			s = s[end:]
		}
	}
}
