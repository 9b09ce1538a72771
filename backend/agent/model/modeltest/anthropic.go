package modeltest

import (
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"net/http"
	"regexp"
	"strings"

	"goalpost/backend/domain/goal"
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

// parseMessages is as strict as the API, so that a conversation that the API would reject fails the test.
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

func (mr messageRequest) check(h http.Header) error {
	switch {
	case h.Get("Anthropic-Version") == "":
		return errors.New("anthropic-version: header is required")
	case mr.MaxTokens < 1:
		return errors.New("max_tokens: Field required")
	case len(mr.Messages) == 0:
		return errors.New("messages: at least one message is required")
	case mr.Messages[0].Role != goal.User:
		return errors.New("messages: first message must use the \"user\" role")
	}
	marks := 0
	for _, b := range mr.System {
		if b.Cache != nil {
			marks++
		}
	}
	for _, t := range mr.Tools {
		if !wireName.MatchString(t.Name) || len(t.Schema) == 0 {
			return fmt.Errorf("tools: %q is not a tool", t.Name)
		}
		if t.Cache != nil {
			marks++
		}
	}
	var open []string
	for i, m := range mr.Messages {
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

func (m messageBlock) check() error {
	var object map[string]any
	switch m.Type {
	case "text":
		if strings.TrimSpace(m.Text) == "" {
			return errors.New("text content blocks must be non-empty")
		}
	case "tool_use":
		if !wireName.MatchString(m.ID) || !wireName.MatchString(m.Name) {
			return fmt.Errorf("id %q or name %q does not match the pattern", m.ID, m.Name)
		}
		if json.Unmarshal(m.Input, &object) != nil || object == nil {
			return errors.New("input: Input should be a valid dictionary")
		}
	}
	return nil
}

// goalMessages converts the content of one side to messages of a goal: first results, then the rest.
func goalMessages(role goal.Role, content []messageBlock) []goal.Message {
	var list []goal.Message
	message := goal.Message{Role: role}
	for _, b := range content {
		switch b.Type {
		case "text":
			message.Text += b.Text
		case "tool_use":
			message.Calls = append(message.Calls, goal.Call{ID: b.ID, Tool: b.Name, Arguments: string(b.Input)})
		case "image":
			message.Images = append(message.Images, decodeImage(b.Source.Data)...)
		case "tool_result":
			m := goal.Message{Role: goal.ToolRole, CallID: b.ToolUseID}
			for _, part := range b.Content {
				m.Text += part.Text
				if part.Type == "image" {
					m.Images = append(m.Images, decodeImage(part.Source.Data)...)
				}
			}
			list = append(list, m)
		}
	}
	if message.Text != "" || len(message.Calls) > 0 || len(message.Images) > 0 || len(list) == 0 {
		list = append(list, message)
	}
	return list
}

// blocks returns the stream's events in Anthropic's protocol.
func (a Answer) blocks(req Request) iter.Seq[frame] {
	return frames(func(sendFrame func(frame)) {
		send := func(name, rest string) {
			if rest != "" {
				rest = "," + rest
			}
			sendFrame(frame{name, `{"type":` + quoteJSON(name) + rest + `}`})
		}
		u := a.usage()
		send("message_start", fmt.Sprintf(
			`"message":{"id":"msg_1","type":"message","role":"assistant","content":[],"model":"test","stop_reason":null,`+
				`"usage":{"input_tokens":%d,"cache_read_input_tokens":%d,"cache_creation_input_tokens":0,"output_tokens":1}}`,
			u.TokensIn-a.Cached, a.Cached))
		send("ping", "")
		a.sendContent(len(req.Messages), send)
		switch {
		case a.Hang:
		case a.Break != "":
			send("error", `"error":{"type":`+quoteJSON(a.Break)+`,"message":"the server is sorry"}`)
		default:
			a.sendEnd(u, send)
		}
	})
}

// sendContent sends the parts of the reply.
func (a Answer) sendContent(turn int, send func(name, rest string)) {
	index := 0
	// part sends a part with its text in pieces of n bytes, each in the given shape; ending may be empty.
	part := func(start, text string, n int, shape, ending string) {
		at := fmt.Sprintf(`"index":%d`, index)
		index++
		send("content_block_start", at+`,"content_block":`+start)
		for p := range splitPieces(text, n) {
			send("content_block_delta", at+`,"delta":`+fmt.Sprintf(shape, quoteJSON(p)))
		}
		if ending != "" {
			send("content_block_delta", at+`,"delta":`+ending)
		}
		send("content_block_stop", at)
	}
	if a.Quirks.OtherEvents {
		send("weather", `"index":0,"delta":"sunny"`)
		part(`{"type":"hologram","text":"never said"}`, "never said", 4, `{"type":"hologram_delta","text":%s}`, "")
	}
	if a.Thinking != "" {
		part(`{"type":"thinking","thinking":"","signature":""}`, a.Thinking, 7,
			`{"type":"thinking_delta","thinking":%s}`, `{"type":"signature_delta","signature":"sealed"}`)
	}
	if a.Text != "" {
		part(`{"type":"text","text":""}`, a.Text, 7, `{"type":"text_delta","text":%s}`, "")
	}
	for i, c := range a.Calls {
		if c.ID == "" && !a.Quirks.NoID {
			c.ID = fmt.Sprintf("toolu_%d_%d", turn, i)
		}
		input, pieces := "{}", c.Arguments
		if c.Arguments == "{}" || a.Quirks.WholeInput { // an empty input has no pieces
			input, pieces = c.Arguments, ""
		}
		part(fmt.Sprintf(`{"type":"tool_use","id":%s,"name":%s,"input":%s}`, quoteJSON(c.ID), quoteJSON(c.Tool), input),
			pieces, 5, `{"type":"input_json_delta","partial_json":%s}`, "")
	}
}

// sendEnd sends the events after the last piece of text.
func (a Answer) sendEnd(u goal.Usage, send func(name, rest string)) {
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
		send("message_delta", fmt.Sprintf(`"delta":{"stop_reason":%s,"stop_sequence":null}`, quoteJSON(stop))+usage)
	}
	if !a.Quirks.NoDone && !a.KeepOpen {
		send("message_stop", "")
	}
}
