package modeltest

import (
	"encoding/json"
	"fmt"
	"iter"
	"net/http"
	"strings"

	"goalpost/backend/domain/goal"
)

type wireRequest struct {
	Model    string `json:"model"`
	Messages []struct {
		Role       goal.Role       `json:"role"`
		Content    json.RawMessage `json:"content"`
		ToolCallID string          `json:"tool_call_id"`
		ToolCalls  []struct {
			ID       string `json:"id"`
			Function struct {
				Name      string `json:"name"`
				Arguments string `json:"arguments"`
			} `json:"function"`
		} `json:"tool_calls"`
	} `json:"messages"`
	Tools []struct {
		Function struct {
			Name string `json:"name"`
		} `json:"function"`
	} `json:"tools"`
	Effort        string `json:"reasoning_effort"`
	Stream        bool   `json:"stream"`
	StreamOptions struct {
		IncludeUsage bool `json:"include_usage"`
	} `json:"stream_options"`
}

func parseRequest(_ http.Header, body []byte) (Request, error) {
	var w wireRequest
	if err := json.Unmarshal(body, &w); err != nil {
		return Request{}, err
	}
	req := Request{Model: w.Model, Stream: w.Stream, IncludeUsage: w.StreamOptions.IncludeUsage, Effort: w.Effort}
	for _, m := range w.Messages {
		msg := goal.Message{Role: m.Role, CallID: m.ToolCallID}
		msg.Text, msg.Images = parseContent(m.Content)
		for _, c := range m.ToolCalls {
			msg.Calls = append(msg.Calls, goal.Call{ID: c.ID, Tool: c.Function.Name, Arguments: c.Function.Arguments})
		}
		req.Messages = append(req.Messages, msg)
	}
	for _, t := range w.Tools {
		req.Tools = append(req.Tools, t.Function.Name)
	}
	return req, nil
}

// parseContent reads content that is a string or a list of parts.
func parseContent(raw json.RawMessage) (words string, images [][]byte) {
	if json.Unmarshal(raw, &words) == nil {
		return words, nil
	}
	var parts []struct {
		Text  string `json:"text"`
		Image struct {
			URL string `json:"url"`
		} `json:"image_url"`
	}
	if json.Unmarshal(raw, &parts) != nil {
		return "", nil
	}
	for _, p := range parts {
		words += p.Text
		if _, data, ok := strings.Cut(p.Image.URL, ";base64,"); ok {
			images = append(images, decodeImage(data)...)
		}
	}
	return words, images
}

// chunks returns the stream's events in OpenAI's protocol.
func (a Answer) chunks(req Request) iter.Seq[frame] {
	return frames(func(send func(frame)) {
		say := func(data string) { send(frame{data: data}) }
		say(deltaChunk(`{"role":"assistant","content":""}`, ""))
		for piece := range splitPieces(a.Text, 7) {
			say(deltaChunk(`{"content":`+quoteJSON(piece)+`}`, ""))
		}
		for i, c := range a.Calls {
			a.Quirks.sendCall(i, len(req.Messages), c, say)
		}
		switch {
		case a.Hang:
		case a.Break != "":
			say(`{"error":{"message":"the server is sorry","type":` + quoteJSON(a.Break) + `}}`)
		default:
			a.sendChatEnd(req, say)
		}
	})
}

// sendChatEnd sends the events after the last piece of text.
func (a Answer) sendChatEnd(req Request, say func(data string)) {
	finish := "stop"
	if len(a.Calls) > 0 {
		finish = "tool_calls"
	}
	if a.Stop != "" {
		finish = a.Stop
	}
	if !a.Quirks.NoFinish {
		say(deltaChunk(`{}`, finish))
	}
	if req.IncludeUsage && !a.Quirks.NoUsage {
		u := a.usage()
		say(fmt.Sprintf(`{"object":"chat.completion.chunk","choices":[],"usage":{"prompt_tokens":%d,`+
			`"completion_tokens":%d,"total_tokens":%d,"prompt_tokens_details":{"cached_tokens":%d}}}`,
			u.TokensIn, u.TokensOut, u.TokensIn+u.TokensOut, a.Cached))
	}
	if !a.Quirks.NoDone && !a.KeepOpen {
		say("[DONE]")
	}
}

// sendCall sends one tool call in pieces.
func (q Quirks) sendCall(i, turn int, c goal.Call, say func(data string)) {
	if c.ID == "" {
		c.ID = fmt.Sprintf("call_%d_%d", turn, i)
	}
	piece := func(first bool, arguments string) {
		head, name := "", ""
		if !q.NoIndex {
			head = fmt.Sprintf(`"index":%d,`, i)
		}
		if !q.NoID && (first || q.RepeatID) {
			head += `"id":` + quoteJSON(c.ID) + `,"type":"function",`
		}
		if first || q.RepeatID {
			name = `"name":` + quoteJSON(c.Tool) + `,`
		}
		say(deltaChunk(`{"tool_calls":[{`+head+`"function":{`+name+`"arguments":`+arguments+`}}]}`, ""))
	}
	if q.ObjectArguments && json.Valid([]byte(c.Arguments)) {
		piece(true, c.Arguments)
		return
	}
	piece(true, `""`)
	for p := range splitPieces(c.Arguments, 5) {
		piece(false, quoteJSON(p))
	}
}

func deltaChunk(d, finish string) string {
	f := "null"
	if finish != "" {
		f = quoteJSON(finish)
	}
	return `{"id":"chatcmpl-1","object":"chat.completion.chunk","created":1,"model":"test",` +
		`"choices":[{"index":0,"delta":` + d + `,"finish_reason":` + f + `}]}`
}
