package model

import (
	"cmp"
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"goalpost/backend/domain/goal"
)

// chunk is one event of a stream. Its fields accept the variants of all known servers.
type chunk struct {
	Choices []struct {
		Index        int     `json:"index"`
		Delta        part    `json:"delta"`
		Message      part    `json:"message"` // in an answer that is not streamed
		FinishReason *string `json:"finish_reason"`

		Error json.RawMessage `json:"error"` // OpenRouter
		Usage *chatUsage      `json:"usage"` // Moonshot
	} `json:"choices"`
	Usage *chatUsage `json:"usage"`
	Groq  struct {
		Usage *chatUsage      `json:"usage"`
		Error json.RawMessage `json:"error"`
	} `json:"x_groq"`
	Error json.RawMessage `json:"error"`

	// Set in an event that is an error without an envelope: vLLM, Mistral.
	Object  string `json:"object"`
	Message string `json:"message"`
}

// isError reports whether an error field contains an error. Some servers send an empty field with every event.
func isError(raw json.RawMessage) bool {
	return !slices.Contains([]string{"", "null", "false", `""`, "{}", "[]"}, string(raw))
}

// chatUsage counts tokens, and has the cost if the provider reports it.
type chatUsage struct {
	In      flexibleNumber `json:"prompt_tokens"` // including those from the cache and those written to it
	Out     flexibleNumber `json:"completion_tokens"`
	Details struct {
		Cached  flexibleNumber `json:"cached_tokens"`
		Written flexibleNumber `json:"cache_write_tokens"` // OpenRouter
	} `json:"prompt_tokens_details"`
	CacheHits   flexibleNumber `json:"prompt_cache_hit_tokens"` // DeepSeek
	Cached      flexibleNumber `json:"cached_tokens"`           // Moonshot
	Cost        flexibleNumber `json:"cost"`                    // USD: OpenRouter, Vercel
	Ticks       flexibleNumber `json:"cost_in_usd_ticks"`       // 1e-10 USD: xAI
	IsBYOK      bool           `json:"is_byok"`                 // OpenRouter: with the user's key of the upstream provider
	CostDetails struct {
		Upstream flexibleNumber `json:"upstream_inference_cost"` // USD, charged by the upstream provider
	} `json:"cost_details"`
}

// count returns the tokens of a turn without double counting.
func (c chatUsage) count() tokenCount {
	in := clampTokens(float64(c.In))
	cached := min(clampTokens(float64(max(c.Details.Cached, c.CacheHits, c.Cached))), in)
	cacheWrites := min(clampTokens(float64(c.Details.Written)), in-cached)
	return tokenCount{
		in:         in - cached - cacheWrites,
		out:        clampTokens(float64(c.Out)),
		cacheRead:  cached,
		cacheWrite: cacheWrites,
	}
}

// usd returns the cost in USD, 0 if the provider does not report it.
func (c chatUsage) usd() float64 {
	usd := float64(c.Cost)
	if c.IsBYOK {
		usd += float64(c.CostDetails.Upstream)
	}
	if usd <= 0 {
		usd = float64(c.Ticks) / 1e10
	}
	return usd
}

// flexibleNumber is a number or a string with one. Anything else, and a number out of range, is read as 0.
type flexibleNumber float64

func (f *flexibleNumber) UnmarshalJSON(b []byte) error {
	const maxNumber = 1e15
	v, err := strconv.ParseFloat(strings.Trim(string(b), `"`), 64)
	if err == nil && v > 0 && v < maxNumber {
		*f = flexibleNumber(v)
	}
	return nil
}

type part struct {
	Content          flexibleText    `json:"content"`
	Refusal          flexibleText    `json:"refusal"`
	ReasoningContent flexibleText    `json:"reasoning_content"`
	Reasoning        flexibleText    `json:"reasoning"`
	ReasoningDetails flexibleList    `json:"reasoning_details"`
	ToolCalls        []toolCallDelta `json:"tool_calls"`
}

// flexibleText is a string, null, or a list of text parts. A number becomes its digits, an object its text.
type flexibleText string

func (f *flexibleText) UnmarshalJSON(b []byte) error {
	var s *string
	if json.Unmarshal(b, &s) == nil {
		if s != nil {
			*f = flexibleText(*s)
		}
		return nil
	}
	var object struct {
		Text    string `json:"text"`
		Content string `json:"content"`
	}
	var parts []json.RawMessage
	switch {
	case json.Unmarshal(b, &parts) == nil:
		for _, p := range parts {
			var piece flexibleText
			if err := piece.UnmarshalJSON(p); err != nil {
				return err
			}
			*f += piece
		}
	case len(b) > 0 && b[0] == '{':
		_ = json.Unmarshal(b, &object) // fields of other types are not text
		*f = flexibleText(object.Text + object.Content)
	default:
		*f = flexibleText(b)
	}
	return nil
}

// flexibleList is a list; anything else is read as an empty one.
type flexibleList []json.RawMessage

func (f *flexibleList) UnmarshalJSON(b []byte) error {
	var list []json.RawMessage
	if json.Unmarshal(b, &list) == nil {
		*f = list
	}
	return nil
}

// newOpenAIReader returns a reader for OpenAI's chat protocol.
func newOpenAIReader(delta func(string), price func(tokenCount) float64) *replyReader {
	r := &replyReader{delta: delta, price: price}
	r.tags = tagFilter{text: r.emitText, thoughts: func(text string) {
		r.reasoning.addTagged(text)
		r.emitReasoning(text)
	}}
	r.finishReasoning = func() *goal.Reasoning {
		r.tags.close()
		return r.reasoning.build(r.calls.signatures())
	}
	r.parseWhole = r.onAnswer
	r.take = func(event []byte) error {
		var c chunk
		if err := json.Unmarshal(event, &c); err != nil {
			return protocolError(event, err)
		}
		if c.Object == "error" && c.Message != "" {
			return streamErrorEvent(event)
		}
		return r.onChunk(c)
	}
	return r
}

// countUsage stores the usage of a turn; u is nil for an event without it.
func (r *replyReader) countUsage(u *chatUsage) {
	if u != nil {
		r.setUsage(u.count(), u.usd())
	}
}

// onChunk processes one event of the stream.
func (r *replyReader) onChunk(c chunk) error {
	for _, raw := range []json.RawMessage{c.Error, c.Groq.Error} {
		if isError(raw) {
			return streamErrorEvent(raw)
		}
	}
	r.countUsage(cmp.Or(c.Usage, c.Groq.Usage))
	for _, choice := range c.Choices {
		if choice.Index != 0 {
			continue // only one reply was requested
		}
		if isError(choice.Error) {
			return streamErrorEvent(choice.Error)
		}
		r.countUsage(choice.Usage)
		for _, p := range []part{choice.Delta, choice.Message} {
			r.reasoning.add(p)
			r.emitReasoning(p.readableReasoning())
			r.tags.write(string(p.Content))
			r.refusal.WriteString(string(p.Refusal))
			for _, t := range p.ToolCalls {
				if err := r.calls.add(t); err != nil {
					return err
				}
			}
		}
		if choice.FinishReason != nil && *choice.FinishReason != "" {
			r.finish, r.finished = *choice.FinishReason, true
		}
	}
	return nil
}

// onAnswer processes an answer of a server that does not stream.
func (r *replyReader) onAnswer(body []byte) error {
	var c chunk
	if err := json.Unmarshal(body, &c); err != nil {
		return protocolError(body, err)
	}
	if err := r.onChunk(c); err != nil {
		return err
	}
	if len(c.Choices) == 0 {
		return &Error{Kind: InvalidReply, Message: "the answer contains no reply"}
	}
	return nil
}
