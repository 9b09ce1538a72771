package modeltest

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"

	"goalpost/backend/goal"
)

// Answer is one reply of the server: words and calls, or a fault.
type Answer struct {
	Text  string      // streamed in pieces
	Calls []goal.Call // an empty ID gets one
	Usage goal.Usage  // sent when it was asked for; zero means 10 in, 5 out

	// Faults. Status other than 0 answers with that code, Body and RetryAfter
	// (the header's value). Raw is sent as the whole stream, word for word.
	Status      int
	RetryAfter  string
	Body        string
	Raw         string
	ContentType string // default text/event-stream, or application/json with Status

	Hang     bool            // after text and calls: silence, and never an end
	KeepOpen bool            // a whole reply, but the connection stays open after it
	Wait     <-chan struct{} // nothing is sent before it is closed
	CutAfter int             // the connection breaks after that many events; 0 means never

	Quirks Quirks
}

// Quirks are what servers in the field do differently.
type Quirks struct {
	NoIndex         bool // tool calls without index
	RepeatID        bool // the id and the name come with every piece
	NoID            bool // tool calls without id
	ObjectArguments bool // arguments as an object instead of a string
	NoFinish        bool // finish_reason never comes
	NoDone          bool // [DONE] never comes
	NoUsage         bool // usage never comes
	CRLF            bool // lines end with CR LF
	Comments        bool // ": keep-alive" between events
}

// Say is an answer of words only.
func Say(text string) Answer { return Answer{Text: text} }

// Call is an answer that calls one tool. args is marshalled, a string is taken as it is.
func Call(tool string, args any) Answer {
	if s, ok := args.(string); ok {
		return Answer{Calls: []goal.Call{{Tool: tool, Arguments: s}}}
	}
	b, err := json.Marshal(args)
	if err != nil {
		panic(fmt.Sprintf("modeltest: arguments of %s: %v", tool, err)) // a mistake in the test itself
	}
	return Answer{Calls: []goal.Call{{Tool: tool, Arguments: string(b)}}}
}

// Fail is an answer with an HTTP error.
func Fail(status int, message string) Answer {
	return Answer{Status: status, Body: `{"error":{"message":` + quote(message) + `}}`}
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
		_, _ = w.Write([]byte(a.Body)) // the client may have left
		return
	}
	if a.Raw != "" {
		_, _ = w.Write([]byte(a.Raw))
		return
	}
	s.stream(w, r, a, a.events(req))
}

func (s *Server) stream(w http.ResponseWriter, r *http.Request, a Answer, events []string) {
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
	for i, e := range events {
		if a.CutAfter > 0 && i == a.CutAfter {
			panic(http.ErrAbortHandler) // the way to break a connection without an end
		}
		if a.Quirks.Comments {
			e = ": keep-alive" + end + end + "data: " + e
		} else {
			e = "data: " + e
		}
		if _, err := w.Write([]byte(e + end + end)); err != nil {
			return
		}
		if flusher.Flush() != nil {
			return
		}
	}
}

// events are the data of the stream's events, one string each.
func (a Answer) events(req Request) []string {
	q := a.Quirks
	out := []string{delta(`{"role":"assistant","content":""}`, "")}
	for _, piece := range pieces(a.Text, 7) {
		out = append(out, delta(`{"content":`+quote(piece)+`}`, ""))
	}
	for i, c := range a.Calls {
		out = append(out, q.call(i, len(req.Messages), c)...)
	}
	if a.Hang {
		return out
	}
	finish := "stop"
	if len(a.Calls) > 0 {
		finish = "tool_calls"
	}
	if !q.NoFinish {
		out = append(out, delta(`{}`, finish))
	}
	if req.IncludeUsage && !q.NoUsage {
		u := a.Usage
		if u == (goal.Usage{}) {
			u = goal.Usage{TokensIn: 10, TokensOut: 5}
		}
		out = append(out, fmt.Sprintf(`{"object":"chat.completion.chunk","choices":[],"usage":{"prompt_tokens":%d,"completion_tokens":%d,"total_tokens":%d}}`,
			u.TokensIn, u.TokensOut, u.TokensIn+u.TokensOut))
	}
	if !q.NoDone && !a.KeepOpen {
		out = append(out, "[DONE]")
	}
	return out
}

// call is one tool call in pieces.
func (q Quirks) call(i, turn int, c goal.Call) []string {
	if c.ID == "" {
		c.ID = fmt.Sprintf("call_%d_%d", turn, i)
	}
	head := func(first bool) string {
		var f []string
		if !q.NoIndex {
			f = append(f, fmt.Sprintf(`"index":%d`, i))
		}
		if !q.NoID && (first || q.RepeatID) {
			f = append(f, `"id":`+quote(c.ID), `"type":"function"`)
		}
		return strings.Join(f, ",")
	}
	piece := func(first bool, arguments string) string {
		name := ""
		if first || q.RepeatID {
			name = `"name":` + quote(c.Tool) + `,`
		}
		h := head(first)
		if h != "" {
			h += ","
		}
		return delta(`{"tool_calls":[{`+h+`"function":{`+name+`"arguments":`+arguments+`}}]}`, "")
	}
	if q.ObjectArguments && json.Valid([]byte(c.Arguments)) {
		return []string{piece(true, c.Arguments)}
	}
	out := []string{piece(true, `""`)}
	for _, p := range pieces(c.Arguments, 5) {
		out = append(out, piece(false, quote(p)))
	}
	return out
}

func delta(d, finish string) string {
	f := "null"
	if finish != "" {
		f = quote(finish)
	}
	return `{"id":"chatcmpl-1","object":"chat.completion.chunk","created":1,"model":"test","choices":[{"index":0,"delta":` + d + `,"finish_reason":` + f + `}]}`
}

// pieces cuts s into n runes each.
func pieces(s string, n int) []string {
	var out []string
	r := []rune(s)
	for len(r) > n {
		out = append(out, string(r[:n]))
		r = r[n:]
	}
	if len(r) > 0 {
		out = append(out, string(r))
	}
	return out
}
