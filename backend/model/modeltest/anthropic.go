package modeltest

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"net/http"
	"regexp"
	"strings"

	"goalpost/backend/goal"
)

// messageBlock is a content block of any type.
type messageBlock struct {
	Type      string          `json:"type"`
	Text      string          `json:"text"`
	ID        string          `json:"id"`
	Name      string          `json:"name"`
	Input     json.RawMessage `json:"input"`
	ToolUseID string          `json:"tool_use_id"`
	Content   []messageBlock  `json:"content"`
	Source    struct {
		MediaType string `json:"media_type"`
		Data      string `json:"data"`
	} `json:"source"`
	Cache *struct{ Type string } `json:"cache_control"`
}

type messageRequest struct {
	Model     string `json:"model"`
	MaxTokens int    `json:"max_tokens"`
	Stream    bool   `json:"stream"`
	Output    struct {
		Effort string `json:"effort"`
	} `json:"output_config"`
	System []messageBlock `json:"system"`
	Tools  []struct {
		Name   string                 `json:"name"`
		Schema json.RawMessage        `json:"input_schema"`
		Cache  *struct{ Type string } `json:"cache_control"`
	} `json:"tools"`
	Messages []struct {
		Role    goal.Role      `json:"role"`
		Content []messageBlock `json:"content"`
	} `json:"messages"`
}

// parseMessages is as strict as the API, so that a conversation that the API would refuse fails the test.
func parseMessages(h http.Header, body []byte) (Request, error) {
	var w messageRequest
	if err := json.Unmarshal(body, &w); err != nil {
		return Request{}, err
	}
	if err := w.check(h); err != nil {
		return Request{}, err
	}
	req := Request{Model: w.Model, Stream: w.Stream, IncludeUsage: true, Effort: w.Output.Effort, Anthropic: true}
	for _, b := range w.System {
		req.Messages = append(req.Messages, goal.Message{Role: goal.System, Text: b.Text})
	}
	for _, m := range w.Messages {
		req.Messages = append(req.Messages, goalMessages(m.Role, m.Content)...)
	}
	for _, t := range w.Tools {
		req.Tools = append(req.Tools, t.Name)
	}
	return req, nil
}

var wireName = regexp.MustCompile(`^[a-zA-Z0-9_-]{1,128}$`)

func (w messageRequest) check(h http.Header) error {
	switch {
	case h.Get("Anthropic-Version") == "":
		return errors.New("anthropic-version: header is required")
	case w.MaxTokens < 1:
		return errors.New("max_tokens: Field required")
	case len(w.Messages) == 0:
		return errors.New("messages: at least one message is required")
	case w.Messages[0].Role != goal.User:
		return errors.New("messages: first message must use the \"user\" role")
	}
	marks := 0
	for _, b := range w.System {
		if b.Cache != nil {
			marks++
		}
	}
	for _, t := range w.Tools {
		if !wireName.MatchString(t.Name) || len(t.Schema) == 0 {
			return fmt.Errorf("tools: %q is not a tool", t.Name)
		}
		if t.Cache != nil {
			marks++
		}
	}
	var open []string
	for i, m := range w.Messages {
		if len(m.Content) == 0 {
			return fmt.Errorf("messages.%d: content must not be empty", i)
		}
		results := map[string]bool{}
		for j, b := range m.Content {
			if b.Cache != nil {
				marks++
			}
			if err := b.check(); err != nil {
				return fmt.Errorf("messages.%d.content.%d: %w", i, j, err)
			}
			if b.Type == "tool_result" {
				results[b.ToolUseID] = true
			}
		}
		for _, id := range open {
			if !results[id] {
				return fmt.Errorf("messages.%d: tool_use ids were found without tool_result blocks immediately after: %s", i, id)
			}
			delete(results, id)
		}
		if len(results) > 0 {
			return fmt.Errorf("messages.%d: unexpected tool_use_id found in tool_result blocks", i)
		}
		open = nil
		for _, b := range m.Content {
			if b.Type == "tool_use" {
				open = append(open, b.ID)
			}
		}
	}
	if len(open) > 0 {
		return errors.New("messages: the last calls have no results")
	}
	if marks > 4 {
		return errors.New("a maximum of 4 blocks with cache_control may be provided")
	}
	return nil
}

func (b messageBlock) check() error {
	var object map[string]any
	switch b.Type {
	case "text":
		if strings.TrimSpace(b.Text) == "" {
			return errors.New("text content blocks must be non-empty")
		}
	case "tool_use":
		if !wireName.MatchString(b.ID) || !wireName.MatchString(b.Name) {
			return fmt.Errorf("id %q or name %q does not match the pattern", b.ID, b.Name)
		}
		if json.Unmarshal(b.Input, &object) != nil || object == nil {
			return errors.New("input: Input should be a valid dictionary")
		}
	}
	return nil
}

// goalMessages is one side's content as messages of a goal: results, then the rest.
func goalMessages(role goal.Role, content []messageBlock) []goal.Message {
	var list []goal.Message
	own := goal.Message{Role: role}
	for _, b := range content {
		switch b.Type {
		case "text":
			own.Text += b.Text
		case "tool_use":
			own.Calls = append(own.Calls, goal.Call{ID: b.ID, Tool: b.Name, Arguments: string(b.Input)})
		case "image":
			own.Images = append(own.Images, b.image())
		case "tool_result":
			m := goal.Message{Role: goal.ToolRole, CallID: b.ToolUseID}
			for _, part := range b.Content {
				m.Text += part.Text
				if part.Type == "image" {
					m.Images = append(m.Images, part.image())
				}
			}
			list = append(list, m)
		}
	}
	if own.Text != "" || len(own.Calls) > 0 || len(own.Images) > 0 || len(list) == 0 {
		list = append(list, own)
	}
	return list
}

func (b messageBlock) image() []byte {
	image, err := base64.StdEncoding.DecodeString(b.Source.Data)
	if err != nil {
		return nil
	}
	return image
}

// blocks are the stream's events in Anthropic's protocol.
func (a Answer) blocks(req Request) iter.Seq[frame] {
	return func(yield func(frame) bool) {
		send := func(name, rest string) bool {
			if rest != "" {
				rest = "," + rest
			}
			return yield(frame{name, `{"type":` + quoteJSON(name) + rest + `}`})
		}
		u, index := a.used(), 0
		part := func(start string, deltas iter.Seq[string]) bool {
			at := fmt.Sprintf(`"index":%d`, index)
			index++
			if !send("content_block_start", at+`,"content_block":`+start) {
				return false
			}
			for d := range deltas {
				if !send("content_block_delta", at+`,"delta":`+d) {
					return false
				}
			}
			return send("content_block_stop", at)
		}
		if !send("message_start",
			fmt.Sprintf(
				`"message":{"id":"msg_1","type":"message","role":"assistant","content":[],"model":"test","stop_reason":null,"usage":{"input_tokens":%d,"cache_read_input_tokens":%d,"cache_creation_input_tokens":0,"output_tokens":1}}`,
				u.TokensIn-a.Cached, a.Cached)) || !send("ping", "") {
			return
		}
		if !a.content(len(req.Messages), send, part) || a.Hang {
			return
		}
		if a.Break != "" {
			send("error", `"error":{"type":`+quoteJSON(a.Break)+`,"message":"the server is sorry"}`)
			return
		}
		a.farewell(u, send)
	}
}

// content sends the parts of the reply.
func (a Answer) content(
	turn int, send func(name, rest string) bool, part func(start string, deltas iter.Seq[string]) bool,
) bool {
	each := func(s string, n int, shape string) iter.Seq[string] {
		return func(yield func(string) bool) {
			for p := range splitPieces(s, n) {
				if !yield(fmt.Sprintf(shape, quoteJSON(p))) {
					return
				}
			}
		}
	}
	if a.Quirks.OtherEvents && (!send("weather", `"index":0,"delta":"sunny"`) ||
		!part(`{"type":"hologram","text":"never said"}`, each("never said", 4, `{"type":"hologram_delta","text":%s}`))) {
		return false
	}
	if a.Thinking != "" {
		deltas := func(yield func(string) bool) {
			for d := range each(a.Thinking, 7, `{"type":"thinking_delta","thinking":%s}`) {
				if !yield(d) {
					return
				}
			}
			yield(`{"type":"signature_delta","signature":"sealed"}`)
		}
		if !part(`{"type":"thinking","thinking":"","signature":""}`, deltas) {
			return false
		}
	}
	if a.Text != "" && !part(`{"type":"text","text":""}`, each(a.Text, 7, `{"type":"text_delta","text":%s}`)) {
		return false
	}
	for i, c := range a.Calls {
		id := c.ID
		if id == "" && !a.Quirks.NoID {
			id = fmt.Sprintf("toolu_%d_%d", turn, i)
		}
		input, deltas := "{}", each(c.Arguments, 5, `{"type":"input_json_delta","partial_json":%s}`)
		if c.Arguments == "{}" || a.Quirks.WholeInput { // an empty input has no pieces
			input, deltas = c.Arguments, each("", 1, "")
		}
		if !part(fmt.Sprintf(`{"type":"tool_use","id":%s,"name":%s,"input":%s}`, quoteJSON(id), quoteJSON(c.Tool), input),
			deltas) {
			return false
		}
	}
	return true
}

// farewell is what follows the last piece of text.
func (a Answer) farewell(u goal.Usage, send func(name, rest string) bool) {
	stop := "end_turn"
	if len(a.Calls) > 0 {
		stop = "tool_use"
	}
	if a.Stop != "" {
		stop = a.Stop
	}
	if !a.Quirks.NoFinish {
		usage := fmt.Sprintf(`,"usage":{"output_tokens":%d}`, u.TokensOut)
		if a.Quirks.NoUsage {
			usage = ""
		}
		if !send("message_delta", fmt.Sprintf(`"delta":{"stop_reason":%s,"stop_sequence":null}`, quoteJSON(stop))+usage) {
			return
		}
	}
	if !a.Quirks.NoDone && !a.KeepOpen {
		send("message_stop", "")
	}
}
