// Package relay is a model server for an external agent. It speaks the chat completions protocol on one side, and asks
// a model of the host on the other. The agent needs no key, and the host knows tokens, errors and the model's name.
package relay

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"

	"goalpost/backend/goal"
)

// ModelName is the model's name for the agent.
const ModelName = "relay"

// maxRequest limits one request of the agent, in bytes: a conversation with pictures.
const maxRequest = 64 << 20

// Model answers one turn.
type Model interface {
	Turn(ctx context.Context, t goal.Turn, delta func(string)) (goal.Reply, error)
}

// Relay is an http.Handler for POST …/chat/completions. Its methods may be called concurrently.
type Relay struct {
	name   string // of the model, as its provider calls it
	failed func(error)

	mu    sync.Mutex
	model Model
	usage goal.Usage
	open  int
}

// New returns a relay to a model. failed is called with an error that the agent cannot solve: the provider is not
// available, or has refused the request. It must not block.
func New(m Model, name string, failed func(error)) *Relay {
	return &Relay{model: m, name: name, failed: failed}
}

// SetModel replaces the model for later requests.
func (r *Relay) SetModel(m Model) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.model = m
}

// TakeUsage returns what was used since the last call.
func (r *Relay) TakeUsage() goal.Usage {
	r.mu.Lock()
	defer r.mu.Unlock()
	u := r.usage
	r.usage = goal.Usage{}
	return u
}

// IsBusy reports whether the model is being asked.
func (r *Relay) IsBusy() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.open > 0
}

func (r *Relay) begin() Model {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.open++
	return r.model
}

func (r *Relay) end(u goal.Usage) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.open--
	r.usage.TokensIn += u.TokensIn
	r.usage.TokensOut += u.TokensOut
	r.usage.USD += u.USD
	r.usage.Guessed = r.usage.Guessed || u.Guessed
}

func (r *Relay) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	if req.Method != http.MethodPost || !strings.HasSuffix(req.URL.Path, "/chat/completions") {
		refuse(w, http.StatusNotFound, "this server has chat completions only")
		return
	}
	var in request
	if err := json.NewDecoder(http.MaxBytesReader(w, req.Body, maxRequest)).Decode(&in); err != nil {
		refuse(w, http.StatusBadRequest, "the request cannot be read: "+err.Error())
		return
	}
	turn, err := in.turn()
	if err != nil {
		refuse(w, http.StatusBadRequest, err.Error())
		return
	}
	turn.Model = r.name
	out := answer{w: w, stream: in.Stream}
	reply, err := r.ask(req.Context(), turn, out.text)
	switch {
	case err == nil:
		out.finish(reply)
	case errors.Is(err, goal.ErrContextTooLong):
		refuse(w, http.StatusBadRequest, "context_length_exceeded: the conversation is longer than the model's context")
	default:
		if req.Context().Err() == nil {
			r.failed(err)
		}
		if !out.begun { // 400: the host has tried again already, so the agent need not
			refuse(w, http.StatusBadRequest, "the host could not ask the model")
		}
	}
}

// ask asks the model. What it used counts even if the agent has gone.
func (r *Relay) ask(ctx context.Context, t goal.Turn, delta func(string)) (reply goal.Reply, err error) {
	m := r.begin()
	defer func() { r.end(reply.Usage) }()
	reply, err = m.Turn(ctx, t, delta)
	if err != nil {
		return reply, fmt.Errorf("the model: %w", err)
	}
	return reply, nil
}

func refuse(w http.ResponseWriter, status int, message string) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	b, err := json.Marshal(map[string]any{"error": map[string]string{"message": message, "type": "invalid_request_error"}})
	if err == nil {
		_, _ = w.Write(b)
	}
}

// request is a request for a chat completion.
type request struct {
	Messages []message `json:"messages"`
	Tools    []struct {
		Function struct {
			Name        string          `json:"name"`
			Description string          `json:"description"`
			Parameters  json.RawMessage `json:"parameters"`
		} `json:"function"`
	} `json:"tools"`
	Stream bool `json:"stream"`
}

type message struct {
	Role       string          `json:"role"`
	Content    json.RawMessage `json:"content"`
	ToolCallID string          `json:"tool_call_id"`
	ToolCalls  []struct {
		ID       string `json:"id"`
		Function struct {
			Name      string `json:"name"`
			Arguments string `json:"arguments"`
		} `json:"function"`
	} `json:"tool_calls"`
}

// turn converts the request to a turn of our model.
func (q request) turn() (goal.Turn, error) {
	var t goal.Turn
	var system []string
	for _, m := range q.Messages {
		text, images, err := m.content()
		if err != nil {
			return t, err
		}
		out := goal.Message{Text: text, Images: images}
		switch m.Role {
		case "system", "developer":
			system = append(system, text)
			continue
		case "user":
			out.Role = goal.User
		case "assistant":
			out.Role = goal.Assistant
			for _, c := range m.ToolCalls {
				out.Calls = append(out.Calls, goal.Call{ID: c.ID, Tool: c.Function.Name, Arguments: c.Function.Arguments})
			}
		case "tool":
			out.Role, out.CallID = goal.ToolRole, m.ToolCallID
		default:
			return t, fmt.Errorf("unknown role %q", m.Role)
		}
		t.Messages = append(t.Messages, out)
	}
	if len(t.Messages) == 0 {
		return t, errors.New("the request has no messages")
	}
	t.System = strings.Join(system, "\n\n")
	for _, f := range q.Tools {
		schema := f.Function.Parameters
		if len(schema) == 0 {
			schema = json.RawMessage(`{"type":"object","properties":{}}`)
		}
		t.Tools = append(t.Tools, goal.ToolSpec{
			Name:        f.Function.Name,
			Description: f.Function.Description,
			Schema:      schema,
		})
	}
	return t, nil
}

// content is a message's text and its pictures. Pictures come as data URLs; the host fetches none.
func (m message) content() (text string, images [][]byte, err error) {
	if len(m.Content) == 0 || string(m.Content) == "null" {
		return "", nil, nil
	}
	if json.Unmarshal(m.Content, &text) == nil {
		return text, nil, nil
	}
	var parts []struct {
		Type     string `json:"type"`
		Text     string `json:"text"`
		ImageURL struct {
			URL string `json:"url"`
		} `json:"image_url"`
	}
	if err := json.Unmarshal(m.Content, &parts); err != nil {
		return "", nil, fmt.Errorf("the content of a message cannot be read: %w", err)
	}
	var texts []string
	for _, p := range parts {
		switch p.Type {
		case "text":
			texts = append(texts, p.Text)
		case "image_url":
			_, data, ok := strings.Cut(p.ImageURL.URL, ";base64,")
			picture, err := base64.StdEncoding.DecodeString(data)
			if !ok || err != nil {
				return "", nil, errors.New("a picture is not a data URL")
			}
			images = append(images, picture)
		}
	}
	return strings.Join(texts, "\n"), images, nil
}
