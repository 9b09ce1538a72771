package modeltest

import (
	"encoding/json"
	"fmt"
	"iter"
	"net/http"
	"strings"
	"unicode/utf8"

	"goalpost/backend/goal"
)

// Answer is one reply of the server: text and calls, or an error.
type Answer struct {
	Thinking string      // before the text, not in OpenAI's chat protocol
	Text     string      // streamed in pieces
	Calls    []goal.Call // an empty ID gets one
	Usage    goal.Usage  // sent if it was requested; zero means 10 in, 5 out
	Cached   int64       // how many of the tokens in came from the cache
	Stop     string      // why the reply ended, in the protocol's word; "" is the matching one

	// Errors. A Status other than 0 answers with that code, Body and RetryAfter (the header's value). Raw is sent as
	// the whole stream, byte for byte.
	Status      int
	RetryAfter  string
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

// play sends the answer.
func (s *Server) play(w http.ResponseWriter, r *http.Request, req Request, a Answer) {
	if a.Wait != nil {
		select {
		case <-a.Wait:
		case <-r.Context().Done():
			return
		case <-s.quit:
			return
		}
	}
	kind := a.ContentType
	if kind == "" {
		kind = "text/event-stream"
		if a.Status != 0 {
			kind = "application/json"
		}
	}
	w.Header().Set("Content-Type", kind)
	if a.RetryAfter != "" {
		w.Header().Set("Retry-After", a.RetryAfter)
	}
	if a.Status != 0 {
		w.WriteHeader(a.Status)
		_, _ = w.Write([]byte(a.Body)) // the client may have disconnected
		return
	}
	if a.Raw != "" {
		_, _ = w.Write([]byte(a.Raw))
		return
	}
	events := a.chunks(req)
	switch {
	case req.Anthropic:
		events = a.blocks(req)
	case req.Responses:
		events = a.items(req)
	}
	s.stream(w, r, a, events)
}

// frame is one server-sent event; name may be empty.
type frame struct{ name, data string }

func (s *Server) stream(w http.ResponseWriter, r *http.Request, a Answer, events iter.Seq[frame]) {
	end := "\n"
	if a.Quirks.CRLF {
		end = "\r\n"
	}
	flusher := http.NewResponseController(w)
	if a.Hang || a.KeepOpen {
		defer func() {
			select {
			case <-r.Context().Done():
			case <-s.quit:
			}
		}()
	}
	sent := 0
	for f := range events {
		if a.CutAfter > 0 && sent == a.CutAfter {
			panic(http.ErrAbortHandler) // the way to break a connection without an end
		}
		sent++
		e := "data: " + f.data
		if f.name != "" {
			e = "event: " + f.name + end + e
		}
		if a.Quirks.Comments {
			e = ": keep-alive" + end + end + e
		}
		if _, err := w.Write([]byte(e + end + end)); err != nil {
			return
		}
		if flusher.Flush() != nil {
			return
		}
	}
}

// chunks are the stream's events in OpenAI's protocol.
func (a Answer) chunks(req Request) iter.Seq[frame] {
	q := a.Quirks
	return func(yield func(frame) bool) {
		send := func(data string) bool { return yield(frame{data: data}) }
		if !send(deltaChunk(`{"role":"assistant","content":""}`, "")) {
			return
		}
		for piece := range splitPieces(a.Text, 7) {
			if !send(deltaChunk(`{"content":`+quoteJSON(piece)+`}`, "")) {
				return
			}
		}
		for i, c := range a.Calls {
			for data := range q.call(i, len(req.Messages), c) {
				if !send(data) {
					return
				}
			}
		}
		if a.Hang {
			return
		}
		if a.Break != "" {
			send(`{"error":{"message":"the server is sorry","type":` + quoteJSON(a.Break) + `}}`)
			return
		}
		for _, data := range a.ending(req) {
			if !send(data) {
				return
			}
		}
	}
}

// ending is what follows the last piece of text.
func (a Answer) ending(req Request) []string {
	var out []string
	finish := "stop"
	if len(a.Calls) > 0 {
		finish = "tool_calls"
	}
	if a.Stop != "" {
		finish = a.Stop
	}
	if !a.Quirks.NoFinish {
		out = append(out, deltaChunk(`{}`, finish))
	}
	if req.IncludeUsage && !a.Quirks.NoUsage {
		u := a.used()
		out = append(out,
			fmt.Sprintf(
				`{"object":"chat.completion.chunk","choices":[],"usage":{"prompt_tokens":%d,"completion_tokens":%d,"total_tokens":%d,"prompt_tokens_details":{"cached_tokens":%d}}}`,
				u.TokensIn, u.TokensOut, u.TokensIn+u.TokensOut, a.Cached))
	}
	if !a.Quirks.NoDone && !a.KeepOpen {
		out = append(out, "[DONE]")
	}
	return out
}

func (a Answer) used() goal.Usage {
	if a.Usage == (goal.Usage{}) {
		return goal.Usage{TokensIn: 10, TokensOut: 5}
	}
	return a.Usage
}

// call is one tool call in pieces.
func (q Quirks) call(i, turn int, c goal.Call) iter.Seq[string] {
	if c.ID == "" {
		c.ID = fmt.Sprintf("call_%d_%d", turn, i)
	}
	head := func(first bool) string {
		var f []string
		if !q.NoIndex {
			f = append(f, fmt.Sprintf(`"index":%d`, i))
		}
		if !q.NoID && (first || q.RepeatID) {
			f = append(f, `"id":`+quoteJSON(c.ID), `"type":"function"`)
		}
		return strings.Join(f, ",")
	}
	piece := func(first bool, arguments string) string {
		name := ""
		if first || q.RepeatID {
			name = `"name":` + quoteJSON(c.Tool) + `,`
		}
		h := head(first)
		if h != "" {
			h += ","
		}
		return deltaChunk(`{"tool_calls":[{`+h+`"function":{`+name+`"arguments":`+arguments+`}}]}`, "")
	}
	return func(yield func(string) bool) {
		if q.ObjectArguments && json.Valid([]byte(c.Arguments)) {
			yield(piece(true, c.Arguments))
			return
		}
		if !yield(piece(true, `""`)) {
			return
		}
		for p := range splitPieces(c.Arguments, 5) {
			if !yield(piece(false, quoteJSON(p))) {
				return
			}
		}
	}
}

func deltaChunk(d, finish string) string {
	f := "null"
	if finish != "" {
		f = quoteJSON(finish)
	}
	return `{"id":"chatcmpl-1","object":"chat.completion.chunk","created":1,"model":"test","choices":[{"index":0,"delta":` + d + `,"finish_reason":` + f + `}]}`
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
