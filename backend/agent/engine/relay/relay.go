// Package relay is a model server for an external agent. It speaks the protocols of providers, and asks a model of the
// host. The agent needs no key, and the host sees tokens, errors and the model's name.
package relay

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"

	"goalpost/backend/domain/goal"
)

// maxRequest limits one request of the agent, in bytes: a conversation with pictures.
const maxRequest = 64 << 20

// Model answers one turn.
type Model interface {
	Turn(ctx context.Context, t goal.Turn, delta func(string)) (goal.Reply, error)
}

// Relay is an http.Handler for the dialects. Its methods may be called concurrently.
type Relay struct {
	name      string // of the model, as its provider calls it
	onFailure func(error)
	memory    memory

	mu    sync.Mutex
	model Model
	usage goal.Usage
	open  int
}

// New returns a relay to a model. onFailure is called with an error that the agent cannot solve: the provider is not
// available or rejected the request. It must not block.
func New(m Model, name string, onFailure func(error)) *Relay {
	return &Relay{model: m, name: name, onFailure: onFailure}
}

// SetModel replaces the model for later requests.
func (r *Relay) SetModel(m Model) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.model = m
}

// TakeUsage returns the usage since the last call.
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
	if req.Method != http.MethodPost { // an agent may check that the server is running
		if req.URL.Path != "/" {
			http.NotFound(w, req)
		}
		return
	}
	d := dialectOf(req.URL.Path)
	if d == nil {
		chat{}.writeFailure(w, failure{http.StatusNotFound, false, "unknown path " + req.URL.Path})
		return
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, req.Body, maxRequest))
	if err != nil {
		d.writeFailure(w, failure{http.StatusBadRequest, false, "the request cannot be read: " + err.Error()})
		return
	}
	q, err := d.readQuestion(req.URL, body)
	if err == nil && len(q.turn.Messages) == 0 {
		err = errors.New("the request has no messages")
	}
	if err != nil {
		d.writeFailure(w, failure{http.StatusBadRequest, false, err.Error()})
		return
	}
	if q.count != nil {
		q.count(w, estimateTokens(body))
		return
	}
	r.writeAnswer(w, req, d, q)
}

// writeAnswer asks the model and writes its reply.
func (r *Relay) writeAnswer(w http.ResponseWriter, req *http.Request, d dialect, q question) {
	q.turn.Model = r.name
	r.memory.restoreReasoning(q.turn.Messages)
	out := d.beginAnswer(w, q.stream)
	hasBegun := false
	reply, err := r.askModel(req.Context(), q.turn, func(piece string) {
		if q.stream && piece != "" {
			hasBegun = true
			out.addText(piece)
		}
	})
	if err == nil {
		for i := range reply.Calls {
			reply.Calls[i].ID = cmp.Or(reply.Calls[i].ID, "call_"+rand.Text())
		}
		r.memory.addReply(reply)
		out.finish(reply)
		return
	}
	tooLong := errors.Is(err, goal.ErrContextTooLong)
	if !tooLong && req.Context().Err() == nil {
		r.onFailure(err)
	}
	switch {
	case hasBegun: // the agent sees a stream that ends too early
	case tooLong:
		d.writeFailure(w, failure{http.StatusBadRequest, true, "the conversation is longer than the model's context"})
	default: // 400, because the host has already retried and the agent need not
		d.writeFailure(w, failure{http.StatusBadRequest, false, "the host could not ask the model"})
	}
}

// askModel asks the model. The usage counts even if the agent has disconnected.
func (r *Relay) askModel(ctx context.Context, t goal.Turn, delta func(string)) (reply goal.Reply, err error) {
	m := r.begin()
	defer func() { r.end(reply.Usage) }()
	reply, err = m.Turn(ctx, t, delta)
	if err != nil {
		return reply, fmt.Errorf("the model: %w", err)
	}
	return reply, nil
}

// dialectOf returns the dialect of a path, nil for none.
func dialectOf(path string) dialect {
	switch {
	case strings.HasSuffix(path, "/chat/completions"):
		return chat{}
	case strings.HasSuffix(path, "/responses"):
		return &responses{}
	case strings.HasSuffix(path, "/messages"), strings.HasSuffix(path, "/messages/count_tokens"):
		return messages{}
	case strings.HasSuffix(path, ":generateContent"), strings.HasSuffix(path, ":streamGenerateContent"),
		strings.HasSuffix(path, ":countTokens"):
		return gemini{}
	}
	return nil
}
