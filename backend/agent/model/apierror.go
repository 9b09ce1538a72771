package model

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"goalpost/backend/lib/text"
)

// apiError is a provider's error, which is an object or only a string on the wire.
type apiError struct {
	Message  string          `json:"message"`
	Type     string          `json:"type"`
	Code     json.RawMessage `json:"code"`   // string or number
	Status   json.RawMessage `json:"status"` // Google's word for the code
	Metadata json.RawMessage `json:"metadata"`
	Details  json.RawMessage `json:"details"`
	// FailedGeneration is the text that the model wrote in place of a call, as Groq reports it.
	FailedGeneration string `json:"failed_generation"`

	object json.RawMessage // the whole error
}

// parseErrorBody reads the body of an unsuccessful answer: an envelope, or a list with one, as Google's servers send.
// The result has no message if the body has none.
func parseErrorBody(body []byte) apiError {
	var list []json.RawMessage
	if json.Unmarshal(body, &list) == nil && len(list) > 0 {
		body = list[0]
	}
	var envelope struct {
		Error   json.RawMessage `json:"error"`
		Message string          `json:"message"`
		Detail  json.RawMessage `json:"detail"`
		Code    json.RawMessage `json:"code"`
	}
	if json.Unmarshal(body, &envelope) != nil {
		return apiError{}
	}
	switch {
	case len(envelope.Error) > 0 && string(envelope.Error) != "null":
		return parseAPIError(envelope.Error)
	case envelope.Message != "":
		return apiError{
			Message: envelope.Message,
			Code:    envelope.Code,
			object:  body,
		}
	case len(envelope.Detail) > 0:
		return parseAPIError(envelope.Detail)
	}
	return apiError{}
}

func parseAPIError(raw json.RawMessage) apiError {
	var c apiError
	var s string
	switch {
	case json.Unmarshal(raw, &c) == nil:
		c.object = raw
		c.addUpstream()
	case json.Unmarshal(raw, &s) == nil:
		c = apiError{Message: s}
	default:
		c = apiError{Message: cmp.Or(joinViolations(raw), text.SanitizeLine(string(raw), maxMessage))}
	}
	return c
}

// joinViolations returns FastAPI's list of the fields that a request lacks or that are wrong, as one sentence; "" for
// anything else.
func joinViolations(raw json.RawMessage) string {
	var list []struct {
		Place   []any  `json:"loc"`
		Message string `json:"msg"`
	}
	if json.Unmarshal(raw, &list) != nil {
		return ""
	}
	var all []string
	for _, v := range list {
		var place []string
		for _, step := range v.Place {
			place = append(place, fmt.Sprint(step))
		}
		if v.Message != "" {
			all = append(all, strings.Join(place, ".")+": "+v.Message)
		}
	}
	return strings.Join(all, "; ")
}

// addUpstream adds the message of the provider behind a gateway. OpenRouter itself only says "Provider returned error".
func (a *apiError) addUpstream() {
	var metadata struct {
		Raw      json.RawMessage `json:"raw"`
		Provider string          `json:"provider_name"`
	}
	if json.Unmarshal(a.Metadata, &metadata) != nil || len(metadata.Raw) == 0 {
		return
	}
	raw := metadata.Raw
	var words string
	if json.Unmarshal(raw, &words) == nil { // JSON in a string, or plain words
		raw = json.RawMessage(words)
	}
	inner := parseErrorBody(raw)
	if inner.Message != "" {
		words = inner.Message
	}
	if strings.TrimSpace(words) == "" {
		return
	}
	if metadata.Provider != "" {
		words = metadata.Provider + ": " + words
	}
	a.Message = strings.TrimSpace(a.Message + ": " + words)
	a.Type = strings.TrimSpace(a.Type + " " + inner.codeWord())
	if len(a.Details) == 0 {
		a.Details = inner.Details
	}
	if a.FailedGeneration == "" {
		a.FailedGeneration = inner.FailedGeneration
	}
}

// codeWord returns the machine-readable parts of the error, in lower case.
func (a apiError) codeWord() string {
	words := []string{strings.Trim(string(a.Code), `"`), a.Type, strings.Trim(string(a.Status), `"`)}
	for _, d := range a.details() {
		words = append(words, d.Reason)
	}
	return strings.ToLower(strings.TrimSpace(strings.Join(words, " ")))
}

// status returns the code as an HTTP status, 0 if it is not one.
func (a apiError) status() int {
	n, err := strconv.Atoi(strings.Trim(string(a.Code), `"`))
	if err != nil || n < http.StatusBadRequest || n > 599 {
		return 0
	}
	return n
}

// errorDetail is one of Google's details of an error.
type errorDetail struct {
	Reason     string `json:"reason"`
	RetryDelay string `json:"retryDelay"` // such as 34.07s
}

func (a apiError) details() []errorDetail {
	var raw []json.RawMessage
	if json.Unmarshal(a.Details, &raw) != nil {
		return nil
	}
	var list []errorDetail
	for _, r := range raw {
		var d errorDetail
		if json.Unmarshal(r, &d) == nil { // other details have other fields
			list = append(list, d)
		}
	}
	return list
}

// retryDelay returns the wait that Google asks for, 0 if it asks for none.
func (a apiError) retryDelay() time.Duration {
	for _, d := range a.details() {
		if wait, err := time.ParseDuration(d.RetryDelay); err == nil && wait > 0 {
			return wait
		}
	}
	return 0
}

// resetTime returns when a used-up quota comes back, as subscriptions say it in their errors; "" if the error says
// nothing.
func (a apiError) resetTime() string { return a.field("resets_in_seconds", "resets_at") }

// field returns the first field of the error that has a value.
func (a apiError) field(names ...string) string {
	var fields map[string]json.RawMessage
	if json.Unmarshal(a.object, &fields) != nil {
		return ""
	}
	for _, name := range names {
		if value := strings.Trim(string(fields[name]), `"`); value != "" && value != "null" {
			return value
		}
	}
	return ""
}

// upstreamHeader returns the headers that OpenRouter repeats in its errors, which names its own limits there.
func (a apiError) upstreamHeader() http.Header {
	var metadata struct {
		Headers map[string]string `json:"headers"`
	}
	if json.Unmarshal(a.Metadata, &metadata) != nil {
		return nil
	}
	header := http.Header{}
	for name, value := range metadata.Headers {
		header.Set(name, value)
	}
	return header
}

// isTooLong reports whether the conversation does not fit into the model's window. Every server has its own message,
// some with a misleading status: a request with more tokens than a minute allows gets 429, and waiting does not help.
func (a apiError) isTooLong(status int) bool {
	if status == http.StatusRequestEntityTooLarge {
		return true
	}
	message := a.codeWord() + " " + strings.ToLower(a.Message)
	if containsAny(message, overflowWords()...) || overflowPattern.MatchString(message) {
		return true
	}
	// With status 429, this is a limit per minute.
	return status != http.StatusTooManyRequests && !strings.HasPrefix(message, "429") &&
		containsAny(message, "too many tokens")
}

// overflowWords returns parts of the messages of servers about a conversation that does not fit, in lower case.
func overflowWords() []string {
	return []string{
		// OpenAI, Azure, DeepSeek, OpenRouter, vLLM, Fireworks, LM Studio, Ollama, Cerebras
		"context_length", "context length", "context window", "string_above_max_length",
		"context size", "exceed_context", // llama.cpp
		"context limit", "prompt is too long", "input is too long", "request_too_large", // Anthropic, Bedrock
		"long context request", "long context beta", // Anthropic: the account has no access to the long window
		"prompt too long", "prompt tokens too long", // Ollama, Qianfan
		"request too large", "reduce the length of", // Groq
		"request body too large", // GitHub
		"prompt token count",     // Copilot
		"input token count",      // Gemini
		"input context is too long",
		"maximum prompt length",                            // xAI
		"model token limit",                                // Moonshot
		"exceeds max length",                               // Z.ai
		"maximum model length",                             // vLLM
		"exceeds the maximum allowed length",               // SGLang
		"range of input length",                            // Alibaba
		"max message tokens",                               // Volcengine
		"max_new_tokens` must be",                          // Together
		"total tokens limit",                               // watsonx
		"number of tokens to keep from the initial prompt", // LM Studio
	}
}

// overflowPattern matches messages with numbers in them: TGI, Cohere, Snowflake.
var overflowPattern = text.NewPattern(
	`must have less than \d+ tokens|tokens in the prompt cannot exceed|max tokens of \d+ exceeded`)

func containsAny(s string, words ...string) bool {
	return slices.ContainsFunc(words, func(w string) bool { return strings.Contains(s, w) })
}

// isJSON reports whether data begins like a JSON object or list.
func isJSON(data []byte) bool {
	data = bytes.TrimLeft(data, " \t\r\n")
	return len(data) > 0 && (data[0] == '{' || data[0] == '[')
}
