package models

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"goalpost/backend/agent/model"
	"goalpost/backend/goals/api"
	"goalpost/backend/storage/config"
)

const (
	listTimeout   = 5 * time.Second
	detailTimeout = 2 * time.Second
	maxListBytes  = 8 << 20
	maxModels     = 5000
)

// listedModel is what a server reports about one of its models. Zero fields are unknown.
type listedModel struct {
	id                       string
	window                   int // in tokens
	inputPrice, outputPrice  float64
	images, tools, reasoning api.Ability
	isLoaded                 bool
	isNotChat                bool // it makes vectors or pictures
}

// serverError is a server's answer that is not a list of models.
type serverError struct {
	status   int
	response string
}

func (s *serverError) Error() string {
	return fmt.Sprintf("the server answered %d %s", s.status, http.StatusText(s.status))
}

// server asks a provider's server about its models.
type server struct {
	provider  config.Provider
	key       string
	transport *http.Transport
}

// listModels returns the models in the server's order.
func (s server) listModels(ctx context.Context) ([]listedModel, error) {
	ctx, cancel := context.WithTimeout(ctx, listTimeout)
	defer cancel()
	base, err := url.Parse(s.provider.BaseURL)
	if err != nil {
		return nil, fmt.Errorf("address of %s: %w", s.provider.ID, err)
	}
	address := base.JoinPath("models").String()
	if s.provider.Kind == config.Anthropic {
		address = s.root() + "/v1/models?limit=1000"
	}
	body, err := s.get(ctx, address)
	if err != nil {
		return nil, err
	}
	list, err := parseModels(body)
	if err != nil {
		return nil, &serverError{http.StatusOK, string(body)}
	}
	if s.hasNative("lmstudio", "1234") {
		if body, err := s.get(ctx, s.root()+"/api/v0/models"); err == nil {
			if detailed, err := parseModels(body); err == nil && len(detailed) > 0 {
				list = detailed
			}
		}
	}
	if s.hasNative("ollama", "11434") {
		s.describeOllama(ctx, list)
	}
	return list, nil
}

// root returns the base URL without its version.
func (s server) root() string {
	return strings.TrimSuffix(strings.TrimRight(s.provider.BaseURL, "/"), "/v1")
}

// hasNative reports whether the server may also speak the own protocol of a preset's program.
func (s server) hasNative(preset, port string) bool {
	u, err := url.Parse(s.provider.BaseURL)
	return err == nil && (s.provider.Preset == preset || u.Port() == port && s.provider.Kind == config.OpenAI)
}

// describeOllama asks Ollama for the details of its models. It stops after detailTimeout.
func (s server) describeOllama(ctx context.Context, list []listedModel) {
	ctx, cancel := context.WithTimeout(ctx, detailTimeout)
	defer cancel()
	for i := range list {
		if s.describeOllamaModel(ctx, &list[i]) != nil {
			return
		}
	}
}

func (s server) describeOllamaModel(ctx context.Context, m *listedModel) error {
	request, err := json.Marshal(map[string]string{"model": m.id})
	if err != nil {
		return fmt.Errorf("ask for %s: %w", m.id, err)
	}
	body, err := s.request(ctx, http.MethodPost, s.root()+"/api/show", request)
	if err != nil {
		return err
	}
	var details struct {
		Parameters   string         `json:"parameters"`
		Info         map[string]any `json:"model_info"`
		Capabilities []string       `json:"capabilities"`
	}
	if err := json.Unmarshal(body, &details); err != nil {
		return fmt.Errorf("ask for %s: %w", m.id, err)
	}
	for name, v := range details.Info {
		if n, ok := v.(float64); ok && strings.HasSuffix(name, ".context_length") {
			m.window = windowOrZero(n)
		}
	}
	for line := range strings.Lines(details.Parameters) {
		if f := strings.Fields(line); len(f) == 2 && f[0] == "num_ctx" {
			if n, err := strconv.Atoi(f[1]); err == nil {
				m.window = windowOrZero(float64(n))
			}
		}
	}
	if len(details.Capabilities) > 0 {
		has := func(ability string) api.Ability { return abilityOf(slices.Contains(details.Capabilities, ability)) }
		m.images, m.tools, m.reasoning = has("vision"), has("tools"), has("thinking")
		m.isNotChat = !slices.Contains(details.Capabilities, "completion")
	}
	return nil
}

// loadedWindow asks a local server for the context size with which it runs a model, in tokens; 0 if it does not report
// one. The size is often smaller than the model supports.
func (s server) loadedWindow(ctx context.Context, model string) int {
	ctx, cancel := context.WithTimeout(ctx, detailTimeout)
	defer cancel()
	switch {
	case s.hasNative("ollama", "11434"):
		var running struct {
			Models []struct {
				Name   string  `json:"name"`
				Model  string  `json:"model"`
				Window float64 `json:"context_length"`
			} `json:"models"`
		}
		body, err := s.get(ctx, s.root()+"/api/ps")
		if err != nil || json.Unmarshal(body, &running) != nil {
			return 0
		}
		for _, m := range running.Models {
			if m.Name == model || m.Model == model || m.Name == model+":latest" {
				return windowOrZero(m.Window)
			}
		}
	case s.hasNative("llamacpp", "8080"):
		var props struct {
			Settings struct {
				Window float64 `json:"n_ctx"`
			} `json:"default_generation_settings"`
		}
		body, err := s.get(ctx, s.root()+"/props")
		if err != nil || json.Unmarshal(body, &props) != nil {
			return 0
		}
		return windowOrZero(props.Settings.Window)
	}
	return 0
}

func (s server) get(ctx context.Context, address string) ([]byte, error) {
	return s.request(ctx, http.MethodGet, address, nil)
}

func (s server) request(ctx context.Context, method, address string, body []byte) (_ []byte, err error) {
	req, err := http.NewRequestWithContext(ctx, method, address, bytes.NewReader(body))
	if err != nil {
		return nil, fmt.Errorf("ask %s: %w", address, err)
	}
	req.Header.Set("Accept", "application/json")
	if body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	if s.provider.Kind == config.Anthropic {
		req.Header.Set("Anthropic-Version", "2023-06-01")
		if s.key != "" {
			req.Header.Set("X-Api-Key", s.key)
		}
	} else {
		model.SetKey(req.Header, req.URL, s.key)
	}
	client := http.Client{
		Transport: s.transport,
		// The key must not reach another host.
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	resp, err := client.Do(req)
	if err != nil {
		return nil, fmt.Errorf("ask the server: %w", err)
	}
	defer func() { err = errors.Join(err, resp.Body.Close()) }()
	answer, err := io.ReadAll(io.LimitReader(resp.Body, maxListBytes))
	if err != nil {
		return nil, fmt.Errorf("read the server's answer: %w", err)
	}
	if resp.StatusCode/100 != 2 {
		return nil, &serverError{resp.StatusCode, string(answer)}
	}
	return answer, nil
}

// wireModel has the fields that different servers use in their lists of models.
type wireModel struct {
	ID     string `json:"id"`
	Name   string `json:"name"`
	Type   string `json:"type"`  // LM Studio: llm, vlm, embeddings
	State  string `json:"state"` // LM Studio: loaded
	Object string `json:"object"`

	ContextLength    float64 `json:"context_length"`
	ContextWindow    float64 `json:"context_window"`
	MaxContextLength float64 `json:"max_context_length"`
	MaxModelLen      float64 `json:"max_model_len"` // vLLM
	MaxInputTokens   float64 `json:"max_input_tokens"`
	LoadedLength     float64 `json:"loaded_context_length"`
	Meta             struct {
		Window float64 `json:"n_ctx_train"` // llama.cpp
	} `json:"meta"`
	Pricing struct {
		Prompt     json.RawMessage `json:"prompt"` // USD per token
		Completion json.RawMessage `json:"completion"`
	} `json:"pricing"`
	Architecture struct {
		Inputs []string `json:"input_modalities"`
	} `json:"architecture"`
	Parameters   []string        `json:"supported_parameters"`
	Capabilities json.RawMessage `json:"capabilities"`
}

// parseModels reads {"data":[…]}, {"models":[…]} or a bare list. It skips entries that it cannot read.
func parseModels(body []byte) ([]listedModel, error) {
	var answer struct {
		Data   []json.RawMessage `json:"data"`
		Models []json.RawMessage `json:"models"`
	}
	entries := answer.Data
	if err := json.Unmarshal(body, &answer); err == nil {
		if answer.Data == nil && answer.Models == nil {
			return nil, errors.New("the answer has no list of models")
		}
		if entries = answer.Data; entries == nil {
			entries = answer.Models
		}
	} else if err := json.Unmarshal(body, &entries); err != nil {
		return nil, fmt.Errorf("the answer is not a list of models: %w", err)
	}
	var list []listedModel
	for _, e := range entries {
		var w wireModel
		if len(list) == maxModels || json.Unmarshal(e, &w) != nil {
			continue
		}
		if m := w.read(); m.id != "" && len(m.id) <= 200 {
			list = append(list, m)
		}
	}
	return list, nil
}

func (w wireModel) read() listedModel {
	m := listedModel{
		id:          strings.TrimPrefix(w.ID, "models/"), // as Gemini writes them
		isLoaded:    w.State == "loaded",
		isNotChat:   strings.Contains(w.Type, "embedding"),
		inputPrice:  parsePrice(w.Pricing.Prompt),
		outputPrice: parsePrice(w.Pricing.Completion),
	}
	if m.id == "" {
		m.id = strings.TrimPrefix(w.Name, "models/")
	}
	for _, n := range []float64{
		w.LoadedLength, w.MaxModelLen, w.ContextLength, w.ContextWindow, w.MaxContextLength, w.MaxInputTokens,
		w.Meta.Window,
	} {
		if m.window = windowOrZero(n); m.window > 0 {
			break
		}
	}
	if len(w.Architecture.Inputs) > 0 {
		m.images = abilityOf(slices.Contains(w.Architecture.Inputs, "image"))
	}
	if w.Type == "vlm" {
		m.images = api.CanDo
	}
	if len(w.Parameters) > 0 {
		m.tools = abilityOf(slices.Contains(w.Parameters, "tools"))
		m.reasoning = abilityOf(slices.Contains(w.Parameters, "reasoning"))
	}
	var abilities []string
	if json.Unmarshal(w.Capabilities, &abilities) == nil && slices.Contains(abilities, "tool_use") {
		m.tools = api.CanDo
	}
	return m
}

// parsePrice reads a price in USD per token, as a number or a string, and returns USD per million tokens.
func parsePrice(raw json.RawMessage) float64 {
	usd, err := strconv.ParseFloat(strings.Trim(string(raw), `"`), 64)
	if err != nil || usd <= 0 || usd > 1 {
		return 0
	}
	return usd * 1e6
}

// windowOrZero returns a context length that a server reported, in tokens, or 0 if it is not plausible.
func windowOrZero(n float64) int {
	const minTokens, maxTokens = 512, 100_000_000
	if n < minTokens || n > maxTokens {
		return 0
	}
	return int(n)
}

func abilityOf(b bool) api.Ability {
	if b {
		return api.CanDo
	}
	return api.CannotDo
}

// hostOf returns the host of an address without the port, "" for an invalid address.
func hostOf(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return ""
	}
	return u.Hostname()
}

// isLoopback reports whether an address is on this computer.
func isLoopback(address string) bool {
	host := hostOf(address)
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}
