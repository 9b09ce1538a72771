package modeltest

import (
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"net/http"
	"strings"

	"goalpost/backend/domain/goal"
)

type responsesPart struct {
	Type     string `json:"type"`
	Text     string `json:"text"`
	ImageURL string `json:"image_url"`
}

// responsesItem is an item of a conversation, of any type.
type responsesItem struct {
	Type      string          `json:"type"`
	Role      goal.Role       `json:"role"`
	Content   []responsesPart `json:"content"`
	CallID    string          `json:"call_id"`
	Name      string          `json:"name"`
	Arguments string          `json:"arguments"`
	Output    json.RawMessage `json:"output"`
	Encrypted string          `json:"encrypted_content"`
}

type responsesRequest struct {
	Model        string          `json:"model"`
	Instructions string          `json:"instructions"`
	Input        []responsesItem `json:"input"`
	Previous     *string         `json:"previous_response_id"`
	Tools        []struct {
		Type       string          `json:"type"`
		Name       string          `json:"name"`
		Parameters json.RawMessage `json:"parameters"`
	} `json:"tools"`
	Reasoning struct {
		Effort string `json:"effort"`
	} `json:"reasoning"`
	Store  *bool `json:"store"`
	Stream bool  `json:"stream"`
}

// parseResponses is as strict as the API without storage, so that a conversation that the API would reject fails the
// test.
func parseResponses(_ http.Header, body []byte) (Request, error) {
	var w responsesRequest
	if err := json.Unmarshal(body, &w); err != nil {
		return Request{}, err
	}
	if w.Store == nil || *w.Store || w.Previous != nil {
		return Request{}, errors.New("this server stores nothing")
	}
	req := Request{
		Model:        w.Model,
		Stream:       w.Stream,
		IncludeUsage: true,
		Effort:       w.Reasoning.Effort,
		Responses:    true,
	}
	if w.Instructions != "" {
		req.Messages = append(req.Messages, goal.Message{Role: goal.System, Text: w.Instructions})
	}
	for _, t := range w.Tools {
		if t.Type != "function" || !json.Valid(t.Parameters) {
			return Request{}, fmt.Errorf("the tool %q is not a function with parameters", t.Name)
		}
		req.Tools = append(req.Tools, t.Name)
	}
	for i, item := range w.Input {
		if err := item.addTo(&req); err != nil {
			return Request{}, fmt.Errorf("input[%d]: %w", i, err)
		}
	}
	return req, nil
}

// addTo adds an item to the messages of a request. Text and calls of one reply become one message.
func (r responsesItem) addTo(req *Request) error {
	last := func() *goal.Message {
		if n := len(req.Messages); n > 0 && req.Messages[n-1].Role == goal.Assistant {
			return &req.Messages[n-1]
		}
		req.Messages = append(req.Messages, goal.Message{Role: goal.Assistant})
		return &req.Messages[len(req.Messages)-1]
	}
	switch r.Type {
	case "message":
		if r.Role == goal.Assistant {
			for _, p := range r.Content {
				if p.Type != "output_text" || p.Text == "" {
					return fmt.Errorf("%q is not the text of a reply", p.Type)
				}
				last().Text += p.Text
			}
			return nil
		}
		m := goal.Message{Role: r.Role}
		m.Text, m.Images = readParts(r.Content)
		req.Messages = append(req.Messages, m)
	case "function_call":
		if !wireName.MatchString(r.CallID) || !wireName.MatchString(r.Name) || !json.Valid([]byte(r.Arguments)) {
			return fmt.Errorf("%+v is not a call", r)
		}
		m := last()
		m.Calls = append(m.Calls, goal.Call{
			ID:        r.CallID,
			Tool:      r.Name,
			Arguments: r.Arguments,
		})
	case "function_call_output":
		m := goal.Message{Role: goal.ToolRole, CallID: r.CallID}
		var parts []responsesPart
		if json.Unmarshal(r.Output, &m.Text) != nil {
			if err := json.Unmarshal(r.Output, &parts); err != nil {
				return err
			}
			m.Text, m.Images = readParts(parts)
		}
		req.Messages = append(req.Messages, m)
	case "reasoning":
		if r.Encrypted == "" {
			return errors.New("reasoning without its content is not stored here")
		}
	default:
		return fmt.Errorf("unknown type %q", r.Type)
	}
	return nil
}

func readParts(parts []responsesPart) (text string, images [][]byte) {
	for _, p := range parts {
		text += p.Text
		if _, data, ok := strings.Cut(p.ImageURL, ";base64,"); ok {
			images = append(images, decodeImage(data)...)
		}
	}
	return text, images
}

// items returns the stream's events in the Responses API.
func (a Answer) items(req Request) iter.Seq[frame] {
	return frames(func(sendFrame func(frame)) {
		n := 0
		send := func(kind, fields string) {
			sendFrame(frame{kind, fmt.Sprintf(`{"type":%q,"sequence_number":%d,%s}`, kind, n, fields)})
			n++
		}
		send("response.created", `"response":{"id":"resp_1","object":"response","status":"in_progress","output":[]}`)
		if a.Quirks.OtherEvents {
			send("response.weather.delta", `"delta":{"sunny":true},"output_index":"none"`)
		}
		output := a.sendItems(req, send)
		switch {
		case a.Hang:
			return
		case a.Break != "":
			send("error", `"error":{"message":"the server is sorry","type":`+quoteJSON(a.Break)+`}`)
			return
		}
		if !a.Quirks.NoFinish {
			kind, answer := a.lastAnswer(output)
			send(kind, `"response":`+answer)
		}
		if !a.Quirks.NoDone && !a.KeepOpen {
			sendFrame(frame{data: "[DONE]"})
		}
	})
}

// sendItems sends the parts of the reply and returns them.
func (a Answer) sendItems(req Request, send func(kind, fields string)) []string {
	var output []string
	item := func(begin, full, kind string, pieces iter.Seq[string]) {
		at := fmt.Sprintf(`"output_index":%d`, len(output))
		send("response.output_item.added", at+`,"item":`+begin)
		for p := range pieces {
			send(kind, at+`,"delta":`+quoteJSON(p))
		}
		send("response.output_item.done", at+`,"item":`+full)
		output = append(output, full)
	}
	if a.Quirks.OtherEvents {
		item(`{"type":"hologram"}`, `{"type":"hologram","content":"never said"}`,
			"response.hologram.delta", splitPieces("x", 1))
	}
	if a.Thinking != "" {
		full := `{"type":"reasoning","id":"rs_1","summary":[],"encrypted_content":` + quoteJSON("sealed "+a.Thinking) + `}`
		item(`{"type":"reasoning","id":"rs_1","summary":[]}`, full, "response.reasoning_summary_text.delta",
			splitPieces(a.Thinking, 7))
	}
	if a.Text != "" {
		content, kind := `{"type":"output_text","text":`, "response.output_text.delta"
		if a.Stop == "refusal" {
			content, kind = `{"type":"refusal","refusal":`, "response.refusal.delta"
		}
		full := `{"type":"message","role":"assistant","content":[` + content + quoteJSON(a.Text) + `}]}`
		item(`{"type":"message","role":"assistant","content":[]}`, full, kind, splitPieces(a.Text, 7))
	}
	for i, c := range a.Calls {
		if c.ID == "" && !a.Quirks.NoID {
			c.ID = fmt.Sprintf("call_%d_%d", len(req.Messages), i)
		}
		call := func(arguments string) string {
			return fmt.Sprintf(`{"type":"function_call","id":"fc_%d","call_id":%s,"name":%s,"arguments":%s}`,
				i, quoteJSON(c.ID), quoteJSON(c.Tool), quoteJSON(arguments))
		}
		pieces := splitPieces(c.Arguments, 5)
		if a.Quirks.WholeInput {
			pieces = splitPieces("", 1)
		}
		item(call(""), call(c.Arguments), "response.function_call_arguments.delta", pieces)
	}
	return output
}

// lastAnswer returns the final event, which repeats the whole reply.
func (a Answer) lastAnswer(output []string) (kind, answer string) {
	usage := "null"
	if u := a.usage(); !a.Quirks.NoUsage {
		usage = fmt.Sprintf(`{"input_tokens":%d,"output_tokens":%d,"input_tokens_details":{"cached_tokens":%d}}`,
			u.TokensIn, u.TokensOut, a.Cached)
	}
	kind, status, rest := "response.completed", "completed", `"error":null,"incomplete_details":null`
	switch strings.ToLower(a.Stop) {
	case "length", "max_tokens":
		kind, status, rest = "response.incomplete", "incomplete", `"incomplete_details":{"reason":"max_output_tokens"}`
	case "model_context_window_exceeded":
		kind, status, rest = "response.failed", "failed", `"error":{"code":"context_length_exceeded","message":"too long"}`
	}
	return kind, fmt.Sprintf(`{"id":"resp_1","object":"response","status":%q,%s,"output":[%s],"usage":%s}`,
		status, rest, strings.Join(output, ","), usage)
}
