package engine

import (
	"cmp"
	"context"
	"crypto/rand"
	"crypto/subtle"
	"fmt"
	"net"
	"net/http"
	"strings"
	"time"

	"goalpost/backend/domain/goal"
)

// gateway serves one agent on the host's loopback: its model and our tools. Every request needs the token, which other
// programs on this machine do not know. Programs that the agent starts can read the token; with it, they can do the
// same as the agent: ask the model, which is counted, and claim, which the host verifies.
type gateway struct {
	port   int
	token  string
	server *http.Server
	done   chan struct{}
}

func (s *Session) openGateway(ctx context.Context) (*gateway, error) {
	var listen net.ListenConfig
	l, err := listen.Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("listen for the agent: %w", err)
	}
	g := &gateway{port: l.Addr().(*net.TCPAddr).Port, token: rand.Text(), done: make(chan struct{})}
	mux := http.NewServeMux()
	if s.opts.Login == nil {
		mux.Handle("/", s.relay)
	}
	mux.Handle("/mcp", s.opts.ServeTools(s.opts.Tools, s.callTool))
	g.server = &http.Server{Handler: g.authorize(mux), ReadHeaderTimeout: 10 * time.Second}
	go func() {
		defer close(g.done)
		_ = g.server.Serve(l) // ends with close
	}()
	if err := s.opts.Reach(ctx, g.port); err != nil {
		_ = g.close(ctx)
		return nil, fmt.Errorf("let the agent reach its model: %w", err)
	}
	return g, nil
}

func (g *gateway) authorize(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		token := cmp.Or(strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer "), r.Header.Get("X-Api-Key"),
			r.Header.Get("X-Goog-Api-Key")) // the headers in which agents send their models' keys
		if subtle.ConstantTimeCompare([]byte(token), []byte(g.token)) != 1 {
			http.Error(w, "this needs the agent's token", http.StatusUnauthorized)
			return
		}
		next.ServeHTTP(w, r)
	})
}

func (g *gateway) address() string { return fmt.Sprintf("http://127.0.0.1:%d", g.port) }

func (g *gateway) close(context.Context) error {
	err := g.server.Close()
	<-g.done
	if err != nil {
		return fmt.Errorf("close the agent's server: %w", err)
	}
	return nil
}

// finalTools end the agent's turn: the host decides about the call after the turn. They are answered at once, because
// some agents give up on a call after 60 s.
var finalTools = map[string]bool{"claim_complete": true, "abort_with_report": true, "ask_user": true}

// callTool executes a call of one of our tools over MCP.
func (s *Session) callTool(ctx context.Context, tool, arguments string) (text string, ok bool) {
	call := goal.Call{ID: newCallID(), Tool: tool, Arguments: arguments}
	s.mu.Lock()
	if s.turn == nil {
		s.mu.Unlock()
		return "no turn is running", false
	}
	s.silence.restart(s.opts.Now())
	s.inbox.arrived[tool]++
	if finalTools[tool] {
		s.inbox.addFinal(call)
		s.mu.Unlock()
		s.wake()
		return "The host has received this. End your turn now, without another tool call: the host decides then, and its " +
			"answer is your next prompt.", true
	}
	r := s.inbox.add(&request{call: call, result: make(chan string, 1)})
	s.mu.Unlock()
	s.wake()
	select {
	case text := <-r.result:
		return text, true
	case <-s.opts.After(toolCallTimeout):
		s.mu.Lock()
		defer s.mu.Unlock()
		r.isAbandoned = true
		return "This takes longer. End your turn: the result is in your next prompt.", true
	case <-ctx.Done():
		return "cancelled", false
	}
}
